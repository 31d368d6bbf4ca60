/** The sample suite: what a user of the mock writes, as plain functions, so that every test runner can run it. */

import assert from "node:assert/strict";
import { latchkey } from "@latchkey/latchkey";
import { sqliteStore } from "@latchkey/latchkey/stores/sqlite";

/** By name. */
export const checks: Readonly<Record<string, () => Promise<void>>> = {
  async "the server answers without a socket"() {
    const as = await latchkey({ store: sqliteStore(":memory:") });
    const response = await as.fetch(new Request(`${as.issuer}/.well-known/openid-configuration`));
    assert.equal((await response.json()).issuer, as.issuer);
    await as.close();
  },
};
