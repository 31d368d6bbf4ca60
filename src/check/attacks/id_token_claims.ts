/** ID tokens with wrong or unusual claims, correctly signed (OpenID Connect Core §2, §3.1.3.7). */

import { parseJsonObject } from "../../platform/http/json_body.ts";
import { decodeBase64url, encodeBase64url } from "../../core/crypto.ts";
import { idToken } from "../../testing/faults/mod.ts";
import { secondsParameter, textParameter } from "../../testing/faults/parameters.ts";
import { overrideClaims } from "../../testing/faults/resign.ts";
import { everyLogin } from "../attack.ts";
import { unknownUser } from "../driver.ts";
import { isOfUserinfoAlone, listTexts } from "../user_texts.ts";
import { type Attack, defineAttack } from "../define_attack.ts";
import { nearIssuers, nearMisses, nearMissOf } from "./near_misses.ts";
import { oneOf, sent } from "./parameters.ts";
import { failIf, undecided } from "./conclusions.ts";
import { withChange } from "../../testing/faults/with_change.ts";

/** The journeys in which a client checks an ID token. */
const everyRefresh = [...everyLogin, "refresh"] as const;

/** A claim with a wrong value; `null` removes it. */
const wrongClaim = (claim: string, value: unknown) =>
  overrideClaims(`ID token with wrong ${claim}`, () => ({ [claim]: value ?? undefined }));

/** A name with letters outside of ASCII. */
const foreignName = "Zoë Ångström";

const ofClaim = "The value of the claim; null removes the claim.";

