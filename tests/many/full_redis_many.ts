/** A Redis that has reached `maxmemory`. */

import { assertEquals, assertMatch } from "@std/assert";
import { after, test } from "node:test";
import { redisStore } from "../../src/platform/store/redis.ts";
import { killAll, redisServer } from "./processes.ts";

after(killAll);

const stored = { expiresAt: Infinity };

test("a full Redis rejects every write, keeps the records that it has, and deletes them", async () => {
  const full = await redisServer();
  const store = await redisStore(full.url, { timeout: 3000 });
  const browser = { recent: ["alice"] };
  await store.put("browser", "one", browser, stored);
  await store.add("interaction", "one", { at: 1 }, { expiresAt: Date.now() });
  await full.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
  await full.command("CONFIG", "SET", "maxmemory", "1");
  const later = Date.now() + 60_000;
  const writes: Record<string, () => Promise<unknown>> = {
    "put a new record": () => store.put("browser", "two", browser, stored),
    "put over a record": () => store.put("browser", "one", { recent: ["bob"] }, stored),
    add: () => store.add("used_identifier", "one", {}, { expiresAt: later }),
    extend: () => store.extend("interaction", "one", later),
    consume: () => store.consume("browser", "one", 1),
    revoke: () => store.revoke("one", later),
  };
  for (const [name, write] of Object.entries(writes)) {
    const outcome = await write().then(() => "written", (error) => error.details.received);
    assertEquals([name, outcome], [name, "a full memory or disk"]);
  }
  assertEquals(await store.get("browser", "one"), { value: browser, ...stored });
  assertEquals(await store.get("browser", "two"), undefined);
  await store.delete("browser", "one");
  assertEquals(await store.get("browser", "one"), undefined);
  await full.command("CONFIG", "SET", "maxmemory", "0");
  await store.put("browser", "one", browser, stored);
  await store.close();
  await full.stop("immediately");
});

test("[OP-07] a Redis that evicts is a warning", async () => {
  const redis = await redisServer();
  const warnings: string[] = [];
  const open = async () => await (await redisStore(redis.url, { warn: (message) => warnings.push(message) })).close();
  await open();
  assertEquals(warnings, []);
  await redis.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
  await open();
  assertMatch(warnings.join("\n"), /^The Redis server evicts records .* \(maxmemory-policy allkeys-lru\).*$/);
  await redis.stop("immediately");
});
