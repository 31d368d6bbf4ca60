/** A response from in front of the server, such as one of an overloaded gateway (RFC 9110 §15.6.4, RFC 6585 §4). */

import { defineFault, type FaultFactory } from "./definition.ts";
import type { Fault } from "./fault.ts";
import { anyParameter, numberParameter, objectParameter } from "./parameters.ts";
import { withCorsHeaders } from "./response_body.ts";

/** The parts of the response other than the status. */
export interface StatusOptions {
  /** `Retry-After`: seconds, or a date. Default: not sent. */
  readonly retryAfter?: number | Date;
  /** Further headers, by lower-case name. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: no body. */
  readonly body?: string | null;
}

/**
 * Responds with a status instead of the server: `status(503, { retryAfter: 2 })`, `status(429)`.
 *
 * @throws {RangeError} If the status is not a whole number from 200 to 599.
 */
export const status: FaultFactory<(code?: number, options?: StatusOptions) => Fault> = defineFault({
  id: "status",
  title: "HTTP status of a gateway instead of the response",
  correctClient:
    "The client reports the status, and repeats the request after 429 and 503 when the time in Retry-After is over.",
  parameters: [
    numberParameter("code", 503, "The status of the response.", { min: 200, max: 599, label: "Status code" }),
    anyParameter<"retryAfter", number | Date | undefined>(
      "retryAfter",
      undefined,
      "The header Retry-After; left out by default.",
      { label: "Retry after, in seconds", option: true },
    ),
    objectParameter("headers", {}, "Further headers by lower-case name, each a string.", { option: true }),
    anyParameter<"body", string | null>("body", null, "The body; null sends none.", { option: true }),
  ],
  create({ code, retryAfter, headers, body }) {
    const retryAfterText = retryAfter instanceof Date ? retryAfter.toUTCString() : retryAfter;
    return {
      name: `status ${code}`,
      handle: (_, { request }) => () =>
        Promise.resolve(withCorsHeaders(request, {
          status: code,
          headers: {
            "cache-control": "no-store",
            ...retryAfterText !== undefined && { "retry-after": String(retryAfterText) },
            ...headers as StatusOptions["headers"],
          },
          body,
        })),
    };
  },
});
