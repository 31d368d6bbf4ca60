/** A mock with the secret leak check. */

import { type TestLatchkey, testLatchkey as unwatched, type TestLatchkeyOptions } from "../../src/testing/mod.ts";
import { lateClock, withQuickAlgorithm, withSecretLeakCheck } from "../secret_leak_check.ts";

/** Creates a mock with a {@link lateClock}. It signs with EdDSA by default, and searches its events for secrets. */
export function testLatchkey(options: TestLatchkeyOptions = {}): Promise<TestLatchkey> {
  return unwatched({ now: lateClock(), ...withSecretLeakCheck(withQuickAlgorithm(options)) });
}
