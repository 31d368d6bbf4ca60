/** GET /healthz and /readyz: whether the process lives, and whether it can do its work at this moment. */

import type { App, Endpoint } from "../app/endpoint.ts";
import type { Plugin } from "../app/plugin.ts";
import type { HttpResponse } from "../http/message.ts";

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

  async function checkReadiness({ server }: App): Promise<string | undefined> {
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
    routes: (app): Endpoint[] => [
      {
        path: `${app.site.base}/healthz`,
        GET: () => textResponse(200, "alive"),
        reject: ({ status, message }) => textResponse(status, message),
      },
      {
        path: `${app.site.base}/readyz`,
        async GET(request) {
          const problem = await checkReadiness(app.contextFor(request));
          return textResponse(problem === undefined ? 200 : 503, problem ?? "ready");
        },
        reject: ({ status, message }) => textResponse(status, message),
      },
    ],
  };
}

function textResponse(status: number, text: string): HttpResponse {
  return {
    status,
    headers: {
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    },
    body: `${text}\n`,
  };
}
