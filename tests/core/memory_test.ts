/** The memory store sits the exam, and keeps as much as its limits allow. */

import { assert, assertEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { memoryStore } from "../../src/core/store/memory.ts";
import type { CodeRecord, Store } from "../../src/core/store/store.ts";
import { storeExam } from "../../src/core/store/exam.ts";

storeExam({ test, name: "memory", open: () => Promise.resolve(memoryStore()) });

test("the exam finds what a store breaks", async () => {
  const broken: Readonly<Record<string, (store: Store) => Partial<Store>>> = {
    "keeps the former value": (store) => ({ put: async (...args) => void await store.add(...args) }),
    "adds what exists": (store) => ({ add: async (...args) => (await store.put(...args), true) }),
    "consumes twice": (store) => ({ consume: async (...args) => (await store.consume(...args), true) }),
    "replaces whatever there is": (store) => ({
      replace: async (kind, id, _, value, metadata) => (await store.put(kind, id, value, metadata), true),
    }),
    "replaces without a condition on consumption": (store) => ({
      async replace(kind, id, former, value, metadata) {
        const read = await store.get(kind, id);
        if (JSON.stringify(read?.value) !== JSON.stringify(former)) return false;
        await store.put(kind, id, value, metadata);
        return true;
      },
    }),
    "deletes whatever there is": (store) => ({ delete: (kind, id) => store.delete(kind, id) }),
    "shortens a revocation": (store) => ({
      revoke: (id, until, record = {}) => store.put("revocation", id, record, { expiresAt: until }),
    }),
    "extends nothing": () => ({ extend: () => Promise.resolve() }),
    "lists too much": (store) => ({ list: (kind, options) => store.list(kind, { ...options, prefix: "" }) }),
    "counts all": (store) => ({ count: (kind) => store.count(kind, "") }),
    "deletes late": (store) => ({ deleteExpired: (now) => store.deleteExpired(now - 1) }),
    "deletes one kind": (store) => ({ deleteAll: async (prefix) => Number(await store.delete("code", prefix)) }),
    "ignores kinds": (store) => ({ get: ((_, id) => store.get("code", id)) as Store["get"] }),
  };
  for (const [mistake, change] of Object.entries(broken)) {
    const runs: (() => Promise<void>)[] = [];
    storeExam({
      test: (_, run) => runs.push(run),
      name: mistake,
      open() {
        const store = memoryStore();
        return Promise.resolve({ ...store, ...change(store) });
      },
    });
    let isFound = false;
    for (const run of runs) isFound ||= await run().then(() => false, () => true);
    assert(isFound, mistake);
  }
  for (const flags of [{ durable: true }, { instances: true }]) {
    const calls = { test: () => {}, name: "memory", open: () => Promise.resolve(memoryStore()), ...flags };
    assertThrows(() => storeExam(calls), TypeError, "expected reopen");
  }
});

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
