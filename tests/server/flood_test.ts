/**
 * Requests without credentials cannot fill any store or block other users.
 *
 * @extensions pairwise, requested_claims
 */

import { assert, assertEquals, assertLess } from "@std/assert";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { type LatchkeyOptions, memoryStore } from "../../src/mod.ts";
import { postgresStore } from "../../src/platform/store/sql/postgres.ts";
import { redisStore } from "../../src/platform/store/redis.ts";
import { sqliteStore } from "../../src/core/store/sqlite.ts";
import type { RecordKind, Store } from "../../src/core/store/store.ts";
import {
  dropPostgresSchemas,
  dropRedisPrefixes,
  postgresUrl,
  redisUrl,
  timeout,
  uniqueName,
} from "../platform/store/servers.ts";
import { openBrowser } from "./browser.ts";
import {
  assertAuthorizationResponse,
  assertPage,
  encode,
  forEachCase,
  goodRequest,
  realHost,
  recordingStore,
  testServer,
} from "../kit.ts";
import type { Fields } from "../kit.ts";
import { describePage, fillForm, logInAndAllow, openPage, requestAuthorization, send } from "./page_navigation.ts";

const name = uniqueName();
const folder = mkdtempSync(join(tmpdir(), "latchkey-"));
after(async () => {
  if (postgresUrl !== undefined) await dropPostgresSchemas(postgresUrl, [name]);
  if (redisUrl !== undefined) await dropRedisPrefixes(redisUrl, [name]);
  rmSync(folder, { recursive: true });
});

const stores: readonly (readonly [string, boolean, () => Store | Promise<Store>])[] = [
  ["memory", true, () => memoryStore()],
  ["SQLite", true, () => sqliteStore(join(folder, "flood.db"))],
  ["PostgreSQL", postgresUrl !== undefined, () => postgresStore(postgresUrl!, { timeout, schema: name })],
  ["Redis", redisUrl !== undefined, () => redisStore(redisUrl!, { timeout, prefix: name })],
];

/** The digest of a password that no test knows. */
const unknownPassword = "$scrypt$ln=15,r=8,p=3$4fXXG0spB92WPB1NitT8/Q$dAf4FAXv5aPZ5rXGwYtVjPyLZkUJzYV6c9xJFXG1bBo";

const severalUsers: LatchkeyOptions = {
  login: "interactive",
  clients: [{ client_id: "spa", redirect_uris: ["https://spa.example/cb"] }],
  users: [{ sub: "alice" }],
};

/** A store that counts what is written to it, by kind. */
function counted(store: Store): { readonly store: Store; readonly written: Map<RecordKind, number> } {
  const written = new Map<RecordKind, number>();
  const count = (kind: RecordKind) => void written.set(kind, (written.get(kind) ?? 0) + 1);
  return {
    written,
    store: {
      ...store,
      put(kind, ...what) {
        count(kind);
        return store.put(kind, ...what);
      },
      add(kind, ...what) {
        count(kind);
        return store.add(kind, ...what);
      },
      revoke(...what) {
        count("revocation");
        return store.revoke(...what);
      },
    },
  };
}

/** The largest request; with a character that doubles the size of texts. */
const largest = {
  state: "ж".repeat(900),
  nonce: "n".repeat(800),
  claims: JSON.stringify({ id_token: Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`claim-${i}`, null])) }),
  login_hint: "l".repeat(1000),
};

for (const [kind, available, open] of stores) {
  test(`[HT-20] ${kind}: 600 requests without credentials leave nothing in the store, and another user logs in`, {
    skip: !available,
  }, async () => {
    const { store, written } = counted(await open());
    const b = await testServer({ ...severalUsers, store });
    await openPage(openBrowser(b), "/", await openBrowser(b).authorize());
    written.clear();
    const form = { "content-type": "application/x-www-form-urlencoded" };
    for (let i = 0; i < 600; i += 100) {
      await Promise.all(Array.from({ length: 100 }, async (_, j) => {
        const fields = { ...goodRequest, ...largest, state: `${largest.state}${i + j}` };
        const result = j % 2 === 0
          ? await b.authorize(fields)
          : await b.get("/oauth2/authorize", { method: "POST", body: encode(fields), headers: form });
        assertEquals([result.status === (j % 2 === 0 ? 302 : 303), landsAtLogin(result)], [true, true]);
      }));
    }
    assertEquals([...written], []);
    assertAuthorizationResponse((await logInAndAllow(openBrowser(b), "alice")).response);
    await b.as.close();
  });
}

function landsAtLogin(result: Response): boolean {
  return result.headers.get("location")?.startsWith("/oauth2/login?interaction=") === true;
}

test("[HT-20] of the requests cancelled without a login, 100 per network are marked as finished", async () => {
  const { store, written } = counted(memoryStore());
  const b = await testServer({ ...severalUsers, store });
  const browser = openBrowser(b);
  const cancel = async () => {
    const { path, fields } = fillForm(await requestAuthorization(browser), "cancel", "yes");
    assertEquals(assertAuthorizationResponse(await send(browser, path, fields)).error, "access_denied");
    return () => send(browser, path, fields);
  };
  await assertPage(await (await cancel())(), 400);
  for (let i = 1; i < 100; i++) await cancel();
  assertEquals(written.get("interaction"), 100);
  // One more gets the same response, and can be cancelled again.
  assertEquals(assertAuthorizationResponse(await (await cancel())()).error, "access_denied");
  assertEquals(written.get("interaction"), 100);
  b.advance(30 * 60);
  await assertPage(await (await cancel())(), 400);
  assertAuthorizationResponse((await logInAndAllow(browser, "alice")).response);
});

