/** Runs test files, several in one process: modules load once, and code that was compiled is used again. */

import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { AloneFolder } from "./alone_folder.ts";
import { bundleTests } from "./bundle_tests.ts";
import type { TestCounts } from "./test_counts.ts";
import { formatTestImport } from "./test_import.ts";
import { capture } from "./test_run.ts";
import { findRuntime, type Runtime, type RuntimeName, runtimeNames } from "./test_runtimes.ts";

/** Test files in one process. Each process costs some seconds of CPU time: modules are loaded and compiled again. */
const batchSize = 120;

/** Processes at a time. More than cores, since tests also wait. */
const processCount = availableParallelism() + 2;

/** Minutes without output after which a process counts as hung. */
const silenceMinutes = 10;

/** Lines of output that are shown when a process ends with an error. */
const shownLines = 40;

/** Begins the name of a test that marks in the output where the tests of a file begin. */
const fileMark = "tests of ";

/** Stands for a file after the last. Without it, the process ended early. */
const endMark = "no other file";

/** One test file on one runtime, and what has become of it. */
export interface FileRun {
  readonly file: string;
  readonly runtime: RuntimeName;
  /** Whether it runs in the folder that has only the server. */
  readonly isAlone?: boolean;
  readonly expectedSeconds: number;
  seconds: number;
  counts: TestCounts;
  isDone: boolean;
}

/** A test that failed, or a process that ended early. */
export interface Failure {
  readonly run: FileRun;
  /** The name of the test. */
  readonly test: string;
  readonly details: string;
}

/** Called while the tests run. */
export interface RunEvents {
  readonly onFailure: (failure: Failure) => void;
}

/** Files that run in one process. */
interface Batch {
  readonly runtime: Runtime;
  readonly runs: readonly FileRun[];
  /** What to load for a file: the file itself, or its bundle. */
  readonly getModule: (file: string) => string;
  /** The folder to run in, if it is not this one. */
  readonly alone?: AloneFolder;
}

/**
 * Runs test files on their runtimes, and fills in their results.
 *
 * @param alone Where the files run that do so alone.
 * @throws {Error} When a runtime cannot be found, or the tests cannot be bundled.
 */
