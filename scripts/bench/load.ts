/** The load generator, a separate process: reads one job per line, runs flows, and prints one result per line. */

import process from "node:process";
import { createInterface } from "node:readline";
import { setImmediate } from "node:timers";
import { tokenVerifier } from "./assert_response.ts";
import { openConnection } from "./connection.ts";
import { expectedTokens, runFlow } from "./flow.ts";
import { getProcessUsage } from "./process_usage.ts";
import type { FlowName, Site } from "./site.ts";

/** A job: as many flows as possible until a time or a number is reached. */
export interface Job {
  /** Port on 127.0.0.1. */
  readonly port: number;
  readonly site: Site;
  readonly flow: FlowName;
  /** Process of the server. */
  readonly pid: number;
  /** Concurrent requests. */
  readonly connections: number;
  /** The first of these limits ends the job. */
  readonly seconds: number;
  readonly count: number;
}

/** Result of a job, without the preparation of connections. */
export interface Result {
  /** Flows per second. */
  readonly rate: number;
  /** Milliseconds per flow. */
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of the server's CPU per flow. */
  readonly cpu: number;
  /**
   * Fraction of the time with responses to read or requests to send, 0 to 1. Near 1, this process is the bottleneck.
   */
  readonly busy: number;
}

/** One of this many flows verifies the signatures of its tokens. */
const verifiedEvery = 500;

async function runJob({ port, site, flow, pid, connections: size, seconds, count }: Job): Promise<Result> {
  const connections = await Promise.all(Array.from({ length: size }, () => openConnection(port)));
  try {
    const verify = await tokenVerifier(connections[0]!, site);
    const latencies: number[] = [];
    const before = (await getProcessUsage(pid)).cpu;
    const start = performance.now();
    const stopBusyLoop = startBusyLoop(() => latencies.length);
    let started = 0;
    await Promise.all(connections.map(async (connection) => {
      let now = start;
      while (now < start + seconds * 1000 && started < count) {
        const isVerified = started++ % verifiedEvery === 0;
        const tokens = await runFlow(connection, site, flow);
        const after = performance.now();
        latencies.push(after - now);
        now = after;
        if (!isVerified) continue;
        await Promise.all(expectedTokens(site, flow, tokens).map(verify));
        now = performance.now();
      }
    })).finally(stopBusyLoop);
    const took = (performance.now() - start) / 1000;
    return {
      rate: latencies.length / took,
      p50: quantile(latencies, 0.5),
      p99: quantile(latencies, 0.99),
      cpu: ((await getProcessUsage(pid)).cpu - before) / latencies.length,
      busy: 1 - stopBusyLoop() / 1000 / took,
    };
  } finally {
    for (const connection of connections) connection.close();
  }
}

function quantile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(part * (values.length - 1))] ?? 0;
}

/**
 * Polls for responses. Sending to a sleeping process has to wake it, which costs more than the message: servers slower
 * than the client would pay for it with each response, faster ones would not.
 *
 * @param getDone Number of completed requests.
 * @returns Stops polling, and returns the milliseconds without a response.
 */
function startBusyLoop(getDone: () => number): () => number {
  let idle = 0;
  let lastDone = getDone();
  let lastLook = performance.now();
  let isAwake = true;
  const look = () => {
    const now = performance.now();
    if (getDone() === lastDone) idle += now - lastLook;
    lastDone = getDone();
    lastLook = now;
    if (isAwake) setImmediate(look);
  };
  setImmediate(look);
  return () => {
    isAwake = false;
    return idle;
  };
}

for await (const line of createInterface({ input: process.stdin })) {
  try {
    console.log(JSON.stringify(await runJob(JSON.parse(line))));
  } catch (error) {
    console.log(JSON.stringify({ failed: (error as Error).message }));
  }
}
