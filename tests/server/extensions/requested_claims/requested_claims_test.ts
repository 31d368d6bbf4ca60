/** Requested claims: which values are the same. */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { jsonEqual } from "../../../../src/server/extensions/requested_claims/requested_claims.ts";

test("two values are the same if their JSON is, whatever the order of members", () => {
  const rows: readonly (readonly [a: unknown, b: unknown, isSame: boolean])[] = [
    [5, 5, true],
    [5, "5", false],
    [null, null, true],
    [5, {}, false],
    [null, {}, false],
    [null, [], false],
    [[], {}, false],
    ["ab", ["a", "b"], false],
    [[1, [2]], [1, [2]], true],
    [[1, 2], [2, 1], false],
    [{ a: 1, b: { c: 2 } }, { b: { c: 2 }, a: 1 }, true],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [{ toString: 1 }, { a: 1 }, false],
  ];
  for (const [a, b, isSame] of rows) {
    assertEquals([jsonEqual(a, b), jsonEqual(b, a)], [isSame, isSame], JSON.stringify([a, b]));
  }
});
