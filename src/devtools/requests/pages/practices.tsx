/** @jsxImportSource preact */
/** The practices that a flow shows of its client: what it should change, and on request all of them. */

import type { VNode } from "preact";
import { Section } from "../../../server/pages/layout.tsx";
import { citedSections } from "../../../server/pages/specifications.ts";
import { StatusBadge } from "../../../server/pages/status_badge.tsx";
import type { FlowPractices, PracticeEvidence, PracticeRow } from "./props.ts";

/** What the client did, with links to the steps that show it. */
function Evidence({ parameter, because, steps }: PracticeEvidence): VNode {
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

/** The sections that require a practice, linked if their address is known. */
function Sources({ sources }: Pick<PracticeRow, "sources">): VNode {
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

/** Maximum number of practices that the short form lists, for the size of the page. The summary counts all. */
const maxBriefRows = 3;

/** A practice in full. */
function Row({ id, title, status, because, evidence, sources }: PracticeRow): VNode {
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
export function Practices({ practices, path }: { readonly practices: FlowPractices; readonly path: string }): VNode {
  const { summary, rows, total, all } = practices;
  return (
    <Section id="practices" heading="Best practices">
      <p>{summary}</p>
      {rows.length > 0 && (
        <ul class={all ? "tree practices" : "tree"}>
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
          ? <a href={`${path}#practices`}>Show only what the client should change</a>
          : <a href={`${path}?practices=all#practices`}>Show all {total} best practices, with steps and sources</a>}
      </p>
    </Section>
  );
}