export async function runTestFiles(
  runs: readonly FileRun[],
  alone: AloneFolder | undefined,
  events: RunEvents,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    const batches = createBatches(runs, alone);
    let count = 0;
    const runBatches = async (): Promise<void> => {
      for await (const batch of batches) await runBatch(batch, `${folder}/${++count}_test.mjs`, events);
    };
    await Promise.all(Array.from({ length: processCount }, runBatches));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Batches for all runtimes, the longest of each first. Deno's run while the tests are bundled for the others. */
async function* createBatches(runs: readonly FileRun[], alone?: AloneFolder): AsyncGenerator<Batch, void> {
  const bundledFiles = [...new Set(runs.filter(({ runtime }) => runtime !== "deno").map(({ file }) => file))];
  const bundled = bundledFiles.length > 0 ? bundleTests(bundledFiles) : Promise.resolve([]);
  // An error is thrown below, after Deno's batches.
  bundled.catch(() => {});
  for (const name of runtimeNames) {
    const runsOfRuntime = runs.filter(({ runtime }) => runtime === name);
    if (runsOfRuntime.length === 0) continue;
    const runtime = await findRuntime(name);
    const modules = name === "deno" ? [] : await bundled;
    const getModule = (file: string) => name === "deno" ? file : modules[bundledFiles.indexOf(file)]!;
    for (const isAlone of [false, true]) {
      for (const runs of divideRuns(runsOfRuntime.filter((run) => (run.isAlone ?? false) === isAlone))) {
        yield { runtime, runs, getModule, ...isAlone && { alone } };
      }
    }
  }
}

/** Divides files among batches of about the same duration, the longest first. */
function divideRuns(runs: readonly FileRun[]): FileRun[][] {
  const batches = Array.from(
    { length: Math.ceil(runs.length / batchSize) },
    () => ({ seconds: 0, runs: [] as FileRun[] }),
  );
  for (const run of runs.toSorted((a, b) => b.expectedSeconds - a.expectedSeconds)) {
    const shortest = batches.reduce((least, batch) => batch.seconds < least.seconds ? batch : least);
    shortest.seconds += run.expectedSeconds;
    shortest.runs.push(run);
  }
  return batches.toSorted((a, b) => b.seconds - a.seconds).map(({ runs }) => runs);
}

/** The source of a module that loads test files one after another. */
function formatBatch({ runs, getModule, alone }: Batch): string {
  const mark = (text: string, does: string) => `test(${JSON.stringify(fileMark + text)}, () => ${does});\n`;
  const parts = runs.map(({ file }, place) => {
    const { href } = pathToFileURL(resolve(alone?.path ?? ".", getModule(file)));
    // While the file is loaded, and while its tests run, after all files are loaded.
    const use = alone ? `globalThis.neededExtensions = ${JSON.stringify(alone.extensionsOf.get(file))};` : "";
    // Node starts the first test early, and would end when its tests are done before the next file is loaded.
    const note = `globalThis.noteOpenResources?.(${JSON.stringify(file)});`;
    const begin = mark(file, `{ ${use} ${note} ${place === 0 ? "return allLoaded;" : ""} }`);
    return `${use}\n${begin}${formatTestImport(file, href)}`;
  });
  return `import { test } from "node:test";\nlet end;\nconst allLoaded = new Promise((resolve) => end = resolve);\n` +
    `${parts.join("")}${mark(endMark, "{ globalThis.noteOpenResources?.(); }")}end();\n`;
}

/** Runs files in one process. `path` is where the module that loads them is written. */
async function runBatch(batch: Batch, path: string, { onFailure }: RunEvents): Promise<void> {
  await Deno.writeTextFile(path, formatBatch(batch));
  const { command, createReader } = batch.runtime;
  const read = createReader();
  let position = -1;
  let fileStarted = performance.now();
  let hasFailed = false;
  let unread: string[] = [];
  let lastTest = "none";
  const currentRun = () => batch.runs[Math.max(0, Math.min(position, batch.runs.length - 1))]!;
  const count = (outcome: keyof TestCounts) => {
    const run = currentRun();
    run.counts = { ...run.counts, [outcome]: run.counts[outcome] + 1 };
  };
  const fail = (test: string, details: string) => {
    hasFailed = true;
    count("failed");
    onFailure({ run: currentRun(), test, details });
  };
  const onLine = (line: string) => {
    const results = read(line);
    unread = results.length > 0 ? [] : [...unread.slice(1 - shownLines), line];
    // After the last file Bun repeats what failed and what was skipped.
    if (position === batch.runs.length) return;
    for (const { name, outcome, details } of results) {
      if (name.startsWith(fileMark)) {
        const ended = batch.runs[position++];
        if (ended) Object.assign(ended, { isDone: true, seconds: (performance.now() - fileStarted) / 1000 });
        fileStarted = performance.now();
        lastTest = "none";
        continue;
      }
      lastTest = name;
      if (outcome === "failed") fail(name, details);
      else count(outcome);
    }
  };
  const silenceSeconds = silenceMinutes * 60;
  const { success, timedOut } = await capture([...command, path], { silenceSeconds, onLine, cwd: batch.alone?.path });
  if (position < batch.runs.length) {
    const files = batch.runs.slice(Math.max(0, position)).map(({ file }) => file);
    const reason = timedOut ? `printed nothing for ${silenceMinutes} minutes` : "ended early";
    const [current] = files;
    const progress = `The last test of ${current} that ended: ${lastTest}. The next one did not.`;
    const lines = [`The process of ${files.join(", ")} ${reason}.`, progress, ...unread];
    fail("the process runs to its end", lines.join("\n"));
    for (const run of batch.runs) run.isDone = true;
  } else if (!success && !hasFailed) {
    fail("the process ends without an error", unread.join("\n"));
  }
}
