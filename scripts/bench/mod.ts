/** Measures Latchkey, beside other servers or an earlier version: `deno task bench --help`. */

import { CommandError, exitWithError, readCommand } from "../command.ts";
import { type Figures, measure, parts } from "./measure.ts";
import { peers } from "./peers/packages.ts";
import { killAll, pinning, startProcess } from "./processes.ts";
import { findRuntime, runtimeNames } from "./runtimes.ts";
import { getLabel, type Subject } from "./served.ts";
import { formatRatio, median, print } from "./table.ts";
import { copyVersion } from "./versions.ts";

/** The version with the quickest logins so far. */
const quickest = "c801a828";

const algorithms = ["RS256", "ES256", "EdDSA"] as const;

const { flags } = readCommand({
  call: "deno task bench",
  does: "Measures Latchkey on each runtime in one run, beside a bare server that does the same work, beside " +
    "oauth2-mock-server and oidc-provider, which npm installs into dist/bench/peers, and beside an earlier version. " +
    "A flow is an authorization code flow, from authorize to three tokens.",
  flags: {
    against: { value: "REF", does: `the commit of an earlier version; default: ${quickest}` },
    only: {
      value: "LIST",
      someOf: parts,
      does: "core: flows at core(), without the other servers; embedded: flows at latchkey() in a program; started: " +
        "flows at the program as deno task start starts it, with inspector and log; start: from the spawn to the first response and the first flow; memory: after 10,000 " +
        "flows; default: all",
    },
    runtimes: { value: "LIST", someOf: runtimeNames, does: "default: deno,bun,node" },
    algs: { value: "LIST", someOf: algorithms, does: "default: all" },
    rounds: { value: "NUMBER", does: "rounds, each of all servers in turn; medians are printed; default: 5" },
    flows: { value: "NUMBER", does: "flows per round and server, and for its warm-up; default: 2000" },
  },
});

/** The copies of versions. */
const folders: string[] = [];

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => {
    cleanUp();
    Deno.exit(130);
  });
}

await compare().finally(cleanUp).catch(exitWithError);

function cleanUp(): void {
  killAll();
  for (const folder of folders.splice(0)) Deno.removeSync(folder, { recursive: true });
}

async function compare(): Promise<void> {
  const rounds = parseCount("rounds", 5);
  const flows = parseCount("flows", 2000);
  const copy = async (name: string, ref?: string) => {
    const version = await copyVersion(name, ref);
    folders.push(version.folder);
    return version;
  };
  const { against = quickest } = flags;
  const old = await copy(against, against);
  const latest = await copy("new");
  console.log(`On this machine ${pinning}. Medians of ${rounds} rounds. Ratio: median, and minimum to maximum.`);
  await using load = startProcess((await findRuntime("deno")).command("load"), 1);
  for (const name of flags.runtimes ?? runtimeNames) {
    const runtime = await findRuntime(name);
    for (const alg of flags.algs ?? algorithms) {
      for (const part of flags.only ?? parts) {
        const kind = part === "core" || part === "embedded" ? part : "started";
        const others: readonly Subject[] = part === "core" ? [] : peers;
        const versions = [old, latest].map((version): Subject => ({ kind, version }));
        const subjects: readonly Subject[] = ["bare", ...others, ...versions];
        const results = await measure({ runtime, alg, part, subjects, rounds, flows, load });
        printTable(`${part}, ${runtime.name} ${runtime.version}, ${alg}`, subjects, results);
      }
    }
  }
}

/** Prints a row for each figure. The ratios compare the last subject with each other one. */
function printTable(title: string, subjects: readonly Subject[], results: readonly Figures[][]): void {
  const others = subjects.slice(0, -1);
  const rows = Object.keys(results[0]![0]!).map((label) => {
    const values = results.map((rounds) => rounds.map((figures) => figures[label]!));
    const digits = label.startsWith("p99") ? 1 : 0;
    return [
      label,
      ...values.map((rounds) => median(rounds).toFixed(digits)),
      ...others.map((_, i) => formatRatio(values.at(-1)!, values[i]!)),
    ];
  });
  console.log("");
  print([title, ...subjects.map(getLabel), ...others.map((other) => `/ ${getLabel(other)}`)], rows);
}

/** @throws {CommandError} If the value is no positive integer. */
function parseCount(name: "rounds" | "flows", byDefault: number): number {
  const value = Number(flags[name] ?? byDefault);
  if (Number.isInteger(value) && value > 0 && value <= 1_000_000) return value;
  throw new CommandError(`--${name}: expected an integer from 1 to 1000000; found ${flags[name]}.`);
}
