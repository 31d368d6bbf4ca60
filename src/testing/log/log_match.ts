/** Selects exchanges by a pattern or a predicate. */

import type { Exchange, RecordedRequest } from "../../recorder/exchange.ts";
import { matchesPattern } from "../faults/rule_builder.ts";
import type { RequestPattern } from "../faults/rule_builder.ts";

/** The exchanges that are selected. A pattern is compared with the values that were sent, including secrets. */
export type ExchangeMatch = RequestPattern | ((exchange: Exchange) => boolean);

/** Whether an exchange is selected. */
export function matchesExchange(exchange: Exchange, match: ExchangeMatch | undefined): boolean {
  if (match === undefined) return true;
  if (typeof match === "function") return match(exchange);
  const { client, request } = exchange;
  return matchesPattern(match, { client, method: request.method, params: getParams(request) });
}

/** The parameters of query and form; of a repeated one the first value. */
function getParams({ query, form }: RecordedRequest): Readonly<Record<string, string>> {
  return Object.fromEntries([...query, ...form].reverse());
}
