/** Three instances on one Redis, and what may befall them: a failover that loses the last moment among it. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { after, before, test } from "node:test";
import { redisStore, StoreError } from "../../src/platform/store/redis.ts";
import { runLoad } from "./load.ts";
import { assertConsistent, waitUntilReady, waitUntilUnready } from "./assertions.ts";
import { freshName, killAll, type RedisServer, redisServer, waitUntil } from "./processes.ts";
import { failureScenarios } from "./failure_scenarios.ts";
import { type Instance, startInstance, startInstances } from "./instances.ts";
import { storeExam } from "../../src/core/store/exam.ts";
import { type TcpProxy, tcpProxy } from "../platform/store/tcp_proxy.ts";

let database: RedisServer;
let store: string;
let team: Instance[];

before(async () => {
  database = await redisServer();
  store = `${database.url}?timeout=3000`;
  team = await startInstances(store);
});
after(async () => {
  await (await replicated)?.[Symbol.asyncDispose]();
  await killAll();
});

failureScenarios("Redis", () => ({ database, instances: team, store }));

test("three instances whose clocks are half a minute apart", async () => {
  const clocks = await Promise.all([-15_000, 0, 15_000].map((ahead) => startInstance("node", database.url, { ahead })));
  const sum = await runLoad("Redis, clocks apart", clocks, (load) => load.flows(60));
  assertConsistent(sum);
  assertEquals([sum.unavailable, sum.broken], [0, 0]);
  for (const one of clocks) await one.process().end();
});

const stored = { expiresAt: Infinity };

/** A primary and its replica, with a wire between them, and one that leads to the primary. */
async function pair(): Promise<Pair> {
  const [primary, replica] = await Promise.all([redisServer(), redisServer()]);
  const [wire, link] = await Promise.all([tcpProxy(primary.port), tcpProxy(primary.port)]);
  await replica.follow(link);
  await primary.isFollowed();
  return {
    primary,
    replica,
    wire,
    link,
    url: `redis://127.0.0.1:${wire.port}`,
    async failOver() {
      await primary.stop("immediately");
      await replica.promote();
      wire.restore(replica.port);
    },
    async [Symbol.asyncDispose]() {
      wire.close();
      link.close();
      await replica.stop("immediately");
      await primary.stop("immediately");
    },
  };
}

interface Pair extends AsyncDisposable {
  readonly primary: RedisServer;
  readonly replica: RedisServer;
  /** What instances are connected by. */
  readonly wire: TcpProxy;
  /** What the replica is connected by. */
  readonly link: TcpProxy;
  readonly url: string;
  /** The primary dies, the replica takes its place, and who asks for the one comes to the other. */
  failOver(): Promise<void>;
}

let replicated: Promise<Pair> | undefined;
storeExam({
  test,
  name: "Redis, each write waited for by a replica",
  async open() {
    const { url } = await (replicated ??= pair());
    return await redisStore(url, { prefix: freshName(), replicas: 1 });
  },
});

test("replicas=0: a failover loses unreplicated writes, including a consumed mark", async () => {
  await using both = await pair();
  const store = await redisStore(both.url, { timeout: 3000 });
  await store.add("used_identifier", "one", {}, stored);
  await waitUntil(
    "the replica has it",
    async () => await both.replica.command("EXISTS", "{latchkey}:used_identifier:one") === 1,
  );
  both.link.stall();
  assertEquals(await store.consume("used_identifier", "one", 1), true);
  await both.failOver();
  await waitUntil("the store is back", async () => await store.get("used_identifier", "one") !== undefined);
  assertEquals(await store.consume("used_identifier", "one", 2), true, "this is what replicas=0 accepts");
  await store.close();
});

test("replicas=1: an unreplicated write is rejected, and absent after the failover", async () => {
  await using both = await pair();
  const store = await redisStore(both.url, { timeout: 3000, replicas: 1 });
  await store.add("used_identifier", "one", {}, stored);
  both.link.stall();
  const outcomes = await Promise.allSettled([1, 2, 3].map((now) => store.consume("used_identifier", "one", now)));
  assertEquals(outcomes.map(({ status }) => status), ["rejected", "rejected", "rejected"]);
  assert((await store.get("used_identifier", "one"))?.consumedAt, "reading continues");
  // What is there already is not vouched for either, while the replica may not have it.
  const additions = await Promise.allSettled([1, 2].map(() => store.add("used_identifier", "two", {}, stored)));
  assertEquals(additions.map(({ status }) => status), ["rejected", "rejected"]);
  await both.failOver();
  await both.primary.start();
  await both.primary.follow(both.replica);
  await waitUntil("the store is back", async () => await store.add("used_identifier", "three", {}, stored));
  const again = await Promise.all([1, 2, 3].map((now) => store.consume("used_identifier", "one", now)));
  assertEquals(again.filter(Boolean).length, 1);
  await store.close();
});

test("replicas=1: a primary becomes a replica during a write, and reading continues at the new primary", async () => {
  await using both = await pair();
  const store = await redisStore(both.url, { timeout: 3000, replicas: 1 });
  both.link.stall();
  const rejected = assertRejects(() => store.add("used_identifier", "one", {}, stored), StoreError);
  await waitUntil(
    "the write waits for the replica",
    async () => /cmd=wait/.test(String(await both.primary.command("CLIENT", "LIST"))),
  );
  both.wire.redirect(both.replica.port);
  await both.replica.promote();
  await both.primary.follow(both.replica);
  await rejected;
  await waitUntil("the store is back", async () => await store.get("used_identifier", "one") === undefined);
  const asked = await both.primary.command("CLIENT", "LIST", "TYPE", "normal");
  assert(!String(asked).includes("name=latchkey"), String(asked));
  await store.close();
});

test("replicas=1: a primary dies under load and its replica takes over", async () => {
  await using both = await pair();
  const instances = await startInstances(`${both.url}?timeout=3000&replicas=1`);
  try {
    const sum = await runLoad("Redis, failover with replicas=1", instances, async (load) => {
      await load.flows(30);
      // Later writes of the primary are lost.
      both.link.stall();
      await load.failures(3);
      await both.failOver();
      // There is a primary, but no replica that could take its place.
      await waitUntilUnready(instances);
      await both.primary.start();
      await both.primary.follow(both.replica);
      await waitUntilReady(instances);
      await load.flows(30);
    });
    assertConsistent(sum);
    assert(sum.unavailable > 0, "it died under load");
  } finally {
    for (const one of instances) await one.process().end();
  }
});

for (const replicas of [0, 1]) {
  test(`replicas=${replicas}: a primary becomes a replica, and instances find the new one`, async () => {
    await using both = await pair();
    const instances = await startInstances(`${both.url}?timeout=3000&replicas=${replicas}`);
    try {
      const sum = await runLoad(`Redis, primary demoted, replicas=${replicas}`, instances, async (load) => {
        await load.flows(20);
        // A planned failover: the primary waits until the replica has everything. No connection is closed.
        both.wire.redirect(both.replica.port);
        await both.primary.command("FAILOVER");
        await waitUntil(
          "they have changed places",
          async () => /role:master/.test(String(await both.replica.command("INFO"))),
        );
        await waitUntilReady(instances);
        await load.flows(20);
      });
      assertConsistent(sum);
      assert(sum.unavailable > 0, "it was demoted under load");
      // Who is asked now is asked by all of them, for reading too.
      const asked = await both.primary.command("CLIENT", "LIST", "TYPE", "normal");
      assert(!String(asked).includes("name=latchkey"), String(asked));
    } finally {
      for (const one of instances) await one.process().end();
    }
  });
}
