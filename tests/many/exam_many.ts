/** The guarantees of every shareable store, tested by several concurrent processes. */

import { assert, assertEquals } from "@std/assert";
import { createLocalJWKSet, jwtVerify } from "jose";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import type { CodeRecord } from "../../src/core/store/store.ts";
import { type ChildProcessHandle, startChild } from "../platform/store/run_child.ts";
import type { Call, Command, Fetched } from "./conformance_child.ts";
import { killAll, newFolder, postgresServer, query, type RedisServer, redisServer, waitUntil } from "./processes.ts";
import { openStore } from "./open_store.ts";
import { apiRequest } from "./requests.ts";
import { unlessAny } from "../../src/server/config/settings.ts";
import { settings } from "./instances.ts";

/** A store to be examined. */
interface Candidate {
  readonly store: string;
  /** Puts so many records there that have expired; quicker than by the store's own verbs. */
  fill(count: number): Promise<void>;
}

const candidates: Readonly<Record<string, () => Promise<Candidate>>> = {
  "SQLite file"() {
    const path = join(newFolder(), "latchkey.db");
    return Promise.resolve({
      store: `sqlite:${path}`,
      fill(count: number) {
        const database = new DatabaseSync(path);
        database.exec(`
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
          INSERT INTO record (kind, id, value, expires_at) SELECT 'code', 'old ' || i, '{}', 1 + i % 1000 FROM n`);
        database.close();
        return Promise.resolve();
      },
    });
  },
  async PostgreSQL() {
    const server = await postgresServer();
    return {
      store: server.url,
      async fill(count) {
        await query(
          server,
          `INSERT INTO latchkey.record (kind, id, value, expires_at)
            SELECT 'code', 'old ' || i, '{}', 1 + i % 1000 FROM generate_series(1, ${count}) i`,
        );
      },
    };
  },
  async Redis() {
    return redisCandidate(await redisServer());
  },
};

function redisCandidate(server: RedisServer): Candidate {
  return {
    store: server.url,
    async fill(count) {
      await server.command(
        "EVAL",
        `for i = 1, ${count} do
          local key = KEYS[1] .. i
          redis.call("HSET", key, "v", "{}", "e", 1 + i % 1000)
          redis.call("ZADD", KEYS[2], 1 + i % 1000, key)
        end`,
        "2",
        "{latchkey}:code:old ",
        "{latchkey}:expiries",
      );
    },
  };
}

const code: CodeRecord = {
  grant: {
    clientId: "spa",
    subject: { sub: "alice", authTime: 0, sid: "session-1" },
    scope: ["read"],
    approvedAt: 0,
  },
  redirectUri: "https://spa.example/cb",
  validUntil: 60_000,
};

/** The API client may have tokens of its own, which need no login. */
const own = {
  ...settings,
  clients: unlessAny(settings.clients)!.map((client) =>
    client.client_id === "api" ? { ...client, grant_types: ["client_credentials"] } : client
  ),
};

/** A form of that client, for a child to send. */
const post = (...form: Parameters<typeof apiRequest>): Command => ({ do: "fetch", ...apiRequest(...form) });
const grant = post("/oauth2/token", { grant_type: "client_credentials", scope: "read" });

after(killAll);

for (const [name, open] of Object.entries(candidates)) {
  let candidate: Candidate;
  let children: ChildProcessHandle[];
  const ask = <T>(child: ChildProcessHandle, command: Command) => child.ask<T>(command);
  const all = <T>(command: Command) => Promise.all(children.map((child) => ask<T>(child, command)));

  test(`${name}: four processes open it together`, async () => {
    candidate = await open();
    children = Array.from({ length: 4 }, () => startChild("tests/many/conformance_child"));
    await all({ do: "open", store: candidate.store, settings: own });
  });

  test(`[CI-04] ${name}: four processes race for 4,000 codes, and each code is consumed once`, async () => {
    const count = 4000;
    const store = await openStore(candidate.store);
    let next = 0;
    await Promise.all(Array.from({ length: 50 }, async () => {
      for (let i = next++; i < count; i = next++) await store.put("code", `code ${i}`, code, { expiresAt: Infinity });
    }));
    const won: number[][] = [[], [], [], []];
    // In rounds, so that none of them runs ahead and has all to itself.
    for (let from = 0; from < count; from += 250) {
      const round = await all<number[]>({ do: "consumeAll", from, to: from + 250 });
      for (const [i, numbers] of round.entries()) won[i]!.push(...numbers);
    }
    assertEquals(won.flat().sort((a, b) => a - b), Array.from({ length: count }, (_, i) => i));
    assert(won.filter(({ length }) => length > 0).length > 1, "there was no race");
    await store.close();
  });

  test(`[JK-04] ${name}: four processes rotate keys together; all sign with published keys and publish the same`, async () => {
    for (let round = 0; round < 3; round++) {
      await all({ do: "rotate" });
      const documents = (await all<Fetched>({ do: "fetch", path: "/oauth2/jwks" })).map(({ body }) => JSON.parse(body));
      for (const document of documents) assertEquals(document, documents[0]);
      const tokens = (await all<Fetched>(grant)).map(({ body }) => JSON.parse(body).access_token);
      const keys = createLocalJWKSet(documents[0]);
      const signed = await Promise.all(tokens.map((token) => jwtVerify(token, keys)));
      const newest = documents[0].keys.at(-1).kid;
      assertEquals(new Set(signed.map(({ protectedHeader }) => protectedHeader.kid)), new Set([newest]));
    }
  });

  test(`[IN-04] ${name}: a revocation in one process applies to all others immediately`, async () => {
    for (let round = 0; round < 20; round++) {
      const one = children[round % 4]!;
      const other = children[(round + 1) % 4]!;
      const { access_token: token } = JSON.parse((await ask<Fetched>(one, grant)).body);
      const states = async () => {
        const responses = await all<Fetched>(post("/oauth2/introspect", { token }));
        return responses.map(({ body }) => JSON.parse(body).active);
      };
      assertEquals(await states(), [true, true, true, true]);
      assertEquals((await ask<Fetched>(other, post("/oauth2/revoke", { token }))).status, 200);
      assertEquals(await states(), [false, false, false, false]);
    }
  });

  test(`${name}: two processes delete 40,000 expired records together without blocking others`, async () => {
    const count = 40_000;
    await candidate.fill(count);
    const stores = await Promise.all([openStore(candidate.store), openStore(candidate.store)]);
    // Where there is a replica, it has received them too.
    await waitUntil(
      "it takes records",
      () => stores[0]!.put("used_identifier", "filled", {}, { expiresAt: Infinity }).then(() => true),
    );
    const busy = ask<Call[]>(children[0]!, { do: "busy", until: "swept" });
    const begun = Date.now();
    const removed = await Promise.all(stores.map((store) => store.deleteExpired(2000)));
    const took = Date.now() - begun;
    await stores[0]!.add("used_identifier", "swept", {}, { expiresAt: Infinity });
    const during = (await busy).filter(([at, duration]) => at + duration > begun && at < begun + took);
    for (const child of children) await child.kill();
    for (const store of stores) await store.close();

    assertEquals(removed[0]! + removed[1]!, count);
    const slowest = Math.max(...during.map(([, duration]) => duration));
    console.log(
      `${name}: swept in ${took} ms, ${during.length} other calls meanwhile, slowest ${slowest.toFixed(1)} ms`,
    );
    // Had it locked them out, the slowest would have waited for all of it, and few would have ended.
    assert(slowest < Math.max(1000, took / 2) || during.length >= 20, `${slowest} ms of ${took}`);
    assert(during.length > 0, "others were at work");
  });
}
