/** The load generator, a process of its own: a job per line comes in, requests are sent, a result per line goes out. */

import process from "node:process";
import { createInterface } from "node:readline";
import { prover } from "./answers.ts";
import { open } from "./connection.ts";
import { useOf } from "./process_use.ts";
import { requests } from "./requests.ts";
import type { RequestName } from "./requests.ts";

/** A server that is spoken to. */
export interface Target {
  readonly port: number;
  readonly issuer: string;
}

/** What to do: requests over that many connections until the time is up or that many have been sent. */
export interface Job extends Target {
  readonly what: RequestName;
  /** The server's process. */
  readonly pid: number;
  readonly connections: number;
  /** Whichever of these comes first. */
  readonly seconds: number;
  readonly count: number;
}

/** What came of it; what prepared the connections counts for nothing. */
export interface Result {
  /** Requests per second. */
  readonly rate: number;
  /** Milliseconds per request. */
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of the server's CPU per request. */
  readonly cpu: number;
  /** The part of one core that this process itself used, 0 to 1 and, with helper threads, above. */
  readonly busy: number;
}

/** Of this many requests, one has the signatures of its tokens verified. */
const verifiedEvery = 500;

async function run(job: Job): Promise<Result> {
  const connections = await Promise.all(Array.from({ length: job.connections }, () => open(job.port)));
  try {
    const prove = await prover(connections[0]!);
    const steps = await Promise.all(connections.map((connection) => requests[job.what](connection, job.issuer)));
    const latencies: number[] = [];
    let begun = 0;
    const usedBefore = await useOf(job.pid);
    const cpu = process.cpuUsage();
    const start = performance.now();
    const end = start + job.seconds * 1000;
    await Promise.all(steps.map(async (step) => {
      for (let before = start; before < end && begun < job.count;) {
        const verify = begun++ % verifiedEvery === 0;
        const tokens = await step();
        const after = performance.now();
        latencies.push(after - before);
        if (verify) await Promise.all(tokens.map(prove));
        before = verify ? performance.now() : after;
      }
    }));
    const seconds = (performance.now() - start) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    const usedAfter = await useOf(job.pid);
    latencies.sort((a, b) => a - b);
    const quantile = (part: number): number => latencies[Math.floor(part * (latencies.length - 1))]!;
    return {
      rate: latencies.length / seconds,
      p50: quantile(0.5),
      p99: quantile(0.99),
      cpu: (usedAfter.cpu - usedBefore.cpu) / latencies.length,
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
