/** Texts of the rules of backchannel authentication (CIBA). */

import type { RuleTexts } from "../../explain/rule_text.ts";
import type { cibaRules } from "./rules.ts";

/** By ID, in the order of `tests/rules.md`. */
export const cibaTexts = {
  "CB-01": {
    fix: "Send the parameters themselves, with openid in scope.",
  },
  "CB-02": {
    passes: "the request has one hint, and it names a user",
    fix: "Send login_hint or id_token_hint, and only one of them.",
  },
  "CB-03": {
    passes: "the user approved the request, and auth_req_id was not used before",
    fix:
      "Poll with the latest auth_req_id until the user has decided; until then the error is authorization_pending. After any other error, start a new request.",
  },
  "CB-04": {
    passes: "the client waited for the interval",
    fix: "Wait for the interval of the response before each poll, and 5 seconds longer after each slow_down.",
  },
  "CB-05": {
    passes: "auth_req_id was issued to this client",
    fix: "Register a client that authenticates for the grant type, and poll with the client that started the request.",
  },
  "CB-06": { passes: "the user approved the request" },
  "CB-07": {
    fix: "Start a new request in the client: users can decide only once on each request.",
  },
  "CB-08": {
    fix: "Send a short text on one line, which the client also shows, or leave binding_message out.",
  },
  "CB-09": {
    fix: "Send requested_expiry as seconds, or leave it out.",
  },
  "CB-10": {
    fix: "Name a user of this server in the hint, and wait for the decision before another request.",
  },
  "CB-12": {
    fix: "Send a new random client_notification_token with each request, and respond with 204 to the notification.",
  },
} as const satisfies RuleTexts<typeof cibaRules>;
