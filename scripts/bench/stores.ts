/** The stores part: flows with each store beside memory, and what a request asks of the store. */

import type { SigningAlgorithm } from "../../src/mod.ts";
import type { Options } from "./options.ts";
import { findPlaces } from "./places.ts";
import type { Place } from "./places.ts";
import type { Running } from "./processes.ts";
import { roundTrips } from "./round_trips.ts";
import { middle, ratio, takeTurnsAll } from "./rounds.ts";
import { findRuntime } from "./runtimes.ts";
import type { Runtime } from "./runtimes.ts";
import { serve } from "./served.ts";
import { print } from "./table.ts";

/** Measures and prints. */
export async function stores(options: Options, load: Running): Promise<void> {
  await roundTrips();
  const places = await findPlaces();
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

/** Flows with each store, beside the first. */
async function compare(
  runtime: Runtime,
  alg: SigningAlgorithm,
  places: readonly Place[],
  options: Options,
  load: Running,
): Promise<void> {
  const begins = places.map(({ store, namespace }) => () =>
    serve(runtime, { which: "latchkey", alg, store, namespace }, 0)
  );
  const measured = await takeTurnsAll(begins, ["flow"], options, load);
  const all = measured.map(({ rounds }) => rounds.flow!);
  print(
    ["flows by store", "flows/s", "p50 ms", "p99 ms", "µs CPU", "ratio", "by CPU"],
    all.map((rounds, i) => [
      places[i]!.name,
      middle(rounds, "rate").toFixed(0),
      middle(rounds, "p50").toFixed(2),
      middle(rounds, "p99").toFixed(2),
      middle(rounds, "cpu").toFixed(0),
      ...i === 0 ? ["", ""] : [
        ratio(rounds, all[0]!, ({ rate }) => rate).toFixed(2),
        ratio(rounds, all[0]!, ({ cpu }) => 1 / cpu).toFixed(2),
      ],
    ]),
  );
}
