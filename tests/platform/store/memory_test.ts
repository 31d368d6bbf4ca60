/** The memory store: the exam, and that it stays as small as what is alive in it. */

import { assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { test } from "node:test";
import { prefixedStore } from "../../../src/platform/store/prefixed_store.ts";
import { memoryStore } from "../../../src/core/store/memory.ts";
import { redisStore } from "../../../src/platform/store/redis.ts";
import { postgresStore } from "../../../src/platform/store/sql/postgres.ts";
import { sqliteStore } from "../../../src/platform/store/sqlite.ts";
import { storeConformance } from "../../core/store_exam.ts";

storeConformance("a part of a memory store", async () => {
  const store = memoryStore();
  const part = (prefix: string) => prefixedStore(store, prefix, (now) => store.deleteExpired(now));
  await part("app /b ").put("client", "one", { entry: {} }, { expiresAt: Infinity });
  return part("app /a ");
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
    "prefix, timeout, replicas, warn",
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

test("the memory store keeps values without expiry by reference, and copies of others", async () => {
  const store = memoryStore();
  const value = { kid: "k", jwk: {}, signsFrom: 0, longest: 3600 };
  await store.put("key", "ring", value, { expiresAt: Infinity });
  assertStrictEquals((await store.get("key", "ring"))?.value, value);
  const brief = { recent: ["alice"] };
  await store.put("browser", "b", brief, { expiresAt: 1000 });
  brief.recent.push("bob");
  assertEquals((await store.get("browser", "b"))?.value, { recent: ["alice"] });
});

test("consumed records take at most half of a memory store, and the most recently consumed are kept", async () => {
  const store = memoryStore({ maxRecords: 100 });
  const record = { recent: [] };
  for (let i = 0; i < 80; i++) {
    // What expires first is used last.
    await store.put("browser", `${i}`, record, { expiresAt: 1000 - i });
    assertEquals(await store.consume("browser", `${i}`, 1), true);
  }
  const consumed = async (id: number) => (await store.get("browser", `${id}`))?.consumedAt;
  assertEquals([await consumed(29), await consumed(30), await consumed(79)], [undefined, 1, 1]);
  for (let i = 100; i < 200; i++) await store.put("browser", `${i}`, record, { expiresAt: 500 });
  const tiny = memoryStore({ maxRecords: 1 });
  await tiny.put("browser", "only", record, { expiresAt: 1000 });
  await tiny.consume("browser", "only", 1);
  assertEquals((await tiny.get("browser", "only"))?.consumedAt, 1);
  // Other kinds of records may use all of the space.
  assertEquals([await consumed(79), (await store.get("browser", "100"))?.expiresAt], [undefined, 500]);
});

test("a full memory store evicts what expires first, and never records that block something", async () => {
  const store = memoryStore({ maxRecords: 100 });
  const record = { recent: [] };
  for (let i = 0; i < 10_000; i++) {
    await store.put("browser", `${i}`, record, { expiresAt: 1000 + i });
    await store.add("interaction", `${i}`, { at: 1 }, { expiresAt: 1000 });
    await store.add("used_identifier", `${i}`, {}, { expiresAt: 1000 + i });
    await store.revoke(`${i}`, 1000 + i);
  }
  const kept = async (id: number) => (await store.get("browser", `${id}`)) !== undefined;
  assertEquals([await kept(0), await kept(9899), await kept(9900), await kept(9999)], [false, false, true, true]);
  // What is already there takes no further place, and what comes is kept even where it expires before all others.
  await store.put("browser", "9950", record, { expiresAt: 5000 });
  await store.put("browser", "brief", record, { expiresAt: 1 });
  assertEquals([await kept(9900), await kept(9950)], [true, false]);
  assertEquals((await store.get("browser", "brief"))?.expiresAt, 1);
  // Of what expires together, the oldest goes first.
  const waits = async (id: number) => (await store.get("interaction", `${id}`)) !== undefined;
  assertEquals([await waits(9899), await waits(9900)], [false, true]);
  assertEquals((await store.get("used_identifier", "0"))?.expiresAt, 1000);
  assertEquals((await store.get("revocation", "0"))?.expiresAt, 1000);
  assertStrictEquals(await store.deleteExpired(Number.MAX_VALUE), 20_200);
});
