/** GET /healthz and /readyz: liveness, and readiness of the store. */

import type { Context } from "../../core/http/context.ts";
import type { Plugin } from "../../server/hosting/options.ts";
import type { Handler } from "../../core/route.ts";
import type { Endpoint } from "../../server/endpoint.ts";
import { plainText } from "../../platform/http/response.ts";
import { type Timer, timers } from "../../core/http/timers.ts";

/** The plugin for health checks. */
export interface Health extends Plugin {
  /** Makes `/readyz` fail, so that a load balancer sends no new requests. Requests are still handled. */
  drain(): void;
}

/** @internal Options of the readiness check. */
export interface HealthOptions {
  /** Timeout of the store, in milliseconds. Default: 1000. */
  readonly storeTimeoutMs?: number;
}

/**
 * Adds `/healthz` and `/readyz`, below the path of the issuer and at the root. Liveness: the process responds.
 * Readiness: the store accepts a write within the timeout, and the server is not stopping.
 */
export function health({ storeTimeoutMs = 1000 }: HealthOptions = {}): Health {
  let draining = false;
  let pendingCheck: Promise<string | undefined> | undefined;

  async function checkReadiness({ server }: Context): Promise<string | undefined> {
    if (draining) return "stopping";
    let timer: Timer | undefined;
    const timeout = new Promise<string>((resolve) =>
      timer = timers.setTimeout(() => resolve("the store does not respond"), storeTimeoutMs)
    );
    // A write, because reads succeed on a full disk and on a replica. Concurrent requests share it.
    pendingCheck ??= server.store.put("used_identifier", "ready", {}, { expiresAt: server.now() })
      .then(() => undefined, () => "the store fails")
      .finally(() => pendingCheck = undefined);
    return await Promise.race([pendingCheck, timeout]).finally(() => timers.clearTimeout(timer));
  }

  return {
    drain() {
      draining = true;
    },
    routes: ({ site: { base } }) => [
      probe("healthz", base, () => plainText(200, "alive")),
      probe("readyz", base, async (context) => {
        const problem = await checkReadiness(context);
        return plainText(problem === undefined ? 200 : 503, problem ?? "ready");
      }),
    ],
  };
}

function probe(name: string, base: string, handler: Handler): Endpoint {
  return {
    name,
    path: `${base}/${name}`,
    aliases: base === "" ? [] : [`/${name}`],
    methods: ["GET"],
    caller: "any",
    title: "Health check",
    errors: "text",
    load: () => ({ GET: handler }),
  };
}
