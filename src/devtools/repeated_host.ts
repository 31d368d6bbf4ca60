/** Requests that the server sends to itself. */

import type { HttpRequest } from "../core/http/message.ts";

/**
 * The `Host` header for a request that the server sends to itself because of this one: the same checks apply to both.
 */
export function repeatedHost({ headers }: HttpRequest): readonly (readonly [name: string, value: string])[] {
  const host = headers.get("host");
  return host === null ? [] : [["host", host]];
}
