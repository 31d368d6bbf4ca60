/** The type of the texts of a rule. */

import type { CommonErrorDetails, ExplanationTexts } from "../../core/rules/errors.ts";
import type { FactsOf } from "../../core/rules/reject.ts";
import type { HostedServer } from "../hosted_server.ts";
import type { HostedObservations } from "../config/observations.ts";
import type { Note } from "./notes.ts";

export interface RuleText<Facts = never, Observed = never> {
  /**
   * The fact that a passed check establishes: one sentence, without a full stop. Absent if passed checks of the rule
   * are not traced.
   */
  readonly passes?: string;
  /**
   * How to fix a request that breaks the rule, for the developer of the client. Absent if the rule neither rejects a
   * request nor warns of one.
   */
  readonly fix?: string;
  /** The setting that rejects the request: the message names the profile that decides it. Default: none. */
  setting?(facts: Facts): string | undefined;
  /** Explains a rejection. Default: the message of the rule is the reason, and nothing else is known. */
  explain?(facts: Facts, server: HostedServer): RejectionTexts | Promise<RejectionTexts>;
  /**
   * Explains an accepted request that was observed under the name of the rule: a warning, a note, or nothing. Absent if
   * no observation has the name.
   */
  explainAccepted?(facts: Observed, server: HostedServer): AcceptedTexts | Note | undefined;
}

/** The texts of a warning about an accepted request. `fix` replaces that of the rule. */
export type AcceptedTexts = ExplanationTexts & { readonly fix?: string };

/** The texts of one rejection. `message` and `fix` replace those of the rule. */
export type RejectionTexts =
  & Pick<CommonErrorDetails, "reason" | "expected" | "received" | "earlier" | "change" | "publicExpected">
  & { readonly message?: string; readonly fix?: string };

/** The texts of the rules of a table. */
export type RuleTexts<Rules> = {
  readonly [Id in keyof Rules]: Id extends keyof HostedObservations ? ObservedRuleText<Rules[Id], Id>
    : RuleText<FactsOf<Rules[Id]>>;
};

/** The texts of a rule that names an observation. */
export type ObservedRuleText<Row, Id extends keyof HostedObservations> =
  & RuleText<FactsOf<Row>, HostedObservations[Id]>
  & Required<Pick<RuleText<never, HostedObservations[Id]>, "explainAccepted">>;
