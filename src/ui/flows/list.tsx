/** @jsxImportSource preact */
/** The list of recorded flows, newest first. */

import type { VNode } from "preact";
import { Layout } from "../layout.tsx";
import { ConfirmedAction } from "../confirmed_action.tsx";
import { Code, CopyableValue } from "../value.tsx";
import { Head, RejectionLine, StatusBadge, Timestamp } from "./parts.tsx";
import type { FlowListProps, FlowRow } from "./props.ts";

const outcomeOptions = [["done", "done"], ["rejected", "rejected"], ["open", "not finished"]] as const;

function Row({ row, base }: { readonly row: FlowRow; readonly base: string }): VNode {
  const { id, at, client, user, status, steps, rejection } = row;
  return (
    <li id={`flow-${id}`}>
      <a href={`${base}/flows/${id}`}>
        <span class="unseen">{`Flow ${id}, `}</span>
        <Timestamp at={at} />
      </a>
      <StatusBadge {...status} />
      <span class="who">
        {client !== undefined && <Code text={client} />}
        {user !== undefined && (
          <span>
            <span class="aside">as</span> <bdi>{user}</bdi>
          </span>
        )}
      </span>
      <span class="count">{steps === 1 ? "1 step" : `${steps} steps`}</span>
      {rejection && <RejectionLine {...rejection} />}
    </li>
  );
}

function Filter({ base, clients, filter }: FlowListProps): VNode {
  return (
    <form class="filter" method="get" action={`${base}/flows`}>
      <label>
        Client
        <select name="client">
          <option value="">all</option>
          {clients.map((id) => <option key={id} value={id} selected={id === filter.client}>{id}</option>)}
        </select>
      </label>
      <label>
        Outcome
        <select name="outcome">
          <option value="">all</option>
          {outcomeOptions.map(([value, label]) => (
            <option key={value} value={value} selected={value === filter.outcome}>{label}</option>
          ))}
        </select>
      </label>
      <button type="submit" class="button plain">Filter</button>
      {(filter.client ?? filter.outcome) !== undefined && <a href={`${base}/flows`}>Show all</a>}
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
  const { base, rows, flowCount, filter, older, recording, csrfToken } = props;
  const query = new URLSearchParams(Object.entries(filter)).toString();
  const currentUrl = `${base}/flows${query && `?${query}`}`;
  return (
    <Layout
      site={props}
      path="/flows"
      head={<Head base={base} page="list" />}
      heading="Flows"
      opening={
        <p>
          Every login, request by request. Times are UTC.{" "}
          {recording ? <a id="again" href={currentUrl}>Reload</a> : <strong>Recording is off.</strong>}
        </p>
      }
    >
      <div class="listing">
        {flowCount > 0 && <Filter {...props} />}
        {rows.length > 0
          ? <ol class="flows" id="flows" reversed>{rows.map((row) => <Row key={row.id} row={row} base={base} />)}</ol>
          : <EmptyState {...props} />}
        {older !== undefined && (
          <p>
            <a href={`${base}/flows?${new URLSearchParams([...Object.entries(filter), ["before", older]])}`}>
              Older flows
            </a>
          </p>
        )}
        <form class="ways" method="post" action={`${base}/flows`}>
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
    </Layout>
  );
}
