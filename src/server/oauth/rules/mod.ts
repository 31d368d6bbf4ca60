/**
 * The table of the rules that this server checks: the sentence of a passed check, the fix of a request that breaks the
 * rule, and the cited sections. `tests/rules.md` describes each rule in full.
 *
 * A check names its rule by ID only: `server.passed?.("PK-09", challenge)` if it passes, and an `OAuthError` with
 * `rule: "PK-09"` if it rejects. An ID that is not in the table is a type error. Requests do not load the texts; pages,
 * logs and reports do.
 *
 * To add a rule, add its row in `tests/rules.md`, its row here, its check and its test. `deno task rules` compares
 * them.
 */

import { assertionGrantRules } from "./assertion_grants.ts";
import { authorizationDetailsRules } from "./authorization_details.ts";
import { authorizeRules } from "./authorize.ts";
import { cibaRules } from "./ciba.ts";
import { clientDocumentRules } from "./client_documents.ts";
import { clientLogoutRules } from "./client_logout.ts";
import { controlRules } from "./control.ts";
import { dpopRules } from "./dpop.ts";
import { deviceRules } from "./device.ts";
import { encryptedResponseRules } from "./encrypted_responses.ts";
import { httpRules } from "./http.ts";
import { openidRules } from "./openid.ts";
import { pageRules } from "./pages.ts";
import { profileRules } from "./profiles.ts";
import { pushedRequestRules } from "./pushed_requests.ts";
import { registrationRules } from "./registration.ts";
import { resourceRules } from "./resource.ts";
import type { Rule } from "./rule.ts";
import { stepUpRules } from "./step_up.ts";
import { signedRequestRules } from "./signed_requests.ts";
import { tokenRules } from "./token.ts";

export type {
  assertionGrantRules,
  authorizationDetailsRules,
  authorizeRules,
  cibaRules,
  clientDocumentRules,
  clientLogoutRules,
  controlRules,
  deviceRules,
  dpopRules,
  encryptedResponseRules,
  httpRules,
  openidRules,
  pageRules,
  profileRules,
  pushedRequestRules,
  registrationRules,
  resourceRules,
  Rule,
  signedRequestRules,
  stepUpRules,
  tokenRules,
};

/** The whole table, with its texts. */
export type RuleTable =
  & typeof authorizeRules
  & typeof tokenRules
  & typeof assertionGrantRules
  & typeof openidRules
  & typeof clientLogoutRules
  & typeof resourceRules
  & typeof stepUpRules
  & typeof httpRules
  & typeof pageRules
  & typeof encryptedResponseRules
  & typeof signedRequestRules
  & typeof pushedRequestRules
  & typeof dpopRules
  & typeof authorizationDetailsRules
  & typeof deviceRules
  & typeof cibaRules
  & typeof profileRules
  & typeof registrationRules
  & typeof clientDocumentRules
  & typeof controlRules;

/** The ID of a rule that this server checks, such as `PK-09`. */
export type RuleId = keyof RuleTable;

/** The ID of a rule with a fix: one that a request can be rejected by, or that causes a warning. */
export type RejectionRuleId = { [Id in RuleId]: RuleTable[Id] extends { readonly fix: string } ? Id : never }[RuleId];

/**
 * The broken rule, a row of the rule table, with a fix for this request if it differs from the fix of the rule. A
 * rejection by the embedding program has a fix and no rule.
 */
export type RuleOrFix =
  | { readonly rule: RejectionRuleId; readonly fix?: string }
  | { readonly rule?: undefined; readonly fix: string };

/** The ID of a rule with a sentence for a passed check. */
export type PassedRuleId = { [Id in RuleId]: RuleTable[Id] extends { readonly passes: string } ? Id : never }[RuleId];

/** Every rule by its ID, group by group in the order of `tests/rules.md`. */
export const rules: Readonly<Record<RuleId, Rule>> = {
  ...authorizeRules,
  ...tokenRules,
  ...assertionGrantRules,
  ...openidRules,
  ...clientLogoutRules,
  ...resourceRules,
  ...stepUpRules,
  ...httpRules,
  ...pageRules,
  ...encryptedResponseRules,
  ...signedRequestRules,
  ...pushedRequestRules,
  ...dpopRules,
  ...authorizationDetailsRules,
  ...deviceRules,
  ...cibaRules,
  ...profileRules,
  ...registrationRules,
  ...clientDocumentRules,
  ...controlRules,
};

/** The row of a rule; `undefined` for a rejection by the embedding program, which has no rule. */
export function findRule(id: string | undefined): Rule | undefined {
  return id !== undefined && Object.hasOwn(rules, id) ? rules[id as RuleId] : undefined;
}

/** How to fix the request of a rejection: the fix of the rejection, otherwise the fix of its rule. */
export function findFix({ rule, fix }: RuleOrFix): string | undefined {
  return fix ?? findRule(rule)?.fix;
}

/** The sentence of a passed check. */
export function getPassedText(id: PassedRuleId): string {
  return rules[id].passes!;
}
