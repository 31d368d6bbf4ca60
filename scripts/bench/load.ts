/** The load generator, a process of its own: a job per line comes in, requests are sent, a result per line goes out. */

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

/** What to do: requests until the time is up or that many have been sent. */
export interface Job {
  /** The servers, on 127.0.0.1; where there are several, each request goes to the next. */
  readonly ports: readonly number[];
  readonly site: Site;
  readonly requestName: RequestName;
  /** The servers' processes. */
  readonly pids: readonly number[];
  /** As many requests are under way at any time, unless there is a rate. */
  readonly connections: number;
  /** Whichever of these comes first. */
  readonly seconds: number;
  readonly count: number;
  /** Requests per second, evenly spaced, whether or not the ones before have been answered. Default: as many as go. */
  readonly rate?: number;
}

/** What came of it; what prepared the connections counts for nothing. */
export interface Result {
  /** Requests per second. */
  readonly rate: number;
  /** Milliseconds per request; at a fixed rate from the moment at which it was due. */
  readonly p50: number;
  readonly p99: number;
  /** Milliseconds after they were due at which 99 of 100 requests had been sent; 0 where there is no rate. */
  readonly late: number;
  /** Microseconds of the servers' CPU per request. */
  readonly cpu: number;
  /** The part of the time in which there were answers to read and requests to send, 0 to 1: near 1, this process was slow. */
  readonly busy: number;
}

/** Of this many requests, one has the signatures of its tokens verified. */
const verifiedEvery = 500;

/** A server that cannot keep up is given up on when so many requests wait at once. */
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

    /** Sends one request and checks what comes back; gives the moment at which it was there. */
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
      // The one that has rested longest comes next, so that none rests until the server hangs up on it.
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

/** Timers are too coarse for the last of the wait. */
async function waitUntil(due: number): Promise<void> {
  for (let left = due - performance.now(); left > 0; left = due - performance.now()) {
    await new Promise<void>((resolve) => left > 3 ? setTimeout(resolve, left - 2) : setImmediate(resolve));
  }
}

/**
 * Looks for answers all the time. Whoever sends to a process that sleeps has to wake it, which costs more than sending: a
 * server that is slower than the client would pay for that with each answer, and one that is quicker would not.
 *
 * @param getDone How many requests have been answered.
 * @returns Lets it sleep again, and tells the milliseconds that passed without an answer.
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
