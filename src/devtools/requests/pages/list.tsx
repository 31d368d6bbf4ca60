/** @jsxImportSource preact */
/** The list of recorded flows, newest first. */

import type { ComponentChildren, VNode } from "preact";
import { Layout } from "../../../server/pages/layout.tsx";
import { ConfirmedAction } from "../../../server/pages/confirmed_action.tsx";
import { ClockNotice } from "../../../server/pages/notice.tsx";
import { StatusBadge, StatusMark } from "../../../server/pages/status_badge.tsx";
import { upperFirst } from "../../../server/pages/first_letter.ts";
import { CopyableValue } from "../../../server/pages/value.tsx";
import { Timestamp } from "./parts.tsx";
import type { FlowKind, FlowListProps, FlowRow, KnownMessage as Known } from "./props.ts";
import { KeysView } from "./keys.tsx";
import { Pane } from "./pane.tsx";

const outcomeOptions = {
  done: "success",
  rejected: "error",
  pending: "pending",
  documents: "metadata, keys and missing pages",
} as const satisfies Record<FlowKind, string>;

/** The row of a flow, which is one link: time, outcome, client, user, and why it failed or else what happened. */
function Row({ row, base, selected, children }: {
  readonly row: FlowRow;
  readonly base: string;
  readonly selected?: string;
  /** Follows the link. */
  readonly children?: ComponentChildren;
}): VNode {
  const { id, at, client, user, endpoint, outcome, status, rejection, warning, document, steps } = row;
  const hasFailed = status.tone === "bad";
  const remark = hasFailed ? undefined : rejection?.reason ?? warning;
  return (
    <li id={`flow-${id}`}>
      <a href={`${base}/flows/${id}`} aria-current={id === selected ? "true" : undefined}>
        <span class="unseen">{document === undefined ? `Flow ${id} ` : "Requests "}</span>
        <Timestamp at={at} /> <StatusMark {...outcome} /> {document === undefined
          ? (
            <>
              <span class="who">{client}</span> <bdi class="who">{user}</bdi>
            </>
          )
          : <span class="who path">{document}</span>}{" "}
        <span class="what">
          {hasFailed && rejection !== undefined ? <bdi>{upperFirst(rejection.reason)}</bdi> : endpoint}
          {document === undefined && !hasFailed && <span class="aside">, {status.label}</span>}
          {document !== undefined && steps > 1 && <span class="aside">, {steps} times</span>}
          {remark !== undefined && (
            <span class="aside">
              &nbsp;· <bdi>{upperFirst(remark)}</bdi>
            </span>
          )}
        </span>
      </a>
      {children}
    </li>
  );
}

/** Equal neighbours as one row: the newest, with the others folded into it. */
function Group({ rows: [newest, ...others], base, selected }: {
  readonly rows: readonly FlowRow[];
  readonly base: string;
  readonly selected?: string;
}): VNode {
  return (
    <Row row={newest!} base={base} selected={selected}>
      {others.length > 0 && (
        <details open={others.some(({ id }) => id === selected)}>
          <summary>
            {newest!.document === undefined ? `${others.length + 1} times` : `and ${others.length} more`}
          </summary>
          <ol reversed>
            {others.map((row) => <Row key={row.id} row={row} base={base} selected={selected} />)}
          </ol>
        </details>
      )}
    </Row>
  );
}

/** Without flows, the search only explains errors. */
function Filter({ base, clients, flowCount, filter: { client, outcome, q } }: FlowListProps): VNode {
  return (
    <form class="filter" method="get" action={`${base}/flows`} role="search">
      <label>
        <span class="unseen">Search</span>
        <input
          type="search"
          name="q"
          value={q}
          placeholder={flowCount > 0 ? "Search: invalid_grant, alice, jwt expired" : "Paste an error: jwt expired"}
          autocomplete="off"
        />
      </label>
      {flowCount > 0 && (
        <>
          <label>
            <span class="unseen">Client</span>
            <select name="client">
              <option value="">all clients</option>
              {clients.map((id) => <option key={id} value={id} selected={id === client}>{id}</option>)}
            </select>
          </label>
          <label>
            <span class="unseen">Outcome</span>
            <select name="outcome">
              <option value="">all outcomes</option>
              {Object.entries(outcomeOptions).map(([kind, label]) => (
                <option key={kind} value={kind} selected={kind === outcome}>{label}</option>
              ))}
            </select>
          </label>
        </>
      )}
      <button type="submit" class="button plain">{flowCount > 0 ? "Filter" : "Explain"}</button>
    </form>
  );
}

/** A message of a client library: what it means, its usual causes, and what to change. */
function KnownMessage({ problem, message, found, causes, seen, base }: Known & Pick<FlowListProps, "base">): VNode {
  return (
    <section class="known">
      <h2>
        <bdi>{found}</bdi> {message !== undefined && <span class="aside">({message.libraries.join(", ")})</span>}
      </h2>
      {seen.length > 0 && (
        <>
          <p>What the server saw:</p>
          <ul>
            {seen.map(({ flow, text }) => (
              <li key={text}>
                {flow !== undefined && (
                  <>
                    <a href={`${base}/flows/${flow}`}>Flow {flow}</a>:{" "}
                  </>
                )}
                <bdi>{text}</bdi>
              </li>
            ))}
          </ul>
        </>
      )}
      <p>{problem.title}. The usual causes, the most frequent first:</p>
      <ol>
        {causes.map((cause) => <li key={cause}>{cause}</li>)}
      </ol>
      <p>In the application: {problem.application} {message?.fix}</p>
      <p>Here: {problem.server}</p>
    </section>
  );
}

