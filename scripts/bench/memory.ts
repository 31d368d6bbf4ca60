/** The memory part: what a process holds when it is idle, when it is warm, and after ever more flows. */

import type { SigningAlgorithm } from "../../src/mod.ts";
import { atMost } from "./aims.ts";
import type { Options } from "./options.ts";
import { useOf } from "./process_use.ts";
import type { Running } from "./processes.ts";
import { findRuntime } from "./runtimes.ts";
import type { Runtime } from "./runtimes.ts";
import { work } from "./served.ts";
import { begin, nameOf } from "./subjects.ts";
import type { Which } from "./subjects.ts";
import { firstLines, print } from "./table.ts";

/** As many times what the bare server holds may Latchkey hold. */
const most = 1.3;

/** Afterwards it may grow to as many times as much, in half as many flows again. */
const flat = 1.1;

/** Measures and prints. */
export async function memory(options: Options, load: Running): Promise<void> {
  console.log("\nMemory: MiB resident. Codes live 10 s, and are kept for 30 s more.");
  for (const name of options.runtimes) {
    const runtime = await findRuntime(name);
    for (const alg of options.algs ?? ["EdDSA"]) {
      const reference = await measure(runtime, alg, "reference", options, load);
      const latchkey = await measure(runtime, alg, "latchkey", options, load);
      const rows = [["reference", ...reference.map(whole)], ["latchkey", ...latchkey.map(whole)]];
      const absent: string[] = [];
      for (const which of options.peers) {
        try {
          rows.push([nameOf(which), ...(await measure(runtime, alg, which, options, load)).map(whole)]);
        } catch (error) {
          absent.push(`  ${nameOf(which)} does not run here: ${firstLines((error as Error).message)}`);
        }
      }
      const flows = Array.from({ length: options.steps }, (_, i) => `${(i + 1) * options.step}`);
      print([`memory, ${runtime.name} ${runtime.version}, ${alg}`, "idle", "warm", ...flows], rows);
      for (const line of absent) console.log(line);
      const i = options.steps * 2 / 3;
      const where = `memory, ${name}, ${alg}`;
      // Before the first step stand two figures, of which the flows have none.
      atMost(
        `${where}: after ${flows[i - 1]} flows, times the reference's`,
        most,
        latchkey[i + 1]! / reference[i + 1]!,
      );
      atMost(`${where}: after ${flows.at(-1)}, times that`, flat, latchkey.at(-1)! / latchkey[i + 1]!);
    }
  }
}

/** Idle, warm, and after each step. */
async function measure(
  runtime: Runtime,
  alg: SigningAlgorithm,
  which: Which,
  options: Options,
  load: Running,
): Promise<number[]> {
  await using served = await begin(runtime, { which, alg, codeLifetime: 10 });
  const held = async (): Promise<number> => (await useOf(served.processes[0]!.pid)).rss;
  const all = [await held()];
  await work(load, served, "flow", { seconds: options.warmUp });
  all.push(await held());
  for (let step = 0; step < options.steps; step++) {
    await work(load, served, "flow", { count: options.step });
    all.push(await held());
  }
  return all;
}

function whole(value: number): string {
  return value.toFixed(0);
}
