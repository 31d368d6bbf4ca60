/**
 * The server's side of the bench: `server.ts SETUP`, a JSON of {@link ServerSetup}; prints a JSON of
 * {@link ServerAddress}.
 */

import type { BenchAlgorithm } from "./site.ts";
import { clients } from "./clients.ts";
import type { PeerName } from "./peers/packages.ts";
import { latchkeySite } from "./site.ts";
import type { ServerAddress } from "./site.ts";

/** What is served. */
export interface ServerSetup {
  readonly subject: "bare" | "core" | "embedded" | PeerName;
  readonly alg: BenchAlgorithm;
  /** The module with `core()` or `latchkey()`, if that is the subject. */
  readonly module?: string;
}

const { Deno: deno } = globalThis as { Deno?: { args: string[] } };
const setup: ServerSetup = JSON.parse(deno?.args[0] ?? process.argv[2]!);
console.log(JSON.stringify(await startSubject(setup)));

async function startSubject({ subject, alg, module }: ServerSetup): Promise<ServerAddress> {
  switch (subject) {
    case "bare":
      return await (await import("./bare.ts")).listen(alg);
    case "core":
      return await (await import("./core_server.ts")).start(alg, module!);
    case "oidc-provider":
      return await (await import("./peers/oidc_provider.ts")).start(alg);
    case "oauth2-mock-server":
      return await (await import("./peers/oauth2_mock_server.ts")).start(alg);
  }
  const { latchkey }: typeof import("../../src/mod.ts") = await import(module!);
  const as = await latchkey({ clients, alg });
  const { url } = await as.listen({ port: 0, host: "127.0.0.1" });
  return { port: Number(new URL(url).port), site: latchkeySite(as.issuer) };
}
