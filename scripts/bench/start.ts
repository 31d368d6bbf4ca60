/** The start part: from the spawn of the process to listening, and to the end of the first flow. */

import type { SigningAlgorithm } from "../../src/mod.ts";
import { atMost } from "./targets.ts";
import { openConnection } from "./connection.ts";
import { runFlow } from "./flow.ts";
import type { Options } from "./options.ts";
import { getModifiedTime, getNewestTime, programCommand, startProgram } from "./program.ts";
import { findRuntime } from "./runtimes.ts";
import type { Runtime } from "./runtimes.ts";
import type { RunningServer } from "./served.ts";
import { getSubjectLabel, startOnServerCore } from "./subjects.ts";
import { firstLines, median, print } from "./table.ts";

/** Maximum time of Latchkey, as a factor of the reference server's. */
const maxStartRatio = 1.25;

/** A program that is started repeatedly. */
interface Row {
  readonly label: string;
  readonly start: () => Promise<RunningServer>;
  readonly listening: number[];
  readonly firstFlow: number[];
  /** Why it cannot be started. */
  reason?: string;
}

/** Measures and prints. */
export async function measureStart(options: Options): Promise<void> {
  console.log(
    "\nThe start, in milliseconds since the spawn: until it listens, and until the first flow is complete. Latchkey is\n" +
      "the real program with a configuration file, and creates its keys; so does the reference. The peers' keys are prepared.",
  );
  const compiled = await getModifiedTime(options.binary);
  if (compiled === 0) {
    console.log(`Skipped the executable file: ${options.binary} does not exist; deno task compile builds it.`);
  } else if (compiled < await getNewestTime("src")) {
    console.log(`${options.binary} is older than the source: deno task compile rebuilds it.`);
  }
  for (const alg of options.algs ?? ["ES256"]) {
    for (const name of options.runtimes) {
      const runtime = await findRuntime(name);
      const command = await programCommand(runtime);
      const rows = [
        createRow("reference", () => startOnServerCore(runtime, { subject: "reference", alg })),
        createRow(
          name === "deno" ? "latchkey, from source" : "latchkey, npm package",
          () => startProgram(command, alg),
        ),
        createRow("latchkey, in a program", () => startOnServerCore(runtime, { subject: "latchkey", alg })),
        ...options.peers.map((which) =>
          createRow(getSubjectLabel(which), () => startOnServerCore(runtime, { subject: which, alg }))
        ),
      ];
      await measure(rows, options);
      report(runtime, alg, rows);
    }
    if (compiled > 0) {
      const rows = [createRow(`latchkey, ${options.binary}`, () => startProgram([options.binary], alg))];
      await measure(rows, options);
      print([`start, one file, ${alg}`, "listening", "first flow"], rows.map(cells));
    }
  }
}

function createRow(label: string, begin: Row["start"]): Row {
  return { label, start: begin, listening: [], firstFlow: [] };
}

/** Each in turn, repeatedly. The first start, which may fill caches, does not count. */
async function measure(rows: readonly Row[], options: Options): Promise<void> {
  for (let spawn = 0; spawn <= options.spawns; spawn++) {
    for (const row of rows) {
      if (row.reason !== undefined) continue;
      try {
        const { listening, finished } = await startOnce(row);
        if (spawn === 0) continue;
        row.listening.push(listening);
        row.firstFlow.push(finished);
      } catch (error) {
        row.reason = (error as Error).message;
      }
    }
  }
}

async function startOnce(row: Row): Promise<{ listening: number; finished: number }> {
  const begun = performance.now();
  await using served = await row.start();
  const listening = performance.now() - begun;
  const connection = await openConnection(served.ports[0]!);
  try {
    await runFlow(connection, served.site);
    return { listening, finished: performance.now() - begun };
  } finally {
    connection.close();
  }
}

function report(runtime: Runtime, alg: SigningAlgorithm, rows: readonly Row[]): void {
  const [reference, latchkey] = rows as [Row, Row];
  for (const { label, reason } of [reference, latchkey]) {
    if (reason !== undefined) throw new Error(`${label}: ${reason}`);
  }
  const heading = `start, ${runtime.name} ${runtime.version}, ${alg}`;
  const measured = rows.filter(({ reason }) => reason === undefined);
  const times = (row: Row): number => median(row.firstFlow) / median(reference.firstFlow);
  print(
    [heading, "listening", "first flow", "times the reference"],
    measured.map((row) => [...cells(row), row === reference ? "" : times(row).toFixed(2)]),
  );
  for (const { label, reason } of rows) {
    if (reason !== undefined) console.log(`  ${label} does not run here: ${firstLines(reason)}`);
  }
  atMost(`start, ${runtime.key}, ${alg}: first flow, times the reference's`, maxStartRatio, times(latchkey));
}

function cells({ label, listening, firstFlow }: Row): string[] {
  return [label, median(listening).toFixed(0), median(firstFlow).toFixed(0)];
}
