/** @jsxImportSource preact */
/** The pages of rules: all of them, a group, and one rule. */

import type { VNode } from "preact";
import { Fix } from "../fix.tsx";
import { Section } from "../layout.tsx";
import { citedSections } from "../specifications.ts";
import { Comparison } from "../comparison.tsx";
import { Code, CodeList, DefinitionItem } from "../value.tsx";
import { formatLongDuration } from "../duration.ts";
import { FoldedGroups } from "./folded_groups.tsx";
import { Frame } from "./frame.tsx";
import { InlineText } from "./markdown.tsx";
import type { RejectedExample, RuleGroupProps, RuleProps, RulesProps } from "./props.ts";

const rulesLink = { label: "Rules", path: "/rules" };

/** All rules in short, by group. */
export function Rules({ groups, ...site }: RulesProps): VNode {
  const count = groups.reduce((sum, { rules }) => sum + rules.length, 0);
  return (
    <Frame
      site={site}
      above={[]}
      heading="Rules"
      opening={
        <p>
          Each rejection, and each check of a flow, names one of these {count}{" "}
          rules. The page of a rule has its text, its source, and how to fix a request that breaks it.{" "}
          <a href={`${site.base}/docs`}>The search</a> finds a rule by its words.
        </p>
      }
    >
      <FoldedGroups
        groups={groups.map(({ prefix, title, rules }) => ({
          title: `${prefix}: ${title}`,
          entries: rules.map(({ id, summary }) => ({ id, text: summary, href: `${site.base}/docs/rules/${id}` })),
        }))}
      />
    </Frame>
  );
}

/** The rules of a group, each in short. */
export function RuleGroupPage({ group: { prefix, title, rules }, ...site }: RuleGroupProps): VNode {
  return (
    <Frame
      site={site}
      above={[rulesLink]}
      heading={`${prefix}: ${title}`}
      opening={
        <dl class="facts">
          {rules.map(({ id, summary }) => (
            <DefinitionItem key={id} label={<a href={`${site.base}/docs/rules/${id}`}>{id}</a>}>
              {summary}
            </DefinitionItem>
          ))}
        </dl>
      }
    />
  );
}

/** What a rule demands, how to fix a request that breaks it, its sources and settings. */
export function RulePage({ rule, example, ...site }: RuleProps): VNode {
  const { id, level, isOwnDecision, group, demand, passes, fix, cites, settings, previous, next } = rule;
  const prefix = id.slice(0, 2);
  const sections = citedSections(cites);
  const href = (name: string) => `${site.base}/docs/rules/${name}`;
  const hasFlows = site.links?.some(({ path }) => path === "/flows") === true;
  return (
    <Frame
      site={site}
      above={[rulesLink, { label: `${prefix}: ${group}`, path: `/rules/${prefix}` }]}
      heading={`Rule ${id}`}
      opening={
        <>
          <p>
            <InlineText content={demand} />
          </p>
          {fix !== undefined && (
            <div class="notice good">
              <Fix fix={fix} />
            </div>
          )}
          <nav class="ways" aria-label="Where to go from here">
            {hasFlows && (
              <a class="button" href={`${site.base}/flows?q=${id}`}>
                Flows with {id}
              </a>
            )}
            {previous !== undefined && <a href={href(previous)} rel="prev">Previous: {previous}</a>}
            {next !== undefined && <a href={href(next)} rel="next">Next: {next}</a>}
          </nav>
        </>
      }
    >
      {example !== undefined && <Example example={example} />}
      <Section id="source" heading="Details">
        <dl class="facts">
          <DefinitionItem label="Level">{level}</DefinitionItem>
          {passes !== undefined && <DefinitionItem label="Passed check">{passes}</DefinitionItem>}
          <DefinitionItem label="Source">
            {sections.length === 0
              ? cites.join(", ") || "A decision of this project"
              : sections.map(({ title, url }) => <a key={url} href={url} rel="noreferrer">{title}</a>)}
            {isOwnDecision && sections.length > 0 && (
              <span class="aside">The rule applies even where a specification allows something else.</span>
            )}
          </DefinitionItem>
          {settings.length > 0 && (
            <DefinitionItem label={settings.length === 1 ? "Setting" : "Settings"}>
              {settings.map((name) => (
                <a
                  key={name}
                  href={`${site.base}/docs/settings/${name.split(".")[0]}${name.includes(".") ? `#${name}` : ""}`}
                >
                  <code>{name}</code>
                </a>
              ))}
            </DefinitionItem>
          )}
        </dl>
      </Section>
    </Frame>
  );
}

/** What a request has in place of a correct one, and the explanation of its rejection. */
function Example({ example }: { readonly example: RejectedExample }): VNode {
  const { to, sent, settings, error, reason, expected, received } = example;
  return (
    <Section id="example" heading="A rejected request">
      <p>
        <Code text={to} /> {sent.length > 0 && (
          <>
            with <CodeList texts={sent} between=", " last=" and " />
            {" "}
          </>
        )}
        {formatBefore(example)}is rejected with <Code text={error} />: <bdi>{reason}</bdi>.
      </p>
      <Comparison expected={expected} received={received} />
      {settings !== undefined && (
        <p class="aside">
          The settings of this server: <Code text={settings} />
        </p>
      )}
    </Section>
  );
}

/** Why a server rejects a request that is correct by itself: it is late, or sent again. */
function formatBefore({ sent, seconds, earlier }: RejectedExample): string {
  if (seconds !== undefined) return `${formatLongDuration(seconds)} after the previous request `;
  return sent.length === 0 && earlier > 1 ? "sent again " : "";
}
