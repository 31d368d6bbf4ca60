/** The load generator, a process of its own: a job per line comes in, flows are run, a result per line goes out. */

import process from "node:process";
import { createInterface } from "node:readline";
import { open } from "./connection.ts";
import { flow, prover } from "./flow.ts";
import type { Target } from "./flow.ts";

/** What to do: flows over that many connections until the time is up or that many have been done. */
export interface Job extends Target {
  readonly connections: number;
  /** Whichever of these comes first. */
  readonly seconds: number;
  readonly flows: number;
}

/** What came of it. */
export interface Result {
  readonly flows: number;
  readonly seconds: number;
  /** Milliseconds per flow. */
  readonly p50: number;
  readonly p99: number;
  /** The part of one core that this process itself used, 0 to 1 and, with helper threads, above. */
  readonly busy: number;
}

/** Of this many flows, one has its signatures verified. */
const verifiedEvery = 500;

async function run(job: Job): Promise<Result> {
  const connections = await Promise.all(Array.from({ length: job.connections }, () => open(job.port)));
  try {
    const prove = await prover(connections[0]!, job);
    const latencies: number[] = [];
    let begun = 0;
    const cpu = process.cpuUsage();
    const start = performance.now();
    const end = start + job.seconds * 1000;
    await Promise.all(connections.map(async (connection) => {
      for (let before = start; before < end && begun < job.flows;) {
        const verify = begun++ % verifiedEvery === 0;
        const tokens = await flow(connection, job);
        const after = performance.now();
        latencies.push(after - before);
        if (verify) await prove(tokens);
        before = verify ? performance.now() : after;
      }
    }));
    const seconds = (performance.now() - start) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    latencies.sort((a, b) => a - b);
    const quantile = (part: number): number => latencies[Math.floor(part * (latencies.length - 1))]!;
    return {
      flows: latencies.length,
      seconds,
      p50: quantile(0.5),
      p99: quantile(0.99),
      busy: (user + system) / 1e6 / seconds,
    };
  } finally {
    for (const connection of connections) connection.close();
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  try {
    console.log(JSON.stringify(await run(JSON.parse(line))));
  } catch (error) {
    console.error((error as Error).message);
    process.exit(1);
  }
}
