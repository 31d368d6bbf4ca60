/** A program that replaces `Promise`. */

import { assertEquals } from "@std/assert";
import { test } from "node:test";

test("a login works in a program that replaces Promise by another class", async () => {
  const { Promise: own } = globalThis;
  globalThis.Promise = class extends own<unknown> {} as PromiseConstructor;
  try {
    const { testLatchkey } = await import("../../src/testing/mod.ts");
    await using as = await testLatchkey();
    assertEquals((await as.logIn(as.client())).claims?.sub, "alice");
  } finally {
    globalThis.Promise = own;
  }
});
