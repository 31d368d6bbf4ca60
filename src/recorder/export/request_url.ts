/** The URL of a recorded request. */

import type { Exchange } from "../exchange.ts";

/** The endpoints of a hosted resource. */
const resourceEndpoints: readonly string[] = ["resource", "resource_metadata"];

/**
 * The URL of a request, without the query, on the origin of the server. A hosted resource on another origin has its
 * host in its path; any other path that begins with two slashes is what a client sent, and must not name a host.
 *
 * @param origin The origin of the server.
 */
export function requestUrl(
  { endpoint, request: { path } }: Pick<Exchange, "endpoint" | "request">,
  origin: string,
): string {
  const hasHost = path.startsWith("//") && resourceEndpoints.includes(endpoint);
  return hasHost ? new URL(origin).protocol + path : origin + path;
}
