/** The memory part: memory of an idle and a warm process, and after each step of flows. */

import type { BenchAlgorithm } from "./site.ts";
import type { Options } from "./options.ts";
import { getProcessUsage } from "./process_usage.ts";
import type { RunningProcess } from "./processes.ts";
import { findRuntime } from "./runtimes.ts";
import type { Runtime } from "./runtimes.ts";
import { getSubjectLabel, runLoad, startServer } from "./served.ts";
import type { SubjectName } from "./served.ts";
import { print } from "./table.ts";

/** Number of steps. */
const steps = 9;

/** Measures and prints. */
export async function measureMemory(options: Options, load: RunningProcess): Promise<void> {
  console.log("\nMemory: MiB resident. Codes live 10 s, and stay stored for another 30 s.");
  const flows = Array.from({ length: steps }, (_, i) => `${(i + 1) * options.flowsPerStep}`);
  for (const name of options.runtimes) {
    const runtime = await findRuntime(name);
    for (const alg of options.algs ?? ["EdDSA"]) {
      const rows: string[][] = [];
      for (const subject of ["reference", "core"] as const) {
        const sizes = await measure(runtime, alg, subject, options, load);
        rows.push([getSubjectLabel(subject), ...sizes.map((size) => size.toFixed(0))]);
      }
      print([`memory, ${runtime.name} ${runtime.version}, ${alg}`, "idle", "warm", ...flows], rows);
    }
  }
}

/** Idle, warm, and after each step. */
async function measure(
  runtime: Runtime,
  alg: BenchAlgorithm,
  subject: SubjectName,
  options: Options,
  load: RunningProcess,
): Promise<number[]> {
  await using server = await startServer(runtime, { subject, alg, codeLifetime: 10 });
  const measureRss = async (): Promise<number> => (await getProcessUsage(server.pid)).rss;
  const all = [await measureRss()];
  await runLoad(load, server, "flow", { seconds: options.warmUp });
  all.push(await measureRss());
  for (let step = 0; step < steps; step++) {
    await runLoad(load, server, "flow", { count: options.flowsPerStep });
    all.push(await measureRss());
  }
  return all;
}
