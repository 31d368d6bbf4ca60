/** Texts of the rules of the authorization request: parameters, redirect URI, PKCE, response mode. */

import type { authorizeRules } from "../../core/rules/authorize.ts";
import type { FactsOf } from "../../core/rules/reject.ts";
import type { DeniedLogin } from "../rules/login.ts";
import type { RuleTexts } from "./rule_text.ts";
import { byProfile } from "../config/server_policy.ts";
import { acceptedTexts, missingMethod } from "./accepted_texts.ts";
import { explainClientId } from "./client_authentication.ts";
import { explainRedirectUri, explainRepeated, listUris, registeredUriHint } from "./parameters.ts";
import { describeChallenge, describeVerifier, explainVerifier } from "./pkce.ts";
import { repeatedChallengeFix } from "./recent_challenges.ts";
import { explainResponseMode, explainResponseType, explainUnregisteredType } from "./response.ts";
import { explainMissingScope, explainScope } from "./scope.ts";

const missingChallenge = {
  expected: "code_challenge=BASE64URL(SHA-256(code_verifier)) and code_challenge_method=S256",
  received: "no code_challenge",
} as const;

const requiredByMetadata = "require_pkce in the metadata of this client requires PKCE";
const requiredBySetting = "the configuration requires PKCE of this confidential client";

/** How to send less, and why no setting allows more: by the parameter. */
const fixOfLongParameter: Readonly<Record<string, string>> = {
  state:
    "Store the data in the client and send a short random state that refers to it. No setting allows more, because " +
    "the response has it in a URL, which browsers and servers cut off.",
  claims: "Request fewer claims by name: a scope value such as profile releases several. No setting allows more, " +
    "because it is stored with the code and in the access token.",
  nonce: "Send a short random nonce. No setting allows more, because it is stored with the code.",
};

