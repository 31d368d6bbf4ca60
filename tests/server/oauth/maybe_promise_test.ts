/** Values that may be there already. */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { chain } from "../../../src/platform/maybe_promise.ts";

test("a present value is used immediately, and any thenable is awaited", async () => {
  const double = (value: number) => 2 * value;
  assertEquals(chain(2, double), 4);
  assertEquals(chain(undefined, String), "undefined");
  assertEquals(chain(null, String), "null");
  class Foreign<T> extends Promise<T> {}
  const thenable = { then: (resolve: (value: number) => void) => resolve(2) } as unknown as Promise<number>;
  for (const awaitable of [Promise.resolve(2), Foreign.resolve(2), thenable]) {
    assertEquals(await chain(awaitable, double), 4);
  }
});
