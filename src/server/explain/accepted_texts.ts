/** The texts of what is traced about accepted requests. Those of rejections are loaded with the first one (`rules.ts`). */

import type { Explanation } from "../../core/rules/errors.ts";
import type { RuleId } from "../../core/rules/rule.ts";
import type { HostedServer } from "../hosted_server.ts";
import { warn } from "../trace.ts";
import { authorizeTexts } from "./authorize.ts";
import type { Note } from "./notes.ts";
import { openidTexts } from "./openid.ts";
import { resourceIndicatorTexts } from "./resource_indicators.ts";
import type { RuleText } from "./rule_text.ts";
import { tokenTexts } from "./token.ts";

/** The rows of the rules that have a text for accepted requests, among others. */
export const acceptedTexts: Readonly<Record<string, RuleText | undefined>> = {
  ...authorizeTexts,
  ...tokenTexts,
  ...openidTexts,
  ...resourceIndicatorTexts,
};

/** How to fix a request that breaks a rule; a rule without a text is explained by the program. */
const fixOf = (rule: RuleId) => acceptedTexts[rule]?.fix ?? `latchkey explain ${rule} says what to send.`;

/** Traces warnings and notes. Only servers on test hosts trace notes. */
export function traceWarnings(
  server: HostedServer,
  client: string | undefined,
  found: readonly (Explanation | Note)[],
): void {
  for (const text of found) {
    if (!("note" in text)) {
      warn(server, client, { ...text, fix: text.rule === undefined ? text.fix : text.fix ?? fixOf(text.rule) });
    } else if (server.policy.allows.explanations) {
      server.trace({ type: "note", at: server.now(), client: client!, explanation: text.note });
    }
  }
}
