/** Servers in processes of their own, and what the load generator is asked to do to them. */

import type { Job, Result } from "./load.ts";
import { startProcess } from "./processes.ts";
import type { RunningProcess } from "./processes.ts";
import type { RequestName } from "./requests.ts";
import type { Runtime } from "./runtimes.ts";
import type { ServerAddress, ServerSetup } from "./server.ts";
import type { Site } from "./site.ts";

/** As many requests are under way at once at each server, where their rate is not fixed. */
export const connections = 16;

/** As many may be where it is; more of them wait on the client's side, and their waiting counts. */
const maxConnections = 64;

/** One server, or several that answer for one issuer. */
export interface RunningServer extends AsyncDisposable {
  readonly processes: readonly RunningProcess[];
  readonly ports: readonly number[];
  readonly site: Site;
}

/**
 * Starts a server.
 *
 * @param core Where it stays; default: wherever the system puts it.
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

/** Several servers as one, each request going to the next of them. */
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
 * Has the load generator do a job.
 *
 * @throws {Error} With the first answer that was not as it must be.
 */
export async function runLoad(
  load: RunningProcess,
  { processes, ports, site }: RunningServer,
  requestName: RequestName,
  { seconds = 600, count = 1e9, rate }: { seconds?: number; count?: number; rate?: number },
): Promise<Result> {
  const pids = processes.map(({ pid }) => pid);
  // Shared out among several, the same requests would cost more: servers do less for each where they have more to do.
  const connectionCount = rate === undefined ? connections * ports.length : maxConnections;
  const job: Job = { ports, site, pids, requestName, connections: connectionCount, seconds, count, rate };
  await load.writeLine(JSON.stringify(job));
  const result: Result | { readonly failed: string } = JSON.parse(await load.readLine(seconds * 1000 + 30_000));
  if ("failed" in result) throw new Error(result.failed);
  // Where CPU time cannot be read, it is not a number, which JSON cannot say.
  return { ...result, cpu: result.cpu ?? NaN };
}
