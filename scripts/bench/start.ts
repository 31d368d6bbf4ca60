/** The start part: from the spawn of the process to listening, and to the end of the first flow. */

import type { BenchAlgorithm } from "./site.ts";
import { openConnection } from "./connection.ts";
import { runFlow } from "./flow.ts";
import type { Options } from "./options.ts";
import { findRuntime } from "./runtimes.ts";
import type { Runtime } from "./runtimes.ts";
import { getSubjectLabel, isPeer, startServer } from "./served.ts";
import type { SubjectName } from "./served.ts";
import { firstLines, median, print } from "./table.ts";

/** Milliseconds of one start. */
interface Start {
  readonly listening: number;
  readonly firstFlow: number;
}

/** Measures and prints. */
export async function measureStarts(options: Options): Promise<void> {
  console.log(
    "\nThe start, in milliseconds since the spawn: until it listens, and until the first flow is complete. Latchkey as\n" +
      "started is the program, from source on Deno, from the npm package elsewhere. It creates its keys; so does the\n" +
      "reference. The peers' keys are prepared.",
  );
  for (const name of options.runtimes) {
    const runtime = await findRuntime(name);
    for (const alg of options.algs ?? ["ES256"]) await measure(runtime, alg, options);
  }
}

/** Each in turn, repeatedly. The first start, which may fill caches, does not count. */
async function measure(runtime: Runtime, alg: BenchAlgorithm, options: Options): Promise<void> {
  const starts = new Map<SubjectName, Start[]>();
  for (const subject of ["reference", "as started", "core", ...options.peers] as const) starts.set(subject, []);
  const absent: string[] = [];
  for (let spawn = 0; spawn <= options.spawns; spawn++) {
    for (const [subject, measured] of starts) {
      try {
        const start = await startOnce(runtime, subject, alg);
        if (spawn > 0) measured.push(start);
      } catch (error) {
        if (!isPeer(subject)) throw error;
        starts.delete(subject);
        absent.push(`  ${getSubjectLabel(subject)} does not run here: ${firstLines((error as Error).message)}`);
      }
    }
  }
  print(
    [`start, ${runtime.name} ${runtime.version}, ${alg}`, "listening", "first flow"],
    [...starts].map(([subject, measured]) => [
      getSubjectLabel(subject),
      median(measured.map(({ listening }) => listening)).toFixed(0),
      median(measured.map(({ firstFlow }) => firstFlow)).toFixed(0),
    ]),
  );
  for (const line of absent) console.log(line);
}

async function startOnce(runtime: Runtime, subject: SubjectName, alg: BenchAlgorithm): Promise<Start> {
  const begun = performance.now();
  await using server = await startServer(runtime, { subject, alg });
  const listening = performance.now() - begun;
  const connection = await openConnection(server.port);
  try {
    await runFlow(connection, server.site);
    return { listening, firstFlow: performance.now() - begun };
  } finally {
    connection.close();
  }
}
