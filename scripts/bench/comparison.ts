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

/** As many times the bare server's p99 may Latchkey's be. */
const maxP99Ratio = 1.5;

/** What was measured of one server. */
interface Row {
  readonly subject: SubjectName;
  readonly rounds: readonly Result[];
}

/** Measures and prints. */
export async function compare(options: Options, load: RunningProcess): Promise<void> {
  console.log(
    `${connections} connections. A flow counts as one request. Ratios are parts of what the reference does: requests per\n` +
      "second, and requests per CPU time, which decides. The last column: how many times faster Latchkey is.",
  );
  for (const name of options.runtimes) {
    const runtime = await findRuntime(name);
    for (const alg of options.algs ?? ["ES256", "RS256", ...name === "deno" ? ["EdDSA" as const] : []]) {
      for (const what of options.requestNames) {
        console.log(`\n${what}, ${runtime.name} ${runtime.version}, ${alg}`);
        // The rest they do in ways of their own.
        const others: SubjectName[] = what === "flow" ? ["webcrypto", ...options.peers] : [];
        const subjects: SubjectName[] = ["reference", "latchkey", ...others];
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
  const [reference, latchkey] = rows as [Row, Row];
  print(
    ["", "requests/s", "p50 ms", "p99 ms", "µs CPU", "load's core", "ratio", "by CPU", "Latchkey is"],
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
      subject !== "reference" && subject !== "latchkey" ? `${ratio(latchkey.rounds, rounds, getRate).toFixed(1)}×` : "",
    ]),
  );
  const maxBusy = Math.max(...rows.flatMap(({ rounds }) => rounds.map(({ busy }) => busy)));
  if (maxBusy > maxLoadCore) {
    console.log(
      `  The load generator used up to ${maxBusy.toFixed(2)} of its core: if near 1, use the CPU columns.`,
    );
  }
}

/** The parts that are wanted of what the reference does; signatures that take long leave less to differ in. */
function minReferenceRatio(runtime: RuntimeName, alg: SigningAlgorithm): number {
  return alg === "RS256" || (runtime === "deno" && alg === "ES256") ? 0.95 : 0.85;
}

/** As many times as fast as the best peer, by runtime and, where it depends on that, by algorithm. */
function minPeerRatio(runtime: RuntimeName, alg: SigningAlgorithm): number | undefined {
  if (runtime === "node") return 1.6;
  if (runtime === "bun") return 1.3;
  return ({ EdDSA: 1.8, ES256: 1.3, RS256: undefined })[alg];
}

function checkTargets(runtime: RuntimeName, alg: SigningAlgorithm, what: RequestName, rows: readonly Row[]): void {
  const [reference, latchkey] = rows.map(({ rounds }) => rounds) as [Row["rounds"], Row["rounds"]];
  const peers = rows.filter(({ subject }) => isPeer(subject)).map(({ rounds }) => rounds);
  const where = `${what}, ${runtime}, ${alg}`;
  // What the server itself used, if that can be read: other work on the machine changes it least.
  const metric = Number.isNaN(medianOf(reference, "cpu")) ? getRate : getRatePerCpu;
  atLeast(`${where}: of the reference`, minReferenceRatio(runtime, alg), ratio(latchkey, reference, metric));
  atMost(`${where}: p99, times the reference's`, maxP99Ratio, ratio(latchkey, reference, ({ p99 }) => p99));
  const minRatio = minPeerRatio(runtime, alg);
  if (minRatio === undefined || peers.length === 0) return;
  atLeast(`${where}: times the best peer`, minRatio, Math.min(...peers.map((peer) => ratio(latchkey, peer, metric))));
}

const getRate = ({ rate }: Result): number => rate;
const getRatePerCpu = ({ cpu }: Result): number => 1 / cpu;
