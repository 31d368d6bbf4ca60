/** Measures Latchkey beside a bare server that does the same work, on each runtime in one run: `deno task bench --help`. */

import { publicId } from "./clients.ts";
import { open } from "./connection.ts";
import { flow } from "./flow.ts";
import type { Job, Result, Target } from "./load.ts";
import { readOptions } from "./options.ts";
import { useOf } from "./process_use.ts";
import type { RequestName } from "./requests.ts";
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
  console.log(
    `${connections} connections, ${pinning}. A flow counts as one request. Ratios are Latchkey's part of what the\n` +
      "reference does: requests per second, and requests per CPU time.",
  );
  await using load = start((await findRuntime("deno")).command("load"), 1);
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
async function work(
  load: Running,
  { target, process }: Served,
  what: RequestName,
  limits: { seconds?: number; count?: number },
): Promise<Result> {
  const { seconds = 600, count = 1e9 } = limits;
  const job: Job = { ...target, what, pid: process.pid, connections, seconds, count };
  await load.say(JSON.stringify(job));
  const result: Result = JSON.parse(await load.hear(seconds * 1000 + 30_000));
  // Where CPU time cannot be read, it is not a number, which JSON cannot say.
  return { ...result, cpu: result.cpu ?? NaN };
}

async function throughput(runtime: Runtime, alg: string, load: Running): Promise<void> {
  const rows: string[][] = [];
  let busiest = 0;
  for (const what of options.what) {
    const rounds = await measure(runtime, alg, what, load);
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
  load: Running,
): Promise<Record<Kind, Result[]>> {
  await using latchkey = await serve(runtime, "latchkey", alg);
  await using reference = await serve(runtime, "reference", alg);
  const rounds: Record<Kind, Result[]> = { latchkey: [], reference: [] };
  for (const served of [latchkey, reference]) await work(load, served, what, { seconds: options.warmUp });
  for (let round = 0; round < options.rounds; round++) {
    // Who is first changes, so that a machine that becomes slower or faster favours nobody.
    for (const served of round % 2 === 0 ? [latchkey, reference] : [reference, latchkey]) {
      rounds[served.kind].push(await work(load, served, what, { seconds: options.seconds }));
    }
  }
  return rounds;
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
      await flow(connection, served.target.issuer, publicId);
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
