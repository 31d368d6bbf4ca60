/** Hostile requests in process, more of them in `verdict_test.ts`; `deno task fuzz` sends any number. */

import { assertGreater } from "@std/assert";
import fc from "fast-check";
import { test } from "node:test";
import { assertAttackFails, attack } from "./campaign.ts";

/** Always the same attacks, so that a failure is about what has changed; others on each runtime. */
const seed = "Deno" in globalThis ? 20260101 : "Bun" in globalThis ? 20260102 : 20260103;

test("[HT-18, HT-19, UI-03, HT-15] every response to random requests is valid, and the log contains no secret", async () => {
  let requests = 0;
  await fc.assert(
    fc.asyncProperty(attack, async (one) => {
      requests += await assertAttackFails(one);
    }),
    { seed, numRuns: 60 },
  );
  assertGreater(requests, 300);
});
