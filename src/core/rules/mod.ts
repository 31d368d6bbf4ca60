/**
 * The rules that every server checks, and the types of rule IDs. Those of an extension are in its folder, those of
 * resource servers and of most pages in `server/rules/`; `server/rules.ts` has the whole table.
 *
 * A check names its rule by ID only: `server.passed?.("PK-09", challenge)` if it passes, and
 * `throw reject("PK-09", facts)` if it rejects. An ID that is not in the table, and facts that its row does not
 * declare, are type errors. The texts are in `server/explain/`, and in the folder of an extension. Only rejections,
 * pages, logs and reports load them.
 *
 * To add a rule, add its row in `tests/rules.md`, its row in the table, its check and its test, and run
 * `deno task rules --write`, which generates the types of the IDs. `deno task rules` compares them.
 */

import { authorizeRules } from "./authorize.ts";
import { controlRules } from "./control.ts";
import { httpRules } from "./http.ts";
import { openidRules } from "./openid.ts";
import { pageRules } from "./pages.ts";
import { tokenRules } from "./token.ts";

export type { Rule } from "./rule.ts";
export type { PassedRuleId, RejectionRuleId, RuleId } from "./rule_id.gen.ts";

/** The rules of every server, group by group in the order of `tests/rules.md`. */
export const coreRules = {
  ...authorizeRules,
  ...tokenRules,
  ...openidRules,
  ...httpRules,
  ...pageRules,
  ...controlRules,
};
