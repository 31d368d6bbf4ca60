/** The names of endpoints in tests. */

import type { EndpointDescription } from "../app/endpoint.ts";
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
  throw new TypeError(`There is no endpoint ${JSON.stringify(name)}: expected ${allowed.join(", ")}.`);
}
