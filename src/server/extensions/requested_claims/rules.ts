/** What a request with a wrong `claims` violates. The core has the same rule for another user than the demanded one. */

import { rejectBy } from "../../../core/rules/reject.ts";
import { rule } from "../../../core/rules/rule.ts";

/** Facts about `claims` that is malformed, or that demands too many subjects. */
export type WrongClaims =
  /** `malformed`: the received value. */
  | { readonly malformed: string }
  | { readonly count: number; readonly limit: number };

/** Creates the error. */
export const reject = rejectBy({
  "OI-08": rule<WrongClaims>(
    "invalid_request",
    (facts) =>
      "count" in facts ? `claims demands more than ${facts.limit} subjects` : "claims is not a valid claims request",
    "OpenID Connect Core §5.5",
  ),
});
