/** The memory part: memory of an idle and a warm process, and after each step of flows. */

import type { SigningAlgorithm } from "../../src/mod.ts";
import { atMost } from "./targets.ts";
import type { Options } from "./options.ts";
import { getProcessUsage } from "./process_usage.ts";
import type { RunningProcess } from "./processes.ts";
import { findRuntime } from "./runtimes.ts";
import type { Runtime } from "./runtimes.ts";
import { runLoad } from "./served.ts";
import { getSubjectLabel, startOnServerCore } from "./subjects.ts";
import type { SubjectName } from "./subjects.ts";
import { firstLines, print } from "./table.ts";

/** Maximum memory of Latchkey, as a factor of the reference server's. */
const maxMemoryRatio = 1.3;

/** Maximum growth afterwards, as a factor, in half as many flows again. */
const maxLateGrowth = 1.1;

/** Measures and prints. */
export async function memory(options: Options, load: RunningProcess): Promise<void> {
  console.log("\nMemory: MiB resident. Codes live 10 s, and stay stored for another 30 s.");
  for (const name of options.runtimes) {
    const runtime = await findRuntime(name);
    for (const alg of options.algs ?? ["EdDSA"]) {
      const reference = await measure(runtime, alg, "reference", options, load);
      const latchkey = await measure(runtime, alg, "latchkey", options, load);
      const rows = [["reference", ...reference.map(formatWhole)], ["latchkey", ...latchkey.map(formatWhole)]];
      const absent: string[] = [];
      for (const subject of options.peers) {
        try {
          rows.push([
            getSubjectLabel(subject),
            ...(await measure(runtime, alg, subject, options, load)).map(formatWhole),
          ]);
        } catch (error) {
          absent.push(`  ${getSubjectLabel(subject)} does not run here: ${firstLines((error as Error).message)}`);
        }
      }
      const flows = Array.from({ length: options.steps }, (_, i) => `${(i + 1) * options.flowsPerStep}`);
      print([`memory, ${runtime.name} ${runtime.version}, ${alg}`, "idle", "warm", ...flows], rows);
      for (const line of absent) console.log(line);
      const i = options.steps * 2 / 3;
      const where = `memory, ${name}, ${alg}`;
      // The first step follows two figures that flows do not have.
      atMost(
        `${where}: after ${flows[i - 1]} flows, times the reference's`,
        maxMemoryRatio,
        latchkey[i + 1]! / reference[i + 1]!,
      );
      atMost(`${where}: after ${flows.at(-1)}, times that`, maxLateGrowth, latchkey.at(-1)! / latchkey[i + 1]!);
    }
  }
}

/** Idle, warm, and after each step. */
async function measure(
  runtime: Runtime,
  alg: SigningAlgorithm,
  subject: SubjectName,
  options: Options,
  load: RunningProcess,
): Promise<number[]> {
  await using served = await startOnServerCore(runtime, { subject, alg, codeLifetime: 10 });
  const measureRss = async (): Promise<number> => (await getProcessUsage(served.processes[0]!.pid)).rss;
  const all = [await measureRss()];
  await runLoad(load, served, "flow", { seconds: options.warmUp });
  all.push(await measureRss());
  for (let step = 0; step < options.steps; step++) {
    await runLoad(load, served, "flow", { count: options.flowsPerStep });
    all.push(await measureRss());
  }
  return all;
}

function formatWhole(value: number): string {
  return value.toFixed(0);
}
