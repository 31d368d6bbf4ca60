/** Overload: what cannot be answered soon is refused at once, before it takes memory (RFC 9110 §15.6.4). */

import type { Layer } from "../app/plugin.ts";
import type { Reply } from "../http/message.ts";
import { readTarget } from "../http/router.ts";
import type { Peer } from "../http/router.ts";
import type { Server } from "../oauth/server.ts";
import { networkOf, sitePrefix } from "../oauth/client_network.ts";

/** How much is taken on. */
export interface OverloadOptions {
  /**
   * Maximum number of concurrent requests with a body, and separately of those without one; further requests are
   * rejected with 503. In the second half of the limit a network may not hold more slots than remain free. Default
   * 1000.
   */
  readonly inFlight?: number;
  /** What `Retry-After` says, in seconds. Default 1. */
  readonly retryAfter?: number;
}

/** How often a server that refuses says so, in milliseconds. */
const telling = 1000;

/** Methods whose requests are handled without waiting for a body. */
const bodiless: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** Slots for concurrent requests. */
interface Places {
  /** Takes a slot and returns a function that releases it; `undefined` if none is available for this network. */
  take(peer: Peer | undefined): (() => void) | undefined;
  /** Number of taken slots. */
  taken(): number;
}

/**
 * Creates this many slots. In the second half a network may not hold more slots than remain free, so that one slow
 * network cannot block all others.
 */
function places(count: number): Places {
  const own = new Map<string, number>();
  let taken = 0;
  const leave = () => void taken--;
  return {
    take(peer) {
      // Does not read the client's address, because some runtimes look it up on demand.
      if (taken < count / 2) {
        taken++;
        return leave;
      }
      const network = networkOf(peer?.address ?? "", sitePrefix);
      const held = own.get(network) ?? 0;
      if (held >= count - taken) return undefined;
      taken++;
      own.set(network, held + 1);
      return () => {
        taken--;
        const left = own.get(network)! - 1;
        if (left === 0) own.delete(network);
        else own.set(network, left);
      };
    },
    taken: () => taken,
  };
}

/**
 * Says no politely to whatever is more than the server can have under way, and at most once a second to the server's
 * `trace` how much that was. `/healthz` is answered all the same: who has much to do is not to be taken for dead. Lay it
 * outermost.
 */
export function limitLoad({ inFlight = 1000, retryAfter = 1 }: OverloadOptions = {}): Layer {
  const withBody = places(inFlight);
  const withoutBody = places(inFlight);
  let server: Server | undefined;
  let alive = "/healthz";
  let refused = 0;
  let told = -Infinity;

  function tell(): void {
    refused++;
    const at = server?.now() ?? 0;
    if (Math.abs(at - told) < telling) return;
    const many = refused === 1 ? "1 request was" : `${refused} requests were`;
    const reason =
      `${many} rejected with 503 because ${withBody.taken()} with a body and ${withoutBody.taken()} without are in progress`;
    server?.trace({ type: "warning", at, why: { rule: "OP-01", reason, expected: `at most ${inFlight} of each` } });
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
      const leave = (bodiless.has(request.method) ? withoutBody : withBody).take(peer);
      if (leave === undefined) {
        if (readTarget(request.url, {}).path === alive) return await next(request, peer);
        tell();
        // Nobody will read it.
        request.body?.cancel().catch(() => {});
        return refusal;
      }
      try {
        return await next(request, peer);
      } finally {
        leave();
      }
    },
  };
}
