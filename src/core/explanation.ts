/** The explanation of a rejection or warning. */

import type { RejectionRuleId } from "./rules/rule_id.gen.ts";

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

/** @internal The full reason of a rejection or warning; the client may receive less. */
export type Explanation = ExplanationTexts & RuleOrFix;

/** @internal The reason of a rejection or warning by a rule of the table. */
export type RuleExplanation = Explanation & { readonly rule: RejectionRuleId };

/** @internal The texts of an explanation. */
export interface ExplanationTexts {
  /** One sentence. */
  readonly reason: string;
  /** The expected value. */
  readonly expected?: string;
  /** The received value. */
  readonly received?: string;
  /** The earlier request that this one conflicts with, and its time. */
  readonly earlier?: string;
  /** The change of the registered clients that would make the server accept the request; absent if there is none. */
  readonly change?: ClientChange;
}

/** @internal A client to register, or a change of a registered client. */
export interface ClientChange {
  /** The ID of the client. */
  readonly client_id: string;
  /** Whether no client has the ID. */
  readonly isNew: boolean;
  /** The redirect URI to register. */
  readonly redirect_uri?: string;
  /** The URI to register for the end of a logout. */
  readonly post_logout_redirect_uri?: string;
  /** The scope values to allow. */
  readonly scope?: string;
  /** The grant type to allow. */
  readonly grant_type?: string;
  /** The authentication method to register. */
  readonly token_endpoint_auth_method?: string;
}

/**
 * The broken rule, a row of the rule table, with a fix for this request if it differs from the fix of the rule. A
 * rejection by the embedding program has a fix and no rule.
 *
 * @internal
 */
export type RuleOrFix =
  | { readonly rule: RejectionRuleId; readonly fix?: string }
  | { readonly rule?: undefined; readonly fix: string };
