/** Measures Latchkey beside a bare server that signs as much, on each runtime in one run: `deno task bench --help`. */

import { open } from "./connection.ts";
import { flow } from "./flow.ts";
import type { Target } from "./flow.ts";
import type { Job, Result } from "./load.ts";
import { readOptions } from "./options.ts";
import { useOf } from "./process_use.ts";
import { endAll, findRuntime, pinning, start } from "./runtimes.ts";
import type { Running, Runtime } from "./runtimes.ts";
import { median, print } from "./table.ts";

/** The two servers of every comparison. */
const kinds = ["latchkey", "reference"] as const;
type Kind = typeof kinds[number];

const connections = 16;

/** From this part of its core on, the load generator may be what is measured. */
const tooBusy = 0.9;

const options = readOptions(Deno.args);
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => {
    endAll();
    Deno.exit(130);
  });
}

try {
  console.log(`${connections} connections, ${pinning}. Ratios are Latchkey's part of what the reference does.`);
  await using load = await loadGenerator();
  for (const name of options.runtimes) {
    const runtime = await findRuntime(name);
    for (const alg of options.algs) {
      console.log(`\n${runtime.name} ${runtime.version}, ${alg}`);
      await throughput(runtime, alg, load);
      if (options.start) await startUp(runtime, alg);
      if (options.memory) await memory(runtime, alg, load);
    }
  }
} catch (error) {
  console.error(`\n${(error as Error).message}`);
  endAll();
  Deno.exit(1);
}

async function loadGenerator(): Promise<Running> {
  return start((await findRuntime("deno")).command("load"), 1);
}

interface Served extends AsyncDisposable {
  readonly kind: Kind;
  readonly process: Running;
  readonly target: Target;
}

async function serve(runtime: Runtime, kind: Kind, alg: string, codeLifetime?: number): Promise<Served> {
  const lifetime = codeLifetime === undefined ? [] : [String(codeLifetime)];
  const process = start([...runtime.command("server"), kind, alg, ...lifetime], 0);
  const target: Target = JSON.parse(await process.hear(30_000));
  return { kind, process, target, [Symbol.asyncDispose]: () => process[Symbol.asyncDispose]() };
}

/** Has the load generator do a job. */
async function work(load: Running, target: Target, limits: { seconds?: number; flows?: number }): Promise<Result> {
  const { seconds = 600, flows = 1e9 } = limits;
  const job: Job = { ...target, connections, seconds, flows };
  await load.say(JSON.stringify(job));
  return JSON.parse(await load.hear(seconds * 1000 + 30_000));
}

/** One round of one server. */
interface Round extends Result {
  /** Microseconds of the server's CPU per flow. */
  readonly cpu: number;
}

async function throughput(runtime: Runtime, alg: string, load: Running): Promise<void> {
  await using latchkey = await serve(runtime, "latchkey", alg);
  await using reference = await serve(runtime, "reference", alg);
  const rounds: Record<Kind, Round[]> = { latchkey: [], reference: [] };
  for (const { target } of [latchkey, reference]) await work(load, target, { seconds: options.warmUp });
  for (let round = 0; round < options.rounds; round++) {
    // Who is first changes, so that a machine that becomes slower or faster favours nobody.
    for (const { kind, process, target } of round % 2 === 0 ? [latchkey, reference] : [reference, latchkey]) {
      const before = await useOf(process.pid);
      const result = await work(load, target, { seconds: options.seconds });
      const after = await useOf(process.pid);
      rounds[kind].push({ ...result, cpu: (after.cpu - before.cpu) / result.flows });
    }
  }
  const rate = ({ flows, seconds }: Round): number => flows / seconds;
  const rows = kinds.map((kind) => [
    kind,
    median(rounds[kind].map(rate)).toFixed(0),
    median(rounds[kind].map(({ p50 }) => p50)).toFixed(2),
    median(rounds[kind].map(({ p99 }) => p99)).toFixed(2),
    median(rounds[kind].map(({ cpu }) => cpu)).toFixed(0),
    median(rounds[kind].map(({ busy }) => busy)).toFixed(2),
  ]);
  const ratio = (value: (round: Round) => number): number =>
    median(rounds.latchkey.map((round, i) => value(round) / value(rounds.reference[i]!)));
  const ratios = ["ratio", ratio(rate).toFixed(2), "", "", (1 / ratio(({ cpu }) => cpu)).toFixed(2), ""];
  print(["", "flows/s", "p50 ms", "p99 ms", "µs CPU/flow", "load's core"], [...rows, ratios]);
  const busiest = Math.max(...kinds.flatMap((kind) => rounds[kind].map(({ busy }) => busy)));
  if (busiest > tooBusy) {
    console.log(`The load generator used ${busiest.toFixed(2)} of its core: trust the CPU column.`);
  }
}

async function startUp(runtime: Runtime, alg: string): Promise<void> {
  const listening: Record<Kind, number[]> = { latchkey: [], reference: [] };
  const finished: Record<Kind, number[]> = { latchkey: [], reference: [] };
  for (let spawn = 0; spawn < options.spawns; spawn++) {
    for (const kind of kinds) {
      const begun = performance.now();
      await using served = await serve(runtime, kind, alg);
      listening[kind].push(performance.now() - begun);
      const connection = await open(served.target.port);
      await flow(connection, served.target);
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

async function memory(runtime: Runtime, alg: string, load: Running): Promise<void> {
  const rows: string[][] = [];
  for (const kind of kinds) {
    await using served = await serve(runtime, kind, alg, 10);
    const rss = async (): Promise<string> => (await useOf(served.process.pid)).rss.toFixed(0);
    const row = [kind, await rss()];
    await work(load, served.target, { seconds: options.warmUp });
    row.push(await rss());
    for (let step = 0; step < options.steps; step++) {
      await work(load, served.target, { flows: options.step });
      row.push(await rss());
    }
    rows.push(row);
  }
  const steps = Array.from({ length: options.steps }, (_, i) => `${(i + 1) * options.step}`);
  print(["RSS, MiB", "idle", "warm", ...steps], rows);
}
