/** Rules of shared signals (OpenID Shared Signals Framework 1.0, RFC 8935, RFC 8936). */

import type { Rule } from "../../oauth/rules/rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const sharedSignalRules = {
  "SS-02": {
    fix:
      "Use a client that the operator configured, with ssf.manage in its scope, and an access token of client_credentials with ssf.manage; ssf.read is enough to read.",
    cites: ["OpenID Shared Signals Framework §8", "CAEP Interoperability Profile §2.7.2"],
  },
  "SS-03": {
    fix: "Send a JSON object with the members that the specification defines.",
    cites: ["OpenID Shared Signals Framework §8.1.1"],
  },
  "SS-04": {
    fix: "Send the stream_id of a stream that this client created and has not deleted.",
    cites: ["OpenID Shared Signals Framework §8.1.1.2, §8.1.1.5"],
  },
  "SS-05": {
    fix: "Leave out what the server supplies, or send the values of its latest response.",
    cites: ["OpenID Shared Signals Framework §8.1.1.3, §8.1.1.4"],
  },
  "SS-06": {
    fix: "Delete what the client no longer needs.",
    cites: [],
  },
  "SS-10": {
    fix:
      "Let the endpoint_url of the stream accept a POST of application/secevent+jwt, verify the token, and respond with 202 immediately, without a redirect. privateHosts allows a host that is not public.",
    cites: ["RFC 8935 §2", "OpenID Shared Signals Framework §6.1.1"],
  },
  "SS-11": {
    fix: "Let the receiver verify the token with the keys of jwks_uri, and compare iss and aud with its stream.",
    cites: ["RFC 8936 §2"],
  },
} as const satisfies Readonly<Record<string, Rule>>;
