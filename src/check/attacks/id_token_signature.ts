/** ID tokens with a wrong signature or header (RFC 7515, RFC 8725). */

import { encodeBase64url } from "../../core/crypto.ts";
import { idToken } from "../../testing/faults/mod.ts";
import { textParameter } from "../../testing/faults/parameters.ts";
import { encodeJwt } from "../../testing/faults/resign.ts";
import { everyLogin } from "../attack.ts";
import { type Attack, defineAttack } from "../define_attack.ts";
import { signWithCertificate } from "./certificate.ts";
import {
  forgeJwt,
  publicKeyForms,
  publicKeySecret,
  signWithFreshKey,
  signWithHmac,
  signWithOwnKey,
} from "./forged_jwt.ts";
import { oneOf, sent } from "./parameters.ts";

/** Every ID token that the server did not sign. */
const forged = { needs: ["readsIdToken", "checksSignature"] } as const;

/** The attacks of the category `id-token` on signature and header. */
export const idTokenSignatureAttacks: readonly Attack[] = [
  defineAttack({
    ...forged,
    id: "id-token/alg-none",
    title: "The ID token is not signed: its header has alg none.",
    duty: "OpenID Connect Core §2",
    sources: ["RFC 8725 §3.1", "RFC 8725 §3.2", "CVE-2021-44878"],
    parameters: [
      textParameter("alg", "none", "The header parameter alg."),
      textParameter("signature", "", "The third part of the token."),
    ],
    variants: [{ alg: "none" }, { alg: "None" }, { alg: "NoNe" }, { alg: "none", signature: "AAAA" }],
    once: ({ alg, signature }) =>
      forgeJwt("unsigned ID token", ({ header, claims }) => `${encodeJwt({ ...header, alg }, claims)}.${signature}`),
  }),
  defineAttack({
    ...forged,
    id: "id-token/signature-missing",
    title: "The signature of the ID token is empty.",
    duty: "RFC 8725 §3.3",
    once: () => forgeJwt("ID token without signature", ({ header, claims }) => `${encodeJwt(header, claims)}.`),
  }),
  defineAttack({
    ...forged,
    id: "id-token/signature-corrupt",
    title: "One bit of the ID token's signature is changed, or its payload is changed after signing.",
    duty: "RFC 7515 §5.2",
    sources: ["OpenID Connect Core §3.1.3.7"],
    ...oneOf("part", ["signature", "payload"], "The changed part."),
    once: ({ part }) =>
      forgeJwt(`ID token with changed ${part}`, async (original) => {
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
    ...forged,
    id: "id-token/signed-by-stranger",
    alsoIn: everyLogin,
    title: "The ID token is signed with a key of an attacker, and has the kid of the server's key or no kid.",
    duty: "OpenID Connect Core §3.1.3.7",
    sources: ["CVE-2021-22573", "CVE-2020-15240"],
    ...oneOf("kid", ["own", "absent"], "The header parameter kid: own (the kid of the server's key) or absent."),
    once: ({ kid }) =>
      kid === "own"
        ? idToken.wrongSignature()
        : forgeJwt("ID token of another key without kid", (original) =>
          signWithFreshKey(original, () => ({ kid: undefined }))),
  }),
  defineAttack({
    ...forged,
    id: "id-token/kid-unknown",
    title: "The ID token has a kid that the JWKS does not have.",
    duty: "RFC 8725 §3.3",
    sources: ["OpenID Connect Core §10.1.1", "RFC 8725 §3.10", "openfga/openfga#3100"],
    ...sent(
      "kid",
      ["unpublished-key", "../../../../dev/null", "' OR '1'='1", "k".repeat(10_240)],
      "The header parameter kid.",
    ),
    once: ({ kid }) => forgeJwt("ID token with unknown kid", (original) => signWithFreshKey(original, () => ({ kid }))),
  }),
  defineAttack({
    id: "id-token/kid-absent",
    level: "must-tolerate",
    needs: ["readsIdToken", "checksSignature"],
    title: "The ID token has no kid, and the JWKS has one key that matches.",
    sources: ["OpenID Connect Core §10.1"],
    once: () => forgeJwt("ID token without kid", (original) => signWithOwnKey(original, { kid: undefined })),
  }),
  defineAttack({
    ...forged,
    id: "id-token/alg-hmac-public-key",
    title: "The ID token is signed with HMAC (HS256), with the public key of the server as the secret.",
    duty: "RFC 8725 §3.1",
    sources: ["RFC 8725 §2.1", "CVE-2022-29217", "CVE-2024-33663", "CVE-2024-37568"],
    ...oneOf("form", publicKeyForms, `The form of the key: ${publicKeyForms.join(", ")}.`),
    once: ({ form }) =>
      forgeJwt(`ID token with an HMAC of the public key (${form})`, async (original) =>
        await signWithHmac(
          { ...original.header, alg: "HS256" },
          original.claims,
          await publicKeySecret(original, form),
        )),
  }),
  defineAttack({
    ...forged,
    id: "id-token/alg-hmac-known-key",
    title: "HS256 and an empty secret sign the ID token.",
    duty: "RFC 8725 §3.1",
    sources: ["OpenID Connect Core §3.1.3.7", "RFC 8725 §3.5"],
    once: () =>
      forgeJwt(
        "ID token with an HMAC of an empty secret",
        ({ header, claims }) => signWithHmac({ ...header, alg: "HS256" }, claims, new Uint8Array()),
      ),
  }),
  defineAttack({
    id: "id-token/alg-other",
    needs: ["readsIdToken", "checksSignature"],
    level: "should-reject",
    title: "The ID token is signed with a published key, but with an algorithm that the client did not register.",
    sources: ["OpenID Connect Core §3.1.3.7 item 7"],
    once: () =>
      forgeJwt(
        "ID token with another algorithm",
        ({ server, kind, alg, claims }) =>
          Promise.resolve(server.keys.sign(kind, alg === "RS256" ? "EdDSA" : "RS256", claims)),
      ),
  }),
  defineAttack({
    ...forged,
    id: "id-token/alg-unknown",
    title: "The ID token has an alg that does not exist.",
    duty: "RFC 8725 §3.1",
    sources: ["CVE-2026-28498"],
    ...sent("alg", ["XX256", "", "RS257"], "The header parameter alg."),
    once: ({ alg }) => forgeJwt("ID token with unknown algorithm", (original) => signWithOwnKey(original, { alg })),
  }),
  defineAttack({
    ...forged,
    id: "id-token/ecdsa-zero",
    title: "The ID token has an ES256 signature of zeros.",
    duty: "RFC 8725 §3.3",
    sources: ["RFC 7518 §3.4", "CVE-2022-21449"],
    once: () =>
      forgeJwt(
        "ID token with a signature of zeros",
        ({ header, claims }) =>
          `${encodeJwt({ ...header, alg: "ES256" }, claims)}.${encodeBase64url(new Uint8Array(64))}`,
      ),
  }),
  defineAttack({
    ...forged,
    id: "id-token/header-jwk",
    title: "The header of the ID token contains the attacker's public key (jwk), which verifies the signature.",
    duty: "RFC 8725 §3.8",
    sources: ["RFC 8725 §3.10", "CVE-2018-0114", "CVE-2026-27962"],
    ...oneOf("kid", ["attacker", "own"], "The header parameter kid; own is the kid of the server's key."),
    once: ({ kid }) =>
      forgeJwt(
        "ID token with its own key",
        (original) => signWithFreshKey(original, (jwk) => ({ kid: kid === "own" ? original.header.kid : kid, jwk })),
      ),
  }),
  defineAttack({
    ...forged,
    id: "id-token/header-x5c",
    title: "The header of the ID token contains a certificate of the attacker (x5c), whose key verifies the signature.",
    duty: "RFC 7515 §4.1.6",
    sources: ["RFC 8725 §3.10"],
    once: () => forgeJwt("ID token with its own certificate", signWithCertificate),
  }),
  defineAttack({
    ...forged,
    id: "id-token/header-urls",
    title:
      "The header of the ID token has the URL of the attacker's keys (jku, x5u or kid), which verify the signature.",
    correctClient: "The client discards the token response, and does not fetch the URL.",
    duty: "RFC 8725 §3.8",
    sources: ["RFC 8725 §3.10"],
    ...oneOf("member", ["jku", "x5u", "kid"], "The header parameter with the URL: jku, x5u or kid."),
    once: ({ member }, { trap }) =>
      forgeJwt(
        `ID token with ${member}`,
        (original) => signWithFreshKey(original, () => ({ kid: "attacker", [member]: `${trap.origin}/keys` })),
      ),
  }),
  defineAttack({
    id: "id-token/header-crit",
    needs: ["readsIdToken", "checksSignature"],
    title: "The ID token has an unknown extension in crit.",
    duty: "RFC 7515 §4.1.11",
    sources: ["RFC 7797 §6", "CVE-2025-59420", "CVE-2026-32597"],
    ...sent("extension", ["urn:example:extension", "b64"], "The extension."),
    once: ({ extension }) =>
      forgeJwt(
        "ID token with crit",
        (original) => signWithOwnKey(original, { crit: [extension], [extension]: extension === "b64" ? false : "1" }),
      ),
  }),
  defineAttack({
    id: "id-token/header-claims",
    level: "must-tolerate",
    needs: ["readsIdToken", "namesUser"],
    title: "The header of the ID token has the claims of another user; the payload is correct.",
    correctClient: "The client logs in the user of the payload.",
    duty: "RFC 7515 §4",
    sources: ["RFC 7515 §4.2"],
    once: () =>
      forgeJwt(
        "ID token with claims in the header",
        (original) =>
          signWithOwnKey(original, { iss: original.claims.iss, sub: "mallory", email: "mallory@example.com" }),
      ),
  }),
];
