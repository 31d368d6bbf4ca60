/** Rules of backchannel authentication (CIBA). */

import type { Rule } from "../../oauth/rules/rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const cibaRules = {
  "CB-01": {
    fix: "Send the parameters themselves, with openid in scope.",
    cites: ["OpenID Connect CIBA §7.1, §7.3"],
  },
  "CB-02": {
    passes: "the request has one hint, and it names a user",
    fix: "Send login_hint or id_token_hint, and only one of them.",
    cites: ["OpenID Connect CIBA §7.1"],
  },
  "CB-03": {
    passes: "the user approved the request, and auth_req_id was not used before",
    fix:
      "Poll with the latest auth_req_id until the user has decided; until then the error is authorization_pending. After any other error, start a new request.",
    cites: ["OpenID Connect CIBA §7.3, §10.1, §11"],
  },
  "CB-04": {
    passes: "the client waited for the interval",
    fix: "Wait for the interval of the response before each poll, and 5 seconds longer after each slow_down.",
    cites: ["OpenID Connect CIBA §7.3, §11"],
  },
  "CB-05": {
    passes: "auth_req_id was issued to this client",
    fix: "Register a client that authenticates for the grant type, and poll with the client that started the request.",
    cites: ["OpenID Connect CIBA §4, §10.1"],
  },
  "CB-06": {
    passes: "the user approved the request",
    cites: ["OpenID Connect CIBA §8", "RFC 10027 §6.1.14"],
  },
  "CB-07": {
    fix: "Start a new request in the client: users can decide only once on each request.",
    cites: ["OpenID Connect CIBA §8"],
  },
  "CB-08": {
    fix: "Send a short text on one line, which the client also shows, or leave binding_message out.",
    cites: ["OpenID Connect CIBA §7.1, §13"],
  },
  "CB-09": {
    fix: "Send requested_expiry as seconds, or leave it out.",
    cites: ["OpenID Connect CIBA §7.1"],
  },
  "CB-10": {
    fix: "Name a user of this server in the hint, and wait for the decision before another request.",
    cites: ["OpenID Connect CIBA §13", "RFC 10027 §6.1.11"],
  },
  "CB-12": {
    fix: "Send a new random client_notification_token with each request, and respond with 204 to the notification.",
    cites: ["OpenID Connect CIBA §4, §7.1, §10.2"],
  },
} as const satisfies Readonly<Record<string, Rule>>;
