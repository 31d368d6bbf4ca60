/** The soak: flows at 70 % of the server's capacity for up to an hour; memory and latency must stay stable. */

import type { SigningAlgorithm } from "../../src/mod.ts";
import { atMost } from "./targets.ts";
import type { Result } from "./load.ts";
import type { Options } from "./options.ts";
import { getProcessUsage } from "./process_usage.ts";
import type { RunningProcess } from "./processes.ts";
import { findRuntime } from "./runtimes.ts";
import type { Runtime } from "./runtimes.ts";
import { runLoad, startServer } from "./served.ts";
import type { RunningServer } from "./served.ts";
import { median, print } from "./table.ts";

/** Load, as a fraction of the capacity. */
const loadShare = 0.7;

/** Maximum p99, as a factor of the p50. */
const maxSpread = 3;

/** Maximum p99, as a factor of the reference server's at the same fraction of its capacity. */
const maxP99Ratio = 1.5;

/** Maximum memory growth in the last third, as a factor. By then the number of stored codes is constant. */
const maxLateGrowth = 1.1;

/** Milliseconds. A slice in which 1 % of the flows were sent later than that says nothing about the server. */
const maxLateMs = 1;

/** Minimum number of valid slices. */
const minSlices = 3;

/** Slices of an hour, one row each. */
const slices = 12;

/** One server, and its load. */
interface SoakSubject {
  readonly served: RunningServer;
  readonly capacity: number;
  readonly results: Result[];
}

/** Soaks and prints. */
export async function soak(options: Options, load: RunningProcess): Promise<void> {
  const hourly = options.soakFlows / 3600;
  console.log(
    `\n${options.soakFlows} flows, an hour of ${hourly.toFixed(1)} a second, sent evenly at ${
      loadShare * 100
    } % of the capacity ` +
      "that was measured just before,\nin turn with the bare server at as much of its own; latency counts from the moment " +
      "at which a flow was due. Codes\nlive 10 s and are kept for 30 s more; overload limit, metrics and health are on, as for a team. The " +
      "bare server shows what the machine\nand the runtime do by themselves. Where flows were sent late (ms, p99), the load " +
      "generator had to wait for its core.",
  );
  for (const name of options.runtimes) {
    const runtime = await findRuntime(name);
    for (const alg of options.algs ?? ["ES256"]) await soakBoth(runtime, alg, options, load);
  }
}

async function soakBoth(
  runtime: Runtime,
  alg: SigningAlgorithm,
  options: Options,
  load: RunningProcess,
): Promise<void> {
  await using bare = await startServer(runtime, { subject: "reference", alg }, 0);
  await using full = await startServer(runtime, { subject: "latchkey", alg, codeLifetime: 10, withPlugins: true }, 0);
  const reference = await measureCapacity(bare, options, load);
  const latchkey = await measureCapacity(full, options, load);
  console.log(
    `\nsoak, ${runtime.name} ${runtime.version}, ${alg}: capacity ${latchkey.capacity.toFixed(0)}/s, so ` +
      `${(loadShare * latchkey.capacity).toFixed(0)}/s; the bare server's ${reference.capacity.toFixed(0)}/s, so ` +
      `${(loadShare * reference.capacity).toFixed(0)}/s`,
  );
  const rss = async (): Promise<number> => (await getProcessUsage(full.processes[0]!.pid)).rss;
  const count = Math.ceil(options.soakFlows / slices);
  const memory: number[] = [await rss()];
  for (let slice = 0; slice < slices; slice++) {
    for (const soaked of [reference, latchkey]) await sendEvenly(soaked, count, load);
    memory.push(await rss());
  }
  print(
    [
      "flows",
      "p50 ms",
      "p99 ms",
      "spread",
      "sent late",
      "µs CPU",
      "RSS, MiB",
      "reference's p50",
      "p99",
      "spread",
      "sent late",
    ],
    latchkey.results.map((result, i) => [
      `${(i + 1) * count}`,
      ...latencies(result),
      result.cpu.toFixed(0),
      memory[i + 1]!.toFixed(0),
      ...latencies(reference.results[i]!),
    ]),
  );
  const where = `soak, ${runtime.key}, ${alg}`;
  const pairs = latchkey.results.map((result, i) => ({ result, beside: reference.results[i]! }))
    .filter(({ result, beside }) => Math.max(result.late, beside.late) <= maxLateMs);
  if (pairs.length < minSlices) console.log("  Latency is not compared: the machine was too busy.");
  else {
    atMost(`${where}: p99, times p50`, maxSpread, median(pairs.map(({ result }) => getSpread(result))));
    atMost(
      `${where}: p99, times the reference's`,
      maxP99Ratio,
      median(pairs.map(({ result, beside }) => result.p99 / beside.p99)),
    );
  }
  const last = memory.slice(slices * 2 / 3);
  atMost(`${where}: memory, times that after two thirds`, maxLateGrowth, Math.max(...last) / last[0]!);
}

/** Capacity of a warm server. */
async function measureCapacity(served: RunningServer, options: Options, load: RunningProcess): Promise<SoakSubject> {
  await runLoad(load, served, "flow", { seconds: options.warmUp });
  const rates: number[] = [];
  for (let round = 0; round < options.rounds; round++) {
    rates.push((await runLoad(load, served, "flow", { seconds: options.seconds })).rate);
  }
  return { served, capacity: median(rates), results: [] };
}

async function sendEvenly(
  { served, capacity, results }: SoakSubject,
  count: number,
  load: RunningProcess,
): Promise<void> {
  const rate = loadShare * capacity;
  results.push(await runLoad(load, served, "flow", { count, rate, seconds: 1.5 * count / rate }));
}

function latencies(result: Result): string[] {
  return [result.p50.toFixed(2), result.p99.toFixed(2), `${getSpread(result).toFixed(1)}×`, result.late.toFixed(2)];
}

function getSpread({ p50, p99 }: Result): number {
  return p99 / p50;
}
