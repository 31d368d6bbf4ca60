/** Texts of the rules of shared signals (OpenID Shared Signals Framework 1.0, RFC 8935, RFC 8936). */

import type { RuleTexts } from "../../explain/rule_text.ts";
import { quote } from "../../config/config_issue.ts";
import type { sharedSignalRules } from "./rules.ts";

/** By ID, in the order of `tests/rules.md`. */
export const sharedSignalTexts = {
  "SS-02": {
    fix:
      "Use a client that the operator configured, with ssf.manage in its scope, and an access token of client_credentials with ssf.manage; ssf.read is enough to read.",
    explain: (facts) =>
      "scope" in facts
        ? { expected: facts.scope, received: "a client that may not use this scope value" }
        : { expected: "an access token of the client itself", received: "an access token of a user" },
  },
  "SS-03": {
    fix: "Send a JSON object with the members that the specification defines.",
    explain(facts) {
      if ("name" in facts) {
        const { name, expected, received } = facts;
        return { expected, received, fix: `Send ${expected} as ${name}.` };
      }
      if ("poll" in facts) {
        return {
          expected: "maxEvents: a whole number; returnImmediately: true or false; ack: strings; setErrs: an object",
          received: Object.entries(facts.poll).map(([name, value]) => `${name}: ${quote(value)}`).join("; "),
          fix: "Correct the type of the member, or leave it out.",
        };
      }
      return {
        expected: '{"format":"iss_sub","iss":"…","sub":"…"} or {"format":"email","email":"…"}',
        received: describeSubject(facts.subject),
        fix: "Name the user by iss and sub of its ID token, or by the e-mail address.",
      };
    },
  },
  "SS-04": {
    fix: "Send the stream_id of a stream that this client created and has not deleted.",
    explain: ({ streamId }) => ({
      expected: "the stream_id of a stream of this client",
      received: quote(streamId),
    }),
  },
  "SS-05": {
    fix: "Leave out what the server supplies, or send the values of its latest response.",
    explain: ({ expected, sent }) => ({ expected, received: quote(sent) }),
  },
  "SS-06": {
    fix: "Delete what the client no longer needs.",
    explain: ({ max, of }) => ({ expected: `at most ${max} ${of}`, received: "one more" }),
  },
  "SS-10": {
    fix:
      "Let the endpoint_url of the stream accept a POST of application/secevent+jwt, verify the token, and respond with 202 immediately, without a redirect. privateHosts allows a host that is not public.",
  },
  "SS-11": {
    fix: "Let the receiver verify the token with the keys of jwks_uri, and compare iss and aud with its stream.",
  },
} as const satisfies RuleTexts<typeof sharedSignalRules>;

function describeSubject(subject: unknown): string {
  if (typeof subject !== "object" || subject === null) return quote(subject);
  const { format } = subject as { readonly format?: unknown };
  return `format ${quote(format)}, members ${quote(Object.keys(subject).join(", "))}`;
}
