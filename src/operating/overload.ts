/** Overload: what cannot be answered soon is refused at once, before it takes memory (RFC 9110 §15.6.4). */

import type { Layer } from "../endpoints/layer.ts";
import type { Reply } from "../http/reply.ts";
import { readTarget } from "../http/router.ts";
import type { Server } from "../oauth/server.ts";

/** How much is taken on. */
export interface OverloadOptions {
  /** Requests that may be under way at the same time; further ones are answered 503. Default 1000. */
  readonly inFlight?: number;
  /** What `Retry-After` says, in seconds. Default 1. */
  readonly retryAfter?: number;
}

/** How often a server that refuses says so, in milliseconds. */
const telling = 1000;

/**
 * Says no politely to whatever is more than the server can have under way, and at most once a second to the server's
 * `trace` how much that was. `/healthz` is answered all the same: who has much to do is not to be taken for dead. Lay it
 * outermost.
 */
export function limitLoad({ inFlight = 1000, retryAfter = 1 }: OverloadOptions = {}): Layer {
  let underWay = 0;
  let server: Server | undefined;
  let alive = "/healthz";
  let refused = 0;
  let told = -Infinity;

  function tell(): void {
    refused++;
    const at = server?.now() ?? 0;
    if (Math.abs(at - told) < telling) return;
    const many = refused === 1 ? "1 request was" : `${refused} requests were`;
    const reason = `${many} refused with 503 because ${underWay} are under way`;
    server?.trace({ type: "warning", at, why: { rule: "OP-01", reason, expected: `at most ${inFlight}` } });
    told = at;
    refused = 0;
  }

  const refusal: Reply = {
    status: 503,
    headers: {
      "content-type": "application/json",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "retry-after": String(retryAfter),
      "access-control-allow-origin": "*",
      "access-control-expose-headers": "Retry-After",
    },
    body: JSON.stringify({
      error: "temporarily_unavailable",
      error_description: "the server has more to do than it can, try again in a moment",
    }),
  };
  return {
    open(desk) {
      server = desk.server;
      alive = `${desk.site.base}/healthz`;
    },
    around: (next) => async (request, peer) => {
      if (underWay >= inFlight && readTarget(request.url, {}).path !== alive) {
        tell();
        // Nobody will read it.
        request.body?.cancel().catch(() => {});
        return refusal;
      }
      underWay++;
      try {
        return await next(request, peer);
      } finally {
        underWay--;
      }
    },
  };
}
