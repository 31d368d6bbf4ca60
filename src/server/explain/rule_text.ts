/** The type of the texts of a rule. */

import type { CommonErrorDetails } from "../../core/rules/errors.ts";
import type { FactsOf } from "../../core/rules/reject.ts";
import type { HostedServer } from "../hosted_server.ts";

/** The texts of one rule. */
export interface RuleText<Facts = never> {
  /**
   * The fact that a passed check establishes: one sentence, without a full stop. Absent if passed checks of the rule
   * are not traced.
   */
  readonly passes?: string;
  /**
   * How to fix a request that breaks the rule, for the developer of the client. Absent if the rule rejects no request.
   */
  readonly fix?: string;
  /** The setting that rejects the request: the message names the profile that decides it. Default: none. */
  setting?(facts: Facts): string | undefined;
  /** Explains a rejection. Default: the message of the rule is the reason, and nothing else is known. */
  explain?(facts: Facts, server: HostedServer): RejectionTexts | Promise<RejectionTexts>;
}

/** The texts of one rejection. `message` and `fix` replace those of the rule. */
export type RejectionTexts =
  & Pick<CommonErrorDetails, "reason" | "expected" | "received" | "earlier" | "change" | "publicExpected">
  & { readonly message?: string; readonly fix?: string };

/** The texts of the rules of a table. */
export type RuleTexts<Rules> = { readonly [Id in keyof Rules]: RuleText<FactsOf<Rules[Id]>> };
