/** Three instances on one Redis, and what may befall them: a failover that loses the last moment among it. */

import { assert, assertEquals } from "@std/assert";
import { after, before, test } from "node:test";
import { redisStore } from "../../src/platform/store/redis.ts";
import { runLoad } from "./load.ts";
import { assertConsistent, waitUntilReady } from "./assertions.ts";
import { killAll, type RedisServer, redisServer, waitUntil } from "./processes.ts";
import { failureScenarios } from "./failure_scenarios.ts";
import { type Instance, startInstance, startInstances } from "./instances.ts";
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

test("a failover loses unreplicated writes, including a consumed mark", async () => {
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
  assertEquals(await store.consume("used_identifier", "one", 2), true, "Redis replicates asynchronously");
  await store.close();
});

test("a primary becomes a replica, and instances find the new one", async () => {
  await using both = await pair();
  const instances = await startInstances(`${both.url}?timeout=3000`);
  try {
    const sum = await runLoad("Redis, primary demoted", instances, async (load) => {
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
