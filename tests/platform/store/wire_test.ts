/** The stores behind a proxy that stalls, breaks and recovers: calls time out, then fail fast, then work again. */

import { assert, assertEquals, assertMatch, assertRejects, assertStrictEquals } from "@std/assert";
import { after, test } from "node:test";
import { postgresStore } from "../../../src/platform/store/sql/postgres.ts";
import { redisStore } from "../../../src/platform/store/redis.ts";
import { type Store, StoreError } from "../../../src/core/store/store.ts";
import { dropPostgresSchemas, dropRedisPrefixes, postgresUrl, redisUrl, uniqueName } from "./servers.ts";
import { endsWithin, until } from "../../until.ts";
import { type TcpProxy, tcpProxy } from "./tcp_proxy.ts";

const name = uniqueName();
after(async () => {
  if (postgresUrl !== undefined) await dropPostgresSchemas(postgresUrl, [name]);
  if (redisUrl !== undefined) await dropRedisPrefixes(redisUrl, [name]);
});

const timeout = 600;
const stored = { expiresAt: Infinity };

/** URL of the same database through the proxy. */
async function behind(url: string): Promise<{ readonly wire: TcpProxy; readonly url: string }> {
  const at = new URL(url);
  const wire = await tcpProxy(Number(at.port) || (at.protocol.startsWith("redis") ? 6379 : 5432));
  at.hostname = "127.0.0.1";
  at.port = String(wire.port);
  return { wire, url: at.href };
}

const stores: readonly (readonly [string, string | undefined, (url: string) => Promise<Store>])[] = [
  ["PostgreSQL", postgresUrl, (url) => postgresStore(url, { schema: name, timeout, connections: 3 })],
  ["Redis", redisUrl, (url) => redisStore(url, { prefix: name, timeout })],
];

for (const [kind, direct, open] of stores) {
  const skip = direct === undefined;

  test(
    `${kind}: on a dead connection calls time out, then fail fast, and work again after recovery`,
    { skip },
    async () => {
      const { wire, url } = await behind(direct!);
      const store = await open(url);
      try {
        await store.put("used_identifier", "one", {}, stored);
        // Several connections, where there are several.
        await Promise.all(Array.from({ length: 10 }, () => store.get("used_identifier", "one")));

        wire.stall();
        const failures = await endsWithin(
          20 * timeout,
          () => Promise.allSettled(Array.from({ length: 10 }, () => store.consume("used_identifier", "one", 1))),
        );
        assert(failures !== "late", "no call waits much longer than the timeout");
        assertEquals(new Set(failures.map(({ status }) => status)), new Set(["rejected"]));
        for (const { reason } of failures as PromiseRejectedResult[]) {
          assert(reason instanceof StoreError, String(reason));
        }

        // At last none of these waits: what is known to be away is not asked.
        await until(async () =>
          await endsWithin(timeout / 4, () => assertRejects(() => store.get("used_identifier", "one"), StoreError)) !==
            "late"
        );
        wire.restore();
        await untilBack(store);
        const won = await Promise.all([1, 2, 3].map((now) => store.consume("used_identifier", "one", now)));
        assert(
          won.filter(Boolean).length === 1,
          "what was asked of a dead wire has not happened, and happens only once",
        );
      } finally {
        await store.close();
        wire.close();
      }
    },
  );

  test(`${kind}: a broken connection fails pending calls with a sentence, and the store reconnects`, {
    skip,
  }, async () => {
    const { wire, url } = await behind(direct!);
    const store = await open(url);
    try {
      await store.put("used_identifier", "two", {}, stored);
      for (let i = 0; i < 3; i++) {
        wire.cut();
        const error = await assertRejects(() => store.get("used_identifier", "two"), StoreError);
        assertMatch(error.message, /store reconnects by itself/);
        wire.restore();
        await untilBack(store);
      }
      assertStrictEquals(await store.consume("used_identifier", "two", 1), true);
    } finally {
      await store.close();
      wire.close();
    }
  });
}

/** Waits until calls succeed. */
async function untilBack(store: Store): Promise<void> {
  await until(() => store.get("used_identifier", "one").then(() => true, () => false));
}