function EmptyState({ base, issuer, flowCount, recording, start, filter, known }: FlowListProps): VNode {
  const isUnknown = filter.q !== undefined && known.length === 0;
  if (flowCount > 0 || isUnknown) {
    return (
      <>
        <p>
          {flowCount === 0 ? "No requests yet." : (
            <>
              No flow matches the filter. <a href={`${base}/flows`}>Show all flows</a>
            </>
          )}
        </p>
        {isUnknown && (
          <p>
            The text matches no known error either. Paste the whole message, or the OAuth error code, such as
            invalid_grant.
          </p>
        )}
      </>
    );
  }
  if (!recording) return <p>No flows are recorded, because recording is off. Start recording, then log in.</p>;
  return (
    <>
      <p>No requests yet. Connect a client to the issuer and log in: each step appears here as it happens.</p>
      <dl class="values">
        <CopyableValue label="Issuer" text={issuer} />
      </dl>
      {start !== undefined && (
        <p class="ways">
          <a class="button" href={base + start}>Start the demo flow</a>
        </p>
      )}
    </>
  );
}

/** Starts and stops the recording, and deletes it. */
function Recording({ base, flowCount, recording, csrfToken }: FlowListProps): VNode {
  return (
    <>
      <form method="post" action={`${base}/flows`}>
        <input type="hidden" name="form_token" value={csrfToken} />
        <button type="submit" class="button plain" name="do" value={recording ? "stop" : "record"}>
          {recording ? "Stop recording" : "Start recording"}
        </button>
      </form>
      {flowCount > 0 && (
        <ConfirmedAction
          label="Delete all flows"
          confirmLabel="Yes, delete all"
          action={`${base}/flows`}
          submits={["do", "delete"]}
          csrfToken={csrfToken}
        >
          Delete every flow, including those that are not shown here? Their tokens stay valid.
        </ConfirmedAction>
      )}
    </>
  );
}

/** The page at `/flows`. */
export function List(props: FlowListProps): VNode {
  const { base, rows, selected, pane, flowCount, filter, older, recording, leftOut, leftOutSearch } = props;
  const params = Object.entries(filter).filter(([, value]) => value !== undefined);
  const href = (more: readonly (readonly [string, string])[]) => {
    const query = new URLSearchParams([...params, ...more].map(([name, value]) => [name, value]));
    return `${base}/flows${query.size > 0 ? `?${query}` : ""}`;
  };
  return (
    <Layout
      site={props}
      path="/flows"
      styles={[...flowCount === 0 ? ["values"] : [], "devtools/list"]}
      scripts={["script", "devtools/list"]}
      heading="Requests"
      opening={
        <>
          <ClockNotice site={props} />
          <div class="toolbar">
            <Filter {...props} />
            {recording
              ? <a class="button plain" id="again" href={href([])}>Reload</a>
              : <StatusBadge tone="warn" label="Recording is off" />}
            <details class="quiet">
              <summary class="button plain">More</summary>
              <div class="ways">
                <button type="button" class="button plain" id="show-keys" hidden>Shortcuts</button>
                <Recording {...props} />
              </div>
            </details>
            {props.hasTokens && <a href={`${base}/tokens`}>Check a token</a>}
          </div>
        </>
      }
    >
      <div class="listing">
        <div id="results">
          <div>
            {props.known.map((found) => <KnownMessage key={found.found} {...found} base={base} />)}
            {leftOut > 0 && (
              <p>
                {leftOut === 1 ? "1 request was" : `${leftOut} requests were`}{" "}
                not recorded, because too many flows began in one second.
              </p>
            )}
            {leftOutSearch !== undefined && (
              <p>
                You followed a link of another site, so its search has not run.{" "}
                <a href={href([["q", leftOutSearch]])}>Search now</a>
              </p>
            )}
            {params.length > 0 && rows.length > 0 && (
              <p>
                <a href={`${base}/flows`}>Show all flows</a>
              </p>
            )}
            {rows.length > 0
              ? (
                <>
                  <p class="columns" aria-hidden="true">
                    <span>
                      Time <span class="utc">UTC</span>
                    </span>
                    {["", "Client", "User", "What happened"].map((name) => <span key={name}>{name}</span>)}
                  </p>
                  <ol class="flows" id="flows" reversed>
                    {rows.map((group) => <Group key={group[0]!.id} rows={group} base={base} selected={selected} />)}
                  </ol>
                </>
              )
              : <EmptyState {...props} />}
            {older !== undefined && (
              <p>
                <a href={href([["before", older]])}>Older flows</a>
              </p>
            )}
          </div>
          {pane && <Pane base={base} flow={pane} isNewest={selected === undefined} />}
        </div>
      </div>
      <KeysView />
    </Layout>
  );
}
