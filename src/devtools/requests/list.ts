/** The props of the list of flows: filtered, searched and paginated. */

import type { Server } from "../../core/server.ts";
import type { Flow } from "../../recorder/exchange.ts";
import type { Recorder } from "../../recorder/recorder.ts";
import { redactFlow } from "../../recorder/redact.ts";
import type { FlowFilter, FlowKind, FlowListProps, FlowRow, RecentFlow } from "./pages/props.ts";
import { findMessages } from "../messages/find_messages.ts";
import { isErrorCode } from "../messages/oauth_errors.ts";
import { orderCauses, whatServerSaw } from "../messages/what_server_saw.ts";
import { documentRequests } from "./documents.ts";
import { documentRow, findFailure, flowRow } from "./flow.ts";
import { flowKind } from "./labels.ts";

/** The values of `outcome`. */
export const flowKinds: readonly FlowKind[] = ["done", "rejected", "pending", "documents"];

/** Maximum number of rows on one page, each with the flows that are folded into it. */
const rowsPerPage = 20;

/** Maximum number of flows on one page of the list. */
const flowsPerPage = 60;

/** Maximum number of flows of `/flows.json`. */
export const exportedFlows = 20;

/** Maximum length of a search text, which may be a pasted error; the rest is ignored. */
const maxSearchChars = 2000;

/** A row before it is redacted. */
interface Entry {
  /** The number of the exchange that orders it. */
  readonly order: number;
  readonly flow: Flow;
  readonly kind: FlowKind;
  row(redacted: Flow): FlowRow;
}

/** A flow that a query selects. */
export interface SelectedFlow {
  readonly flow: Flow;
  readonly redacted: Flow;
  readonly row: FlowRow;
}

export function describeList(
  recorder: Recorder,
  server: Server,
  query: URLSearchParams,
): Pick<FlowListProps, "rows" | "known" | "flowCount" | "clients" | "filter" | "older"> {
  const { groups, ...others } = selectFlows(recorder, server, query);
  return {
    ...others,
    known: findMessages(others.filter.q ?? "").map((found) => {
      const seen = whatServerSaw(found.problem, recorder, server);
      return { ...found, causes: orderCauses(found, seen), seen };
    }),
    rows: groups.map((group) => group.map(({ row }) => row)),
  };
}

/**
 * The flows for a query, newest first, in groups of equal neighbours: `client`, `outcome` and `q` filter them, `before`
 * continues the list.
 *
 * @param limit Maximum number of flows.
 */
export function selectFlows(
  recorder: Recorder,
  server: Server,
  query: URLSearchParams,
  limit = flowsPerPage,
): Pick<FlowListProps, "flowCount" | "clients" | "filter" | "older"> & {
  readonly groups: readonly (readonly SelectedFlow[])[];
} {
  const filter: FlowFilter = {
    client: query.get("client") || undefined,
    outcome: flowKinds.find((kind) => kind === query.get("outcome")),
    q: query.get("q")?.trim().slice(0, maxSearchChars) || undefined,
  };
  // No flow has the words of a client library: the message is explained beside all flows. A code selects its flows.
  const isAbout = filter.q === undefined || isErrorCode(filter.q) || findMessages(filter.q).length === 0;
  const q = isAbout ? filter.q : undefined;
  const before = Number(query.get("before") ?? Infinity) || Infinity;
  const flows = recorder.flows();
  const entries = listEntries(recorder, server, flows);

  const labels = clientLabels(flows);
  const groups: SelectedFlow[][] = [];
  let count = 0;
  let lastKey: string | undefined;
  let last: Entry | undefined;
  let older: string | undefined;
  for (const entry of entries) {
    const { order, flow, kind } = entry;
    if (order >= before || (filter.outcome ?? kind) !== kind) continue;
    if (filter.client !== undefined && labels.get(flow.client) !== filter.client) continue;
    const redacted = redactFlow(flow);
    const row = entry.row(redacted);
    if (q !== undefined && !matches(redacted, row, q)) continue;
    const key = foldKey(kind, redacted, row);
    const isNew = key !== lastKey;
    if (count === limit || isNew && groups.length === rowsPerPage) {
      older = String(last!.order);
      break;
    }
    if (isNew) groups.push([]);
    groups.at(-1)!.push({ flow, redacted, row });
    [last, lastKey] = [entry, key];
    count++;
  }
  return {
    groups,
    flowCount: entries.length,
    clients: [...new Set(labels.values())].filter((client) => client !== undefined).sort(),
    filter,
    older,
  };
}

/** Neighbours with the same key look the same in the list. So do documents, unless one has a warning. */
function foldKey(kind: FlowKind, { exchanges }: Flow, row: FlowRow): string {
  const { id, client, user, endpoint, status, rejection, warning } = row;
  if (kind === "documents") return warning === undefined ? kind : id;
  const { expected, received } = exchanges[findFailure(exchanges)]?.rejection?.explanation ?? {};
  return JSON.stringify([client, user, endpoint, status, rejection, warning, expected, received]);
}

/** All rows, newest first. */
function listEntries(recorder: Recorder, server: Server, flows: readonly Flow[]): Entry[] {
  return [
    ...flows.map((flow): Entry => (
      { order: flow.exchanges[0]!.number, flow, kind: flowKind(flow), row: flowRow }
    )),
    ...documentRequests(recorder).map((requests): Entry => ({
      order: requests.exchanges[0]!.number,
      flow: requests,
      kind: "documents",
      row: (redacted) => documentRow(redacted, requests.count, server),
    })),
  ].sort((a, b) => b.order - a.order);
}

/** Number of flows on the home page. */
const homeFlowCount = 3;

/** The last flows for the home page, or of one client for its page, newest first. */
export function recentFlows(recorder: Recorder, clientId?: string): RecentFlow[] {
  const flows = recorder.flows().filter(({ client }) => clientId === undefined || client === clientId).sort((a, b) =>
    b.exchanges[0]!.number - a.exchanges[0]!.number
  );
  return flows.slice(0, homeFlowCount).map((flow) => {
    const { id, client, outcome, status, rejection } = flowRow(redactFlow(flow));
    const title = outcome.tone === "bad" ? rejection?.reason : undefined;
    return { path: `/flows/${id}`, title: title ?? status.label, outcome, ...clientId === undefined && { client } };
  });
}

/** Whether the redacted texts of a flow contain each word. */
function matches({ exchanges }: Flow, row: FlowRow, q: string) {
  const { id, client, user, endpoint, status, rejection, warning } = row;
  const requests = exchanges.flatMap(({ title, request: { method, path }, response }) => [
    `${title} ${method} ${path} ${response?.status}`,
  ]);
  const { error, rule, reason } = rejection ?? {};
  const text = [
    id,
    client,
    user,
    endpoint,
    status.label,
    error,
    rule,
    reason,
    warning,
    ...requests,
  ]
    .join(" ").toLowerCase();
  return q.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

/** The redacted name of each client, computed once per client, because redacting a flow is expensive. */
function clientLabels(flows: readonly Flow[]): ReadonlyMap<string | undefined, string | undefined> {
  const labels = new Map<string | undefined, string | undefined>();
  for (const flow of flows) {
    if (flow.client !== undefined && !labels.has(flow.client)) labels.set(flow.client, redactFlow(flow).client);
  }
  return labels;
}
