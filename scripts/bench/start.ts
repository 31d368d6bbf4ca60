/** The start part: from the spawn of the process to listening, and to the end of the first flow. */

import type { SigningAlgorithm } from "../../src/mod.ts";
import { atMost } from "./targets.ts";
import { clients } from "./clients.ts";
import { openConnection } from "./connection.ts";
import { runFlow } from "./flow.ts";
import type { Options } from "./options.ts";
import { capture, startProcess } from "./processes.ts";
import { findRuntime } from "./runtimes.ts";
import type { Runtime } from "./runtimes.ts";
import type { RunningServer } from "./served.ts";
import { latchkeySite } from "./site.ts";
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
  await buildPackage();
  const compiled = await getModifiedTime(options.binary);
  if (compiled === 0) {
    console.log(`Skipped the executable file: ${options.binary} does not exist; deno task compile builds it.`);
  } else if (compiled < await getNewestTime("src")) {
    console.log(`${options.binary} is older than the source: deno task compile rebuilds it.`);
  }
  for (const alg of options.algs ?? ["ES256"]) {
    const file = await Deno.makeTempFile({ suffix: ".json" });
    try {
      await Deno.writeTextFile(file, JSON.stringify({ alg, clients }));
      const own = (...words: string[]) => () => spawnLatchkey([...words, "--port", "0", "--config", file]);
      for (const name of options.runtimes) {
        const runtime = await findRuntime(name);
        const rows = [
          createRow("reference", () => startOnServerCore(runtime, { subject: "reference", alg })),
          name === "deno"
            ? createRow("latchkey, from source", own(...runtime.words, "src/main.ts"))
            : createRow("latchkey, npm package", own(...runtime.words, `${packageFolder}/main.js`)),
          createRow("latchkey, in a program", () => startOnServerCore(runtime, { subject: "latchkey", alg })),
          ...options.peers.map((which) =>
            createRow(getSubjectLabel(which), () => startOnServerCore(runtime, { subject: which, alg }))
          ),
        ];
        await measure(rows, options);
        report(runtime, alg, rows);
      }
      if (compiled > 0) {
        const rows = [createRow(`latchkey, ${options.binary}`, own(options.binary))];
        await measure(rows, options);
        print([`start, one file, ${alg}`, "listening", "first flow"], rows.map(cells));
      }
    } finally {
      await Deno.remove(file);
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

/** Latchkey as a user starts it: configured by flags, with the URL in its first line. */
async function spawnLatchkey(words: readonly string[]): Promise<RunningServer> {
  const process = startProcess(words, 0);
  const end = (): PromiseLike<void> => process[Symbol.asyncDispose]();
  try {
    const banner = await process.readLine(30_000);
    const issuer = /http:\/\/\S+/.exec(banner)?.[0];
    if (issuer === undefined) throw new Error(`Expected the issuer in the first line, found: ${banner}`);
    const port = Number(new URL(issuer).port);
    return { processes: [process], ports: [port], site: latchkeySite(issuer), [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw error;
  }
}

const packageFolder = "dist/npm";

/** Builds the npm package, unless it is newer than its sources. */
async function buildPackage(): Promise<void> {
  const built = await getModifiedTime(`${packageFolder}/main.js`);
  if (await getNewestTime("src") > built || await getNewestTime("static") > built) {
    await capture(Deno.execPath(), "task", "build");
  }
}

async function getNewestTime(folder: string): Promise<number> {
  let time = 0;
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    time = Math.max(time, await (isDirectory ? getNewestTime(path) : getModifiedTime(path)));
  }
  return time;
}

/** Modification time of a file; 0 if it does not exist. */
async function getModifiedTime(path: string): Promise<number> {
  return await Deno.stat(path).then(({ mtime }) => mtime!.getTime(), () => 0);
}
