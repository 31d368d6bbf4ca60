/** The error of a failed client authentication by a method of an extension. */

import { OAuthError, type RuleExplanation } from "../../core/rules/errors.ts";

type Others = Pick<RuleExplanation, "earlier" | "fix" | "change">;

/** The error of a failed authentication by a method of an extension, with its texts. */
export function invalidClient(reason: string, expected?: string, received?: string, others?: Others): OAuthError {
  return new OAuthError("invalid_client", "client authentication failed", {
    rule: "CA-07",
    reason,
    expected,
    received,
    ...others,
  });
}
