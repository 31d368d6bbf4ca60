/** GET /healthz and /readyz: whether the process lives, and whether it can do its work at this moment. */

import type { Desk, Endpoint } from "../app/endpoint.ts";
import type { Layer } from "../app/plugin.ts";
import type { Reply } from "../http/message.ts";

/** The two answers, and how to announce the end. */
export interface Health extends Layer {
  /** From now on it is not ready, so that a load balancer sends no more; what comes is answered all the same. */
  drain(): void;
}

/** What readiness asks for. */
export interface HealthOptions {
  /** Milliseconds within which the store must answer. Default 1000. */
  readonly patience?: number;
}

/** Liveness is that an answer comes at all. Readiness is that the store takes a record in time, and nobody is stopping. */
export function health({ patience = 1000 }: HealthOptions = {}): Health {
  let draining = false;
  let asked: Promise<string | undefined> | undefined;

  async function readiness({ server }: Desk): Promise<string | undefined> {
    if (draining) return "stopping";
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<string>((resolve) =>
      timer = setTimeout(() => resolve("the store does not answer"), patience)
    );
    // A write, because a full disk, a replica and a primary without its replicas can all be read. One for all who ask.
    asked ??= server.store.put("seen", "ready", {}, { expiresAt: server.now() })
      .then(() => undefined, () => "the store fails")
      .finally(() => asked = undefined);
    return await Promise.race([asked, late]).finally(() => clearTimeout(timer));
  }

  return {
    drain() {
      draining = true;
    },
    endpoints: (desk): Endpoint[] => [
      {
        path: `${desk.site.base}/healthz`,
        GET: () => plain(200, "alive"),
        refuse: ({ status, message }) => plain(status, message),
      },
      {
        path: `${desk.site.base}/readyz`,
        async GET(request) {
          const lack = await readiness(desk.during(request));
          return plain(lack === undefined ? 200 : 503, lack ?? "ready");
        },
        refuse: ({ status, message }) => plain(status, message),
      },
    ],
  };
}

function plain(status: number, text: string): Reply {
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
