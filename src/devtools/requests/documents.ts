/**
 * Requests that belong to no flow, for documents such as metadata and keys and for missing pages: repeats are merged.
 */

import type { Exchange, Flow } from "../../recorder/exchange.ts";
import type { Recorder } from "../../recorder/recorder.ts";

/** Requests for one document under one host name with one status, shaped like a flow. */
export interface DocumentRequests extends Flow {
  /** The number of requests. `exchanges` has the newest one. */
  readonly count: number;
}

/** Whether an exchange is a request outside of flows, for a public document or a missing page. */
function isDocumentRequest(recorder: Recorder, { endpoint, flow, outcome }: Exchange): boolean {
  const isDocument = () => recorder.endpoints.some(({ name, role }) => name === endpoint && role === "document");
  return flow === undefined && (outcome === "missing" || isDocument());
}

/** The requests for documents, each document once, in the order of the newest request. */
export function documentRequests(recorder: Recorder): DocumentRequests[] {
  return groupRequests(recorder).map(toDocumentRequests);
}

/** The requests that include the one with an ID, which is `d` and the number of an exchange. */
export function findDocumentRequests(recorder: Recorder, id: string): DocumentRequests | undefined {
  const group = groupRequests(recorder).find((exchanges) => exchanges.some(({ number }) => `d${number}` === id));
  return group && toDocumentRequests(group);
}

function groupRequests(recorder: Recorder): Exchange[][] {
  const groups = new Map<string, Exchange[]>();
  for (const exchange of recorder.exchanges()) {
    if (!isDocumentRequest(recorder, exchange)) continue;
    const { request: { method, path, headers: { host } }, response } = exchange;
    const key = JSON.stringify([method, path, host, response?.status]);
    const group = groups.get(key) ?? [];
    group.push(exchange);
    // Moves the group to the end.
    groups.delete(key);
    groups.set(key, group);
  }
  return [...groups.values()];
}

function toDocumentRequests(exchanges: readonly Exchange[]): DocumentRequests {
  const newest = exchanges.at(-1)!;
  return {
    id: `d${exchanges[0]!.number}`,
    startedAt: newest.at,
    outcome: newest.outcome,
    exchanges: [newest],
    count: exchanges.length,
  };
}
