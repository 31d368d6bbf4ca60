/** ID tokens with wrong or unusual claims, correctly signed (OpenID Connect Core §2, §3.1.3.7). */

import { parseJsonObject } from "../../../http/message.ts";
import { decodeBase64url, encodeBase64url } from "../../../runtime/base64url.ts";
import type { Fault } from "../../faults/fault.ts";
import { idToken } from "../../faults/mod.ts";
import { textParameter } from "../../faults/parameters.ts";
import { overrideClaims } from "../../faults/resign.ts";
import { type Attack, defineAttack } from "../attack.ts";
import { accepted, rejected } from "./id_token.ts";

/** The claim parameter of attacks that send a claim with a wrong value; `null` removes the claim. */
const valueParameter = {
  name: "value",
  type: ["string", "number", "array", "object", "null"],
  default: null,
  description: "The value of the claim; null removes it.",
} as const;

/** An attack that sends a claim with a value that a client must reject. */
function wrongClaim(
  id: string,
  claim: string,
  title: string,
  values: readonly unknown[],
  sources: readonly string[],
): Attack {
  return defineAttack({
    ...rejected,
    id,
    title,
    sources,
    parameters: [valueParameter],
    variants: values.map((value) => ({ value })),
    start: ({ as }, { value }) =>
      void as.on("token").once(overrideClaims(`ID token with wrong ${claim}`, () => ({ [claim]: value ?? undefined }))),
  });
}

/** The email of the user who logs in, unless the server has another one. */
const knownEmail = "alice@example.com";

/** The other claims of the new user. */
const newUser = {
  sub: "mallory",
  name: "Mallory Miller",
  given_name: "Mallory",
  family_name: "Miller",
  nickname: undefined,
  preferred_username: "mallory",
} as const;

/** A fault that describes another user, with the email of the one who logs in, in the ID token and by userinfo. */
function newUserWithKnownEmail(emailVerified: unknown): Fault {
  return {
    name: "new user with the email of a known one",
    waitsFor: "signed an ID token",
    extend: (server, context) => ({
      ...server,
      overrideClaims(kind, claims, claimsContext) {
        const overridden = server.overrideClaims?.(kind, claims, claimsContext) ?? claims;
        if (kind !== "id_token" && kind !== "userinfo") return overridden;
        if (kind === "id_token") context.consume();
        const email = claimsContext.user?.email ?? knownEmail;
        return { ...overridden, ...newUser, email, email_verified: emailVerified };
      },
    }),
  };
}

