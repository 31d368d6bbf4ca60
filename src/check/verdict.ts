/** What one attack shows about a client, and the orders of it in reports. */

/** What one attack shows about the client. */
export type Verdict =
  /** The client behaves as a correct one. */
  | "passed"
  /** It does not, and a specification demands it. */
  | "failed"
  /** It does not, a specification demands it, and the baseline of the check has it. */
  | "known"
  /** It does not, and a specification recommends it. */
  | "warning"
  /** The attack is informational. */
  | "noted"
  /**
   * The attack shows nothing: it did not reach the client, the login without an attack failed, the driver does not
   * know what the client did, or a correct client can do the same.
   */
  | "inconclusive"
  /** The attack was not run. */
  | "skipped";

/** The verdicts in the order of a summary. */
export const verdicts: readonly Verdict[] = [
  ...["passed", "failed", "known", "warning", "noted", "inconclusive", "skipped"] as const,
];

/** The verdicts, the worst first: the order of a page, and that of the journeys of one attack. */
export const worstFirst: readonly Verdict[] = [
  ...["failed", "known", "warning", "inconclusive", "noted", "passed", "skipped"] as const,
];

/** The worst verdict of the journeys of one attack. */
export const worstVerdict = (journeys: readonly { readonly verdict: Verdict }[]): Verdict =>
  worstFirst.find((verdict) => journeys.some((journey) => journey.verdict === verdict))!;

/** Whether a verdict shows nothing about the client. */
export const isUndecided = (verdict: Verdict): boolean => verdict === "inconclusive" || verdict === "skipped";
