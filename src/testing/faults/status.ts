/** An answer of something in front of the server, such as a gateway that is overloaded (RFC 9110 §15.6.4, RFC 6585 §4). */

import type { Fault } from "./fault.ts";
import { withCorsHeaders } from "./response_body.ts";

/** What comes with a status. */
export interface StatusOptions {
  /** `Retry-After`: seconds, or the moment itself. Default: not sent. */
  readonly retryAfter?: number | Date;
  /** Further headers, by lower-case name. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: no body. */
  readonly body?: string | null;
}

/**
 * Answers with a bare status, and the server is not asked: `status(503, { retryAfter: 2 })`, `status(429)`.
 *
 * @throws {RangeError} When it is not a status that an answer can have, 200 to 599.
 */
export function status(code: number, { retryAfter, headers, body = null }: StatusOptions = {}): Fault {
  if (!(Number.isInteger(code) && code >= 200 && code <= 599)) {
    throw new RangeError(`status: expected a number from 200 to 599, found ${code}`);
  }
  const retryAfterText = retryAfter instanceof Date ? retryAfter.toUTCString() : retryAfter;
  return {
    name: `status ${code}`,
    handle: (_, { request }) => () =>
      Promise.resolve(withCorsHeaders(request.endpoint, {
        status: code,
        headers: {
          "cache-control": "no-store",
          ...retryAfterText !== undefined && { "retry-after": String(retryAfterText) },
          ...headers,
        },
        body,
      })),
  };
}
