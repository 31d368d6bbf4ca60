/**
 * The control part: calls of the control over a socket, one at a time, beside the same calls in process; the server and
 * the calls share one process on Deno.
 */

import { connectLatchkey } from "../../src/testing/control/connect.ts";
import { testLatchkey } from "../../src/testing/mod.ts";
import type { Options } from "./options.ts";
import { median, print } from "./table.ts";

/** Measures and prints. */
export async function control({ rounds, seconds, warmUp }: Options): Promise<void> {
  await using as = await testLatchkey({ control: true });
  await as.listen();
  const remote = await connectLatchkey(as.issuer);
  const carol = { sub: "carol", roles: ["admin"] };
  const verbs: readonly (readonly [string, () => unknown, () => unknown])[] = [
    ["users.all, which reads", () => as.users.all(), () => remote.users.all()],
    ["users.set, which writes", () => as.users.set(carol), () => remote.users.set(carol)],
  ];
  const rows: string[][] = [];
  for (const [name, inProcess, overHttp] of verbs) {
    await callsPerSecond(overHttp, warmUp);
    const rates: (readonly [number, number])[] = [];
    for (let round = 0; round < rounds; round++) {
      rates.push([await callsPerSecond(inProcess, seconds), await callsPerSecond(overHttp, seconds)]);
    }
    rows.push([name, ...[0, 1].map((i) => median(rates.map((rate) => rate[i]!)).toFixed(0))]);
  }
  print(["calls a second, one at a time", "in process", "over HTTP"], rows);
}

async function callsPerSecond(call: () => unknown, maxSeconds: number): Promise<number> {
  let calls = 0;
  const start = performance.now();
  const elapsedMs = () => performance.now() - start;
  for (; elapsedMs() < maxSeconds * 1000; calls++) await call();
  return calls / elapsedMs() * 1000;
}
