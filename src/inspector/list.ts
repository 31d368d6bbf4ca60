/** The props of the list of flows: filtered and paginated. */

import type { Flow } from "../recorder/exchange.ts";
import { redactFlow } from "../recorder/redact.ts";
import type { FlowKind, FlowListProps } from "../ui/flows/props.ts";
import { flowRow } from "./flow.ts";
import { flowKind } from "./labels.ts";

/** Maximum number of flows on one page. */
const flowsPerPage = 25;

const flowKinds: readonly FlowKind[] = ["done", "rejected", "open"];

/** The props of the list for a query. */
export function describeList(
  flows: readonly Flow[],
  query: URLSearchParams,
): Pick<FlowListProps, "rows" | "flowCount" | "clients" | "filter" | "older"> {
  const client = query.get("client") || undefined;
  const outcome = flowKinds.find((kind) => kind === query.get("outcome"));
  const before = Number(query.get("before") ?? Infinity) || Infinity;
  const labels = clientLabels(flows);
  const matching = flows.filter((flow) =>
    Number(flow.id) < before && (client === undefined || labels.get(flow.client) === client) &&
    (outcome === undefined || flowKind(flow) === outcome)
  );
  const shown = matching.slice(-flowsPerPage).reverse();
  return {
    rows: shown.map((flow) => flowRow(redactFlow(flow))),
    flowCount: flows.length,
    clients: [...new Set(labels.values())].filter((client) => client !== undefined).sort(),
    filter: { ...client !== undefined && { client }, ...outcome && { outcome } },
    older: shown.length < matching.length ? shown.at(-1)!.id : undefined,
  };
}

/** The redacted name of each client, computed once per client, because redacting a flow is expensive. */
function clientLabels(flows: readonly Flow[]): ReadonlyMap<string | undefined, string | undefined> {
  const labels = new Map<string | undefined, string | undefined>();
  for (const flow of flows) {
    if (flow.client !== undefined && !labels.has(flow.client)) labels.set(flow.client, redactFlow(flow).client);
  }
  return labels;
}
