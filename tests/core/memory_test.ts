/** The memory store sits the exam, and keeps as much as its limits allow. */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { memoryStore } from "../../src/core/store/memory.ts";
import type { CodeRecord } from "../../src/core/store/store.ts";
import { storeConformance } from "./store_exam.ts";

storeConformance("memory", () => Promise.resolve(memoryStore()));

test("beyond a limit of records or bytes, the oldest record is evicted", async () => {
  const record = (redirectUri: string) => ({ redirectUri }) as CodeRecord;
  const [latin, other] = [record("ä"), record("€")];
  const { length } = JSON.stringify(latin);
  const cases = [
    [{ maxRecords: 2 }, latin, 2],
    [{ maxBytes: 2 * length }, latin, 2],
    [{ maxBytes: 2 * length - 1 }, latin, 1],
    // Beyond Latin-1, a character takes two bytes.
    [{ maxBytes: 2 * length }, other, 1],
    // The newest record is kept, whatever its size.
    [{ maxBytes: 1 }, latin, 1],
  ] as const;
  for (const [limits, value, kept] of cases) {
    const store = memoryStore(limits);
    const ids = ["first", "second", "third", "fourth"];
    for (const [i, id] of ids.entries()) {
      await store.put("code", id, value, { expiresAt: i + 1 });
      const found = await store.list("code", { prefix: "", limit: 10 });
      const expected = ids.slice(0, i + 1).slice(-kept).sort();
      assertEquals(found.map((one) => one.id), expected, JSON.stringify(limits));
    }
  }
});
