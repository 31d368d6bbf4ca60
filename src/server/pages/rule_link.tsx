/** @jsxImportSource preact */
/** The ID of a rule, which leads to its page where this server has one. */

import { createContext, type VNode } from "preact";

/** The path of the pages of rules; `undefined` if the server has none. The layout provides it. */
export const RulesPath = createContext<string | undefined>(undefined);

/** Whether a text is the ID of a rule, and not the section of a specification. */
const ruleId = /^[A-Z]{2}-\d{2}$/;

/** The ID of a rule as a link, if there is a page of it. Any other text is shown as it is. */
export function RuleLink({ rule }: { readonly rule: string | undefined }): VNode {
  return (
    <RulesPath.Consumer>
      {(path: string | undefined) =>
        path === undefined || rule === undefined || !ruleId.test(rule) ? rule : <a href={`${path}/${rule}`}>{rule}</a>}
    </RulesPath.Consumer>
  );
}

/** A text that names the broken rule, `… [TK-15]` or `… by TK-15: …`, with the link. */
export function TextWithRule({ text }: { readonly text: string }): VNode {
  const [, before, rule, after] = /^([^]*(?:\[| by ))([A-Z]{2}-\d{2})((?:\]$|:)[^]*)$/.exec(text) ?? [];
  return rule === undefined ? <>{text}</> : (
    <>
      {before}
      <RuleLink rule={rule} />
      {after}
    </>
  );
}

/** A text that names rules, each with the link. */
export function TextWithRules({ text }: { readonly text: string }): VNode {
  return (
    <>
      {text.split(/(?<![\w-])([A-Z]{2}-\d{2})(?![\w-])/).map((part, i) =>
        i % 2 === 0 ? part : <RuleLink key={i} rule={part} />
      )}
    </>
  );
}
