/** The stores part: flows with each store compared to memory, and the store calls of a request. */

import type { SigningAlgorithm } from "../../src/mod.ts";
import type { Options } from "./options.ts";
import { findStoreLocations } from "./store_locations.ts";
import type { StoreLocation } from "./store_locations.ts";
import type { RunningProcess } from "./processes.ts";
import { roundTrips } from "./round_trips.ts";
import { measureAllInTurn, medianOf, ratio } from "./rounds.ts";
import { findRuntime } from "./runtimes.ts";
import type { Runtime } from "./runtimes.ts";
import { startServer } from "./served.ts";
import { print } from "./table.ts";

/** Measures and prints. */
export async function stores(options: Options, load: RunningProcess): Promise<void> {
  await roundTrips();
  const places = await findStoreLocations();
  try {
    for (const name of options.runtimes) {
      const runtime = await findRuntime(name);
      for (const alg of options.algs ?? ["EdDSA"]) {
        console.log(`\n${runtime.name} ${runtime.version}, ${alg}`);
        await compare(runtime, alg, places, options, load);
      }
    }
  } finally {
    for (const place of places) await place.clear?.();
  }
}

/** Flows with each store, compared to the first. */
async function compare(
  runtime: Runtime,
  alg: SigningAlgorithm,
  places: readonly StoreLocation[],
  options: Options,
  load: RunningProcess,
): Promise<void> {
  const begins = places.map(({ store, namespace }) => () =>
    startServer(runtime, { subject: "latchkey", alg, store, namespace }, 0)
  );
  const measured = await measureAllInTurn(begins, ["flow"], options, load);
  const all = measured.map(({ rounds }) => rounds.flow!);
  print(
    ["flows by store", "flows/s", "p50 ms", "p99 ms", "µs CPU", "ratio", "by CPU"],
    all.map((rounds, i) => [
      places[i]!.name,
      medianOf(rounds, "rate").toFixed(0),
      medianOf(rounds, "p50").toFixed(2),
      medianOf(rounds, "p99").toFixed(2),
      medianOf(rounds, "cpu").toFixed(0),
      ...i === 0 ? ["", ""] : [
        ratio(rounds, all[0]!, ({ rate }) => rate).toFixed(2),
        ratio(rounds, all[0]!, ({ cpu }) => 1 / cpu).toFixed(2),
      ],
    ]),
  );
}
