/** Deno: listens by Deno.serve. */

import type { Bind } from "./bind.ts";
import { stopWithin } from "./bind.ts";
import type { Machine } from "./machine.ts";

/** Deno's own. */
export const machine: Machine = {
  args: Deno.args,
  get env() {
    return Deno.env.toObject();
  },
  readTextFile: (path) => Deno.readTextFile(path),
  onStop(callback) {
    Deno.addSignalListener("SIGINT", callback);
    // Windows knows no SIGTERM.
    if (Deno.build.os !== "windows") Deno.addSignalListener("SIGTERM", callback);
  },
  exit: (code) => Deno.exit(code),
};

/** One address. */
export const bind: Bind = (fetch, { host, port }) => {
  const abort = new AbortController();
  const server = Deno.serve(
    { hostname: host, port, signal: abort.signal, onListen() {} },
    (request, info) => fetch(request, { address: (info.remoteAddr as Deno.NetAddr).hostname }),
  );
  return Promise.resolve({
    port: (server.addr as Deno.NetAddr).port,
    close: () => stopWithin(server.shutdown(), () => abort.abort()),
  });
};