/** The attacks of the category `id-token` on claims. */
export const idTokenClaimAttacks: readonly Attack[] = [
  defineAttack({
    id: "id-token/iss-wrong",
    title: "The ID token has the iss of another issuer.",
    duty: "OpenID Connect Core §3.1.3.7",
    sources: ["CVE-2024-47807"],
    alsoIn: everyRefresh,
    once: () => idToken.wrongIssuer(),
  }),
  defineAttack({
    id: "id-token/iss-known",
    title: "The ID token has the iss of an earlier issuer.",
    journey: "second issuer",
    duty: "OpenID Connect Core §3.1.3.7",
    sources: ["RFC 9700 §4.4"],
    async once(_, { openOtherIssuer }) {
      const { issuer } = await openOtherIssuer();
      return overrideClaims("ID token of a known issuer", () => ({ iss: issuer }));
    },
  }),
  defineAttack({
    id: "id-token/iss-missing",
    title: "The iss of the ID token is missing, empty or not a string.",
    duty: "OpenID Connect Core §3.1.3.7",
    sources: ["OpenID Connect Core §2"],
    ...sent("value", [null, "", 7], ofClaim),
    once: ({ value }) => wrongClaim("iss", value),
  }),
  defineAttack({
    id: "id-token/iss-partial",
    title:
      "The iss of the ID token only resembles the issuer: it is shorter, longer, spelled differently, or an array with it.",
    duty: "RFC 8725 §3.8",
    sources: ["CVE-2024-53861", "CVE-2025-30144"],
    ...oneOf("how", ["slash", "case", "port", "prefix", "suffix", "path", "list"]),
    once: ({ how }) =>
      overrideClaims(`ID token with iss as ${how}`, ({ iss }) => {
        const { shortened: prefix, extended: suffix, ...others } = nearIssuers(String(iss));
        const forms: Readonly<Record<string, unknown>> = { ...others, prefix, suffix, list: [iss, others.other] };
        return { iss: forms[how] };
      }),
  }),
  defineAttack({
    id: "id-token/aud-wrong",
    title: "The ID token was issued for another client (aud).",
    duty: "OpenID Connect Core §3.1.3.7",
    sources: ["CVE-2024-47806", "CVE-2023-22482", "CVE-2024-5798"],
    ...oneOf(
      "aud",
      ["another-client", ...nearMisses],
      "The claim aud: another client, or a near miss of the client_id.",
    ),
    alsoIn: everyRefresh,
    once: ({ aud }, { client }) =>
      idToken.wrongAudience(aud === "another-client" ? aud : nearMissOf(client.client_id, aud)),
  }),
  defineAttack({
    id: "id-token/aud-missing",
    title: "The ID token has no aud, or an empty one.",
    duty: "OpenID Connect Core §3.1.3.7",
    sources: ["OpenID Connect Core §2"],
    ...sent("value", [null, []], ofClaim),
    once: ({ value }) => wrongClaim("aud", value),
  }),
  defineAttack({
    id: "id-token/aud-extra",
    title: "The ID token has a second value in aud that the client does not know, and no azp.",
    duty: "OpenID Connect Core §3.1.3.7",
    once: (_, { client }) => idToken.wrongAudience([client.client_id, "https://attacker.example"]),
  }),
  defineAttack({
    id: "id-token/aud-list",
    level: "must-tolerate",
    title: "The aud of the ID token is an array with the client as its only value.",
    duty: "OpenID Connect Core §2",
    // A client that registers itself has another client_id than the one of the journey.
    once: () => overrideClaims("ID token with aud in an array", ({ aud }) => ({ aud: [aud].flat() })),
  }),
  defineAttack({
    id: "id-token/azp-wrong",
    title: "The ID token has two aud values, and another client in azp.",
    duty: "OpenID Connect Core §3.1.3.7",
    once: (_, { client }) =>
      overrideClaims("ID token with wrong azp", () => ({ aud: [client.client_id, "other"], azp: "other" })),
  }),
  defineAttack({
    id: "id-token/azp-other",
    title: "The ID token has only the client in aud, but another client in azp.",
    level: "should-reject",
    sources: ["OpenID Connect Core §3.1.3.7"],
    once: (_, { client }) =>
      overrideClaims("ID token with another azp", () => ({ aud: client.client_id, azp: "other" })),
  }),
  defineAttack({
    id: "id-token/sub-missing",
    title: "The sub of the ID token is missing, empty or not a string.",
    duty: "RFC 8725 §3.8",
    sources: ["OpenID Connect Core §2"],
    ...sent("value", [null, "", 7], ofClaim),
    once: ({ value }) => wrongClaim("sub", value),
  }),
  defineAttack({
    id: "id-token/sub-other",
    needs: ["readsIdToken", "userinfo"],
    title: "The ID token and userinfo have different values of sub.",
    correctClient: "The client does not use the userinfo response.",
    stop: undefined,
    duty: "OpenID Connect Core §5.3.2",
    once: () => idToken.wrongSubject(),
    assess({ outcome, session, expectedSub, exchanges }) {
      if (outcome !== "accepted") return undefined;
      const { sub, claims } = session!;
      const texts = listTexts(claims).filter((text) => isOfUserinfoAlone(text, exchanges));
      if (sub !== unknownUser && sub === expectedSub || texts.length > 0) {
        return {
          passed: false,
          because: "the client uses the userinfo response of another user",
          seen: "foreignValue",
          harm: "used the claims of another user",
        };
      }
      const loggedIn = "the client logged in the user of the ID token";
      return claims === undefined || sub === unknownUser
        ? { passed: false, isInconclusive: true, because: `${loggedIn}, with or without the values of userinfo` }
        : { passed: true, because: `${loggedIn}, without the values of userinfo` };
    },
  }),
  defineAttack({
    id: "id-token/exp-past",
    title: "The ID token has expired.",
    duty: "OpenID Connect Core §3.1.3.7",
    parameters: [
      secondsParameter("secondsAgo", 3600, "How long ago it expired."),
      textParameter(
        "issued",
        "before",
        "When it was issued: before (an hour before it expired), or now, so that only exp is in the past.",
      ),
    ],
    variants: [{ issued: "now" }, { secondsAgo: 3600 }, { secondsAgo: 360 }, { secondsAgo: 31_536_000 }],
    alsoIn: everyRefresh,
    once: ({ secondsAgo, issued }) =>
      issued === "now"
        ? overrideClaims("expired ID token", (_, now) => ({ exp: now - secondsAgo }))
        : idToken.expired(secondsAgo),
  }),
  defineAttack({
    id: "id-token/exp-missing",
    title: "The ID token has no exp, or an invalid one.",
    duty: "OpenID Connect Core §3.1.3.7",
    sources: ["OpenID Connect Core §2"],
    ...sent("value", [null, "2099-01-01"], ofClaim),
    once: ({ value }) => wrongClaim("exp", value),
  }),
  defineAttack({
    id: "id-token/iat-missing",
    title: "The ID token has no iat, or an invalid one.",
    sources: ["OpenID Connect Core §2"],
    ...sent("value", [null, "2026-01-01"], ofClaim),
    once: ({ value }) => wrongClaim("iat", value),
  }),
  defineAttack({
    id: "id-token/iat-odd",
    title: "The iat of the ID token is a week ago, or an hour in the future.",
    correctClient: "The client may reject the ID token; it decides itself how far iat may be from now.",
    level: "informational",
    sources: ["OpenID Connect Core §3.1.3.7"],
    parameters: [secondsParameter("offset", 3600, "How far iat is from now; negative: in the past.")],
    variants: [{ offset: 3600 }, { offset: -604_800 }],
    once: ({ offset }) => overrideClaims("ID token with odd iat", (_, now) => ({ iat: now + offset })),
    assess: ({ outcome }) => failIf(outcome === "accepted", "the client does not compare iat with now"),
  }),
  defineAttack({
    id: "id-token/nbf-future",
    title: "The nbf of the ID token is an hour in the future.",
    duty: "RFC 7519 §4.1.5",
    once: () => idToken.notYetValid(),
  }),
  defineAttack({
    id: "id-token/nonce-wrong",
    needs: ["readsIdToken", "nonce"],
    title: "The ID token has a nonce that the client did not send.",
    duty: "OpenID Connect Core §3.1.3.7",
    sources: ["CVE-2024-10318"],
    ...oneOf("how", ["unrelated", ...nearMisses]),
    alsoIn: everyLogin,
    once: ({ how }) =>
      overrideClaims(
        `ID token with ${how} nonce`,
        ({ nonce }) => ({ nonce: nearMissOf(String(nonce), how) }),
        { appliesTo: ({ nonce }) => nonce !== undefined },
      ),
  }),
  defineAttack({
    id: "id-token/nonce-missing",
    needs: ["readsIdToken", "nonce"],
    title: "The ID token has no nonce, although the client sent one.",
    duty: "OpenID Connect Core §3.1.3.7",
    once: () => idToken.missingNonce(),
  }),
  defineAttack({
    id: "id-token/replayed",
    needs: ["readsIdToken", "nonce"],
    title: "The ID token has the claims of an earlier login of the same client, without at_hash.",
    journey: "second login",
    duty: "OpenID Connect Core §3.1.3.7",
    sources: ["OpenID Connect Core §16.9", "RFC 9700 §4.5.3.2"],
    once(_, { as }) {
      const { body = "{}" } = as.log.unmasked.last("token").response ?? {};
      const { id_token: earlier = "" } = JSON.parse(body) as { readonly id_token?: string };
      const claims = parseJsonObject(new TextDecoder().decode(decodeBase64url(earlier.split(".")[1] ?? "")));
      return overrideClaims("ID token of an earlier login", () => ({ ...claims, at_hash: undefined }));
    },
  }),
  defineAttack({
    id: "id-token/claims-utf8",
    level: "must-tolerate",
    needs: ["readsIdToken", "claims"],
    title: "The name in the ID token has letters outside of ASCII.",
    correctClient: "The client decodes the claims as UTF-8.",
    duty: "RFC 7519 §7.2",
    sources: ["RFC 7515 §5.2"],
    on: "any",
    always: () => ({
      name: "name outside of ASCII",
      waitsFor: "signed an ID token",
      extend: (server, context) => ({
        ...server,
        claimChange: withChange(server, (kind, overridden) => {
          if (kind === "id_token") context.consume();
          return kind === "id_token" || kind === "userinfo" ? { ...overridden, name: foreignName } : overridden;
        }),
      }),
    }),
    assess({ outcome, session }) {
      if (outcome !== "accepted") return undefined;
      const { name } = session!.claims ?? {};
      const asLatin1 = String.fromCharCode(...new TextEncoder().encode(foreignName));
      if (name === asLatin1) {
        return { passed: false, because: `the application shows the name as ${asLatin1}`, seen: "foreignValue" };
      }
      return name === foreignName
        ? { passed: true, because: "the client decodes the name as UTF-8" }
        : undecided("the application does not show the name of the ID token");
    },
  }),
  defineAttack({
    id: "id-token/at-hash-wrong",
    title: "The ID token has the at_hash of another access token.",
    level: "should-reject",
    sources: ["OpenID Connect Core §3.1.3.8"],
    once: () => idToken.wrongAtHash(),
  }),
  defineAttack({
    id: "id-token/at-hash-missing",
    level: "must-tolerate",
    title: "The ID token has no at_hash.",
    sources: ["OpenID Connect Core §3.1.3.6"],
    once: () => overrideClaims("ID token without at_hash", () => ({ at_hash: undefined })),
  }),
  defineAttack({
    id: "id-token/c-hash-s-hash",
    title: "The ID token from the token endpoint has the c_hash of another code, or the s_hash of another state.",
    correctClient:
      "The client may reject the ID token; these claims protect only authorization responses that have an ID token.",
    level: "informational",
    sources: ["OpenID Connect Core §3.3.2.11"],
    ...oneOf("claim", ["c_hash", "s_hash"]),
    once: ({ claim }) =>
      overrideClaims(`ID token with wrong ${claim}`, () => ({ [claim]: encodeBase64url(new Uint8Array(16)) })),
    assess: ({ outcome }) => failIf(outcome === "accepted", "the client does not check the hash"),
  }),
  defineAttack({
    id: "id-token/claims-odd",
    level: "must-tolerate",
    title: "The ID token has claims with unexpected types, with markup, and with a long text.",
    correctClient: "The client logs in the user, and derives no permission from a claim of the wrong type.",
    sources: ["OpenID Connect Core §5.1"],
    once: () =>
      overrideClaims("ID token with odd claims", () => ({
        name: "<script>alert(1)</script>",
        email: ["alice@example.com"],
        email_verified: "true",
        nickname: "\u202Egnp.exe",
        locale: null,
        note: "x".repeat(4000),
      })),
  }),
];
