/** ID tokens with a wrong signature, header or form (RFC 7515, RFC 8725). */

import { encodeBase64url } from "../../../runtime/base64url.ts";
import { idToken } from "../../faults/mod.ts";
import { textParameter } from "../../faults/parameters.ts";
import { encodeJwt } from "../../faults/resign.ts";
import { type Attack, defineAttack, type Stage } from "../attack.ts";
import {
  forgeJwt,
  type Original,
  publicKeyForms,
  publicKeySecret,
  signWithFreshKey,
  signWithHmac,
  signWithOwnKey,
} from "./forged_jwt.ts";
import { accepted, rejected } from "./id_token.ts";

/** Adds a rule that forges the ID token of the next token response. */
function forge({ as }: Stage, name: string, create: (original: Original) => string | Promise<string>): void {
  as.on("token").once(forgeJwt(name, create));
}

/** The attacks of the category `id-token` on signature, header and form. */
export const idTokenSignatureAttacks: readonly Attack[] = [
  defineAttack({
    ...rejected,
    id: "id-token/alg-none",
    title: "The ID token is not signed: its alg is none.",
    needsSignatureCheck: true,
    sources: ["RFC 8725 §3.1", "RFC 8725 §3.2", "CVE-2021-44878"],
    parameters: [
      textParameter("alg", "none", "The header parameter alg."),
      textParameter("signature", "", "The third part of the token."),
    ],
    variants: [{ alg: "none" }, { alg: "None" }, { alg: "NoNe" }, { alg: "none", signature: "AAAA" }],
    start: (stage, { alg, signature }) =>
      forge(
        stage,
        "unsigned ID token",
        ({ header, claims }) => `${encodeJwt({ ...header, alg }, claims)}.${signature}`,
      ),
  }),
  defineAttack({
    ...rejected,
    id: "id-token/signature-missing",
    title: "The ID token keeps alg and kid, and its signature is empty.",
    needsSignatureCheck: true,
    sources: ["RFC 8725 §3.3"],
    start: (stage) =>
      forge(stage, "ID token without signature", ({ header, claims }) => `${encodeJwt(header, claims)}.`),
  }),
  defineAttack({
    ...rejected,
    id: "id-token/signature-corrupt",
    title: "One bit of the signature is changed, or the payload is changed after signing.",
    needsSignatureCheck: true,
    sources: ["RFC 7515 §5.2", "OpenID Connect Core §3.1.3.7"],
    parameters: [{
      name: "part",
      type: "string",
      enum: ["signature", "payload"],
      default: "signature",
      description: "The changed part.",
    }],
    variants: [{ part: "signature" }, { part: "payload" }],
    start: (stage, { part }) =>
      forge(stage, `ID token with changed ${part}`, async (original) => {
        const { header, claims, sign } = original;
        const input = encodeJwt(header, claims);
        const signature = await sign(input);
        if (part === "payload") {
          return `${encodeJwt(header, { ...claims, email_verified: true })}.${encodeBase64url(signature)}`;
        }
        const changed = signature.map((byte, index) => index === 0 ? byte ^ 1 : byte);
        return `${input}.${encodeBase64url(changed)}`;
      }),
  }),
  defineAttack({
    ...rejected,
    id: "id-token/signed-by-stranger",
    title: "The ID token is signed with another key, under the kid of the server.",
    needsSignatureCheck: true,
    sources: ["OpenID Connect Core §3.1.3.7", "CVE-2021-22573", "CVE-2020-15240"],
    start: ({ as }) => void as.on("token").once(idToken.wrongSignature()),
  }),
  defineAttack({
    ...rejected,
    id: "id-token/kid-unknown",
    title: "The ID token names a key that is not published.",
    needsSignatureCheck: true,
    sources: ["OpenID Connect Core §10.1.1", "RFC 8725 §3.10", "openfga/openfga#3100"],
    parameters: [textParameter("kid", "unpublished-key", "The header parameter kid.")],
    variants: ["unpublished-key", "../../../../dev/null", "' OR '1'='1", "k".repeat(10_240)].map((kid) => ({ kid })),
    start: (stage, { kid }) =>
      forge(
        stage,
        "ID token with unknown kid",
        (original) => signWithFreshKey(() => ({ ...original.header, alg: "ES256", kid }), original.claims),
      ),
  }),
  defineAttack({
    ...accepted,
    id: "id-token/kid-absent",
    title: "The ID token has no kid, and one fitting key is published.",
    needsSignatureCheck: true,
    sources: ["OpenID Connect Core §10.1"],
    start: (stage) =>
      forge(
        stage,
        "ID token without kid",
        (original) => signWithOwnKey(original, { ...original.header, kid: undefined }, original.claims),
      ),
  }),
  defineAttack({
    ...rejected,
    id: "id-token/alg-hmac-public-key",
    title: "The ID token has an HMAC whose secret is the published public key.",
    needsSignatureCheck: true,
    sources: ["RFC 8725 §2.1", "CVE-2022-29217", "CVE-2024-33663", "CVE-2024-37568"],
    parameters: [textParameter("form", "pem", `The form of the key: ${publicKeyForms.join(", ")}.`)],
    variants: publicKeyForms.map((form) => ({ form })),
    start: (stage, { form }) =>
      forge(stage, `ID token with an HMAC of the public key (${form})`, async (original) =>
        await signWithHmac(
          { ...original.header, alg: "HS256" },
          original.claims,
          await publicKeySecret(original, form),
        )),
  }),
  defineAttack({
    ...rejected,
    id: "id-token/alg-hmac-known-key",
    title: "The ID token has an HMAC with an empty secret.",
    needsSignatureCheck: true,
    sources: ["OpenID Connect Core §3.1.3.7", "RFC 8725 §3.5"],
    start: (stage) =>
      forge(
        stage,
        "ID token with an HMAC of an empty secret",
        ({ header, claims }) => signWithHmac({ ...header, alg: "HS256" }, claims, new Uint8Array()),
      ),
  }),
  defineAttack({
    ...rejected,
    id: "id-token/alg-other",
    level: "should-reject",
    title: "The ID token is signed with a published key, by another algorithm than the registered one.",
    needsSignatureCheck: true,
    sources: ["OpenID Connect Core §3.1.3.7 item 7"],
    start: (stage) =>
      forge(
        stage,
        "ID token with another algorithm",
        ({ server, kind, alg, claims }) =>
          Promise.resolve(server.sign(kind, alg === "RS256" ? "EdDSA" : "RS256", claims)),
      ),
  }),
  defineAttack({
    ...rejected,
    id: "id-token/alg-unknown",
    title: "The ID token names an algorithm that does not exist.",
    needsSignatureCheck: true,
    sources: ["RFC 8725 §3.1", "CVE-2026-28498"],
    parameters: [textParameter("alg", "XX256", "The header parameter alg.")],
    variants: ["XX256", "", "RS257"].map((alg) => ({ alg })),
    start: (stage, { alg }) =>
      forge(
        stage,
        "ID token with unknown algorithm",
        (original) => signWithOwnKey(original, { ...original.header, alg }, original.claims),
      ),
  }),
  defineAttack({
    ...rejected,
    id: "id-token/ecdsa-zero",
    title: "The ID token has an ES256 signature of zeros.",
    needsSignatureCheck: true,
    sources: ["RFC 7518 §3.4", "CVE-2022-21449"],
    start: (stage) =>
      forge(
        stage,
        "ID token with a signature of zeros",
        ({ header, claims }) =>
          `${encodeJwt({ ...header, alg: "ES256" }, claims)}.${encodeBase64url(new Uint8Array(64))}`,
      ),
  }),
  defineAttack({
    ...rejected,
    id: "id-token/header-jwk",
    title: "The header of the ID token contains the public key that verifies it.",
    needsSignatureCheck: true,
    sources: ["RFC 8725 §3.10", "CVE-2018-0114", "CVE-2026-27962"],
    parameters: [textParameter("kid", "attacker", "The header parameter kid; `own` is the one of the server.")],
    variants: [{ kid: "attacker" }, { kid: "own" }],
    start: (stage, { kid }) =>
      forge(stage, "ID token with its own key", ({ header, claims }) =>
        signWithFreshKey(
          (jwk) => ({ ...header, alg: "ES256", kid: kid === "own" ? header.kid : kid, jwk }),
          claims,
        )),
  }),
  defineAttack({
    ...rejected,
    id: "id-token/header-urls",
    title: "The header of the ID token has the URL of the keys that verify it.",
    correctClient: "It discards the token response, and does not fetch the URL.",
    needsSignatureCheck: true,
    sources: ["RFC 8725 §3.10"],
    parameters: [textParameter("member", "jku", "The header parameter: jku, x5u or kid.")],
    variants: ["jku", "x5u", "kid"].map((member) => ({ member })),
    start: (stage, { member }) =>
      forge(stage, `ID token with ${member}`, ({ header, claims }) =>
        signWithFreshKey(
          () => ({ ...header, alg: "ES256", kid: "attacker", [member]: `${stage.trap.origin}/keys` }),
          claims,
        )),
  }),
  defineAttack({
    ...rejected,
    id: "id-token/header-crit",
    title: "The header of the ID token lists an extension in crit that the client does not know.",
    needsSignatureCheck: true,
    sources: ["RFC 7515 §4.1.11", "RFC 7797 §6", "CVE-2025-59420", "CVE-2026-32597"],
    parameters: [textParameter("extension", "urn:example:extension", "The extension.")],
    variants: ["urn:example:extension", "b64"].map((extension) => ({ extension })),
    start: (stage, { extension }) =>
      forge(stage, "ID token with crit", (original) =>
        signWithOwnKey(
          original,
          { ...original.header, crit: [extension], [extension]: extension === "b64" ? false : "1" },
          original.claims,
        )),
  }),
  defineAttack({
    ...accepted,
    id: "id-token/header-claims",
    title: "The header of the ID token has the claims of another user; the payload is correct.",
    correctClient: "It logs in the user of the payload.",
    sources: ["RFC 7515 §4.2"],
    start: (stage) =>
      forge(stage, "ID token with claims in the header", (original) =>
        signWithOwnKey(
          original,
          { ...original.header, iss: original.claims.iss, sub: "mallory", email: "mallory@example.com" },
          original.claims,
        )),
  }),
  defineAttack({
    ...rejected,
    id: "id-token/parts",
    title: "The ID token does not have three parts.",
    needsSignatureCheck: true,
    sources: ["RFC 7515 §3.1", "CVE-2025-22868"],
    parameters: [textParameter("form", "two", "one, two, four or dots.")],
    variants: ["one", "two", "four", "dots"].map((form) => ({ form })),
    start: (stage, { form }) =>
      forge(stage, `ID token with ${form} parts`, async (original) => {
        const token = await signWithOwnKey(original, original.header, original.claims);
        const [header = "", payload = ""] = token.split(".");
        const forms: Readonly<Record<string, string>> = {
          one: header,
          two: `${header}.${payload}`,
          four: `${token}.AAAA`,
          dots: ".".repeat(10_000),
        };
        return forms[form] ?? token;
      }),
  }),
  defineAttack({
    ...rejected,
    id: "id-token/payload-shape",
    title: "The payload of the ID token is not a JSON object.",
    sources: ["RFC 7519 §7.2", "CVE-2025-53864"],
    parameters: [textParameter("form", "text", "text, list, null or deep.")],
    variants: ["text", "list", "null", "deep"].map((form) => ({ form })),
    start: (stage, { form }) =>
      forge(stage, `ID token whose payload is ${form}`, (original) => {
        const forms: Readonly<Record<string, string>> = {
          text: "not JSON",
          list: JSON.stringify([original.claims]),
          null: "null",
          deep: "[".repeat(10_000) + "]".repeat(10_000),
        };
        return signWithOwnKey(original, original.header, forms[form] ?? "");
      }),
  }),
  defineAttack({
    ...rejected,
    id: "id-token/encrypted",
    title: "The ID token is encrypted, although the client has not registered encryption.",
    sources: ["RFC 8725 §3.2", "CVE-2026-29000", "CVE-2024-28176", "CVE-2023-52428"],
    parameters: [textParameter("alg", "dir", "The header parameter alg of the JWE.")],
    variants: ["dir", "RSA1_5", "PBES2-HS256+A128KW"].map((alg) => ({ alg })),
    start: (stage, { alg }) =>
      forge(stage, `ID token encrypted by ${alg}`, () => {
        const header = { alg, enc: "A128CBC-HS256", zip: "DEF", p2c: 1_000_000_000, p2s: "AAAAAAAAAAA" };
        const key = alg === "dir" ? "" : encodeBase64url(new Uint8Array(40));
        const rest = [16, 64, 16].map((length) => encodeBase64url(new Uint8Array(length)));
        return [encodeBase64url(JSON.stringify(header)), key, ...rest].join(".");
      }),
  }),
  defineAttack({
    ...rejected,
    id: "id-token/typ-foreign",
    title: "The token response has an access token as its ID token.",
    sources: ["RFC 8725 §3.11", "RFC 9068 §5"],
    start: (stage) =>
      forge(
        stage,
        "access token as ID token",
        (original) =>
          signWithOwnKey(original, { ...original.header, typ: "at+jwt" }, {
            iss: original.claims.iss,
            sub: original.claims.sub,
            aud: original.server.audience,
            client_id: original.claims.aud,
            scope: "openid",
            iat: original.claims.iat,
            exp: original.claims.exp,
          }),
      ),
  }),
  defineAttack({
    ...rejected,
    id: "id-token/claims-twice",
    title: "The payload of the ID token has a claim twice, with two values.",
    correctClient: "It discards the token response, or checks and uses the same value.",
    level: "should-reject",
    stop: undefined,
    sources: ["RFC 7519 §4", "RFC 8259 §4"],
    parameters: [
      textParameter("claim", "sub", "The claim: sub, aud or exp."),
      textParameter("wrong", "first", "Which of the two values is wrong: first or last."),
    ],
    // Of two sub, a client may use the last one (RFC 7519 §4).
    variants: [{ claim: "sub" }, { claim: "aud" }, { claim: "aud", wrong: "last" }, { claim: "exp", wrong: "last" }],
    start: (stage, { claim, wrong }) =>
      forge(stage, `ID token with ${claim} twice`, ({ claims, ...original }) => {
        const member = `${JSON.stringify(claim)}:${JSON.stringify(claim === "exp" ? 1 : "another")}`;
        const text = JSON.stringify(claims);
        const payload = wrong === "first" ? text.replace("{", `{${member},`) : text.replace(/}$/, `,${member}}`);
        return signWithOwnKey({ claims, ...original }, original.header, payload);
      }),
    assess: ({ outcome, session, expectedSub }) =>
      outcome === "accepted" && session!.sub === expectedSub
        ? { passed: true, because: "the client checks and uses the same value" }
        : undefined,
  }),
];
