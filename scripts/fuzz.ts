/** Sends random and hostile requests to servers in this process: `deno task fuzz --help`. */

import fc from "fast-check";
import { assertAttackFails, attack } from "../tests/fuzz/campaign.ts";
import { exitWithError, readCommand } from "./command.ts";

/** Number of attacks between two progress lines. */
const attacksPerReport = 500;

const { flags } = readCommand({
  call: "deno task fuzz",
  does: "Sends hostile requests to servers in this process, and checks every response. The first attack " +
    "that succeeds is reduced and printed, with the seed that reproduces it.",
  flags: {
    cases: { value: "NUMBER", does: "number of requests, at least; default: 100000" },
    seed: { value: "NUMBER", does: "seed of the requests; default: a random number" },
  },
});
const { cases = "100000", seed: seedText = String(Math.trunc(Math.random() * 2 ** 31)) } = flags;
const minRequests = Number(cases);
const first = Number(seedText);
if (!(minRequests > 0) || !Number.isSafeInteger(first)) {
  exitWithError(
    `--cases and --seed: expected numbers, such as --cases 1000000 --seed 7; found ${cases} and ${seedText}.`,
  );
}

const startedAt = performance.now();
let requests = 0;
let attempts = 0;
for (let seed = first; requests < minRequests; seed++) {
  const property = fc.asyncProperty(attack, async (one) => {
    requests += await assertAttackFails(one);
  });
  const result = await fc.check(property, { seed, numRuns: attacksPerReport });
  if (result.failed) {
    console.error(fc.defaultReportMessage(result));
    console.error((result.errorInstance as Error).message);
    console.error(`Again: deno task fuzz --seed ${seed} --cases 1`);
    Deno.exit(1);
  }
  attempts += attacksPerReport;
  const seconds = (performance.now() - startedAt) / 1000;
  console.log(`seed ${seed}: ${requests} requests in ${attempts} attacks, ${Math.round(requests / seconds)} a second`);
}
console.log(`Nothing found in ${requests} requests (seeds from ${first}).`);
