/** The names of endpoints in tests. */

import type { EndpointDescription } from "../server/endpoint.ts";
import { suggest } from "../core/policy/suggest.ts";
import { quote } from "../server/config/config_issue.ts";
import { unknownEndpoint } from "../recorder/exchange.ts";

/**
 * Rejects a name that no endpoint of the server has; JavaScript can pass any string.
 *
 * @param alsoAllowed Further names. `unknown`, for paths without a route, is always allowed.
 * @throws {TypeError}
 */
export function assertEndpointName(
  endpoints: readonly EndpointDescription[],
  name: string,
  ...alsoAllowed: readonly string[]
): void {
  const allowed = [...new Set(endpoints.map((endpoint) => endpoint.name)), unknownEndpoint, ...alsoAllowed];
  if (allowed.includes(name)) return;
  const suggestion = suggest(String(name), allowed);
  const hint = suggestion === undefined ? `The endpoints: ${allowed.join(", ")}.` : `Did you mean ${suggestion}?`;
  throw new TypeError(`endpoint: expected an endpoint of the server, received ${quote(name)}. ${hint}`);
}
