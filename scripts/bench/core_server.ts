/** The minimal server, at the listener of the whole one. */

import { serve } from "../../src/platform/runtime/serve.ts";
import { clients, user } from "./clients.ts";
import { type BenchAlgorithm, latchkeySite, type ServerAddress } from "./site.ts";

/** Starts it. @param module The URL of the module with `core()`. */
export async function start(alg: BenchAlgorithm, module: string): Promise<ServerAddress> {
  const issuer = "http://localhost:9000";
  const { core }: typeof import("../../src/core/mod.ts") = await import(module);
  const { handle } = await core({ issuer, clients, users: [user], policy: { alg } });
  const { port } = await serve(handle, { host: "127.0.0.1", port: 0 });
  return { port, site: latchkeySite(issuer) };
}
