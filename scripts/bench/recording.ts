/** The recording part: what the inspector adds to a flow of the program, with and without an open page. */

import type { SigningAlgorithm } from "../../src/mod.ts";
import type { Options } from "./options.ts";
import type { RunningProcess } from "./processes.ts";
import { measureAllInTurn, medianOf, ratio } from "./rounds.ts";
import { findRuntime } from "./runtimes.ts";
import type { Runtime } from "./runtimes.ts";
import type { RunningServer } from "./served.ts";
import { startOnServerCore } from "./subjects.ts";
import { print } from "./table.ts";
import { atMost } from "./targets.ts";

/** Maximum cost of a flow with the inspector, as a multiple of the cost without it. */
const maxRatio = 1.25;

/** The same while a page is open. */
const maxListenerRatio = 1.6;

/** Measures and prints. */
export async function recording(options: Options, load: RunningProcess): Promise<void> {
  for (const name of options.runtimes) {
    const runtime = await findRuntime(name);
    for (const alg of options.algs ?? [name === "deno" ? "EdDSA" : "ES256"]) {
      await compare(runtime, alg, options, load);
    }
  }
}

async function compare(
  runtime: Runtime,
  alg: SigningAlgorithm,
  options: Options,
  load: RunningProcess,
): Promise<void> {
  const names = ["without the inspector", "with the inspector", "with the inspector and one open page"];
  const starters = [
    () => startOnServerCore(runtime, { subject: "without-inspector", alg }),
    () => startOnServerCore(runtime, { subject: "as-started", alg }),
    async () => await listen(await startOnServerCore(runtime, { subject: "as-started", alg })),
  ];
  const what = "flow_with_refresh_token";
  const all = (await measureAllInTurn(starters, [what], options, load)).map(({ rounds }) => rounds[what]!);
  const ratios = all.map((rounds) => ratio(rounds, all[0]!, ({ cpu }) => cpu));
  console.log();
  print(
    [`recording, ${runtime.name} ${runtime.version}, ${alg}`, "flows/s", "p50 ms", "p99 ms", "µs CPU", "times"],
    all.map((rounds, i) => [
      names[i]!,
      medianOf(rounds, "rate").toFixed(0),
      medianOf(rounds, "p50").toFixed(2),
      medianOf(rounds, "p99").toFixed(2),
      medianOf(rounds, "cpu").toFixed(0),
      i === 0 ? "" : ratios[i]!.toFixed(2),
    ]),
  );
  atMost(`recording, ${runtime.key}, ${alg}: times without`, maxRatio, ratios[1]!);
  atMost(`recording, ${runtime.key}, ${alg}: times without, with a page`, maxListenerRatio, ratios[2]!);
}

/** Listens like an open page of the inspector, and discards the events. */
async function listen(server: RunningServer): Promise<RunningServer> {
  const { body } = await fetch(`${server.site.issuer}/flows/events`);
  const discarded = body!.pipeTo(new WritableStream()).catch(() => {});
  return {
    ...server,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await discarded;
    },
  };
}
