/** The comparison: requests per second and their cost, of Latchkey, of the bare server, and of the peers. */

import type { SigningAlgorithm } from "../../src/mod.ts";
import { atLeast, atMost } from "./targets.ts";
import type { Result } from "./load.ts";
import type { Options, RuntimeName } from "./options.ts";
import type { RunningProcess } from "./processes.ts";
import type { RequestName } from "./requests.ts";
import { findRuntime } from "./runtimes.ts";
import { measureInTurn, medianOf, ratio } from "./rounds.ts";
import { connections } from "./served.ts";
import { getSubjectLabel, isPeer, startOnServerCore } from "./subjects.ts";
import type { SubjectName } from "./subjects.ts";
import { firstLines, print } from "./table.ts";

/** From this part of its core on, the load generator may be what is measured. */
const maxLoadCore = 0.9;

/** The servers that are compared. The peers handle requests other than flows in ways of their own. */
function listSubjects(what: RequestName, { peers }: Options): readonly SubjectName[] {
  switch (what) {
    case "flow_with_refresh_token":
      return ["reference", "webcrypto", "as-started", "team", "latchkey", ...peers];
    case "flow":
      return ["reference", "webcrypto", "latchkey", ...peers];
    default:
      return ["reference", "latchkey"];
  }
}

/** What was measured of one server. */
interface Row {
  readonly subject: SubjectName;
  readonly rounds: readonly Result[];
}

/** Measures and prints. */
export async function compare(options: Options, load: RunningProcess): Promise<void> {
  console.log(
    `${connections} connections. A flow counts as one request. Ratios are parts of what the reference does: requests per\n` +
      "second, and requests per CPU time, which decides.",
  );
  for (const name of options.runtimes) {
    const runtime = await findRuntime(name);
    for (const alg of options.algs ?? ["ES256", "RS256", ...name === "deno" ? ["EdDSA" as const] : []]) {
      for (const what of options.requestNames) {
        console.log(`\n${what}, ${runtime.name} ${runtime.version}, ${alg}`);
        const subjects = listSubjects(what, options);
        const starters = subjects.map((subject) => () => startOnServerCore(runtime, { subject, alg }));
        const measured = await measureInTurn(starters, [what], options, load);
        const rows: Row[] = [];
        const absent: string[] = [];
        subjects.forEach((subject, i) => {
          const result = measured[i]!;
          if ("rounds" in result) rows.push({ subject, rounds: result.rounds[what]! });
          else if (isPeer(subject)) {
            absent.push(`  ${getSubjectLabel(subject)} does not run here: ${firstLines(result.absent)}`);
          } else throw new Error(`${subject}: ${result.absent}`);
        });
        report(rows);
        for (const line of absent) console.log(line);
        checkTargets(name, alg, what, rows);
      }
    }
  }
}

function report(rows: readonly Row[]): void {
  const reference = rows[0]!;
  print(
    ["", "requests/s", "p50 ms", "p99 ms", "µs CPU", "load's core", "ratio", "by CPU"],
    rows.map(({ subject, rounds }) => [
      getSubjectLabel(subject),
      medianOf(rounds, "rate").toFixed(0),
      medianOf(rounds, "p50").toFixed(2),
      medianOf(rounds, "p99").toFixed(2),
      medianOf(rounds, "cpu").toFixed(0),
      medianOf(rounds, "busy").toFixed(2),
      ...subject === "reference"
        ? ["", ""]
        : [getRate, getRatePerCpu].map((metric) => ratio(rounds, reference.rounds, metric).toFixed(2)),
    ]),
  );
  const maxBusy = Math.max(...rows.flatMap(({ rounds }) => rounds.map(({ busy }) => busy)));
  if (maxBusy > maxLoadCore) {
    console.log(
      `  The load generator used up to ${maxBusy.toFixed(2)} of its core: if near 1, use the CPU columns.`,
    );
  }
}

/** What the figures of one server should be. */
interface Target {
  /** At least this part of what the reference does for each CPU time. */
  readonly minReferenceRatio?: number;
  /** At least this many times as fast as the best peer. */
  readonly minPeerRatio?: number;
  /** At most this many times the reference's p99. */
  readonly maxP99Ratio?: number;
}

type TargetFor = (runtime: RuntimeName, alg: SigningAlgorithm) => Target;

/** One value for each runtime and algorithm. With RS256, the signature is most of the cost on every runtime. */
function byRuntime(
  { node, bun, deno, denoEdDSA, RS256 }: Record<"node" | "bun" | "deno" | "denoEdDSA" | "RS256", number>,
  runtime: RuntimeName,
  alg: SigningAlgorithm,
): number {
  if (alg === "RS256") return RS256;
  if (runtime !== "deno") return runtime === "node" ? node : bun;
  return alg === "EdDSA" ? denoEdDSA : deno;
}

/** Where signatures take long, servers differ less. */
const minReferenceRatios = { node: 0.85, bun: 0.85, deno: 0.95, denoEdDSA: 0.85, RS256: 0.95 };
const minPeerRatios = {
  core: { node: 1.6, bun: 1.3, deno: 1.3, denoEdDSA: 1.8, RS256: 1 },
  withRefreshToken: { node: 2, bun: 1.25, deno: 1.2, denoEdDSA: 1.5, RS256: 1 },
  asStarted: { node: 1.6, bun: 1.1, deno: 1.15, denoEdDSA: 1.3, RS256: 1 },
};

const coreTarget: TargetFor = (...which) => ({
  minReferenceRatio: byRuntime(minReferenceRatios, ...which),
  minPeerRatio: byRuntime(minPeerRatios.core, ...which),
  maxP99Ratio: 1.5,
});

const flowTargets: Partial<Record<SubjectName, TargetFor>> = {
  latchkey: (...which) => ({ minPeerRatio: byRuntime(minPeerRatios.withRefreshToken, ...which) }),
  "as-started": (...which) => ({ minPeerRatio: byRuntime(minPeerRatios.asStarted, ...which), maxP99Ratio: 2 }),
};

function checkTargets(runtime: RuntimeName, alg: SigningAlgorithm, what: RequestName, rows: readonly Row[]): void {
  const reference = rows[0]!.rounds;
  const peers = rows.filter(({ subject }) => isPeer(subject)).map(({ rounds }) => rounds);
  // What the server itself used, if that can be read: other work on the machine changes it least.
  const metric = Number.isNaN(medianOf(reference, "cpu")) ? getRate : getRatePerCpu;
  const targets = what === "flow_with_refresh_token" ? flowTargets : { latchkey: coreTarget };
  for (const { subject, rounds } of rows) {
    const { minReferenceRatio, minPeerRatio, maxP99Ratio } = targets[subject]?.(runtime, alg) ?? {};
    const where = `${what}, ${runtime}, ${alg}, ${getSubjectLabel(subject)}`;
    if (minReferenceRatio !== undefined) {
      atLeast(`${where}: of the reference`, minReferenceRatio, ratio(rounds, reference, metric));
    }
    if (maxP99Ratio !== undefined) {
      atMost(`${where}: p99, times the reference's`, maxP99Ratio, ratio(rounds, reference, ({ p99 }) => p99));
    }
    if (minPeerRatio !== undefined && peers.length > 0) {
      const times = Math.min(...peers.map((peer) => ratio(rounds, peer, metric)));
      atLeast(`${where}: times the best peer`, minPeerRatio, times);
    }
  }
}

const getRate = ({ rate }: Result): number => rate;
const getRatePerCpu = ({ cpu }: Result): number => 1 / cpu;
