/** Texts of the rules of pushed authorization requests (RFC 9126). */

import type { RuleTexts } from "../../explain/rule_text.ts";
import type { pushedRequestRules } from "./rules.ts";

/** By ID, in the order of `tests/rules.md`. */
export const pushedRequestTexts = {
  "PA-01": {
    fix:
      "Post the authorization parameters as a form, client_id among them, and authenticate as at the token endpoint.",
  },
  "PA-04": {
    fix: "Push the parameters themselves, without request_uri.",
  },
  "PA-05": {
    passes: "the client of client_id has pushed the request of request_uri",
    fix: "Send the client_id of the client that pushed the request, and its request_uri, each once.",
  },
  "PA-06": {
    fix: "Push a new request for each login, and redirect the browser immediately.",
  },
  "PA-07": {
    fix: "Push the parameters to the pushed_authorization_request_endpoint, and send the request_uri of its response.",
  },
} as const satisfies RuleTexts<typeof pushedRequestRules>;
