/** A mock with the secret leak check. */

import { testLatchkey as unwatched } from "../../src/testing/mod.ts";
import type { TestLatchkey, TestLatchkeyOptions } from "../../src/testing/mod.ts";
import { withQuickAlgorithm, withSecretLeakCheck } from "../secret_leak_check.ts";

/**
 * Creates a mock that signs with EdDSA by default, and searches its events for secrets. Its clock stands still unless
 * the options give a clock, so that no second passes on a slow machine while a test compares lifetimes.
 */
export function testLatchkey(options: TestLatchkeyOptions = {}): Promise<TestLatchkey> {
  const startedAt = Date.now();
  return unwatched({ now: () => startedAt, ...withSecretLeakCheck(withQuickAlgorithm(options)) });
}
