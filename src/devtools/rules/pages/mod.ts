/** The page of a rule, rendered on the server by Preact; loaded at the first visit. */

import { render } from "preact-render-to-string";
import { RulePage, type RuleProps } from "./rule_page.tsx";

/** Props in, an HTML document out. Links to other sites lead only to specifications. */
export function rulePage(props: RuleProps): string {
  return `<!DOCTYPE html>\n${render(RulePage(props))}\n`;
}
