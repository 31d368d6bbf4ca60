/** The comparison: requests per second and their cost, of Latchkey, of the bare server, and of the peers. */

import type { SigningAlgorithm } from "../../src/mod.ts";
import { atLeast, atMost } from "./aims.ts";
import type { Result } from "./load.ts";
import type { Options, RuntimeName } from "./options.ts";
import type { Running } from "./processes.ts";
import type { RequestName } from "./requests.ts";
import { findRuntime } from "./runtimes.ts";
import { middle, ratio, takeTurns } from "./rounds.ts";
import { connections } from "./served.ts";
import { begin, isPeer, nameOf } from "./subjects.ts";
import type { Which } from "./subjects.ts";
import { firstLines, print } from "./table.ts";

/** From this part of its core on, the load generator may be what is measured. */
const tooBusy = 0.9;

/** As many times the bare server's p99 may Latchkey's be. */
const widest = 1.5;

/** What was measured of one server. */
interface Row {
  readonly which: Which;
  readonly rounds: readonly Result[];
}

/** Measures and prints. */
export async function compare(options: Options, load: Running): Promise<void> {
  console.log(
    `${connections} connections. A flow counts as one request. Ratios are parts of what the reference does: requests per\n` +
      "second, and requests per CPU time, by which is judged. Latchkey is as many times as fast as each of the others.",
  );
  for (const name of options.runtimes) {
    const runtime = await findRuntime(name);
    for (const alg of options.algs ?? ["ES256", "RS256", ...name === "deno" ? ["EdDSA" as const] : []]) {
      for (const what of options.what) {
        console.log(`\n${what}, ${runtime.name} ${runtime.version}, ${alg}`);
        // The rest they do in ways of their own.
        const others: Which[] = what === "flow" ? ["webcrypto", ...options.peers] : [];
        const subjects: Which[] = ["reference", "latchkey", ...others];
        const begins = subjects.map((which) => () => begin(runtime, { which, alg }));
        const measured = await takeTurns(begins, [what], options, load);
        const rows: Row[] = [];
        const absent: string[] = [];
        subjects.forEach((which, i) => {
          const one = measured[i]!;
          if ("rounds" in one) rows.push({ which, rounds: one.rounds[what]! });
          else if (isPeer(which)) absent.push(`  ${nameOf(which)} does not run here: ${firstLines(one.absent)}`);
          else throw new Error(`${which}: ${one.absent}`);
        });
        report(rows);
        for (const line of absent) console.log(line);
        judge(name, alg, what, rows);
      }
    }
  }
}

function report(rows: readonly Row[]): void {
  const [reference, latchkey] = rows as [Row, Row];
  print(
    ["", "requests/s", "p50 ms", "p99 ms", "µs CPU", "load's core", "ratio", "by CPU", "Latchkey is"],
    rows.map(({ which, rounds }) => [
      nameOf(which),
      middle(rounds, "rate").toFixed(0),
      middle(rounds, "p50").toFixed(2),
      middle(rounds, "p99").toFixed(2),
      middle(rounds, "cpu").toFixed(0),
      middle(rounds, "busy").toFixed(2),
      ...which === "reference"
        ? ["", ""]
        : [rateOf, perCpu].map((of) => ratio(rounds, reference.rounds, of).toFixed(2)),
      which !== "reference" && which !== "latchkey" ? `${ratio(latchkey.rounds, rounds, rateOf).toFixed(1)}×` : "",
    ]),
  );
  const busiest = Math.max(...rows.flatMap(({ rounds }) => rounds.map(({ busy }) => busy)));
  if (busiest > tooBusy) {
    console.log(
      `  The load generator used up to ${busiest.toFixed(2)} of its core: where it did, trust the CPU columns.`,
    );
  }
}

/** The parts that are wanted of what the reference does; signatures that take long leave less to differ in. */
function leastOfReference(runtime: RuntimeName, alg: SigningAlgorithm): number {
  return alg === "RS256" || (runtime === "deno" && alg === "ES256") ? 0.95 : 0.85;
}

/** As many times as fast as the best peer, by runtime and, where it depends on that, by algorithm. */
function leastOfPeers(runtime: RuntimeName, alg: SigningAlgorithm): number | undefined {
  if (runtime === "node") return 1.6;
  if (runtime === "bun") return 1.3;
  return ({ EdDSA: 1.8, ES256: 1.3, RS256: undefined })[alg];
}

function judge(runtime: RuntimeName, alg: SigningAlgorithm, what: RequestName, rows: readonly Row[]): void {
  const [reference, latchkey] = rows.map(({ rounds }) => rounds) as [Row["rounds"], Row["rounds"]];
  const peers = rows.filter(({ which }) => isPeer(which)).map(({ rounds }) => rounds);
  const where = `${what}, ${runtime}, ${alg}`;
  // What the server itself used, if that can be read: other work on the machine changes it least.
  const of = Number.isNaN(middle(reference, "cpu")) ? rateOf : perCpu;
  atLeast(`${where}: of the reference`, leastOfReference(runtime, alg), ratio(latchkey, reference, of));
  atMost(`${where}: p99, times the reference's`, widest, ratio(latchkey, reference, ({ p99 }) => p99));
  const least = leastOfPeers(runtime, alg);
  if (least === undefined || peers.length === 0) return;
  atLeast(`${where}: times the best peer`, least, Math.min(...peers.map((peer) => ratio(latchkey, peer, of))));
}

const rateOf = ({ rate }: Result): number => rate;
const perCpu = ({ cpu }: Result): number => 1 / cpu;
