/**
 * The comparison: flows per second and their cost, of Latchkey, of the bare server, and of the peers. Rounds are
 * interleaved: the servers do the same work in turn, so that changes of the machine's speed affect all equally.
 */

import type { BenchAlgorithm } from "./site.ts";
import type { Result } from "./load.ts";
import type { Options } from "./options.ts";
import type { RunningProcess } from "./processes.ts";
import { findRuntime } from "./runtimes.ts";
import type { Runtime } from "./runtimes.ts";
import { connections, getSubjectLabel, isPeer, runLoad, startServer } from "./served.ts";
import type { RunningServer, SubjectName } from "./served.ts";
import type { FlowName } from "./site.ts";
import { firstLines, median, print } from "./table.ts";

/** From this part of its core on, the load generator may be what is measured. */
const maxLoadCore = 0.9;

/** Measures one kind of flow at every server, and prints. */
export async function compareFlows(flow: FlowName, options: Options, load: RunningProcess): Promise<void> {
  console.log(
    `\n${connections} connections. Ratios are parts of what the reference does: flows per second, and flows per CPU\n` +
      "time, which decides.",
  );
  for (const name of options.runtimes) {
    const runtime = await findRuntime(name);
    for (const alg of options.algs ?? ["ES256", "RS256", ...name === "deno" ? ["EdDSA" as const] : []]) {
      console.log(`\n${flow}, ${runtime.name} ${runtime.version}, ${alg}`);
      await compare(runtime, alg, flow, options, load);
    }
  }
}

async function compare(
  runtime: Runtime,
  alg: BenchAlgorithm,
  flow: FlowName,
  options: Options,
  load: RunningProcess,
): Promise<void> {
  await using running = new AsyncDisposableStack();
  const rows: { readonly subject: SubjectName; readonly server: RunningServer; readonly rounds: Result[] }[] = [];
  for (const subject of ["reference", "webcrypto", "core", "as started", ...options.peers] as const) {
    try {
      const server = running.use(await startServer(runtime, { subject, alg }));
      await runLoad(load, server, flow, { seconds: options.warmUp });
      rows.push({ subject, server, rounds: [] });
    } catch (error) {
      if (!isPeer(subject)) throw error;
      console.log(`  ${getSubjectLabel(subject)} does not run here: ${firstLines((error as Error).message)}`);
    }
  }
  for (let round = 0; round < options.rounds; round++) {
    for (const { server, rounds } of round % 2 === 0 ? rows : rows.toReversed()) {
      rounds.push(await runLoad(load, server, flow, { seconds: options.seconds }));
    }
  }
  const reference = rows[0]!.rounds;
  print(
    ["", "flows/s", "p50 ms", "p99 ms", "p99 ratio", "µs CPU", "load's core", "ratio", "by CPU"],
    rows.map(({ subject, rounds }) => [
      getSubjectLabel(subject),
      medianOf(rounds, "rate").toFixed(0),
      medianOf(rounds, "p50").toFixed(2),
      medianOf(rounds, "p99").toFixed(2),
      ratio(rounds, reference, ({ p99 }) => p99),
      medianOf(rounds, "cpu").toFixed(0),
      medianOf(rounds, "busy").toFixed(2),
      ratio(rounds, reference, ({ rate }) => rate),
      ratio(rounds, reference, ({ cpu }) => 1 / cpu),
    ]),
  );
  const maxBusy = Math.max(...rows.flatMap(({ rounds }) => rounds.map(({ busy }) => busy)));
  if (maxBusy > maxLoadCore) {
    console.log(`  The load generator used up to ${maxBusy.toFixed(2)} of its core: if near 1, use the CPU columns.`);
  }
}

/** The median of how one compares with another, round by round. */
function ratio(one: readonly Result[], other: readonly Result[], metric: (round: Result) => number): string {
  return median(one.map((round, i) => metric(round) / metric(other[i]!))).toFixed(2);
}

function medianOf(rounds: readonly Result[], name: keyof Result): number {
  return median(rounds.map((round) => round[name]));
}
