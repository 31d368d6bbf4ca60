/** The URL of a recorded request. */

import type { Exchange } from "../exchange.ts";

/**
 * The URL of a request, without the query, on the origin of the server. A hosted resource on another origin has its
 * host in its path; any other path that begins with two slashes is what a client sent, and must not name a host.
 *
 * @param serverOrigin The origin of the server.
 */
export function requestUrl(
  { origin, request: { path } }: Pick<Exchange, "origin" | "request">,
  serverOrigin: string,
): string {
  return origin === undefined ? serverOrigin + path : new URL(origin).protocol + path;
}
