/** The soak: an hour's worth of flows at 70 % of what the server can do; memory must stay, and latency must not spread. */

import type { Options } from "./options.ts";
import { useOf } from "./process_use.ts";
import { findRuntime } from "./runtimes.ts";
import type { Running, Runtime } from "./runtimes.ts";
import { serve, work } from "./served.ts";
import { median, print } from "./table.ts";

/** The part of the capacity that is asked for. */
const part = 0.7;

/** The p99 may be as many times the p50. */
const widest = 3;

/** An hour has as many slices, for each of which a row is printed. */
const slices = 12;

/** Soaks and prints. */
export async function soak(options: Options, load: Running): Promise<void> {
  const hourly = options.soaked / 3600;
  console.log(
    `${options.soaked} flows, an hour of ${hourly.toFixed(1)} a second, sent evenly at ${
      part * 100
    } % of the capacity that ` +
      "was measured just before;\nlatency counts from the moment at which a flow was due. Codes live 10 s; overload limit, metrics and inspector " +
      "are on.\nWhere flows were sent late (ms, p99), the machine had other work, and the spread is not the server's alone.",
  );
  for (const name of options.runtimes) {
    const runtime = await findRuntime(name);
    for (const alg of options.algs ?? ["RS256"]) await soakOne(runtime, alg, options, load);
  }
}

async function soakOne(runtime: Runtime, alg: string, options: Options, load: Running): Promise<void> {
  await using served = await serve(runtime, { which: "latchkey", alg, codeLifetime: 10, layered: true }, 0);
  const rss = async (): Promise<number> => (await useOf(served.processes[0]!.pid)).rss;
  await work(load, served, "flow", { seconds: options.warmUp });
  const rates: number[] = [];
  for (let round = 0; round < options.rounds; round++) {
    rates.push((await work(load, served, "flow", { seconds: options.seconds })).rate);
  }
  const rate = part * median(rates);
  console.log(
    `\n${runtime.name} ${runtime.version}, ${alg}: capacity ${median(rates).toFixed(0)}/s, so ${rate.toFixed(0)}/s`,
  );
  const count = Math.ceil(options.soaked / slices);
  const rows: string[][] = [];
  const spread: number[] = [];
  const memory: number[] = [await rss()];
  for (let slice = 1; slice <= slices; slice++) {
    const { p50, p99, late, cpu } = await work(load, served, "flow", { count, rate, seconds: 1.5 * count / rate });
    memory.push(await rss());
    spread.push(p99 / p50);
    rows.push([
      `${slice * count}`,
      p50.toFixed(2),
      p99.toFixed(2),
      `${(p99 / p50).toFixed(1)}×`,
      late.toFixed(2),
      cpu.toFixed(0),
      memory.at(-1)!.toFixed(0),
    ]);
  }
  print(["flows", "p50 ms", "p99 ms", "spread", "sent late", "µs CPU", "RSS, MiB"], rows);
  const half = memory.slice(slices / 2);
  const growth = Math.max(...half) - half[0]!;
  const wide = median(spread);
  console.log(
    `  p99 is ${wide.toFixed(1)} times p50 (median of the slices; wanted: at most ${widest}). ` +
      `In the second half memory rose by ${growth.toFixed(0)} MiB at the most.`,
  );
}
