/** The bounded memory of the newest entries. */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { boundedCache } from "../../../src/platform/bounded_cache.ts";

const letters = [..."abcdefghijklmnopqrstuvwxyz"];

test("the cache keeps at most its capacity of entries, and always the newer half", () => {
  for (const size of [2, 4, 10]) {
    const memory = boundedCache<string>(size);
    for (const [i, letter] of letters.entries()) {
      memory.set(letter, letter);
      const there = letters.filter((known) => memory.get(known) !== undefined);
      const half = letters.slice(Math.max(0, i + 1 - size / 2), i + 1);
      assertEquals(there.length <= size, true, `${there.length} of ${size} after ${letter}`);
      assertEquals(half.filter((one) => !there.includes(one)), [], `the newer half after ${letter}`);
    }
  }
});
