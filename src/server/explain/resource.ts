/** Texts of the rules of protected resources: metadata and challenges (RFC 9728), access tokens. */

import type { resourceRules } from "../rules/resource.ts";
import { explainMissingToken } from "./missing_token.ts";
import type { RuleTexts } from "./rule_text.ts";

/** By ID, in the order of `tests/rules.md`. */
export const resourceTexts = {
  "PR-08": {
    passes: "the access token is valid",
    fix:
      "Send Authorization: Bearer TOKEN with a current access token of an authorization server that the resource metadata names. Refresh an expired token.",
    explain(facts) {
      if ("header" in facts) return explainMissingToken(facts);
      if ("claim" in facts) {
        const { claim, required, received } = facts;
        const expected = { iss: `${required}`, exp: `exp after ${required}`, nbf: `nbf up to ${required}` };
        return { expected: expected[claim], received };
      }
      return "jwt" in facts
        ? {
          expected: `a JWT with ${
            facts.typ === "none" ? "no typ" : `typ ${facts.typ}`
          }, signed with a key of the authorization server`,
          received: facts.jwt,
          ...facts.isOtherType && {
            fix:
              "Send access_token of the token response, not the ID token. If the access tokens of the authorization " +
              "server have this typ, pass it to jwksVerifier() as accessTokenTyp.",
          },
        }
        : { expected: "an active access token", received: "an inactive token" };
    },
  },
  "PR-10": {
    passes: "the access token has all scope values that this operation needs",
    fix:
      "Start a new authorization request with the scope of the challenge, added to the scope that was granted before.",
    explain: ({ scope, granted }) => ({ expected: scope.join(" "), received: granted || "no scope" }),
  },
  "PR-15": {
    fix: "Check that the resource can reach the metadata, the keys and the introspection endpoint of its issuer.",
    explain: ({ expected, received }) => ({ expected, received }),
  },
  "MC-08": {
    passes: "the access token is for this resource",
    fix:
      "Send the resource of the protected resource metadata as resource, in the authorization request and in the token request.",
    explain: ({ resource, audience }) => ({
      expected: resource,
      received: audience ?? "no aud",
      fix:
        `Send resource=${resource} in the authorization request and in the token request, or set "audience": "${resource}".`,
    }),
  },
  "MC-12": {
    fix:
      "Log in to this server as the user of the MCP client, let the client call the tool again, and open its new URL.",
    explain: (facts) =>
      "session" in facts
        ? {
          expected: "a browser in which the user of the MCP client is logged in",
          received: facts.session === "none" ? "a browser without a session" : "the session of another user",
        }
        : { expected: "the URL of an elicitation of the last ten minutes", received: "another URL" },
  },
  "ST-04": {
    passes: "the login of the access token is as strong and as recent as the operation needs",
    fix:
      "Start a new authorization request with the acr_values and the max_age of the challenge, and send the new access token.",
    explain: ({ acrValues, maxAgeSeconds, acr, ageSeconds }) => ({
      expected: [
        ...acrValues === undefined ? [] : [`acr ${acrValues.join(" or ")}`],
        ...maxAgeSeconds === undefined ? [] : [`a login at most ${maxAgeSeconds} seconds old`],
      ].join(", "),
      received: `${acr === undefined ? "no acr" : `acr ${acr}`}, ${
        ageSeconds === undefined ? "no auth_time" : `a login ${ageSeconds} seconds old`
      }`,
    }),
  },
} as const satisfies RuleTexts<typeof resourceRules>;
