/** The Redis store: the exam, and what only a server that instances share can get wrong. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { Redis } from "ioredis";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { after, test } from "node:test";
import { createServer } from "node:tls";
import { redisStore, StoreError } from "../../../src/platform/store/redis.ts";
import type { RecordKind } from "../../../src/core/store/store.ts";
import { storeExam } from "../../../src/core/store/exam.ts";
import { certificate, privateKey } from "../runtime/certificate.ts";
import { dropRedisPrefixes, redisUrl, testRejectedAddresses, timeout, uniqueName } from "./servers.ts";

const skip = redisUrl === undefined;
const url = redisUrl ?? "";
const names: string[] = [];
const newPrefix = () => names[names.push(uniqueName()) - 1]!;
after(() => skip ? undefined : dropRedisPrefixes(url, names));

const openWith = (prefix: string) => redisStore(url, { timeout, prefix });
storeExam({
  test: (title, run) => test(title, { skip }, run),
  name: "Redis",
  open: () => openWith(newPrefix()),
  reopen: () => openWith(names.at(-1)!),
});

testRejectedAddresses(redisStore, skip, "redis://default:hunter2/with#hash", [
  ["redis://carol:hunter2@127.0.0.1:1", /127\.0\.0\.1:1.*reachable.*start it/],
  ["redis://no.such.host.invalid", /reachable/],
]);

test("over rediss:// nothing is sent to a server whose certificate fails verification", async () => {
  let logged = "";
  const impostor = createServer({ cert: certificate, key: privateKey }, (socket) => {
    socket.on("data", (bytes) => logged += bytes);
    socket.on("error", () => {});
  });
  impostor.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => impostor.listen(0, "127.0.0.1", resolve));
  const { port } = impostor.address() as AddressInfo;
  try {
    for (const host of ["localhost", "127.0.0.1"]) {
      const address = `rediss://carol:hunter2@${host}:${port}`;
      const error = await assertRejects(() => redisStore(address, { timeout: 3000 }), StoreError);
      assertMatch(error.message, /expected a certificate for that host/);
      assert(!error.message.includes("hunter2"));
    }
    assertEquals(logged, "");
  } finally {
    impostor.close();
  }
});

/** A server with these responses to INFO memory, in the protocol of Redis. */
async function serverWithInfo(response: string) {
  const server = createTcpServer((socket) => {
    socket.on("error", () => {});
    socket.setEncoding("utf8").on("data", (text) => {
      for (const [, words] of String(text).matchAll(/\*\d+\r\n((?:\$\d+\r\n[^\r]*\r\n)+)/g)) {
        const command = words!.split("\r\n").filter((_, i) => i % 2 === 1).join(" ").toLowerCase();
        const ready = "loading:0\r\n";
        if (command === "info memory") socket.write(response);
        else socket.write(command === "info" ? `$${ready.length}\r\n${ready}\r\n` : "+OK\r\n");
        // The driver waits for the server to close the connection.
        if (command === "quit") socket.end();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test("[OP-07] a server that evicts records is a warning, and one that does not report its policy is none", async () => {
  const info = (policy: string) => {
    const text = `used_memory:1\r\n${policy}mem_clients:1\r\n`;
    return `$${text.length}\r\n${text}\r\n`;
  };
  const evicting = ["allkeys-lru", "allkeys-lfu", "allkeys-random", "volatile-lru", "volatile-random", "volatile-ttl"];
  const cases: [response: string, warns: string | undefined][] = [
    ...evicting.map((policy): [string, string] => [info(`maxmemory_policy:${policy}\r\n`), policy]),
    [info("maxmemory_policy:noeviction\r\n"), undefined],
    [info(""), undefined],
    ["-NOPERM this user has no permissions to run the 'info' command\r\n", undefined],
  ];
  for (const [response, policy] of cases) {
    const { server, url } = await serverWithInfo(response);
    const warnings: string[] = [];
    const store = await redisStore(url, { timeout, warn: (message) => warnings.push(message) });
    assertEquals(warnings.map((message) => /maxmemory-policy ([\w-]+)\)/.exec(message)?.[1]), policy ? [policy] : []);
    await store.close();
    server.close();
  }
});

test(
  "Redis expires evictable records a day late, and never records that block something",
  { skip },
  async () => {
    const prefix = newPrefix();
    const store = await redisStore(url, { timeout, prefix });
    const redis = new Redis(url);
    const hour = 3_600_000;
    const inAnHour = Date.now() + hour;
    const left = async (kind: RecordKind) => Math.round(await redis.pttl(`{${prefix}}:${kind}:one`) / hour);
    const browser = { recent: ["alice"] };
    await store.put("browser", "one", browser, { expiresAt: inAnHour });
    await store.add("interaction", "one", { at: 1 }, { expiresAt: inAnHour });
    await store.add("used_identifier", "one", {}, { expiresAt: inAnHour });
    await store.revoke("one", inAnHour);
    assertEquals(await Promise.all((["browser", "interaction", "used_identifier", "revocation"] as const).map(left)), [
      25,
      25,
      0,
      0,
    ]);
    // Replaced, it lives as long as what is new; by a clock that is far behind, until it is swept.
    await store.put("browser", "one", browser, { expiresAt: inAnHour + hour });
    assertEquals(await left("browser"), 26);
    for (const expiresAt of [1000, Infinity]) {
      await store.put("browser", "one", browser, { expiresAt });
      assertEquals([await redis.pttl(`{${prefix}}:browser:one`), (await store.get("browser", "one"))?.expiresAt], [
        -1,
        expiresAt,
      ]);
    }
    await redis.quit();
    await store.close();
  },
);
