/**
 * The growth part: what a flow and a refresh cost beside ever more clients, users, live grants and instances, and how
 * much memory a live grant takes.
 */

import type { SigningAlgorithm } from "../../src/mod.ts";
import { atMost } from "./aims.ts";
import type { Fill } from "./fill.ts";
import type { Options } from "./options.ts";
import { chart } from "./picture.ts";
import type { Line } from "./picture.ts";
import { findPlaces } from "./places.ts";
import type { Place } from "./places.ts";
import { capture } from "./processes.ts";
import type { Running } from "./processes.ts";
import type { RequestName } from "./requests.ts";
import { middle, ratio, takeTurnsAll } from "./rounds.ts";
import type { Measured } from "./rounds.ts";
import { findRuntime } from "./runtimes.ts";
import type { Runtime } from "./runtimes.ts";
import { serve, together } from "./served.ts";
import { print } from "./table.ts";

/** Each tenfold may add this part of what the smallest costs: no more than logarithmic growth, and little of that. */
const perTenfold = 0.1;

/** Several instances beside one may cost as many times as much. */
const mostForInstances = 1.25;

/** What of each grows, and what is asked of the server beside it. */
const dimensions: readonly {
  readonly of: string;
  readonly fill: keyof Fill;
  readonly whats: readonly RequestName[];
  /** As many at most: this part of the most that there are of anything. */
  readonly part: number;
}[] = [
  { of: "clients", fill: "clients", whats: ["flow", "refresh"], part: 0.1 },
  { of: "users", fill: "users", whats: ["flow", "refresh"], part: 0.1 },
  { of: "live refresh tokens", fill: "refreshTokens", whats: ["flow", "refresh"], part: 1 },
  { of: "live codes", fill: "codes", whats: ["flow"], part: 1 },
];

/** What answers for all instances of a comparison. */
const issuer = "http://localhost:9000";

/** Measures, prints and draws. */
export async function growth(options: Options, load: Running): Promise<void> {
  console.log(
    "\nGrowth: µs of the servers' CPU per request, by how many of one kind there are. Wanted is that each tenfold adds no\n" +
      `more than ${perTenfold * 100} % of what the smallest costs.`,
  );
  const lines: Line[] = [];
  let heading = "";
  for (const name of options.runtimes) {
    const runtime = await findRuntime(name);
    for (const alg of options.algs ?? ["EdDSA"]) {
      heading = `${runtime.name} ${runtime.version}, ${alg}`;
      lines.length = 0;
      for (const dimension of dimensions) lines.push(...await grow(runtime, alg, dimension, options, load));
      await instances(runtime, alg, options, load);
    }
  }
  if (options.picture === undefined) return;
  // Of the last of them, where there are several: a picture shows one.
  await Deno.writeTextFile(options.picture, chart(heading, lines));
  // As everything else in the tree is.
  await capture(Deno.execPath(), "fmt", "--quiet", options.picture);
}

async function grow(
  runtime: Runtime,
  alg: SigningAlgorithm,
  { of, fill, whats, part }: typeof dimensions[number],
  options: Options,
  load: Running,
): Promise<Line[]> {
  const counts = [10, 100, 1000, 10_000, 100_000, 1_000_000].filter((count) => count <= options.grown * part);
  const begins = counts.map((count) => () =>
    serve(runtime, { which: "latchkey", alg, codeLifetime: 10, fill: { [fill]: count } }, 0)
  );
  const measured = await takeTurnsAll(begins, whats, options, load);
  const first = measured[0]!;
  const bytes = (i: number): number => (measured[i]!.held - first.held) * 2 ** 20 / (counts[i]! - counts[0]!);
  print(
    [
      `${of}, ${runtime.name} ${runtime.version}, ${alg}`,
      ...whats.flatMap((what) => [what, ""]),
      "RSS, MiB",
      "bytes each",
    ],
    measured.map((one, i) => [
      counts[i]!.toLocaleString("en"),
      ...whats.flatMap((
        what,
      ) => [middle(one.rounds[what]!, "cpu").toFixed(0), `${times(one, first, what).toFixed(2)}×`]),
      one.held.toFixed(0),
      // Of fewer, what the runtime takes for itself would be most of it.
      counts[i]! < 100_000 ? "" : bytes(i).toFixed(0),
    ]),
  );
  const last = measured.at(-1)!;
  const most = 1 + perTenfold * Math.log10(counts.at(-1)! / counts[0]!);
  for (const what of whats) {
    const beside = `${counts.at(-1)!.toLocaleString("en")} ${of}`;
    atMost(
      `growth, ${runtime.key}, ${alg}: ${what} beside ${beside}, times that beside 10`,
      most,
      times(last, first, what),
    );
  }
  return whats.map((what) => ({
    name: `${what}, ${of}`,
    points: measured.map((one, i) => ({ count: counts[i]!, times: times(one, first, what) })),
  }));
}

/** One, two and three instances on one database, on whichever core there is; each request goes to the next instance. */
async function instances(runtime: Runtime, alg: SigningAlgorithm, options: Options, load: Running): Promise<void> {
  const places = await findPlaces();
  try {
    for (const place of places.filter(({ shared }) => shared)) await instancesOn(place, runtime, alg, options, load);
  } finally {
    for (const place of places) await place.clear?.();
  }
}

async function instancesOn(
  { name, store, namespace }: Place,
  runtime: Runtime,
  alg: SigningAlgorithm,
  options: Options,
  load: Running,
): Promise<void> {
  const one = () => serve(runtime, { which: "latchkey", alg, store, namespace, issuer });
  const begins = [1, 2, 3].map((count) => async () =>
    together(await Promise.all(Array.from({ length: count }, () => one())))
  );
  const measured = await takeTurnsAll(begins, ["flow"], options, load);
  const first = measured[0]!;
  print(
    [`instances on one ${name}, ${runtime.name} ${runtime.version}, ${alg}`, "flow", "", "flows/s", ""],
    measured.map((one, i) => {
      const rounds = one.rounds.flow!;
      return [
        `${i + 1}`,
        middle(rounds, "cpu").toFixed(0),
        `${times(one, first, "flow").toFixed(2)}×`,
        middle(rounds, "rate").toFixed(0),
        `${ratio(rounds, first.rounds.flow!, ({ rate }) => rate).toFixed(2)}×`,
      ];
    }),
  );
  const aim = `growth, ${runtime.key}, ${alg}: flow at 3 instances on ${name}, times that at 1`;
  atMost(aim, mostForInstances, times(measured.at(-1)!, first, "flow"));
}

function times(one: Measured, first: Measured, what: RequestName): number {
  return ratio(one.rounds[what]!, first.rounds[what]!, ({ cpu }) => cpu);
}
