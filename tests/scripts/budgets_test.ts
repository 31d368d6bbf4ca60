/** The limits of what the package costs. */

import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { test } from "node:test";
import { budgets, checkBudgets } from "../../scripts/budgets.ts";

test("figures within their limits are listed; one above, or one that could not be read, fails with its name", () => {
  const { limit } = budgets.packed;
  assertEquals(checkBudgets({ packed: limit }), `${limit} of ${limit} KiB of the packed package`);
  for (const packed of [limit + 1, NaN]) {
    const { message } = assertThrows(() => checkBudgets({ packed, names: 1 }), Error);
    assertStringIncludes(message, `expected at most ${limit} KiB of the packed package, found ${packed}`);
    assert(!message.includes("public names"), message);
  }
});
