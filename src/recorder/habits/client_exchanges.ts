/** Selects the exchanges of one client. */

import type { Exchange } from "../exchange.ts";

/** The clients that exchanges name. */
export function clientsOf(exchanges: readonly Exchange[]): readonly string[] {
  return [...new Set(exchanges.flatMap(({ client }) => client ?? []))];
}

/**
 * The exchanges of a client and of its flows. A request that names no client, such as one for metadata or keys, belongs
 * to the client if its user agent is one of this client and of no other client.
 */
export function exchangesOfClient(exchanges: readonly Exchange[], client: string): Exchange[] {
  const flows = new Set(exchanges.flatMap((exchange) => exchange.client === client ? exchange.flow ?? [] : []));
  const isOwn = (exchange: Exchange) =>
    exchange.client === client || exchange.flow !== undefined && flows.has(exchange.flow);
  const agentOf = ({ request: { headers } }: Exchange) => headers["user-agent"] ?? "";
  const direct = exchanges.filter(({ caller }) => caller === "client" || caller === "resource client");
  const ownAgents = new Set(direct.filter(isOwn).map(agentOf));
  for (const exchange of direct) if (!isOwn(exchange)) ownAgents.delete(agentOf(exchange));
  return exchanges.filter((exchange) =>
    isOwn(exchange) || exchange.client === undefined && exchange.flow === undefined && ownAgents.has(agentOf(exchange))
  );
}
