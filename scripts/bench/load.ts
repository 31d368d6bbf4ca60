/** The load generator, a separate process: reads one job per line, sends requests, and prints one result per line. */

import process from "node:process";
import { createInterface } from "node:readline";
import { setImmediate } from "node:timers";
import { tokenVerifier } from "./assert_response.ts";
import { openConnections } from "./connection.ts";
import type { Connection } from "./connection.ts";
import { getProcessUsage } from "./process_usage.ts";
import { requests } from "./requests.ts";
import type { RequestName, SendRequest } from "./requests.ts";
import type { Site } from "./site.ts";

/** A job: requests until a time or a number is reached. */
export interface Job {
  /** Ports on 127.0.0.1; each request goes to the next one. */
  readonly ports: readonly number[];
  readonly site: Site;
  readonly requestName: RequestName;
  /** Processes of the servers. */
  readonly pids: readonly number[];
  /** Concurrent requests, unless there is a rate. */
  readonly connections: number;
  /** The first of these limits ends the job. */
  readonly seconds: number;
  readonly count: number;
  /** Requests per second, evenly spaced, independent of responses. Default: as many as possible. */
  readonly rate?: number;
}

/** Result of a job, without the preparation of connections. */
export interface Result {
  /** Requests per second. */
  readonly rate: number;
  /** Milliseconds per request; at a fixed rate from the moment at which it was due. */
  readonly p50: number;
  readonly p99: number;
  /** 99th percentile of the delay of sending, in milliseconds; 0 without a rate. */
  readonly late: number;
  /** Microseconds of the servers' CPU per request. */
  readonly cpu: number;
  /**
   * Fraction of the time with responses to read or requests to send, 0 to 1. Near 1, this process is the bottleneck.
   */
  readonly busy: number;
}

/** One of this many requests verifies the signatures of its tokens. */
const verifiedEvery = 500;

/** Number of waiting requests at which an overloaded server is given up. */
const maxWaiting = 2000;

async function runJob(job: Job): Promise<Result> {
  const connections: Connection[] = [];
  const connect = async (): Promise<SendRequest> => {
    const connection = await openConnections(job.ports);
    connections.push(connection);
    return await requests[job.requestName](connection, job.site);
  };
  try {
    const steps = await Promise.all(Array.from({ length: job.connections }, connect));
    const prove = await tokenVerifier(connections[0]!, job.site);
    const latencies: number[] = [];
    const delays: number[] = [];
    const usedBefore = await getCpu(job.pids);
    const start = performance.now();
    let started = 0;

    /** Sends one request and checks the response. Returns the time of the response. */
    const request = async (step: SendRequest, due: number): Promise<number> => {
      const isVerified = started++ % verifiedEvery === 0;
      const tokens = await step();
      const after = performance.now();
      latencies.push(after - due);
      if (!isVerified) return after;
      await Promise.all(tokens.map(prove));
      return performance.now();
    };

    const sendContinuously = async (): Promise<void> => {
      const end = start + job.seconds * 1000;
      await Promise.all(steps.map(async (step) => {
        for (let before = start; before < end && started < job.count;) before = await request(step, before);
      }));
    };

    const sendEvenly = async (rate: number): Promise<void> => {
      const count = Math.min(job.count, Math.floor(job.seconds * rate));
      const waiting: number[] = [];
      // Use the least recently used connection, so that the server closes none as idle.
      const idle = [...steps];
      let failure: { readonly error: unknown } | undefined;
      const send = async (step: SendRequest): Promise<void> => {
        for (let due = waiting.shift(); due !== undefined; due = waiting.shift()) await request(step, due);
        idle.push(step);
      };
      const underWay = new Set<Promise<void>>();
      for (let sent = 0; sent < count; sent++) {
        const due = start + sent * 1000 / rate;
        await waitUntil(due);
        delays.push(performance.now() - due);
        if (failure !== undefined) throw failure.error;
        if (waiting.length >= maxWaiting) throw new Error(`The server cannot keep up with ${rate.toFixed(0)}/s.`);
        waiting.push(due);
        const step = idle.shift();
        if (step === undefined) continue;
        const sending = send(step).catch((error) => void (failure ??= { error })).finally(() =>
          underWay.delete(sending)
        );
        underWay.add(sending);
      }
      await Promise.all(underWay);
      if (failure !== undefined) throw failure.error;
    };

    const stopBusyLoop = startBusyLoop(() => latencies.length);
    await (job.rate === undefined ? sendContinuously() : sendEvenly(job.rate)).finally(stopBusyLoop);
    const seconds = (performance.now() - start) / 1000;
    const used = await getCpu(job.pids) - usedBefore;
    return {
      rate: latencies.length / seconds,
      p50: quantile(latencies, 0.5),
      p99: quantile(latencies, 0.99),
      late: quantile(delays, 0.99),
      cpu: used / latencies.length,
      busy: 1 - stopBusyLoop() / 1000 / seconds,
    };
  } finally {
    for (const connection of connections) connection.close();
  }
}

function quantile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(part * (values.length - 1))] ?? 0;
}

/** Timers are too coarse for the last part of the wait. */
async function waitUntil(due: number): Promise<void> {
  for (let left = due - performance.now(); left > 0; left = due - performance.now()) {
    await new Promise<void>((resolve) => left > 3 ? setTimeout(resolve, left - 2) : setImmediate(resolve));
  }
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

async function getCpu(pids: readonly number[]): Promise<number> {
  return (await Promise.all(pids.map(getProcessUsage))).reduce((sum, { cpu }) => sum + cpu, 0);
}

for await (const line of createInterface({ input: process.stdin })) {
  try {
    console.log(JSON.stringify(await runJob(JSON.parse(line))));
  } catch (error) {
    console.log(JSON.stringify({ failed: (error as Error).message }));
  }
}
