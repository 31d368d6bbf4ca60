/**
 * Sends requests that nobody should send to servers in this process, and judges every answer: `deno task fuzz`.
 *
 * `--cases 1000000` says how many requests, `--seed 7` which ones; a seed is drawn where none is given. The first attack
 * that succeeds is made as small as it can be and printed, with the seed that brings it about again.
 */

import { parseArgs } from "node:util";
import fc from "fast-check";
import { attack, survive } from "../tests/fuzz/campaign.ts";

/** Attacks after which it is said how far it has come. */
const batch = 500;

const { values } = parseArgs({
  options: {
    cases: { type: "string", default: "100000" },
    seed: { type: "string", default: String(Math.trunc(Math.random() * 2 ** 31)) },
  },
});
const wanted = Number(values.cases);
const first = Number(values.seed);
if (!(wanted > 0) || !Number.isSafeInteger(first)) {
  console.error("--cases and --seed take whole numbers, such as --cases 1000000 --seed 7");
  Deno.exit(2);
}

const begun = performance.now();
let requests = 0;
let attempts = 0;
for (let seed = first; requests < wanted; seed++) {
  const property = fc.asyncProperty(attack, async (one) => {
    requests += await survive(one);
  });
  const result = await fc.check(property, { seed, numRuns: batch });
  if (result.failed) {
    console.error(fc.defaultReportMessage(result));
    console.error((result.errorInstance as Error).message);
    console.error(`Again: deno task fuzz --seed ${seed} --cases 1`);
    Deno.exit(1);
  }
  attempts += batch;
  const seconds = (performance.now() - begun) / 1000;
  console.log(`seed ${seed}: ${requests} requests in ${attempts} attacks, ${Math.round(requests / seconds)} a second`);
}
console.log(`Nothing found in ${requests} requests (seeds from ${first}).`);
