/** @jsxImportSource preact */
/** The list of recorded flows, newest first. */

import type { VNode } from "preact";
import { Layout, Stylesheet } from "../layout.tsx";
import { ConfirmedAction } from "../confirmed_action.tsx";
import { StatusBadge } from "../status_badge.tsx";
import { StatusCode } from "../status_line.tsx";
import { Code, CopyableValue } from "../value.tsx";
import { formatMilliseconds, Head, RejectionLine, Timestamp } from "./parts.tsx";
import type { FlowKind, FlowListProps, FlowRow } from "./props.ts";
import { Summary } from "./summary.tsx";

const outcomeOptions = {
  done: "success",
  rejected: "error",
  pending: "pending",
  documents: "metadata, keys and missing pages",
} as const satisfies Record<FlowKind, string>;

/** The row of a flow; the whole row is the link. */
function Row({ row, base }: { readonly row: FlowRow; readonly base: string }): VNode {
  const { id, at, client, user, endpoint, httpStatus, outcome, status, durationMs, rejection, warning } = row;
  return (
    <li id={`flow-${id}`}>
      <a href={`${base}/flows/${id}`}>
        <span class="unseen">{row.document === undefined ? "Flow " : `Requests for ${row.document} `}</span>
        {row.document === undefined ? id : "–"}
      </a>
      <span class="who">
        {client !== undefined && <Code text={client} />}
        {user !== undefined && (
          <span>
            <span class="aside">as</span> <bdi>{user}</bdi>
          </span>
        )}
        {row.document !== undefined && <Code text={row.document} />}
      </span>
      <span class="what">
        {endpoint}
        {row.document === undefined && status.tone !== "bad" && <span class="aside">, {status.label}</span>}
        {row.document !== undefined && row.steps > 1 && <span class="aside">, {row.steps} times</span>}
      </span>
      <span>{httpStatus !== undefined && <StatusCode status={httpStatus} />}</span>
      <StatusBadge {...outcome} />
      <span class="aside took">{durationMs !== undefined && formatMilliseconds(durationMs)}</span>
      <Timestamp at={at} />
      {rejection && <RejectionLine {...rejection} />}
      {warning !== undefined && <span class="why">{warning}</span>}
    </li>
  );
}

function Filter({ base, clients, filter: { client, outcome, q } }: FlowListProps): VNode {
  return (
    <form class="filter" method="get" action={`${base}/flows`} role="search">
      <label>
        Search
        <input type="search" name="q" value={q} placeholder="invalid_grant, /token, alice" autocomplete="off" />
      </label>
      <label>
        Client
        <select name="client">
          <option value="">all</option>
          {clients.map((id) => <option key={id} value={id} selected={id === client}>{id}</option>)}
        </select>
      </label>
      <label>
        Outcome
        <select name="outcome">
          <option value="">all</option>
          {Object.entries(outcomeOptions).map(([kind, label]) => (
            <option key={kind} value={kind} selected={kind === outcome}>{label}</option>
          ))}
        </select>
      </label>
      <button type="submit" class="button plain">Filter</button>
    </form>
  );
}

/** What to do when the list is empty. */
function EmptyState({ base, issuer, flowCount, recording, start }: FlowListProps): VNode {
  if (flowCount > 0) {
    return (
      <p>
        No flow matches the filter. <a href={`${base}/flows`}>Show all</a>
      </p>
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

/** The page at `/flows`. */
export function List(props: FlowListProps): VNode {
  const { base, rows, newest, flowCount, filter, older, recording, leftOut, csrfToken } = props;
  const params = Object.entries(filter).filter(([, value]) => value !== undefined);
  const href = (more: readonly (readonly [string, string])[]) => {
    const query = new URLSearchParams([...params, ...more].map(([name, value]) => [name, value]));
    return `${base}/flows${query.size > 0 ? `?${query}` : ""}`;
  };
  return (
    <Layout
      site={props}
      path="/flows"
      head={
        <>
          {flowCount === 0 && <Stylesheet site={props} name="values" />}
          <Head base={base} page="list" />
        </>
      }
      heading="Flows"
      badges={recording
        ? <a id="again" href={href([])}>Reload</a>
        : <StatusBadge tone="warn" label="Recording is off" />}
      opening={flowCount > 0 && <Filter {...props} />}
    >
      <div class="listing">
        <div id="results">
          <div>
            {leftOut > 0 && (
              <p>
                {leftOut === 1 ? "1 request was" : `${leftOut} requests were`}{" "}
                left out under load: the list has every rejected request and a sample of the others.
              </p>
            )}
            {params.length > 0 && rows.length > 0 && (
              <p>
                <a href={`${base}/flows`}>Show all</a>
              </p>
            )}
            {rows.length > 0
              ? (
                <>
                  <p class="columns" aria-hidden="true">
                    {["No.", "Client", "Endpoint", "Status", "Outcome", "Took", "UTC"].map((name) => (
                      <span key={name}>{name}</span>
                    ))}
                  </p>
                  <ol class="flows" id="flows" reversed>
                    {rows.map((row) => <Row key={row.id} row={row} base={base} />)}
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
          {newest && <Summary base={base} flow={newest} />}
        </div>
        <div class="ways">
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
        </div>
      </div>
    </Layout>
  );
}
