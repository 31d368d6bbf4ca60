/** The load generator, a separate process: reads one job per line, runs flows, and prints one result per line. */

import process from "node:process";
import { createInterface } from "node:readline";
import { setImmediate } from "node:timers";
import { tokenVerifier } from "./assert_response.ts";
import { openConnection } from "./connection.ts";
import { expectedTokens, runFlow } from "./flow.ts";
import { getProcessUsage } from "./process_usage.ts";
import type { FlowName, Site } from "./site.ts";

/** A job: a number of flows, as quickly as possible. */
export interface Job {
  /** Port on 127.0.0.1. */
  readonly port: number;
  readonly site: Site;
  readonly flow: FlowName;
  /** Process of the server. */
  readonly pid: number;
  /** Concurrent requests. */
  readonly connections: number;
  /** The number of flows. */
  readonly count: number;
}

/** Result of a job, without the preparation of connections. */
export interface Result {
  /** Milliseconds within which 99 of 100 flows are complete. */
  readonly p99: number;
  /** Microseconds of the server's CPU per flow. */
  readonly cpu: number;
}

/** One of this many flows verifies the signatures of its tokens. */
const verifiedEvery = 500;

async function runJob({ port, site, flow, pid, connections: size, count }: Job): Promise<Result> {
  const connections = await Promise.all(Array.from({ length: size }, () => openConnection(port)));
  try {
    const verify = await tokenVerifier(connections[0]!, site);
    const latencies: number[] = [];
    const before = (await getProcessUsage(pid)).cpu;
    const stopBusyLoop = startBusyLoop();
    let started = 0;
    await Promise.all(connections.map(async (connection) => {
      while (started < count) {
        const isVerified = started++ % verifiedEvery === 0;
        const before = performance.now();
        const tokens = await runFlow(connection, site, flow);
        latencies.push(performance.now() - before);
        if (isVerified) await Promise.all(expectedTokens(site, flow, tokens).map(verify));
      }
    })).finally(stopBusyLoop);
    return {
      p99: latencies.toSorted((a, b) => a - b)[Math.floor(0.99 * (latencies.length - 1))]!,
      cpu: ((await getProcessUsage(pid)).cpu - before) / latencies.length,
    };
  } finally {
    for (const connection of connections) connection.close();
  }
}

/**
 * Polls for responses. Sending to a sleeping process has to wake it, which costs more than the message: servers slower
 * than the client would pay for it with each response, faster ones would not.
 *
 * @returns Stops polling.
 */
function startBusyLoop(): () => void {
  let isAwake = true;
  const look = () => {
    if (isAwake) setImmediate(look);
  };
  setImmediate(look);
  return () => {
    isAwake = false;
  };
}

for await (const line of createInterface({ input: process.stdin })) {
  try {
    console.log(JSON.stringify(await runJob(JSON.parse(line))));
  } catch (error) {
    console.log(JSON.stringify({ failed: (error as Error).message }));
  }
}
