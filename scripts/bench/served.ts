/** Servers as processes, and jobs of the load generator for them. */

import type { Job, Result } from "./load.ts";
import { startProcess } from "./processes.ts";
import type { RunningProcess } from "./processes.ts";
import type { RequestName } from "./requests.ts";
import type { Runtime } from "./runtimes.ts";
import type { ServerAddress, ServerSetup } from "./server.ts";
import type { Site } from "./site.ts";

/** Concurrent requests per server, without a fixed rate. */
export const connections = 16;

/** Maximum of concurrent requests at a fixed rate. Further requests wait in the client, and their wait counts. */
const maxConnections = 64;

/** One server, or several instances of one issuer. */
export interface RunningServer extends AsyncDisposable {
  readonly processes: readonly RunningProcess[];
  readonly ports: readonly number[];
  readonly site: Site;
}

/**
 * Starts a server.
 *
 * @param core CPU core. Default: chosen by the system.
 */
export async function startServer(runtime: Runtime, setup: ServerSetup, core?: 0 | 1): Promise<RunningServer> {
  const process = startProcess([...runtime.command("server"), JSON.stringify(setup)], core);
  const stop = (): PromiseLike<void> => process[Symbol.asyncDispose]();
  try {
    const { port, site }: ServerAddress = JSON.parse(await process.readLine(120_000));
    return { processes: [process], ports: [port], site, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Several servers as one: each request goes to the next server. */
export function combineServers(all: readonly RunningServer[]): RunningServer {
  return {
    processes: all.flatMap(({ processes }) => processes),
    ports: all.flatMap(({ ports }) => ports),
    site: all[0]!.site,
    async [Symbol.asyncDispose]() {
      await Promise.all(all.map((one) => one[Symbol.asyncDispose]()));
    },
  };
}

/**
 * Runs a job of the load generator.
 *
 * @throws {Error} With the first invalid response.
 */
export async function runLoad(
  load: RunningProcess,
  { processes, ports, site }: RunningServer,
  requestName: RequestName,
  { seconds = 600, count = 1e9, rate }: { seconds?: number; count?: number; rate?: number },
): Promise<Result> {
  const pids = processes.map(({ pid }) => pid);
  // Several clients would cost more: servers do less per request under load.
  const connectionCount = rate === undefined ? connections * ports.length : maxConnections;
  const job: Job = { ports, site, pids, requestName, connections: connectionCount, seconds, count, rate };
  await load.writeLine(JSON.stringify(job));
  const result: Result | { readonly failed: string } = JSON.parse(await load.readLine(seconds * 1000 + 30_000));
  if ("failed" in result) throw new Error(result.failed);
  // Unreadable CPU time is NaN, which JSON cannot represent.
  return { ...result, cpu: result.cpu ?? NaN };
}