/** By ID, in the order of `tests/rules.md`. */
export const authorizeTexts = {
  "AZ-02": {
    passes: "client_id names a registered client",
    fix: "Send client_id once, exactly as it is registered.",
    explain: explainClientId,
  },
  "AZ-06": {
    fix: "Send redirect_uri once.",
    explain: explainRepeated,
  },
  "AZ-07": {
    passes: "no parameter is repeated",
    fix: "Send each parameter once; only resource may be repeated.",
    explain: explainRepeated,
  },
  "AZ-09": {
    passes: "response_type is code, and the client is registered for it",
    fix: "Send response_type=code, and exchange the code at the token endpoint. OAuth 2.1 has no implicit grant.",
    setting: ({ received }) => received === undefined ? undefined : "responseTypes",
    explain: explainResponseType,
  },
  "AZ-11": {
    fix: "Add authorization_code to the client's grant_types.",
    explain: explainUnregisteredType,
  },
  "AZ-13": {
    fix: "Send less: store the data in the client.",
    explain: (facts) =>
      "name" in facts
        ? {
          expected: `at most ${facts.limit} characters`,
          received: String(facts.length),
          fix: fixOfLongParameter[facts.name],
        }
        : { expected: `parameters of at most ${facts.limit} bytes of JSON`, received: `${facts.bytes} bytes` },
  },
  "AZ-15": {
    fix: "Separate scope values by spaces. Use printable ASCII without quotes and backslashes.",
    explain: () => ({
      expected: "space-separated tokens of printable ASCII without quotes and backslashes",
      received: "a disallowed character",
    }),
  },
  "AZ-16": {
    ...acceptedTexts["AZ-16"],
    explain: explainMissingScope,
  },
  "AZ-17": {
    ...acceptedTexts["AZ-17"],
    passes: "the server knows every scope value, and the client may request it",
    explain: explainScope,
  },
  "AZ-18": {
    fix: "Allow at least one of the requested scope values: on the consent page, or in the approver.",
    explain: (facts) =>
      "granted" in facts
        ? { expected: "an approval of openid", received: facts.granted.join(" ") }
        : { expected: `some of: ${facts.requested.join(" ")}`, received: "nothing" },
  },
  "AZ-19": {
    fix:
      "Send a response_mode that the metadata lists and the client may use; the default is query. To accept others, add them to the setting responseModes.",
    setting: () => "responseModes",
    explain: explainResponseMode,
  },
  "AZ-21": {
    fix: "The user or the approver denied the request. Handle access_denied and offer a new login.",
    explain: ({ denied }: FactsOf<typeof authorizeRules["AZ-21"]> | DeniedLogin) => {
      switch (denied) {
        case "consent":
          return { expected: "the user's consent", received: "Deny" };
        case "login":
          return { expected: "a login", received: "Cancel" };
        case "no users":
          return { expected: "at least one user", received: "none", fix: "Add a user to the setting users." };
        case "user":
          return {
            expected: "a user who exists",
            received: "a user who does not exist, or was replaced",
            fix: "Log in again. An approver must return a user that users.find returned.",
          };
        case "client":
          return { expected: "the client of the request", received: "another client of that ID, or none" };
        case "password":
          return { expected: "the password of the login", received: "another password", fix: "Log in again." };
      }
    },
  },
  "AZ-22": {
    fix: "Look for the cause in the server's log.",
  },
  "JR-01": {
    fix:
      "Send the parameters themselves, or push them (RFC 9126). To sign them, register the public keys of the client as jwks or jwks_uri, and send the JWT as request.",
    explain: ({ parameter, problem, prefix, clientId }) => {
      switch (problem) {
        case "both":
          return { expected: "either request or request_uri", received: "both" };
        case "gone":
          return {
            expected: "an authorization request without request_uri",
            received: "a stored request, which this server no longer supports",
          };
        case "no keys":
          return {
            reason:
              `client ${clientId} is registered without jwks and jwks_uri, so its request objects cannot be verified`,
            expected: "the parameters themselves, or a client with public keys",
            received: "a request parameter",
          };
        case "unsupported":
          return {
            expected: prefix === undefined ? "the parameters themselves" : `a ${parameter} that begins with ${prefix}`,
            received: parameter === "request_uri" ? "another request_uri, which is not fetched" : "a request parameter",
          };
      }
    },
  },
  "RU-01": {
    ...acceptedTexts["RU-01"],
    passes: "redirect_uri is registered for the client",
    explain: explainRedirectUri,
  },
  "RU-06": {
    fix: "Send redirect_uri, or register only one URI.",
    setting: ({ registered }) => registered.length === 1 ? "requireRedirectUri" : undefined,
    explain: ({ registered, policy }) => ({
      reason: registered.length === 1
        ? `the setting requireRedirectUri demands redirect_uri${byProfile(policy, "requireRedirectUri")}`
        : "redirect_uri is optional only if exactly one is registered",
      expected: listUris(registered),
      publicExpected: registeredUriHint,
      received: "no redirect_uri",
    }),
  },
  "RU-07": {
    fix: "Send redirect_uri.",
    explain: ({ registered }) => ({
      reason: "redirect_uri is required in an OpenID Connect request",
      expected: listUris(registered),
      publicExpected: registeredUriHint,
      received: "no redirect_uri",
    }),
  },
  "RU-11": acceptedTexts["RU-11"],
  "PK-01": {
    ...acceptedTexts["PK-01"],
    explain: () => ({ ...missingChallenge, reason: "a public client must send a code_challenge" }),
  },
  "PK-02": {
    passes: "no code_challenge, which is optional for this confidential client",
    fix: acceptedTexts["PK-01"].fix,
    setting: ({ requiredBy }) => requiredBy === "require_pkce" ? undefined : "pkce.requireForConfidential",
    explain: ({ requiredBy, policy, acceptsNonce }) => {
      if (requiredBy === "require_pkce") return { ...missingChallenge, reason: requiredByMetadata };
      const { expected, received } = missingChallenge;
      return {
        reason: requiredBySetting + byProfile(policy, "pkce.requireForConfidential"),
        expected: expected + (acceptsNonce ? ", or the scope openid with a nonce" : ""),
        received,
      };
    },
  },
  "PK-04": {
    ...acceptedTexts["PK-04"],
    explain: ({ method }) => ({
      expected: "code_challenge_method=S256",
      received: `code_challenge_method=${method}`,
    }),
  },
  "PK-05": {
    ...acceptedTexts["PK-05"],
    setting: () => "pkce.requireMethod",
    explain: ({ policy }) => ({
      ...missingMethod,
      reason: missingMethod.reason + byProfile(policy, "pkce.requireMethod"),
    }),
  },
  "PK-06": {
    fix: "Send code_challenge with code_challenge_method, or neither.",
    explain: () => ({ expected: "code_challenge with code_challenge_method", received: "no code_challenge" }),
  },
  "PK-07": {
    passes: "code_challenge is an S256 challenge",
    fix: "Send BASE64URL(SHA-256(code_verifier)): not hexadecimal, not standard base64, without padding.",
    explain: ({ challenge }) => ({
      expected: "43 characters of A-Z a-z 0-9 - _, without padding",
      received: describeChallenge(challenge),
    }),
  },
  "PK-08": {
    fix: "Encode 32 random bytes as base64url, which gives 43 characters.",
    explain: ({ verifier }) => ({
      expected: "43 to 128 characters of A-Z a-z 0-9 - . _ ~",
      received: describeVerifier(verifier),
    }),
  },
  "PK-09": {
    passes: "code_verifier matches the code_challenge",
    fix:
      "Store the code_verifier of each login with its state: a second tab, a reload or a second call may have replaced it.",
    explain: explainVerifier,
  },
  "PK-10": {
    fix: "Send the code_verifier of the code_challenge in the authorization request.",
    explain: ({ requiredBy }) => {
      const expected = "a code requested with a code_challenge";
      switch (requiredBy) {
        case undefined:
          return {
            expected: "the code_verifier of the code_challenge in the authorization request",
            received: "no code_verifier",
          };
        case "public client":
          return {
            reason: "a public client cannot exchange a code without code_challenge",
            expected,
            received: "a code that was issued while the client was confidential",
          };
        default:
          return {
            reason: requiredBy === "require_pkce" ? requiredByMetadata : requiredBySetting,
            expected,
            received: "a code that was issued before PKCE was required",
          };
      }
    },
  },
  "PK-11": {
    fix: "Send a code_challenge with the authorization request, or no code_verifier with the code.",
    explain: () => ({
      expected: "no code_verifier, or a code_challenge in the authorization request",
      received: "a code_verifier",
    }),
  },
  "PK-14": {
    fix: repeatedChallengeFix,
  },
  "FP-03": {
    fix: "Send a state without control characters such as line breaks, or use response_mode=query.",
    explain: () => ({
      expected: "a state without control characters",
      received: "a state with a control character",
    }),
  },
  "FP-04": {
    fix: "Send the browser to the authorization endpoint at the issuer's address.",
  },
} as const satisfies RuleTexts<typeof authorizeRules>;
