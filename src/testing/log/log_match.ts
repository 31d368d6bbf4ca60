/** Which exchanges are meant: a pattern of what the request says, or a function. */

import type { Exchange, RecordedRequest } from "../../recorder/exchange.ts";
import { matchesPattern } from "../faults/rule_builder.ts";
import type { RequestPattern } from "../faults/rule_builder.ts";

/** Which exchanges are meant; a pattern's values are compared with what was sent, secrets included. */
export type ExchangeMatch = RequestPattern | ((exchange: Exchange) => boolean);

/** Whether an exchange is one of those that are meant. */
export function matchesExchange(exchange: Exchange, match: ExchangeMatch | undefined): boolean {
  if (match === undefined) return true;
  if (typeof match === "function") return match(exchange);
  const { client, request } = exchange;
  return matchesPattern(match, { client, method: request.method, params: getParams(request) });
}

/** The parameters of a request, wherever they were sent; of a repeated one the first. */
function getParams({ query, form }: RecordedRequest): Readonly<Record<string, string>> {
  return Object.fromEntries([...query, ...form].reverse());
}
