/** A wrapped store: the server can do with it what it can do with the store. */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { memoryStore } from "../../src/mod.ts";
import { sqliteStore } from "../../src/core/store/sqlite.ts";
import { wrapStore } from "../../src/testing/wrap_store.ts";

test("a wrapped store has every member of the store, and is persistent if the store is", async () => {
  for (const store of [memoryStore(), await sqliteStore(":memory:")]) {
    const wrapped = wrapStore(store, {});
    assertEquals(Object.keys(wrapped).sort(), Object.keys(store).sort());
    assertEquals(wrapped.persistent, store.persistent);
    await store.close();
  }
});
