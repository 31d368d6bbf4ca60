/** The embedded part: Latchkey's mock beside other packages for tests, each in the process of the test. */

import type { First, Fresh, Job, Span, SubjectName, Way } from "./embedded/child.ts";
import type { Options } from "./options.ts";
import { installPeers } from "./peers/install.ts";
import { peers, peersFolder, versions } from "./peers/packages.ts";
import { start } from "./processes.ts";
import type { Running } from "./processes.ts";
import { findRuntime } from "./runtimes.ts";
import type { Runtime } from "./runtimes.ts";
import { median, print } from "./table.ts";

/** One subject on one runtime, and what was measured of it. */
interface Row {
  readonly label: string;
  readonly words: readonly string[];
  readonly firsts: First[];
  readonly fresh: Fresh[];
  readonly logins: Span[];
  /** By its own call for a login. */
  readonly own: Span[];
}

/** Measures and prints. */
export async function embedded(options: Options): Promise<void> {
  await installPeers();
  console.log(
    "In one process, one login at a time, by the same client: it is given the mock's own fetch, or the global one for the\n" +
      "others, which listen on loopback; 'by socket': a bare keep-alive connection instead, the cheapest client there is.\n" +
      "Every answer is checked, and all sign two tokens with the same ready keys. Milliseconds, from the start of making a\n" +
      "server; CPU on all threads. How many times more than Latchkey's mock on Node stands behind.",
  );
  const node = await findRuntime("node", peersFolder);
  const runtimes = await Promise.all(options.runtimes.map((name) => findRuntime(name)));
  for (const alg of options.algs ?? ["ES256", "RS256"]) {
    const rows = [
      ...runtimes.map((runtime) => row(runtime, "latchkey", alg)),
      ...peers.flatMap((name) => [row(node, name, alg), row(node, name, alg, "socket")]),
    ];
    console.log(`\n${alg}`);
    await measure(rows, options);
    report(rows);
  }
}

function row(runtime: Runtime, subject: SubjectName, alg: string, way: Way = "fetch"): Row {
  const version = subject === "latchkey" ? "" : ` ${versions[subject]}`;
  const socket = way === "socket" ? ", by socket" : "";
  return {
    label: `${subject}${version}, ${runtime.name} ${runtime.version}${socket}`,
    words: [...runtime.command("embedded/child"), subject, alg, way],
    firsts: [],
    fresh: [],
    logins: [],
    own: [],
  };
}

async function measure(rows: readonly Row[], options: Options): Promise<void> {
  for (let spawn = 0; spawn < options.spawns; spawn++) {
    for (const { words, firsts } of rows) {
      await using child = start(words);
      firsts.push(JSON.parse(await child.hear(30_000)));
    }
  }
  await using children = new AsyncDisposableStack();
  const running = rows.map((row) => ({ row, child: children.use(start(row.words)) }));
  for (const { child } of running) await child.hear(30_000);
  for (const { child } of running) await work(child, { seconds: options.warmUp, own: false });
  for (let round = 0; round < options.rounds; round++) {
    for (const { row, child } of round % 2 === 0 ? running : running.toReversed()) {
      row.fresh.push(await work(child, { fresh: options.freshServers }));
      row.logins.push(await work(child, { seconds: options.seconds, own: false }));
      if (row.words.includes("latchkey")) row.own.push(await work(child, { seconds: options.seconds, own: true }));
    }
  }
}

function work(child: Running, job: { fresh: number }): Promise<Fresh>;
function work(child: Running, job: { seconds: number; own: boolean }): Promise<Span>;
async function work(child: Running, job: Job): Promise<unknown> {
  await child.say(JSON.stringify(job));
  return JSON.parse(await child.hear(120_000));
}

function report(rows: readonly Row[]): void {
  const isOurs = ({ label }: Row): boolean => label.startsWith("latchkey");
  const best = rows.find((row) => isOurs(row) && row.label.includes("Node"));

  /** Time and CPU, and by how many times more than Latchkey's mock on Node. */
  const cells = (spans: (row: Row) => readonly Span[], row: Row, digits: number): string[] => {
    const middle = (one: Row, part: keyof Span): number => median(spans(one).map((span) => span[part]));
    const ratio = (part: keyof Span): string =>
      best === undefined || isOurs(row) ? "" : `${(middle(row, part) / middle(best, part)).toFixed(1)}×`;
    return [middle(row, "time").toFixed(digits), ratio("time"), middle(row, "cpu").toFixed(digits), ratio("cpu")];
  };
  const middleTime = (spans: readonly Span[]): number => median(spans.map(({ time }) => time));

  print(
    ["the first in a process", "loading", "made", "logged in", "", "CPU", ""],
    rows.map((row) => [
      row.label,
      middleTime(row.firsts.map(({ loaded }) => loaded)).toFixed(1),
      middleTime(row.firsts.map(({ made }) => made)).toFixed(1),
      ...cells(({ firsts }) => firsts.map(({ loggedIn }) => loggedIn), row, 1),
    ]),
  );
  print(
    ["each later one", "made", "logged in", "", "CPU", ""],
    rows.map((row) => [
      row.label,
      middleTime(row.fresh.map(({ made }) => made)).toFixed(2),
      ...cells(({ fresh }) => fresh.map(({ loggedIn }) => loggedIn), row, 2),
    ]),
  );
  const both = rows.flatMap((row) =>
    row.own.length === 0
      ? [row]
      : [row, { ...row, label: row.label.replace("latchkey", "latchkey logIn()"), logins: row.own }]
  );
  print(
    ["logins at one server", "each a second", "ms", "", "CPU", ""],
    both.map((row) => [
      row.label,
      (1000 / middleTime(row.logins)).toFixed(0),
      ...cells(({ logins }) => logins, row, 3),
    ]),
  );
}
