/** Rules of pushed authorization requests (RFC 9126). */

import type { Rule } from "../../oauth/rules/rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const pushedRequestRules = {
  "PA-01": {
    fix:
      "Post the authorization parameters as a form, client_id among them, and authenticate as at the token endpoint.",
    cites: ["RFC 9126 §2.1, §2.3"],
  },
  "PA-04": {
    fix: "Push the parameters themselves, without request_uri.",
    cites: ["RFC 9126 §2.1"],
  },
  "PA-05": {
    passes: "the client of client_id has pushed the request of request_uri",
    fix: "Send the client_id of the client that pushed the request, and its request_uri, each once.",
    cites: ["RFC 9126 §2.2, §4, §7.4", "RFC 9101 §6.3"],
  },
  "PA-06": {
    fix: "Push a new request for each login, and redirect the browser immediately.",
    cites: ["RFC 9126 §4"],
  },
  "PA-07": {
    fix: "Push the parameters to the pushed_authorization_request_endpoint, and send the request_uri of its response.",
    cites: ["RFC 9126 §4, §5, §6"],
  },
} as const satisfies Readonly<Record<string, Rule>>;
