/** GET /healthz and /readyz: liveness, and readiness of the store. */

import type { Context } from "../app/context.ts";
import type { Plugin } from "../app/plugin.ts";
import type { Endpoint, Handler } from "../app/route.ts";
import { plainText } from "../http/responses.ts";

/** The two answers, and how to announce the end. */
export interface Health extends Plugin {
  /** From now on it is not ready, so that a load balancer sends no more; what comes is answered all the same. */
  drain(): void;
}

/** What readiness asks for. */
export interface HealthOptions {
  /** Milliseconds within which the store must answer. Default 1000. */
  readonly storeTimeoutMs?: number;
}

/** Liveness is that an answer comes at all. Readiness is that the store takes a record in time, and nobody is stopping. */
export function health({ storeTimeoutMs = 1000 }: HealthOptions = {}): Health {
  let draining = false;
  let pendingCheck: Promise<string | undefined> | undefined;

  async function checkReadiness({ server }: Context): Promise<string | undefined> {
    if (draining) return "stopping";
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timeout = new Promise<string>((resolve) =>
      timer = setTimeout(() => resolve("the store does not answer"), storeTimeoutMs)
    );
    // A write, because a full disk, a replica and a primary without its replicas can all be read. One for all who ask.
    pendingCheck ??= server.store.put("seen", "ready", {}, { expiresAt: server.now() })
      .then(() => undefined, () => "the store fails")
      .finally(() => pendingCheck = undefined);
    return await Promise.race([pendingCheck, timeout]).finally(() => clearTimeout(timer));
  }

  return {
    drain() {
      draining = true;
    },
    routes: ({ site: { base } }) => [
      probe("healthz", `${base}/healthz`, () => plainText(200, "alive")),
      probe("readyz", `${base}/readyz`, async (context) => {
        const problem = await checkReadiness(context);
        return plainText(problem === undefined ? 200 : 503, problem ?? "ready");
      }),
    ],
  };
}

function probe(name: string, path: string, handler: Handler): Endpoint {
  return {
    name,
    path,
    methods: ["GET"],
    caller: "any",
    title: "Health check",
    errors: "text",
    load: () => ({ GET: handler }),
  };
}
