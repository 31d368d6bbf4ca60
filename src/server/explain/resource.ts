/** Texts of the rules of protected resources: metadata and challenges (RFC 9728), access tokens. */

import type { resourceRules } from "../oauth/rules/resource.ts";
import type { RuleTexts } from "./rule_text.ts";

/** By ID, in the order of `tests/rules.md`. */
export const resourceTexts = {
  "PR-08": {
    passes: "the access token is valid",
    fix:
      "Send Authorization: Bearer TOKEN with a current access token of an authorization server that the resource metadata names. Refresh an expired token.",
  },
  "PR-10": {
    passes: "the access token has all scope values that this operation needs",
    fix:
      "Start a new authorization request with the scope of the challenge, added to the scope that was granted before.",
  },
  "PR-15": {
    fix: "Check that the resource can reach the metadata, the keys and the introspection endpoint of its issuer.",
  },
  "MC-08": {
    passes: "the access token is for this resource",
    fix:
      "Send the resource of the protected resource metadata as resource, in the authorization request and in the token request.",
  },
  "MC-12": {
    fix:
      "Log in to this server as the user of the MCP client, let the client call the tool again, and open its new URL.",
  },
  "ST-04": {
    passes: "the login of the access token is as strong and as recent as the operation needs",
    fix:
      "Start a new authorization request with the acr_values and the max_age of the challenge, and send the new access token.",
  },
} as const satisfies RuleTexts<typeof resourceRules>;
