/** Rules of shared signals (OpenID Shared Signals Framework 1.0, RFC 8935, RFC 8936). */

import { type ExtensionErrorCode, type Rule, rule } from "../../../core/rules/rule.ts";
import { rejectBy } from "../../../core/rules/reject.ts";

/** Facts about a request with an invalid member. Values are sent ones, and arbitrary JSON. */
type InvalidMember =
  | { readonly name: string; readonly expected: string; readonly received: string }
  | { readonly poll: Readonly<Record<string, unknown>> }
  | { readonly subject: unknown };

/** By ID, in the order of `tests/rules.md`. */
export const sharedSignalRules = {
  "SS-02": rule<{ readonly isOfUser: true } | { readonly scope: string }>(
    "insufficient_scope",
    (facts) =>
      "scope" in facts
        ? "this client may not have streams of events"
        : "an access token of a user cannot manage streams of events",
    "OpenID Shared Signals Framework §8; CAEP Interoperability Profile §2.7.2",
  ),
  "SS-03": rule<InvalidMember>(
    "invalid_request",
    (facts) =>
      "name" in facts
        ? `${facts.name} is invalid`
        : "poll" in facts
        ? "a member of the poll has another type"
        : "the subject must be of the format iss_sub or email",
    "OpenID Shared Signals Framework §8.1.1",
  ),
  "SS-04": rule<{ readonly streamId: unknown }>(
    "not_found" as ExtensionErrorCode,
    "this client has no such stream",
    "OpenID Shared Signals Framework §8.1.1.2, §8.1.1.5",
  ),
  "SS-05": rule<{ readonly name: string; readonly expected: string; readonly sent: unknown }>(
    "invalid_request",
    ({ name }) => `${name} is not that of the stream`,
    "OpenID Shared Signals Framework §8.1.1.3, §8.1.1.4",
  ),
  "SS-06": rule<{ readonly max: number; readonly of: string }>("access_denied", ({ of }) => `there are too many ${of}`),
  "SS-10": { source: "RFC 8935 §2; OpenID Shared Signals Framework §6.1.1" },
  "SS-11": { source: "RFC 8936 §2" },
} as const satisfies Readonly<Record<string, Rule>>;

/** Creates the error of a rule of shared signals. */
export const reject = rejectBy(sharedSignalRules);
