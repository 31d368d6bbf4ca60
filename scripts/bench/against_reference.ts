/** The comparison with the bare server: requests per second and their cost, the start of the process, memory. */

import { publicId } from "./clients.ts";
import { open } from "./connection.ts";
import { flow } from "./flow.ts";
import type { Result } from "./load.ts";
import type { Options } from "./options.ts";
import { useOf } from "./process_use.ts";
import type { RequestName } from "./requests.ts";
import { findRuntime } from "./runtimes.ts";
import type { Running, Runtime } from "./runtimes.ts";
import { connections, serve, work } from "./served.ts";
import { median, print } from "./table.ts";

/** The two servers of every comparison. */
const kinds = ["latchkey", "reference"] as const;
type Kind = typeof kinds[number];

/** From this part of its core on, the load generator may be what is measured. */
const tooBusy = 0.9;

/** Measures and prints. */
export async function besideReference(options: Options, load: Running): Promise<void> {
  console.log(
    `${connections} connections. A flow counts as one request. Ratios are Latchkey's part of what the reference does:\n` +
      "requests per second, and requests per CPU time.",
  );
  for (const name of options.runtimes) {
    const runtime = await findRuntime(name);
    for (const alg of options.algs ?? ["RS256"]) {
      console.log(`\n${runtime.name} ${runtime.version}, ${alg}`);
      await throughput(runtime, alg, options, load);
      if (options.start) await startUp(runtime, alg, options);
      if (options.memory) await memory(runtime, alg, options, load);
    }
  }
}

async function throughput(runtime: Runtime, alg: string, options: Options, load: Running): Promise<void> {
  const rows: string[][] = [];
  let busiest = 0;
  for (const what of options.what) {
    const rounds = await measure(runtime, alg, what, options, load);
    const ratio = (value: (round: Result) => number): string =>
      median(rounds.latchkey.map((round, i) => value(round) / value(rounds.reference[i]!))).toFixed(2);
    for (const kind of kinds) {
      const middle = (name: keyof Result): number => median(rounds[kind].map((round) => round[name]));
      rows.push([
        `${what} ${kind}`,
        middle("rate").toFixed(0),
        middle("p50").toFixed(2),
        middle("p99").toFixed(2),
        middle("cpu").toFixed(0),
        middle("busy").toFixed(2),
        ...kind === "latchkey" ? [ratio(({ rate }) => rate), ratio(({ cpu }) => 1 / cpu)] : ["", ""],
      ]);
      busiest = Math.max(busiest, ...rounds[kind].map(({ busy }) => busy));
    }
  }
  print(["", "requests/s", "p50 ms", "p99 ms", "µs CPU", "load's core", "ratio", "by CPU"], rows);
  if (busiest > tooBusy) {
    console.log(
      `The load generator used up to ${busiest.toFixed(2)} of its core: where it did, trust the CPU columns.`,
    );
  }
}

/** Interleaved rounds of one kind of request, on servers that have answered nothing else. */
async function measure(
  runtime: Runtime,
  alg: string,
  what: RequestName,
  options: Options,
  load: Running,
): Promise<Record<Kind, Result[]>> {
  await using latchkey = await serve(runtime, { which: "latchkey", alg }, 0);
  await using reference = await serve(runtime, { which: "reference", alg }, 0);
  const served = { latchkey, reference };
  const rounds: Record<Kind, Result[]> = { latchkey: [], reference: [] };
  for (const kind of kinds) await work(load, served[kind], what, { seconds: options.warmUp });
  for (let round = 0; round < options.rounds; round++) {
    // Who is first changes, so that a machine that becomes slower or faster favours nobody.
    for (const kind of round % 2 === 0 ? kinds : kinds.toReversed()) {
      rounds[kind].push(await work(load, served[kind], what, { seconds: options.seconds }));
    }
  }
  return rounds;
}

async function startUp(runtime: Runtime, alg: string, options: Options): Promise<void> {
  const listening: Record<Kind, number[]> = { latchkey: [], reference: [] };
  const finished: Record<Kind, number[]> = { latchkey: [], reference: [] };
  for (let spawn = 0; spawn < options.spawns; spawn++) {
    for (const kind of kinds) {
      const begun = performance.now();
      await using served = await serve(runtime, { which: kind, alg }, 0);
      listening[kind].push(performance.now() - begun);
      const connection = await open(served.ports[0]!);
      await flow(connection, served.issuer, publicId);
      finished[kind].push(performance.now() - begun);
      connection.close();
    }
  }
  const row = (kind: Kind): string[] => [kind, median(listening[kind]).toFixed(0), median(finished[kind]).toFixed(0)];
  const difference = (times: Record<Kind, number[]>): string =>
    (median(times.latchkey) - median(times.reference)).toFixed(0);
  print(["start, ms", "listening", "first flow"], [
    ...kinds.map(row),
    ["difference", difference(listening), difference(finished)],
  ]);
}

async function memory(runtime: Runtime, alg: string, options: Options, load: Running): Promise<void> {
  const rows: string[][] = [];
  for (const kind of kinds) {
    await using served = await serve(runtime, { which: kind, alg, codeLifetime: 10 }, 0);
    const rss = async (): Promise<string> => (await useOf(served.processes[0]!.pid)).rss.toFixed(0);
    const row = [kind, await rss()];
    await work(load, served, "flow", { seconds: options.warmUp });
    row.push(await rss());
    for (let step = 0; step < options.steps; step++) {
      await work(load, served, "flow", { count: options.step });
      row.push(await rss());
    }
    rows.push(row);
  }
  const steps = Array.from({ length: options.steps }, (_, i) => `${(i + 1) * options.step}`);
  print(["RSS, MiB", "idle", "warm", ...steps], rows);
}