/** The attacks of the category `id-token` on claims. */
export const idTokenClaimAttacks: readonly Attack[] = [
  defineAttack({
    ...rejected,
    id: "id-token/iss-wrong",
    title: "The ID token names another issuer.",
    sources: ["OpenID Connect Core §3.1.3.7", "CVE-2024-47807"],
    start: ({ as }) => void as.on("token").once(idToken.wrongIssuer()),
  }),
  wrongClaim("id-token/iss-missing", "iss", "The ID token names no issuer.", [null, "", 7], [
    "OpenID Connect Core §2",
  ]),
  defineAttack({
    ...rejected,
    id: "id-token/iss-partial",
    title: "The ID token names a part of the issuer, more than it, or a list that contains it.",
    sources: ["RFC 8725 §3.8", "CVE-2024-53861", "CVE-2025-30144"],
    parameters: [textParameter("how", "slash", "slash, prefix, suffix or list.")],
    variants: ["slash", "prefix", "suffix", "list"].map((how) => ({ how })),
    start: ({ as }, { how }) =>
      void as.on("token").once(overrideClaims(`ID token with iss as ${how}`, ({ iss }) => {
        const text = String(iss);
        const forms: Readonly<Record<string, unknown>> = {
          slash: `${text}/`,
          prefix: text.slice(0, -1),
          suffix: `${text}.attacker.example`,
          list: [text, "https://attacker.example"],
        };
        return { iss: forms[how] };
      })),
  }),
  defineAttack({
    ...rejected,
    id: "id-token/aud-wrong",
    title: "The ID token is for another client.",
    sources: ["OpenID Connect Core §3.1.3.7", "CVE-2024-47806", "CVE-2023-22482", "CVE-2024-5798"],
    parameters: [textParameter("aud", "another-client", "The claim aud; `%` stands for the client_id.")],
    variants: ["another-client", "x%", "%x"].map((aud) => ({ aud })),
    start: ({ as, client }, { aud }) =>
      void as.on("token").once(idToken.wrongAudience(aud.replace("%", client.client_id))),
  }),
  wrongClaim("id-token/aud-missing", "aud", "The ID token has no audience.", [null, []], ["OpenID Connect Core §2"]),
  defineAttack({
    ...rejected,
    id: "id-token/aud-extra",
    title: "The ID token has a second audience that the client does not know, and no azp.",
    sources: ["OpenID Connect Core §3.1.3.7"],
    start: ({ as, client }) =>
      void as.on("token").once(idToken.wrongAudience([client.client_id, "https://attacker.example"])),
  }),
  defineAttack({
    ...accepted,
    id: "id-token/aud-list",
    title: "The claim aud is a list with exactly the client.",
    sources: ["OpenID Connect Core §2"],
    start: ({ as, client }) => void as.on("token").once(idToken.wrongAudience([client.client_id])),
  }),
  defineAttack({
    ...rejected,
    id: "id-token/azp-wrong",
    title: "The ID token names another client in azp.",
    sources: ["OpenID Connect Core §3.1.3.7"],
    start: ({ as, client }) =>
      void as.on("token").once(
        overrideClaims("ID token with wrong azp", () => ({ aud: [client.client_id, "other"], azp: "other" })),
      ),
  }),
  wrongClaim("id-token/sub-missing", "sub", "The ID token names no user.", [null, "", 7], ["OpenID Connect Core §2"]),
  defineAttack({
    ...rejected,
    id: "id-token/sub-other",
    needs: ["idToken", "userinfo"],
    title: "The ID token is about another user than the userinfo response.",
    correctClient: "It does not use the userinfo response.",
    stop: undefined,
    sources: ["OpenID Connect Core §5.3.2"],
    start: ({ as }) => void as.on("token").once(idToken.wrongSubject()),
    assess: ({ outcome, session }) =>
      outcome !== "accepted" || session!.claims === undefined || session!.claims.sub === session!.sub
        ? undefined
        : { passed: false, because: "the client uses the userinfo response of another user" },
  }),
  defineAttack({
    ...rejected,
    id: "id-token/exp-past",
    title: "The ID token has expired.",
    sources: ["OpenID Connect Core §3.1.3.7"],
    parameters: [{
      name: "secondsAgo",
      type: "number",
      unit: "seconds",
      default: 3600,
      description: "How long ago it expired.",
    }],
    variants: [{ secondsAgo: 3600 }, { secondsAgo: 360 }, { secondsAgo: 31_536_000 }],
    start: ({ as }, { secondsAgo }) => void as.on("token").once(idToken.expired(secondsAgo)),
  }),
  wrongClaim("id-token/exp-missing", "exp", "The ID token has no time of expiry.", [null, "2099-01-01"], [
    "OpenID Connect Core §2",
  ]),
  wrongClaim("id-token/iat-missing", "iat", "The ID token has no time of issue.", [null, "2026-01-01"], [
    "OpenID Connect Core §2",
  ]),
  defineAttack({
    ...rejected,
    id: "id-token/iat-odd",
    title: "The ID token was issued a week ago, or will be issued in an hour.",
    level: "should-reject",
    sources: ["OpenID Connect Core §3.1.3.7"],
    parameters: [{
      name: "offset",
      type: "number",
      unit: "seconds",
      default: 3600,
      description: "The difference to now.",
    }],
    variants: [{ offset: 3600 }, { offset: -604_800 }],
    start: ({ as }, { offset }) =>
      void as.on("token").once(overrideClaims("ID token with odd iat", (_, now) => ({ iat: now + offset }))),
  }),
  defineAttack({
    ...rejected,
    id: "id-token/nbf-future",
    title: "The ID token becomes valid in an hour.",
    sources: ["RFC 7519 §4.1.5"],
    start: ({ as }) => void as.on("token").once(idToken.notYetValid()),
  }),
  defineAttack({
    ...rejected,
    id: "id-token/nonce-wrong",
    title: "The ID token has another nonce than the client sent.",
    sources: ["OpenID Connect Core §3.1.3.7", "CVE-2024-10318"],
    start: ({ as }) => void as.on("token").once(idToken.wrongNonce()),
  }),
  defineAttack({
    ...rejected,
    id: "id-token/nonce-missing",
    title: "The ID token lacks the nonce that the client sent.",
    sources: ["OpenID Connect Core §3.1.3.7"],
    start: ({ as }) => void as.on("token").once(idToken.missingNonce()),
  }),
  defineAttack({
    ...rejected,
    id: "id-token/replayed",
    title: "The ID token has the claims of an earlier login of the same client, without at_hash.",
    journey: "second login",
    sources: ["OpenID Connect Core §16.9", "RFC 9700 §4.5.3.2"],
    start({ as }) {
      const { body = "{}" } = as.log.unmasked.last("token").response ?? {};
      const { id_token: earlier = "" } = JSON.parse(body) as { readonly id_token?: string };
      const claims = parseJsonObject(new TextDecoder().decode(decodeBase64url(earlier.split(".")[1] ?? "")));
      as.on("token").once(overrideClaims("ID token of an earlier login", () => ({ ...claims, at_hash: undefined })));
    },
  }),
  defineAttack({
    ...rejected,
    id: "id-token/at-hash-wrong",
    title: "The ID token has the at_hash of another access token.",
    level: "should-reject",
    sources: ["OpenID Connect Core §3.1.3.8"],
    start: ({ as }) => void as.on("token").once(idToken.wrongAtHash()),
  }),
  defineAttack({
    ...accepted,
    id: "id-token/at-hash-missing",
    title: "The ID token has no at_hash.",
    sources: ["OpenID Connect Core §3.1.3.6"],
    start: ({ as }) =>
      void as.on("token").once(overrideClaims("ID token without at_hash", () => ({ at_hash: undefined }))),
  }),
  defineAttack({
    ...rejected,
    id: "id-token/c-hash-s-hash",
    title: "The ID token of the token endpoint has the c_hash of another code, or the s_hash of another state.",
    correctClient: "It may reject the ID token; these claims protect responses with an ID token beside the code.",
    level: "informational",
    stop: undefined,
    sources: ["OpenID Connect Core §3.3.2.11"],
    parameters: [textParameter("claim", "c_hash", "c_hash or s_hash.")],
    variants: ["c_hash", "s_hash"].map((claim) => ({ claim })),
    start: ({ as }, { claim }) =>
      void as.on("token").once(
        overrideClaims(`ID token with wrong ${claim}`, () => ({ [claim]: encodeBase64url(new Uint8Array(16)) })),
      ),
    assess: ({ outcome }) =>
      outcome === "accepted" ? { passed: false, because: "the client does not check the hash" } : undefined,
  }),
  defineAttack({
    ...rejected,
    id: "id-token/email-claimed",
    title: "A new user, whom the server names by another sub, has the email of the user who logged in before.",
    correctClient: "It does not log in the user with this email: a user is a pair of iss and sub.",
    stop: undefined,
    journey: "second login",
    sources: ["OpenID Connect Core §5.7", "CVE-2023-3128", "sandbox-quantum/switch#291"],
    parameters: [{
      name: "verified",
      type: ["string", "null"],
      default: "false",
      description: 'The claim email_verified: "false" as a boolean, another text as it is; null removes it.',
    }],
    variants: [{ verified: "false" }, { verified: null }, { verified: "False" }],
    start: ({ as }, { verified }) =>
      void as.on("any").always(
        newUserWithKnownEmail(verified === "false" ? false : verified ?? undefined),
      ),
    assess: (observation) => {
      const { outcome, session, expectedSub } = observation;
      if (outcome !== "accepted") return { passed: outcome === "rejected", because: "the client rejected the user" };
      const passed = session!.sub !== expectedSub;
      // A driver that reads pages finds the name of a user in the email of the same user.
      const isAmbiguous = session!.claims === undefined && knownEmail.includes(expectedSub);
      return {
        passed,
        isInconclusive: !passed && isAmbiguous,
        because: `the client logged in ${JSON.stringify(session!.sub)}${
          isAmbiguous ? ", which is a part of the email" : ""
        }`,
      };
    },
  }),
  defineAttack({
    ...accepted,
    id: "id-token/claims-odd",
    title: "The ID token has claims of unexpected types, markup, and a long text.",
    correctClient: "It logs in the user, and derives no right from a claim of a wrong type.",
    sources: ["OpenID Connect Core §5.1"],
    start: ({ as }) =>
      void as.on("token").once(overrideClaims("ID token with odd claims", () => ({
        name: "<script>alert(1)</script>",
        email: ["alice@example.com"],
        email_verified: "true",
        nickname: "\u202Egnp.exe",
        locale: null,
        note: "x".repeat(4000),
      }))),
  }),
];
