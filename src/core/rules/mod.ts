/**
 * The rules that every server checks. Those that only the whole server checks are in `server/rules/` and in the folders
 * of its extensions; `server/rules.ts` has the whole table.
 *
 * A check names its rule by ID only: `server.passed("PK-09", challenge)` if it passes, and
 * `throw reject("PK-09", facts)` if it rejects. Facts that its row does not declare are a type error; the interfaces
 * beside the tables are facts. The texts are in `server/explain/`, and in the folder of an extension. Only rejections,
 * pages, logs and reports load them.
 *
 * To add a rule, add its line in `tests/rules.md`, its row in the table, its texts, its check and its test.
 * `deno task rules` compares them.
 */

import { authorizeRules } from "./authorize.ts";
import { httpRules } from "./http.ts";
import { openidRules } from "./openid.ts";
import { tokenRules } from "./token.ts";

export type { Rule, RuleId } from "./rule.ts";

/** The rules of every server, group by group in the order of `tests/rules.md`. */
export const coreRules = {
  ...authorizeRules,
  ...tokenRules,
  ...openidRules,
  ...httpRules,
};
