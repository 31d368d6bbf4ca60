/**
 * The growth part: cost of a flow and a refresh with more clients, users, active grants and instances, and the memory
 * of an active grant.
 */

import type { SigningAlgorithm } from "../../src/mod.ts";
import { atMost } from "./targets.ts";
import type { StoreContents } from "./fill.ts";
import type { Options } from "./options.ts";
import { chart } from "./chart.ts";
import type { Line } from "./chart.ts";
import { findStoreLocations } from "./store_locations.ts";
import type { StoreLocation } from "./store_locations.ts";
import { capture } from "./processes.ts";
import type { RunningProcess } from "./processes.ts";
import type { RequestName } from "./requests.ts";
import { measureAllInTurn, medianOf, ratio } from "./rounds.ts";
import type { Measurement } from "./rounds.ts";
import { findRuntime } from "./runtimes.ts";
import type { Runtime } from "./runtimes.ts";
import { combineServers, startServer } from "./served.ts";
import { print } from "./table.ts";

/** Additional cost per factor of ten, as a fraction of the smallest: at most slow logarithmic growth. */
const maxGrowthPerDecade = 0.1;

/** Maximum cost with several instances, as a factor of one instance. */
const maxInstancesRatio = 1.25;

/** Dimensions of growth, and the requests measured. */
const dimensions: readonly {
  readonly of: string;
  readonly fill: keyof StoreContents;
  readonly whats: readonly RequestName[];
  /** Maximum, as a fraction of the overall maximum. */
  readonly part: number;
}[] = [
  { of: "clients", fill: "clients", whats: ["flow", "refresh"], part: 0.1 },
  { of: "users", fill: "users", whats: ["flow", "refresh"], part: 0.1 },
  { of: "live refresh tokens", fill: "refreshTokens", whats: ["flow", "refresh"], part: 1 },
  { of: "live codes", fill: "codes", whats: ["flow"], part: 1 },
];

/** The servers of a comparison. */
const issuer = "http://localhost:9000";

/** Measures, prints and draws. */
export async function growth(options: Options, load: RunningProcess): Promise<void> {
  console.log(
    "\nGrowth: µs of the servers' CPU per request, by size. Target: each factor of ten adds no\n" +
      `more than ${maxGrowthPerDecade * 100} % of the cost at the smallest size.`,
  );
  const lines: Line[] = [];
  let heading = "";
  for (const name of options.runtimes) {
    const runtime = await findRuntime(name);
    for (const alg of options.algs ?? ["EdDSA"]) {
      heading = `${runtime.name} ${runtime.version}, ${alg}`;
      lines.length = 0;
      for (const dimension of dimensions) lines.push(...await measureGrowth(runtime, alg, dimension, options, load));
      await measureInstances(runtime, alg, options, load);
    }
  }
  if (options.picture === undefined) return;
  // The last comparison, if there are several: a chart shows one.
  await Deno.writeTextFile(options.picture, chart(heading, lines));
  // Formatted like every file of the tree.
  await capture(Deno.execPath(), "fmt", "--quiet", options.picture);
}

async function measureGrowth(
  runtime: Runtime,
  alg: SigningAlgorithm,
  { of: label, fill, whats, part: share }: typeof dimensions[number],
  options: Options,
  load: RunningProcess,
): Promise<Line[]> {
  const counts = [10, 100, 1000, 10_000, 100_000, 1_000_000].filter((count) => count <= options.maxGrowth * share);
  const starters = counts.map((count) => () =>
    startServer(runtime, { subject: "latchkey", alg, codeLifetime: 10, fill: { [fill]: count } }, 0)
  );
  const measured = await measureAllInTurn(starters, whats, options, load);
  const first = measured[0]!;
  const bytes = (i: number): number => (measured[i]!.resident - first.resident) * 2 ** 20 / (counts[i]! - counts[0]!);
  print(
    [
      `${label}, ${runtime.name} ${runtime.version}, ${alg}`,
      ...whats.flatMap((what) => [what, ""]),
      "RSS, MiB",
      "bytes each",
    ],
    measured.map((result, i) => [
      counts[i]!.toLocaleString("en"),
      ...whats.flatMap((
        what,
      ) => [medianOf(result.rounds[what]!, "cpu").toFixed(0), `${getRatio(result, first, what).toFixed(2)}×`]),
      result.resident.toFixed(0),
      // With fewer grants the runtime's own memory would dominate.
      counts[i]! < 100_000 ? "" : bytes(i).toFixed(0),
    ]),
  );
  const last = measured.at(-1)!;
  const maxRatio = 1 + maxGrowthPerDecade * Math.log10(counts.at(-1)! / counts[0]!);
  for (const what of whats) {
    const beside = `${counts.at(-1)!.toLocaleString("en")} ${label}`;
    atMost(
      `growth, ${runtime.key}, ${alg}: ${what} beside ${beside}, times that beside 10`,
      maxRatio,
      getRatio(last, first, what),
    );
  }
  return whats.map((what) => ({
    name: `${what}, ${label}`,
    points: measured.map((result, i) => ({ count: counts[i]!, times: getRatio(result, first, what) })),
  }));
}

/** One, two and three instances on one database, on any core; each request goes to the next instance. */
async function measureInstances(
  runtime: Runtime,
  alg: SigningAlgorithm,
  options: Options,
  load: RunningProcess,
): Promise<void> {
  const places = await findStoreLocations();
  try {
    for (const place of places.filter(({ shared }) => shared)) {
      await measureInstancesOn(place, runtime, alg, options, load);
    }
  } finally {
    for (const place of places) await place.clear?.();
  }
}

async function measureInstancesOn(
  { name, store, namespace }: StoreLocation,
  runtime: Runtime,
  alg: SigningAlgorithm,
  options: Options,
  load: RunningProcess,
): Promise<void> {
  const startOne = () => startServer(runtime, { subject: "latchkey", alg, store, namespace, issuer });
  const starters = [1, 2, 3].map((count) => async () =>
    combineServers(await Promise.all(Array.from({ length: count }, () => startOne())))
  );
  const measured = await measureAllInTurn(starters, ["flow"], options, load);
  const first = measured[0]!;
  print(
    [`instances on one ${name}, ${runtime.name} ${runtime.version}, ${alg}`, "flow", "", "flows/s", ""],
    measured.map((startOne, i) => {
      const rounds = startOne.rounds.flow!;
      return [
        `${i + 1}`,
        medianOf(rounds, "cpu").toFixed(0),
        `${getRatio(startOne, first, "flow").toFixed(2)}×`,
        medianOf(rounds, "rate").toFixed(0),
        `${ratio(rounds, first.rounds.flow!, ({ rate }) => rate).toFixed(2)}×`,
      ];
    }),
  );
  const target = `growth, ${runtime.key}, ${alg}: flow at 3 instances on ${name}, times that at 1`;
  atMost(target, maxInstancesRatio, getRatio(measured.at(-1)!, first, "flow"));
}

function getRatio(one: Measurement, first: Measurement, what: RequestName): number {
  return ratio(one.rounds[what]!, first.rounds[what]!, ({ cpu }) => cpu);
}
