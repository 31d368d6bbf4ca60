/** The Redis store: the exam, and what only a server that instances share can get wrong. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { after, test } from "node:test";
import { redisStore, StoreError } from "../../src/store/redis.ts";
import { storeExam } from "./conformance.ts";
import { dropRedisPrefixes, freshName, redisUrl } from "./servers.ts";

const skip = redisUrl === undefined;
const url = redisUrl ?? "";
const names: string[] = [];
const newPrefix = () => names[names.push(freshName()) - 1]!;
after(() => skip ? undefined : dropRedisPrefixes(url, names));

storeExam("Redis", () => redisStore(url, { prefix: newPrefix() }), { skip });

test("what cannot be reached or used is said in one sentence, without the password", { skip }, async () => {
  const cases = [
    ["redis://someone:hunter2@127.0.0.1:1", /127\.0\.0\.1:1.*can be reached.*start it/],
    ["redis://no.such.host.invalid", /can be reached/],
  ] as const;
  for (const [address, sentence] of cases) {
    const error = await assertRejects(() => redisStore(address, { timeout: 3000 }), StoreError);
    assertMatch(error.message, sentence);
    assert(!error.message.includes("hunter2"));
  }
});

test("where replicas are asked for and missing, a write is refused", { skip }, async () => {
  const store = await redisStore(url, { prefix: newPrefix(), replicas: 1, timeout: 300 });
  const error = await assertRejects(() => store.add("seen", "one", {}, { expiresAt: Infinity }), StoreError);
  assertEquals(error.fault.found, "0");
  await store.close();
});
