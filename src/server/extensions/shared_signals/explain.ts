/** Texts of the rules of shared signals (OpenID Shared Signals Framework 1.0, RFC 8935, RFC 8936). */

import type { RuleTexts } from "../../explain/rule_text.ts";
import type { sharedSignalRules } from "./rules.ts";

/** By ID, in the order of `tests/rules.md`. */
export const sharedSignalTexts = {
  "SS-02": {
    fix:
      "Use a client that the operator configured, with ssf.manage in its scope, and an access token of client_credentials with ssf.manage; ssf.read is enough to read.",
  },
  "SS-03": {
    fix: "Send a JSON object with the members that the specification defines.",
  },
  "SS-04": {
    fix: "Send the stream_id of a stream that this client created and has not deleted.",
  },
  "SS-05": {
    fix: "Leave out what the server supplies, or send the values of its latest response.",
  },
  "SS-06": {
    fix: "Delete what the client no longer needs.",
  },
  "SS-10": {
    fix:
      "Let the endpoint_url of the stream accept a POST of application/secevent+jwt, verify the token, and respond with 202 immediately, without a redirect. privateHosts allows a host that is not public.",
  },
  "SS-11": {
    fix: "Let the receiver verify the token with the keys of jwks_uri, and compare iss and aud with its stream.",
  },
} as const satisfies RuleTexts<typeof sharedSignalRules>;
