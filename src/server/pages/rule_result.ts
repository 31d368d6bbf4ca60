/** The result of a check, and what a client probably meant to send. */

/**
 * @internal The result of one check of a request, a token or a response. Explanations, pages and reports have these
 * members and add their own.
 */
export interface RuleResult {
  /** Whether the check passed; undefined: it was not checked. */
  readonly passed?: boolean;
  /** The ID of the rule; absent if no rule of this server has the check. */
  readonly rule?: string;
  /** The expected value. */
  readonly expected?: string;
  /** The received value. */
  readonly received?: string;
  /** How to fix it, one imperative sentence. */
  readonly fix?: string;
}

/** @internal A registered value similar to the received one. */
export interface SuggestedMatch {
  /** The registered value. */
  readonly text: string;
  /** For a URI of which only one part differs: a sentence that names it. */
  readonly difference?: string;
  /** What to send. It replaces the fix of the rule; to register the received value is the second choice. */
  readonly fix?: string;
}
