/** Listens by Bun.serve. */

import { asResponse } from "../http/reply.ts";
import type { Bind } from "./bind.ts";
import { patience, stopWithin } from "./bind.ts";

interface BunServer {
  readonly port: number;
  requestIP(request: Request): { readonly address: string } | null;
  stop(closeActive?: boolean): Promise<void>;
}

declare const Bun: {
  serve(options: {
    hostname: string;
    port: number;
    development: false;
    idleTimeout: number;
    fetch(request: Request, server: BunServer): Promise<Response>;
  }): BunServer;
};

/** One address. */
export const bind: Bind = (handle, { host, port }) => {
  const server = Bun.serve({
    hostname: host,
    port,
    // Otherwise a fault would be shown as a page of source code.
    development: false,
    idleTimeout: patience / 1000,
    fetch: async (request, self) => asResponse(await handle(request, { address: self.requestIP(request)?.address })),
  });
  return Promise.resolve({
    port: server.port,
    close: () => stopWithin(server.stop(), () => server.stop(true)),
  });
};
