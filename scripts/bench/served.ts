/** Servers in processes of their own, and what the load generator is asked to do to them. */

import type { Job, Result } from "./load.ts";
import type { RequestName } from "./requests.ts";
import { start } from "./runtimes.ts";
import type { Running, Runtime } from "./runtimes.ts";
import type { Setup, Target } from "./server.ts";

/** As many requests are under way at once, where their rate is not fixed. */
export const connections = 16;

/** One server, or several that answer for one issuer. */
export interface Served extends AsyncDisposable {
  readonly processes: readonly Running[];
  readonly ports: readonly number[];
  readonly issuer: string;
}

/**
 * Starts a server.
 *
 * @param core Where it stays; default: wherever the system puts it.
 */
export async function serve(runtime: Runtime, setup: Setup, core?: 0 | 1): Promise<Served> {
  const process = start([...runtime.command("server"), JSON.stringify(setup)], core);
  const { port, issuer }: Target = JSON.parse(await process.hear(30_000));
  return { processes: [process], ports: [port], issuer, [Symbol.asyncDispose]: () => process[Symbol.asyncDispose]() };
}

/** Several servers as one, each request going to the next of them. */
export function together(all: readonly Served[]): Served {
  return {
    processes: all.flatMap(({ processes }) => processes),
    ports: all.flatMap(({ ports }) => ports),
    issuer: all[0]!.issuer,
    async [Symbol.asyncDispose]() {
      await Promise.all(all.map((one) => one[Symbol.asyncDispose]()));
    },
  };
}

/** Has the load generator do a job. */
export async function work(
  load: Running,
  { processes, ports, issuer }: Served,
  what: RequestName,
  { seconds = 600, count = 1e9, rate }: { seconds?: number; count?: number; rate?: number },
): Promise<Result> {
  const pids = processes.map(({ pid }) => pid);
  const job: Job = { ports, issuer, pids, what, connections, seconds, count, rate };
  await load.say(JSON.stringify(job));
  const result: Result = JSON.parse(await load.hear(seconds * 1000 + 30_000));
  // Where CPU time cannot be read, it is not a number, which JSON cannot say.
  return { ...result, cpu: result.cpu ?? NaN };
}
