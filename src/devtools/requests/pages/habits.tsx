/** @jsxImportSource preact */
/** The habits that a flow shows of its client: what it should change, and on request all of them. */

import type { VNode } from "preact";
import { Section } from "../../../server/pages/layout.tsx";
import { citedSections } from "../../../server/pages/specifications.ts";
import { StatusBadge } from "../../../server/pages/status_badge.tsx";
import type { FlowHabits, HabitEvidence, HabitRow } from "./props.ts";

/** What the client did, with links to the steps that show it. */
function Evidence({ parameter, because, steps }: HabitEvidence): VNode {
  return (
    <p>
      {parameter !== undefined && (
        <>
          <code>{parameter}</code>:{" "}
        </>
      )}
      <bdi>{because}</bdi>
      {steps.map(({ title, href }, i) => (
        <>
          {i === 0 ? ": " : ", "}
          {href === undefined ? title : <a href={href}>{title}</a>}
        </>
      ))}
    </p>
  );
}

/** The sections that require a habit, linked if their address is known. */
function Sources({ sources }: Pick<HabitRow, "sources">): VNode {
  return (
    <small>
      {sources.map((source) => {
        const sections = citedSections([source]);
        return sections.length === 0
          ? <span key={source}>{source}</span>
          : sections.map(({ title, url }) => <a key={url} href={url} rel="noreferrer">{title}</a>);
      })}
    </small>
  );
}

/** Maximum number of habits that the short form lists, for the size of the page. The summary counts all. */
const maxBriefRows = 3;

/** A habit in full. */
function Row({ id, title, status, because, evidence, sources }: HabitRow): VNode {
  return (
    <li>
      <StatusBadge {...status} /> <code>{id}</code>
      <p>{title}</p>
      {because !== undefined && <p class="aside">{because}</p>}
      {evidence.map((item, i) => <Evidence key={i} {...item} />)}
      <Sources sources={sources} />
    </li>
  );
}

/** The section of the page. `path` is the path of the flow. */
export function Habits({ habits, path }: { readonly habits: FlowHabits; readonly path: string }): VNode {
  const { summary, rows, total, all } = habits;
  return (
    <Section id="habits" heading="Best practices">
      <p>{summary}</p>
      {rows.length > 0 && (
        <ul class={all ? "tree habits" : "tree"}>
          {rows.slice(0, all ? undefined : maxBriefRows).map((row) =>
            all ? <Row key={row.id} {...row} /> : (
              <li key={row.id}>
                <StatusBadge tone={row.status.tone} label={row.id} />: <bdi>{row.evidence[0]?.because}</bdi>
              </li>
            )
          )}
        </ul>
      )}
      <p>
        {all
          ? <a href={`${path}#habits`}>Show only what the client should change</a>
          : <a href={`${path}?habits=all#habits`}>Show all {total} best practices, with steps and sources</a>}
      </p>
    </Section>
  );
}
