/** The flows that are remembered, filtered and cut into pages. */

import type { Flow } from "../recorder/exchange.ts";
import { maskFlow } from "../recorder/mask.ts";
import type { FlowKind, FlowListProps } from "../ui/flows/props.ts";
import { rowOf } from "./flow.ts";
import { kindOf } from "./words.ts";

/** As many flows as one page shows. */
const flowsPerPage = 25;

const kinds: readonly FlowKind[] = ["done", "refused", "open"];

/** What the page of the list shows. */
export function describeList(
  flows: readonly Flow[],
  query: URLSearchParams,
): Pick<FlowListProps, "rows" | "remembered" | "clients" | "filter" | "older"> {
  const client = query.get("client") || undefined;
  const outcome = kinds.find((kind) => kind === query.get("outcome"));
  const before = Number(query.get("before") ?? Infinity) || Infinity;
  const masked = new Map(flows.map((flow) => [flow, flow.client === undefined ? undefined : maskFlow(flow).client]));
  const fitting = flows.filter((flow) =>
    Number(flow.id) < before && (client === undefined || masked.get(flow) === client) &&
    (outcome === undefined || kindOf(flow) === outcome)
  );
  const shown = fitting.slice(-flowsPerPage).reverse();
  return {
    rows: shown.map((flow) => rowOf(maskFlow(flow))),
    remembered: flows.length,
    clients: [...new Set(masked.values())].filter((client) => client !== undefined).sort(),
    filter: { ...client !== undefined && { client }, ...outcome && { outcome } },
    older: shown.length < fitting.length ? shown.at(-1)!.id : undefined,
  };
}