test("[AZ-13] a request that is too large to carry is invalid_request at the client, with its state", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  await forEachCase([2800, 4096], async (length) => {
    const state = "ж".repeat(length);
    const result = await browser.post("/oauth2/authorize", { ...goodRequest, state }, "elsewhere");
    assertEquals(assertAuthorizationResponse(result, { state }).error, "invalid_request");
    assertEquals(describePage(await requestAuthorization(openBrowser(b), { state: "s".repeat(length) })), "login");
  });
});

test("[UI-14] a request that was modified, or sealed by another server, gets an error page", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const { path } = await requestAuthorization(browser);
  const [id, content, seal] = path.slice(path.indexOf("=") + 1).split(".") as [string, string, string];
  const elsewhere = await requestAuthorization(openBrowser(await testServer(severalUsers)));
  const changed = [
    `${id}.${content.slice(0, -1)}${content.endsWith("A") ? "B" : "A"}.${seal}`,
    `${id.slice(1)}A.${content}.${seal}`,
    `${id}.${content}`,
    `${id}.${content}.`,
    `${id}.${content}.${seal}.`,
    `.${id}.${content}.${seal}`,
    elsewhere.path.slice(elsewhere.path.indexOf("=") + 1),
  ];
  await forEachCase(changed, async (interaction) => {
    await assertPage(await browser.get(`/oauth2/login?interaction=${interaction}`), 400);
  });
  // Data in the browser reveals only what the client sent.
  const demand = JSON.stringify({ id_token: { sub: { values: ["alice", "unknown"] } } });
  const demanding = await requestAuthorization(browser, { scope: "openid", claims: demand });
  const carried = atob(demanding.path.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/"));
  assert(carried.includes('[["alice","unknown"]]'));
  assert(!carried.includes("expectedSubs"));
});

test("[OI-08] at most 16 subjects are demanded, and compared once a user is known: a request reads none of them", async () => {
  const { store, asked } = recordingStore();
  const users = [{ sub: "alice", password: unknownPassword }];
  const pairwise = { client_id: "spa", redirect_uris: ["https://spa.example/cb"], subject_type: "pairwise" as const };
  for (const clients of [severalUsers.clients!, [pairwise]]) {
    // Where users need a password: elsewhere the page offers the demanded users.
    const b = await testServer({ ...severalUsers, issuer: realHost.issuer, users, clients, store });
    const demand = (count: number) => {
      const values = Array.from({ length: count }, (_, i) => `user-${i}`);
      return {
        claims: JSON.stringify({
          userinfo: { sub: { values: values.slice(1) } },
          id_token: { sub: { value: "user-0" } },
        }),
      };
    };
    const browser = openBrowser(b);
    await requestAuthorization(browser);
    const measure = async (fields: Fields) => {
      asked.length = 0;
      const { location, status } = await requestAuthorization(browser, fields);
      return { location, status, reads: asked.length };
    };
    const plain = await measure({});
    const demanding = await measure(demand(16));
    assertEquals([demanding.status, demanding.reads], [plain.status, plain.reads]);
    for (const count of [17, 300]) {
      const response = await b.authorize(demand(count));
      assertEquals(assertAuthorizationResponse(response, realHost).error, "invalid_request");
    }
    await b.as.close();
  }
});

test("[HT-20] a memory store has a byte limit, and a character beyond Latin-1 counts twice throughout its record", async () => {
  for (const [letter, most] of [["e", 100], ["é", 100], ["ж", 50]] as const) {
    const store = memoryStore({ maxBytes: 100 * 1000 });
    const recent = [letter + "e".repeat(1000 - JSON.stringify({ recent: [letter] }).length)];
    for (let i = 0; i < 300; i++) {
      await store.put("browser", `${i}`, { recent }, { expiresAt: 1000 + i });
      if (i % 3 === 0) await store.consume("browser", `${i}`, i);
      if (i % 7 === 0) await store.put("browser", `${i}`, { recent }, { expiresAt: 2000 });
    }
    assertEquals((await store.get("browser", "299"))?.expiresAt, 1299);
    // What keeps something out is never forgotten.
    for (let i = 0; i < 1000; i++) await store.add("used_identifier", "s".repeat(100) + i, {}, { expiresAt: 500 });
    assertEquals(await store.deleteExpired(500), 1000);
    const kept = await store.deleteExpired(Infinity);
    assertEquals([kept <= most, kept > most - 2], [true, true], `${letter}: ${kept}`);
    await store.put("browser", "large", { recent: ["x".repeat(200_000)] }, { expiresAt: 1 });
    assertLess(199_999, JSON.stringify((await store.get("browser", "large"))!.value).length);
  }
});
