/** GET /docs/rules/PK-09. */

import type { Context } from "../../core/http/context.ts";
import { html, HttpError, type HttpResponse } from "../../core/http/message.ts";
import { renderPage } from "../../core/pages/render_page.ts";
import { RulePage } from "./pages/rule_page.tsx";
import { describeRule, nearestRules } from "./rule.ts";
import type { ReadRules } from "./rules_file.ts";

/** Shows the rule of the path. @throws {HttpError} 404 if there is none. */
export async function showRule(
  { site, server, target: { path } }: Context,
  readRules: ReadRules,
): Promise<HttpResponse> {
  const id = path.slice(path.lastIndexOf("/") + 1);
  const rule = await describeRule(id, readRules);
  if (rule !== undefined && rule.id === id) {
    return html(200, renderPage(RulePage, { ...site, rule }));
  }
  const list = `${server.issuer.replace(/\/$/, "")}/docs/rules`;
  const [nearest] = rule === undefined ? nearestRules(id) : [rule.id];
  throw new HttpError(404, "HT-01", "There is no such rule", {
    expected: "the ID at the end of an error_description",
    received: path,
    fix: nearest === undefined ? `A page of a rule is ${list}/PK-09.` : `Did you mean ${list}/${nearest}?`,
  });
}
