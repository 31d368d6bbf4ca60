/** The explanation of a rejection or warning. */

import type { RejectionRuleId, RuleOrFix } from "./rules/mod.ts";

/** The full reason of a rejection or warning; the client may receive less. */
export type Explanation = ExplanationTexts & RuleOrFix;

/** The reason of a rejection or warning by a rule of the table. */
export type RuleExplanation = Explanation & { readonly rule: RejectionRuleId };

/** The texts of an explanation. */
export interface ExplanationTexts {
  /** One sentence. */
  readonly reason: string;
  /** The expected value. */
  readonly expected?: string;
  /** The received value. */
  readonly received?: string;
  /** Whether the server computed `received`: logs show it as it is. Default: false, they hide what may be a secret. */
  readonly isComputed?: boolean;
  /** The earlier request that this one conflicts with, and its time. */
  readonly earlier?: string;
}
