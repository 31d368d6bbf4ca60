/** The measurements. Servers take turns in each round, so that changes of the machine's speed affect all equally. */

import { openConnection } from "./connection.ts";
import { runFlow } from "./flow.ts";
import { getProcessUsage } from "./process_usage.ts";
import type { RunningProcess } from "./processes.ts";
import type { Runtime } from "./runtimes.ts";
import { runLoad, type RunningServer, startServer, type Subject } from "./served.ts";
import type { BenchAlgorithm } from "./site.ts";

/** The parts of a run. */
export const parts = ["core", "embedded", "started", "start", "memory"] as const;

/** The name of a part. */
export type Part = typeof parts[number];

/** Figures of one subject in one round, by their labels. Less is better. */
export type Figures = Readonly<Record<string, number>>;

/** What is measured, and how often. */
export interface Measurement {
  readonly runtime: Runtime;
  readonly alg: BenchAlgorithm;
  readonly part: Part;
  readonly subjects: readonly Subject[];
  readonly rounds: number;
  /** Flows of a round of a subject, and of its warm-up. */
  readonly flows: number;
  readonly load: RunningProcess;
}

/** Flows before the memory is read. */
const memoryFlows = 10_000;

const kind = "flow_with_refresh_token";

/** Measures a part; for each subject the figures of each round. */
export async function measure(measurement: Measurement): Promise<Figures[][]> {
  const { part, subjects, rounds } = measurement;
  const measureOne = { core: runFlows, embedded: runFlows, started: runFlows, start: startOnce, memory: fill }[part];
  // The first start fills caches.
  if (part === "start") { for (const subject of subjects) await measureOne(measurement, subject); }
  const results: Figures[][] = subjects.map(() => []);
  for (let round = 0; round < rounds; round++) {
    const order = [...subjects.keys()];
    for (const i of round % 2 === 0 ? order : order.toReversed()) {
      results[i]!.push(await measureOne(measurement, subjects[i]!));
    }
  }
  return results;
}

/**
 * Flows of a new process, which was warmed up: compilation and collection of garbage differ in each
 * process, by as much as a fifth of the time.
 */
async function runFlows({ runtime, alg, part, flows: count, load }: Measurement, subject: Subject): Promise<Figures> {
  await using server = await startServer(runtime, subject, alg);
  // A second after the start, the program loads its other modules, which takes as long as a thousand flows.
  if (part === "started") await new Promise((resolve) => setTimeout(resolve, 2_000));
  await runLoad(load, server, kind, count);
  const { cpu, p99 } = await runLoad(load, server, kind, count);
  return { "µs of CPU per flow": cpu, "p99, ms": p99 };
}

/** From the spawn to the first response, and to the end of the first flow. */
async function startOnce({ runtime, alg }: Measurement, subject: Subject): Promise<Figures> {
  const begun = performance.now();
  await using server = await startServer(runtime, subject, alg);
  const connection = await openConnection(server.port);
  try {
    await connection.get(server.site.paths.jwks);
    const response = performance.now() - begun;
    await runFlow(connection, server.site, kind);
    return { "ms to the first response": response, "ms to the first flow": performance.now() - begun };
  } finally {
    connection.close();
  }
}

async function fill({ runtime, alg, load }: Measurement, subject: Subject): Promise<Figures> {
  await using server: RunningServer = await startServer(runtime, subject, alg);
  await runLoad(load, server, kind, memoryFlows);
  return { "MiB after 10,000 flows": (await getProcessUsage(server.pid)).rss };
}
