/** The outcomes of a best practice, and what pages and reports call them. */

/** @internal What the traffic shows of a habit. */
export type HabitOutcome =
  /** The client has it. */
  | "passed"
  /** The client lacks it, and a specification demands it. */
  | "failed"
  /** The client lacks it, and a specification recommends it. */
  | "warning"
  /** A specification allows what the client does. */
  | "noted"
  /** The traffic has no occasion for it. */
  | "not seen";

/** What the reports call an outcome. */
export const outcomeLabels: Readonly<Record<HabitOutcome, string>> = {
  passed: "passed",
  failed: "failed",
  warning: "warning",
  noted: "informational",
  "not seen": "not tested",
};
