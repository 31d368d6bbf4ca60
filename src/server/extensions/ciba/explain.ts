/** Texts of the rules of backchannel authentication (CIBA). */

import type { RuleTexts } from "../../explain/rule_text.ts";
import { decodedPlusFix } from "../../clients/login_hint.ts";
import { explainCode, explainDecided, explainPace, explainPollClient } from "../polled/explain.ts";
import { type cibaRules, isUnsupportedHint } from "./rules.ts";

/** By ID, in the order of `tests/rules.md`. */
export const cibaTexts = {
  "CB-01": {
    fix: "Send the parameters themselves, with openid in scope.",
    explain: (facts) =>
      facts.problem === "signed" ? { expected: "the parameters themselves", received: "request" } : {
        reason: "scope does not contain openid, which every backchannel authentication request needs",
        expected: "scope with openid",
        received: facts.scope ?? "no scope",
      },
  },
  "CB-02": {
    passes: "the request has one hint, and it names a user",
    fix: "Send login_hint or id_token_hint, and only one of them.",
    explain: (facts) => ({
      expected: isUnsupportedHint(facts)
        ? "login_hint or id_token_hint"
        : "exactly one of login_hint and id_token_hint",
      received: facts.sent.join(" and ") || "none",
    }),
  },
  "CB-03": {
    passes: "the user approved the request, and auth_req_id was not used before",
    fix:
      "Poll with the latest auth_req_id until the user has decided; until then the error is authorization_pending. After any other error, start a new request.",
    explain: explainCode,
  },
  "CB-04": {
    passes: "the client waited for the interval",
    fix: "Wait for the interval of the response before each poll, and 5 seconds longer after each slow_down.",
    explain: explainPace,
  },
  "CB-05": {
    passes: "auth_req_id was issued to this client",
    fix: "Register a client that authenticates for the grant type, and poll with the client that started the request.",
    explain: explainPollClient,
  },
  "CB-06": { passes: "the user approved the request" },
  "CB-07": {
    fix: "Start a new request in the client: users can decide only once on each request.",
    explain: explainDecided,
  },
  "CB-08": {
    fix: "Send a short text on one line, which the client also shows, or leave binding_message out.",
    explain: ({ length }) => ({
      expected: "1 to 64 visible characters on one line",
      received: `${length} characters`,
    }),
  },
  "CB-09": {
    fix: "Send requested_expiry as seconds, or leave it out.",
    explain: ({ requested }) => ({
      expected: "digits, at least 1",
      received: /^[-+.\d]{1,20}$/.test(requested) ? requested : `${requested.length} other characters`,
    }),
  },
  "CB-10": {
    fix: "Name a user of this server in the hint, and wait for the decision before another request.",
    explain: (facts) =>
      facts.problem === "busy"
        ? {
          expected: `at most ${facts.maxRequests} requests of one client for one user within their lifetime`,
          received: "one more request",
        }
        : {
          expected: facts.hint === "login_hint"
            ? "the sub, e-mail address or preferred_username of a user"
            : "a user of this server",
          received: "another value",
          fix: decodedPlusFix(facts.loginHint),
        },
  },
  "CB-12": {
    fix: "Send a new random client_notification_token with each request, and respond with 204 to the notification.",
    explain: ({ clientId, length }) => ({
      expected: `a bearer token of 22 to 1024 characters, because client ${clientId} is registered for ping`,
      received: length === undefined ? "none" : `${length} characters`,
    }),
  },
} as const satisfies RuleTexts<typeof cibaRules>;
