/** What a test has left in a store counts for no real host. */

import { assertEquals, assertNotEquals } from "@std/assert";
import { test } from "node:test";
import { memoryStore, type Store } from "../../src/mod.ts";
import { openBrowser } from "./browser.ts";
import { testServer } from "../kit.ts";

/** The secret that seals sessions where the issuer is a real host. */
async function sealOf(store: Store): Promise<string | undefined> {
  return (await store.get("server_secret", "session"))?.value.secret;
}

test("[JK-06] a store used by a test brings no test secret to a real host", async () => {
  const store = memoryStore();
  const constantBytes = (bytes: number) => new Uint8Array(bytes).fill(7);
  await openBrowser(await testServer({ store, randomBytes: constantBytes })).authorize();
  assertEquals(await sealOf(store), undefined);
  const real = await testServer({ store, issuer: "https://auth.latchkey.dev", insecure: ["auto-login"] });
  await openBrowser(real).authorize();
  assertNotEquals(await sealOf(store), undefined);
  assertNotEquals(await sealOf(store), (await store.get("server_secret", "test session"))?.value.secret);
});
