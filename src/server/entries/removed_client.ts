/** The texts about clients that were removed. */

import type { RuleExplanation } from "../../core/rules/errors.ts";

/** The texts about something that was issued to a former client of this id. */
export function removedClient(id: string): Pick<RuleExplanation, "reason" | "expected" | "received"> {
  return {
    reason: "the client was removed, or registered since",
    expected: `client ${id} as it is now`,
    received: "a code, request or token of an earlier client with this id",
  };
}
