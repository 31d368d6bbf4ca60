/** Servers in processes of their own, and what the load generator is asked to do to them. */

import type { Job, Result } from "./load.ts";
import { start } from "./processes.ts";
import type { Running } from "./processes.ts";
import type { RequestName } from "./requests.ts";
import type { Runtime } from "./runtimes.ts";
import type { Setup, Target } from "./server.ts";
import type { Site } from "./site.ts";

/** As many requests are under way at once at each server, where their rate is not fixed. */
export const connections = 16;

/** As many may be where it is; more of them wait on the client's side, and their waiting counts. */
const mostConnections = 64;

/** One server, or several that answer for one issuer. */
export interface Served extends AsyncDisposable {
  readonly processes: readonly Running[];
  readonly ports: readonly number[];
  readonly site: Site;
}

/**
 * Starts a server.
 *
 * @param core Where it stays; default: wherever the system puts it.
 */
export async function serve(runtime: Runtime, setup: Setup, core?: 0 | 1): Promise<Served> {
  const process = start([...runtime.command("server"), JSON.stringify(setup)], core);
  const end = (): PromiseLike<void> => process[Symbol.asyncDispose]();
  try {
    const { port, site }: Target = JSON.parse(await process.hear(120_000));
    return { processes: [process], ports: [port], site, [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Several servers as one, each request going to the next of them. */
export function together(all: readonly Served[]): Served {
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
export async function work(
  load: Running,
  { processes, ports, site }: Served,
  what: RequestName,
  { seconds = 600, count = 1e9, rate }: { seconds?: number; count?: number; rate?: number },
): Promise<Result> {
  const pids = processes.map(({ pid }) => pid);
  // Shared out among several, the same requests would cost more: servers do less for each where they have more to do.
  const most = rate === undefined ? connections * ports.length : mostConnections;
  const job: Job = { ports, site, pids, what, connections: most, seconds, count, rate };
  await load.say(JSON.stringify(job));
  const result: Result | { readonly failed: string } = JSON.parse(await load.hear(seconds * 1000 + 30_000));
  if ("failed" in result) throw new Error(result.failed);
  // Where CPU time cannot be read, it is not a number, which JSON cannot say.
  return { ...result, cpu: result.cpu ?? NaN };
}
