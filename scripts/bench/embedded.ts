/** The embedded part: Latchkey's mock and other packages, each in the process of the test. */

import type { Duration, FirstRun, FreshRun, Job, SubjectName, Transport } from "./embedded/child.ts";
import type { Options } from "./options.ts";
import { installPeers } from "./peers/install.ts";
import { peers, peersFolder, versions } from "./peers/packages.ts";
import { startProcess } from "./processes.ts";
import type { RunningProcess } from "./processes.ts";
import { findRuntime } from "./runtimes.ts";
import type { Runtime } from "./runtimes.ts";
import { median, print } from "./table.ts";

/** One subject on one runtime, with its measurements. */
interface Row {
  readonly label: string;
  readonly command: readonly string[];
  readonly firstRuns: FirstRun[];
  readonly freshRuns: FreshRun[];
  readonly logins: Duration[];
  /** By its own login function. */
  readonly ownLogins: Duration[];
}

/** Measures and prints. */
export async function embedded(options: Options): Promise<void> {
  await installPeers();
  console.log(
    "In one process, one login at a time, by the same client: it uses the mock's own fetch, or the global one for the\n" +
      "others, which listen on loopback; 'by socket': a bare keep-alive connection instead, the cheapest client.\n" +
      "Every response is checked, and all sign two tokens with the same prepared keys. Milliseconds, from the start of making a\n" +
      "server; CPU on all threads. After it: how many times more than Latchkey's mock on Node.",
  );
  const node = await findRuntime("node", peersFolder);
  const runtimes = await Promise.all(options.runtimes.map((name) => findRuntime(name)));
  for (const alg of options.algs ?? ["ES256", "RS256"]) {
    const rows = [
      ...runtimes.map((runtime) => createRow(runtime, "latchkey", alg)),
      ...peers.flatMap((name) => [createRow(node, name, alg), createRow(node, name, alg, "socket")]),
    ];
    console.log(`\n${alg}`);
    await measure(rows, options);
    report(rows);
  }
}

function createRow(runtime: Runtime, subject: SubjectName, alg: string, way: Transport = "fetch"): Row {
  const version = subject === "latchkey" ? "" : ` ${versions[subject]}`;
  const socket = way === "socket" ? ", by socket" : "";
  return {
    label: `${subject}${version}, ${runtime.name} ${runtime.version}${socket}`,
    command: [...runtime.command("embedded/child"), subject, alg, way],
    firstRuns: [],
    freshRuns: [],
    logins: [],
    ownLogins: [],
  };
}

async function measure(rows: readonly Row[], options: Options): Promise<void> {
  for (let spawn = 0; spawn < options.spawns; spawn++) {
    for (const { command, firstRuns } of rows) {
      await using child = startProcess(command);
      firstRuns.push(JSON.parse(await child.readLine(30_000)));
    }
  }
  await using children = new AsyncDisposableStack();
  const running = rows.map((row) => ({ row, child: children.use(startProcess(row.command)) }));
  for (const { child } of running) await child.readLine(30_000);
  for (const { child } of running) await runJob(child, { seconds: options.warmUp, own: false });
  for (let round = 0; round < options.rounds; round++) {
    for (const { row, child } of round % 2 === 0 ? running : running.toReversed()) {
      row.freshRuns.push(await runJob(child, { fresh: options.freshServers }));
      row.logins.push(await runJob(child, { seconds: options.seconds, own: false }));
      if (row.command.includes("latchkey")) {
        row.ownLogins.push(await runJob(child, { seconds: options.seconds, own: true }));
      }
    }
  }
}

function runJob(child: RunningProcess, job: { fresh: number }): Promise<FreshRun>;
function runJob(child: RunningProcess, job: { seconds: number; own: boolean }): Promise<Duration>;
async function runJob(child: RunningProcess, job: Job): Promise<unknown> {
  await child.writeLine(JSON.stringify(job));
  return JSON.parse(await child.readLine(120_000));
}

function report(rows: readonly Row[]): void {
  const isLatchkey = ({ label }: Row): boolean => label.startsWith("latchkey");
  const best = rows.find((row) => isLatchkey(row) && row.label.includes("Node"));

  /** Time and CPU, and the factor of Latchkey's mock on Node. */
  const cells = (spans: (row: Row) => readonly Duration[], row: Row, digits: number): string[] => {
    const getMedian = (one: Row, part: keyof Duration): number => median(spans(one).map((span) => span[part]));
    const ratio = (part: keyof Duration): string =>
      best === undefined || isLatchkey(row) ? "" : `${(getMedian(row, part) / getMedian(best, part)).toFixed(1)}×`;
    return [getMedian(row, "time").toFixed(digits), ratio("time"), getMedian(row, "cpu").toFixed(digits), ratio("cpu")];
  };
  const medianTime = (spans: readonly Duration[]): number => median(spans.map(({ time }) => time));

  print(
    ["the first in a process", "loading", "made", "logged in", "", "CPU", ""],
    rows.map((row) => [
      row.label,
      medianTime(row.firstRuns.map(({ loaded }) => loaded)).toFixed(1),
      medianTime(row.firstRuns.map(({ created }) => created)).toFixed(1),
      ...cells(({ firstRuns }) => firstRuns.map(({ loggedIn }) => loggedIn), row, 1),
    ]),
  );
  print(
    ["each later one", "made", "logged in", "", "CPU", ""],
    rows.map((row) => [
      row.label,
      medianTime(row.freshRuns.map(({ created }) => created)).toFixed(2),
      ...cells(({ freshRuns }) => freshRuns.map(({ loggedIn }) => loggedIn), row, 2),
    ]),
  );
  const both = rows.flatMap((row) =>
    row.ownLogins.length === 0
      ? [row]
      : [row, { ...row, label: row.label.replace("latchkey", "latchkey logIn()"), logins: row.ownLogins }]
  );
  print(
    ["logins at one server", "each a second", "ms", "", "CPU", ""],
    both.map((row) => [
      row.label,
      (1000 / medianTime(row.logins)).toFixed(0),
      ...cells(({ logins }) => logins, row, 3),
    ]),
  );
}
