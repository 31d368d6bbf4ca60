/** @jsxImportSource preact */
/** The page of a rule: what it requires, how to fix a request that breaks it, its sources. */

import type { VNode } from "preact";
import { Fix } from "../../../server/pages/fix.tsx";
import { Layout, type Site } from "../../../server/pages/layout.tsx";
import { Notice } from "../../../server/pages/notice.tsx";
import { TextWithRules } from "../../../server/pages/rule_link.tsx";
import { citedSections } from "../../../server/pages/specifications.ts";
import { Breakable, DefinitionItem } from "../../../server/pages/value.tsx";

/** A rule, for its page and for the terminal. */
export interface RuleDescription {
  readonly id: string;
  /** What is true when the check has passed; absent if passed checks are not traced. */
  readonly passes?: string;
  /** How to fix a request that breaks it; absent if the rule rejects no request. */
  readonly fix?: string;
  readonly cites: readonly string[];
  /** The level of BCP 14, such as `MUST`. Absent, as the two below, without the file of requirements. */
  readonly level?: string;
  /** What the rule requires. Names of the protocol stand between backticks. */
  readonly requirement?: string;
  /** The title of its group, and what the rules of the group are about. */
  readonly group?: string;
}

export interface RuleProps extends Site {
  readonly rule: RuleDescription;
}

/** The requirement comes first, then the fix. */
export function RulePage({ rule, ...site }: RuleProps): VNode {
  const { id, level, passes, requirement, fix, cites, group } = rule;
  const sections = citedSections(cites);
  return (
    <Layout site={site} path="/docs/rules" styles={["values"]} heading={`Rule ${id}`}>
      <p>
        <Requirement text={requirement ?? passes ?? ""} />
      </p>
      {fix !== undefined && (
        <Notice kind="good" role={undefined}>
          <Fix fix={fix} />
        </Notice>
      )}
      <dl class="facts">
        {requirement !== undefined && passes !== undefined && (
          <DefinitionItem label="Passed check">{passes}</DefinitionItem>
        )}
        {group !== undefined && (
          <DefinitionItem label="Group">
            <Requirement text={group} />
          </DefinitionItem>
        )}
        {level !== undefined && <DefinitionItem label="Level">{level}</DefinitionItem>}
        <DefinitionItem label="Source">
          {sections.length === 0 && (cites.join(", ") || "A decision of this project")}
          {sections.map((
            { title, url },
            i,
          ) => [i > 0 && ", ", <a key={url} href={url} rel="noreferrer">{title}</a>])}
        </DefinitionItem>
      </dl>
      {site.links?.some(({ path }) => path === "/flows") === true && (
        <p class="ways">
          <a class="button" href={`${site.base}/flows?q=${id}`}>Requests rejected by {id}</a>
        </p>
      )}
    </Layout>
  );
}

/** A text with names of the protocol between backticks, and IDs of rules. */
function Requirement({ text }: { readonly text: string }): VNode {
  return (
    <>
      {text.split("`").map((part, i) =>
        i % 2 === 0 ? <TextWithRules key={i} text={part} /> : (
          <code key={i}>
            <Breakable text={part} />
          </code>
        )
      )}
    </>
  );
}
