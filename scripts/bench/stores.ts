/** The stores part: flows with each store beside memory, one and three instances, and what a request asks of the store. */

import type { Result } from "./load.ts";
import type { Options } from "./options.ts";
import { findRuntime } from "./runtimes.ts";
import type { Running, Runtime } from "./runtimes.ts";
import type { Setup } from "./server.ts";
import { serve, together, work } from "./served.ts";
import type { Served } from "./served.ts";
import { median, print } from "./table.ts";
import { roundTrips } from "./round_trips.ts";

/** Somewhere to keep records. */
interface Place {
  readonly name: string;
  /** Of {@link Setup}; absent: in memory. */
  readonly store?: string;
  readonly namespace?: string;
  /** Whether instances on other machines could share it. */
  readonly shared?: true;
  /** Removes what was kept. */
  clear?(): Promise<void>;
}

/** What answers for all instances of a comparison. */
const issuer = "http://localhost:9000";

/** Measures and prints. */
export async function stores(options: Options, load: Running): Promise<void> {
  await roundTrips();
  const places = await findPlaces();
  try {
    for (const name of options.runtimes) {
      const runtime = await findRuntime(name);
      for (const alg of options.algs ?? ["EdDSA"]) {
        console.log(`\n${runtime.name} ${runtime.version}, ${alg}`);
        await compare(
          "flows by store",
          places,
          ({ store, namespace }) => serve(runtime, { which: "latchkey", alg, store, namespace }, 0),
          options,
          load,
        );
        for (const place of places.filter(({ shared }) => shared)) await instances(runtime, alg, place, options, load);
      }
    }
  } finally {
    for (const place of places) await place.clear?.();
  }
}

/** One instance beside three, on whichever core there is; each request goes to the next instance. */
async function instances(runtime: Runtime, alg: string, place: Place, options: Options, load: Running): Promise<void> {
  const setup: Setup = { which: "latchkey", alg, store: place.store, namespace: place.namespace, issuer };
  const some = async (count: number) =>
    together(await Promise.all(Array.from({ length: count }, () => serve(runtime, setup))));
  const cases = [{ name: "one instance", count: 1 }, { name: "three instances", count: 3 }];
  await compare(`flows on one ${place.name}`, cases, ({ count }) => some(count), options, load);
}

/** Interleaved rounds of flows, each case beside the first. */
async function compare<Case extends { readonly name: string }>(
  heading: string,
  cases: readonly Case[],
  begin: (one: Case) => Promise<Served>,
  options: Options,
  load: Running,
): Promise<void> {
  await using running = new AsyncDisposableStack();
  const rows: { readonly name: string; readonly served: Served; readonly rounds: Result[] }[] = [];
  for (const one of cases) rows.push({ name: one.name, served: running.use(await begin(one)), rounds: [] });
  for (const { served } of rows) await work(load, served, "flow", { seconds: options.warmUp });
  for (let round = 0; round < options.rounds; round++) {
    for (const { served, rounds } of round % 2 === 0 ? rows : rows.toReversed()) {
      rounds.push(await work(load, served, "flow", { seconds: options.seconds }));
    }
  }
  const first = rows[0]!.rounds;
  print(
    [heading, "flows/s", "p50 ms", "p99 ms", "µs CPU of servers", "ratio", "by CPU"],
    rows.map(({ name, rounds }) => [
      name,
      median(rounds.map(({ rate }) => rate)).toFixed(0),
      median(rounds.map(({ p50 }) => p50)).toFixed(2),
      median(rounds.map(({ p99 }) => p99)).toFixed(2),
      median(rounds.map(({ cpu }) => cpu)).toFixed(0),
      ...rounds === first ? ["", ""] : [
        median(rounds.map(({ rate }, i) => rate / first[i]!.rate)).toFixed(2),
        median(rounds.map(({ cpu }, i) => first[i]!.cpu / cpu)).toFixed(2),
      ],
    ]),
  );
}

/** Memory, a file, and the database servers that the environment names. */
async function findPlaces(): Promise<Place[]> {
  const folder = await Deno.makeTempDir({ dir: "dist/bench", prefix: "stores-" });
  const namespace = `latchkey_bench_${Deno.pid}`;
  const places: Place[] = [
    { name: "memory" },
    { name: "sqlite", store: `sqlite:${folder}/store.db`, clear: () => Deno.remove(folder, { recursive: true }) },
  ];
  const servers = { postgres: "LATCHKEY_TEST_POSTGRES", redis: "LATCHKEY_TEST_REDIS" };
  for (const [name, variable] of Object.entries(servers)) {
    const store = Deno.env.get(variable);
    if (store === undefined) console.log(`Left out ${name}: ${variable} names no server.`);
    else places.push({ name, store, namespace, shared: true, clear: () => clear(name, store, namespace) });
  }
  return places;
}

async function clear(name: string, url: string, namespace: string): Promise<void> {
  const { dropPostgresSchemas, dropRedisPrefixes } = await import("../../tests/stores/servers.ts");
  await (name === "postgres" ? dropPostgresSchemas(url, [namespace]) : dropRedisPrefixes(url, [namespace]));
}
