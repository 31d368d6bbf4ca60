/** The memory store: the exam, and that it stays as small as what is alive in it. */

import { assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { test } from "node:test";
import { prefixedStore } from "../../../src/platform/store/prefixed_store.ts";
import { memoryStore } from "../../../src/core/store/memory.ts";
import { redisStore } from "../../../src/platform/store/redis.ts";
import { postgresStore } from "../../../src/platform/store/sql/postgres.ts";
import { sqliteStore } from "../../../src/platform/store/sqlite.ts";
import { storeExam } from "../../../src/core/store/exam.ts";

storeExam({
  test,
  name: "a part of a memory store",
  async open() {
    const store = memoryStore();
    const part = (prefix: string) => prefixedStore(store, prefix, (now) => store.deleteExpired(now));
    await part("app /b ").put("client", "one", { entry: {} }, { expiresAt: Infinity });
    return part("app /a ");
  },
});

test("every store rejects an unknown option before it opens anything", async () => {
  const misspelt: object = { maxRecord: 10 };
  const calls = {
    memoryStore: () => memoryStore(misspelt),
    sqliteStore: () => sqliteStore(":memory:", misspelt),
    postgresStore: () => postgresStore("postgres://127.0.0.1:1/db", misspelt),
    redisStore: () => redisStore("redis://127.0.0.1:1", misspelt),
  };
  const messages: string[] = [];
  for (const call of Object.values(calls)) {
    messages.push((await assertRejects(async () => await call(), TypeError)).message);
  }
  const known = [
    "maxRecords, maxBytes",
    "durability, lockTimeout, warn",
    "schema, connections, timeout",
    "prefix, timeout, warn",
  ];
  assertEquals(
    messages,
    Object.keys(calls).map((call, i) =>
      `${call}: expected the options ${known[i]}; received "maxRecord". Correct its name.`
    ),
  );
  assertStrictEquals(await memoryStore({ maxRecords: undefined }).get("browser", "x"), undefined);
});

test("the memory store contains only unexpired records, with mixed lifetimes and a jumping clock", async () => {
  const store = memoryStore();
  const alive = new Map<string, number>();
  let seed = 1;
  const draw = (below: number) => (seed = (seed * 48271) % 0x7fffffff) % below;
  let now = 0;
  for (let round = 0; round < 300; round++) {
    for (let i = 0; i < 50; i++) {
      const id = `code ${draw(2000)}`;
      const expiresAt = draw(20) === 0 ? Infinity : now + [1, 60, 600, 86_400][draw(4)] + draw(50);
      await store.put("key", id, { kid: "k", jwk: {}, signsFrom: 0, longest: 3600 }, { expiresAt });
      alive.set(id, expiresAt);
    }
    now += [0, 1, 30, 500, -200, 100_000][draw(6)];
    const due = [...alive].filter(([, expiresAt]) => expiresAt <= now).map(([id]) => id);
    assertStrictEquals(await store.deleteExpired(now), due.length);
    for (const id of due) alive.delete(id);
    for (let i = 0; i < 2000; i += 37) {
      assertEquals((await store.get("key", `code ${i}`))?.expiresAt, alive.get(`code ${i}`));
    }
  }
});

test("a record stored repeatedly is in the memory store once", async () => {
  const store = memoryStore();
  for (let i = 0; i < 10_000; i++) {
    await store.put("key", "ring", { kid: "k", jwk: {}, signsFrom: 0, longest: 3600 }, { expiresAt: 1000 + i });
  }
  for (let i = 0; i < 10_000; i++) await store.revoke("grant", 1000 + i);
  assertStrictEquals(await store.deleteExpired(10_998), 0);
  assertStrictEquals(await store.deleteExpired(10_999), 2);
  assertStrictEquals(await store.deleteExpired(Number.MAX_VALUE), 0);
});

test("the memory store keeps copies of values", async () => {
  const store = memoryStore();
  for (const expiresAt of [1000, Infinity]) {
    const value = { recent: ["alice"] };
    await store.put("browser", "b", value, { expiresAt });
    value.recent.push("bob");
    assertEquals((await store.get("browser", "b"))?.value, { recent: ["alice"] });
  }
});

test("a full memory store evicts the record that was consumed first, if any, otherwise the oldest", async () => {
  const store = memoryStore({ maxRecords: 100 });
  const record = { recent: [] };
  for (let i = 0; i < 100; i++) await store.put("browser", `${i}`, record, { expiresAt: 1000 - i });
  for (const i of [50, 40, 60]) await store.consume("browser", `${i}`, 1);
  // Writing a record again makes it the newest one.
  await store.put("browser", "0", record, { expiresAt: 1000 });
  const remaining = new Set(Array.from({ length: 100 }, (_, i) => `${i}`));
  for (const [i, evicted] of ["50", "40", "60", "1", "2", "3"].entries()) {
    await store.add("browser", `new ${i}`, record, { expiresAt: 1 });
    remaining.add(`new ${i}`).delete(evicted);
    const found = await store.list("browser", { prefix: "", limit: 1000 });
    assertEquals(new Set(found.map(({ id }) => id)), remaining);
  }
});

test("a full memory store never evicts records that block something", async () => {
  const store = memoryStore({ maxRecords: 100 });
  for (let i = 0; i < 10_000; i++) {
    await store.put("browser", `${i}`, { recent: [] }, { expiresAt: 1000 + i });
    await store.add("used_identifier", `${i}`, {}, { expiresAt: 1000 + i });
    await store.revoke(`${i}`, 1000 + i);
  }
  assertEquals((await store.get("used_identifier", "0"))?.expiresAt, 1000);
  assertEquals((await store.get("revocation", "0"))?.expiresAt, 1000);
  assertStrictEquals(await store.deleteExpired(Number.MAX_VALUE), 20_100);
});
