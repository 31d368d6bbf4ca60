/** Hostile requests to servers with the profiles of providers, which rewrite requests, responses and tokens. */

import { assertEquals, assertGreater } from "@std/assert";
import fc from "fast-check";
import { test } from "node:test";
import { forEachCase } from "../kit.ts";
import { attack, runAttack } from "./campaign.ts";
import { profileKinds } from "./servers.ts";

/** Problems that no provider has; the other checks are about the shapes of the standards. */
const universal = /\[HT-18\]|\[HT-15\]|no response within|holds a line end|not a line of ASCII|\[NV-01\]|\[RU-01\]/;

test("[HT-18, HT-15, NV-01] no random request to a server with a provider's profile fails, leaks or redirects away", async () => {
  let requests = 0;
  await forEachCase(profileKinds, async (kind) => {
    await fc.assert(
      fc.asyncProperty(attack, async (one) => {
        const result = await runAttack(one, kind);
        requests += result.requests;
        assertEquals(result.problems.filter((problem) => universal.test(problem)), []);
      }),
      { seed: 20260104, numRuns: 2 },
    );
  });
  assertGreater(requests, 50);
});
