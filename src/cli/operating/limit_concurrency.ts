/** Overload protection: rejects requests above a limit immediately, before they take memory (RFC 9110 §15.6.4). */

import type { Plugin } from "../../server/hosting/options.ts";
import type { HttpResponse } from "../../core/http/message.ts";
import { type ClientAddress, parseTarget } from "../../core/http/router.ts";
import type { Server } from "../../core/server.ts";
import { httpTexts } from "../../server/explain/http.ts";
import { warn } from "../../server/trace.ts";
import { networkFromAddress, sitePrefixBits } from "../../platform/http/ip_address.ts";

/** @internal Options of the limit. */
export interface ConcurrencyLimitOptions {
  /**
   * Maximum number of concurrent requests with a body, and separately of those without one; further requests are
   * rejected with 503. In the second half of the limit a network may not hold more slots than remain free. Default:
   * 1000.
   */
  readonly maxInFlight?: number;
  /** The value of `Retry-After`, in seconds. Default: 1. */
  readonly retryAfter?: number;
}

/** Minimum time between two warnings, in milliseconds. */
const warningIntervalMs = 1000;

/** Methods whose requests are handled without waiting for a body. */
const bodilessMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Creates this many slots for concurrent requests. Once half of them are taken, a network may not take more slots than
 * remain free, so that one slow network cannot block all others.
 */
function slotPool(count: number) {
  const usedByNetwork = new Map<string, number>();
  let inUse = 0;
  const release = () => void inUse--;
  return {
    /** Takes a slot and returns a function that releases it; `undefined` if none is available for this network. */
    acquire(peer: ClientAddress | undefined): (() => void) | undefined {
      // Does not read the client's address, because some runtimes look it up on demand.
      if (inUse < count / 2) {
        inUse++;
        return release;
      }
      const network = networkFromAddress(peer?.address ?? "", sitePrefixBits);
      const used = usedByNetwork.get(network) ?? 0;
      if (used >= count - inUse) return undefined;
      inUse++;
      usedByNetwork.set(network, used + 1);
      return () => {
        inUse--;
        const remaining = usedByNetwork.get(network)! - 1;
        if (remaining === 0) usedByNetwork.delete(network);
        else usedByNetwork.set(network, remaining);
      };
    },
    /** Number of taken slots. */
    inUse: () => inUse,
  };
}

/**
 * Rejects requests above the limit with 503, and traces a warning with their number at most once a second. `/healthz`
 * is exempt, because an overloaded server is alive. This must be the outermost plugin.
 */
export function limitConcurrency({ maxInFlight = 1000, retryAfter = 1 }: ConcurrencyLimitOptions = {}): Plugin {
  const withBody = slotPool(maxInFlight);
  const withoutBody = slotPool(maxInFlight);

  const rejection: HttpResponse = {
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
      error_description: "the server is overloaded, try again later",
    }),
  };
  /** The plugin of one app. All apps share the slots. */
  function limitApp(): Plugin {
    let server: Server | undefined;
    const livenessPaths = ["/healthz"];
    let rejectedCount = 0;
    let lastWarningAt = -Infinity;

    function recordRejection(): void {
      rejectedCount++;
      const at = server?.now() ?? 0;
      if (Math.abs(at - lastWarningAt) < warningIntervalMs) return;
      const subject = rejectedCount === 1 ? "1 request was" : `${rejectedCount} requests were`;
      const reason =
        `${subject} rejected with 503: ${withBody.inUse()} with a body and ${withoutBody.inUse()} without are in progress`;
      const expected = `at most ${maxInFlight} requests of each kind`;
      const { fix } = httpTexts["OP-01"];
      if (server !== undefined) warn(server, undefined, { rule: "OP-01", reason, expected, fix });
      lastWarningAt = at;
      rejectedCount = 0;
    }

    return {
      name: "limit of requests at a time",
      forAddedApp: limitApp,
      setup(app) {
        server = app.server;
        livenessPaths.push(`${app.site.base}/healthz`);
      },
      handle: (next) => async (request, peer) => {
        const release = (bodilessMethods.has(request.method) ? withoutBody : withBody).acquire(peer);
        if (release === undefined) {
          if (livenessPaths.includes(parseTarget(request.url, {}).path)) return await next(request, peer);
          recordRejection();
          // The body is not read.
          request.body?.cancel().catch(() => {});
          return rejection;
        }
        try {
          return await next(request, peer);
        } finally {
          release();
        }
      },
    };
  }

  return limitApp();
}
