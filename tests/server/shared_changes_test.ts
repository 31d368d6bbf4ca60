/**
 * Several instances on one persistent store: all know what is added at run time at one of them. A change of a
 * configured client or user applies only to its process.
 */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { ConfigurationError, memoryStore } from "../../src/mod.ts";
import type { ClientMetadata, LatchkeyOptions, Store } from "../../src/mod.ts";
import { postgresStore } from "../../src/platform/store/sql/postgres.ts";
import { redisStore } from "../../src/platform/store/redis.ts";
import { sqliteStore } from "../../src/core/store/sqlite.ts";
import {
  dropPostgresSchemas,
  dropRedisPrefixes,
  postgresUrl,
  redisUrl,
  timeout,
  uniqueName,
} from "../platform/store/servers.ts";
import {
  assertTokenResponse,
  basic,
  getOutcome,
  observedStore,
  recordingStore,
  sharedStore,
  testServer,
} from "../kit.ts";
import type { TestServer } from "../kit.ts";
import { storeKinds } from "../platform/store/store_kinds.ts";

const folder = mkdtempSync(join(tmpdir(), "latchkey-changes-"));

after(() => rmSync(folder, { recursive: true }));

function instances(store: Store, count: number, options: LatchkeyOptions = {}): Promise<TestServer[]> {
  return Promise.all(Array.from({ length: count }, () => testServer({ store, ...options })));
}

const late: ClientMetadata = {
  client_id: "late",
  client_secret: "late-secret-late-secret",
  redirect_uris: ["https://late.example/cb"],
};
const lateRequest = { client_id: "late", redirect_uri: "https://late.example/cb" };

/** The ids of the clients of `testServer`. */
const configuredIds = ["spa", "web", "poster"];

const idsOf = async ({ as }: Pick<TestServer, "as">) => (await as.clients.list()).map(({ id }) => id);
const subsOf = async ({ as }: Pick<TestServer, "as">) => (await as.users.list()).map(({ sub }) => sub);

test("[OP-06] a client added on one instance works on another immediately: login here, tokens there", async () => {
  const [one, two] = await instances(sharedStore(), 2) as [TestServer, TestServer];
  await one.as.clients.set(late);
  const code = await two.code(lateRequest);
  const [three] = await instances(sharedStore(), 1) as [TestServer];
  assertEquals(
    await getOutcome(await three.token({ ...lateRequest, code, client_id: undefined }, proof)),
    "401 invalid_client",
  );
  const response = await one.token({ ...lateRequest, code, client_id: undefined }, proof);
  assertEquals((await assertTokenResponse(response)).token_type, "Bearer");
});

test("[OP-06] a secret changed on one instance applies on another immediately", async () => {
  const [one, two] = await instances(sharedStore(), 2) as [TestServer, TestServer];
  await one.as.clients.set(late);
  const code = await two.code(lateRequest);
  await one.as.clients.set({ ...late, client_secret: "the-new-secret" });
  const fields = { ...lateRequest, code, client_id: undefined };
  const response = await two.token(fields, { headers: basic("late", "the-new-secret") });
  assertEquals(await getOutcome(response), "200");
});

const proof = { headers: basic("late", "late-secret-late-secret") };

test("[OP-06] a client changed or removed on one instance is so on another immediately", async () => {
  const [one, two] = await instances(sharedStore(), 2) as [TestServer, TestServer];
  await one.as.clients.set(late);
  await one.as.clients.set({ ...late, client_id: "brief" });
  assertEquals([(await two.authorize(lateRequest)).status, await idsOf(two)], [302, [
    ...configuredIds,
    "brief",
    "late",
  ]]);
  await one.as.clients.set({ ...late, redirect_uris: ["https://moved.example/cb"] });
  assertEquals([await one.as.clients.delete("brief"), await one.as.clients.delete("brief")], [true, false]);
  assertEquals([(await two.as.clients.find("late"))?.redirectUris, await idsOf(two)], [["https://moved.example/cb"], [
    ...configuredIds,
    "late",
  ]]);
  assertEquals((await two.authorize(lateRequest)).status, 400);
  const moved = await two.authorize({ ...lateRequest, redirect_uri: "https://moved.example/cb" });
  assertMatch(moved.headers.get("location")!, /^https:\/\/moved\.example\/cb\?code=/);
});

test("[OP-06] added, changed and removed users are the same on every instance, in the same order", async () => {
  const [one, two] = await instances(sharedStore(), 2) as [TestServer, TestServer];
  for (const sub of ["erin", "carol", "dora"]) await one.as.users.set({ sub });
  assertEquals(await subsOf(two), ["alice", "bob", "carol", "dora", "erin"]);
  await one.as.users.set({ sub: "dora", name: "Dora" });
  await one.as.users.delete("carol");
  assertEquals([await subsOf(one), await subsOf(two)], Array(2).fill(["alice", "bob", "dora", "erin"]));
  assertEquals(await two.as.users.find("dora"), { sub: "dora", name: "Dora" });
});

test("[OP-10] a change of a configured client or user applies only to its process, and is in no store", async () => {
  const { store, asked } = recordingStore();
  const [one, two] = await instances(store, 2) as [TestServer, TestServer];
  asked.length = 0;
  one.as.clients.set({ client_id: "spa", redirect_uris: ["https://moved.example/cb"] });
  assertEquals([one.as.clients.delete("web"), one.as.clients.delete("web")], [true, false]);
  one.as.users.set({ sub: "bob", name: "Robert" });
  one.as.users.makeDefault("bob");
  one.as.users.delete("alice");
  assertEquals(asked.filter((call) => !call.endsWith(" session_client")), []);
  const moved = await one.authorize({ redirect_uri: "https://moved.example/cb" });
  assertMatch(moved.headers.get("location")!, /^https:\/\/moved\.example\/cb\?code=/);
  assertEquals([await idsOf(one), await subsOf(one), (await one.as.users.list({ limit: 1 }))[0]?.name], [
    ["spa", "poster"],
    ["bob"],
    "Robert",
  ]);
  two.advance(60);
  for (const other of [two, ...await instances(store, 1)]) {
    assertEquals([await idsOf(other), await subsOf(other)], [configuredIds, ["alice", "bob"]]);
    assertEquals((await other.authorize({ redirect_uri: "https://moved.example/cb" })).status, 400);
  }
  assertEquals([one.as.clients.persists("spa"), one.as.clients.persists("web"), one.as.clients.persists("late")], [
    false,
    false,
    true,
  ]);
});

test("[OP-06] a code for a user added just before is exchanged on another instance", async () => {
  const [one, two] = await instances(sharedStore(), 2) as [TestServer, TestServer];
  await one.as.users.set({ sub: "dora" });
  const { sub } = JSON.parse(
    atob(
      (await assertTokenResponse(await two.token({ code: await one.code({ login_hint: "dora" }) }))).id_token.split(
        ".",
      )[1]!,
    ),
  );
  assertEquals(sub, "dora");
});

test("[OP-06] concurrent changes of several instances converge and lose nothing", async () => {
  const all = await instances(sharedStore(), 4);
  await Promise.all(all.map(async ({ as }, i) => {
    const changes: unknown[] = [];
    for (let n = 0; n < 10; n++) {
      changes.push(
        as.clients.set({ client_id: `${i}-${n}`, redirect_uris: [`https://app.example/${i}`] }),
        as.users.set({ sub: "dora", name: `Dora of ${i}, the ${n}th` }),
      );
      if (n % 3 === 0) await Promise.all(changes);
    }
    await Promise.all(changes);
  }));
  const [first, ...others] = await Promise.all(
    all.map(async (one) => [await idsOf(one), await one.as.users.find("dora")]),
  );
  for (const other of others) assertEquals(other, first);
  assertEquals(first![0]!, [...new Set(first![0] as string[])]);
  assertEquals((first![0] as string[]).length, 3 + 40);
});

test("[OP-06, OP-10] added clients survive a restart, with their secrets as digests; changes of configured ones do not", async () => {
  const path = join(folder, "kept.db");
  const options = { issuer: "https://kept.test", users: [{ sub: "alice" }, { sub: "bob" }] };
  const open = async () => await testServer({ ...options, store: await sqliteStore(path) });
  const before = await open();
  await before.as.clients.set(late);
  await before.as.clients.delete("web");
  await before.as.users.makeDefault("bob");
  assertEquals([await idsOf(before), await subsOf(before)], [["spa", "poster", "late"], ["bob", "alice"]]);
  await before.as.close();
  const behind = await open();
  assertEquals([await idsOf(behind), await subsOf(behind)], [[...configuredIds, "late"], ["alice", "bob"]]);
  const code = await behind.code(lateRequest);
  assertEquals((await behind.token({ ...lateRequest, code, client_id: undefined }, proof)).status, 200);
  const wrong = { headers: basic("late", "wrong-secret") };
  assertEquals((await behind.token({ ...lateRequest, code, client_id: undefined }, wrong)).status, 401);
  await behind.as.close();
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(path);
  const rows = JSON.stringify(database.prepare("select * from record").all());
  database.close();
  assert(rows.includes("client_secret_digest") && !rows.includes("late-secret-late-secret"));
});

test("[OP-06] a program that makes the same changes at every start adds no further records", async () => {
  const store = sharedStore();
  for (let start = 0; start < 5; start++) {
    const { as } = await testServer({ store });
    await as.clients.set(late);
    await as.clients.delete("poster");
    assertEquals([await store.count("client", ""), await as.clients.count()], [1, 3]);
  }
});

test("[OP-06] a change that the store could not take is not acknowledged, and changes nothing", async () => {
  let isDown = false;
  const store = observedStore(sharedStore(), (verb) => {
    if (isDown && ["add", "replace", "delete"].includes(verb)) throw new Error("the store is down");
  });
  const [one, two] = await instances(store, 2) as [TestServer, TestServer];
  await one.as.clients.set(late);
  isDown = true;
  for (
    const change of [
      () => one.as.clients.set({ ...late, redirect_uris: ["https://moved.example/cb"] }),
      () => one.as.clients.delete("late"),
      () => one.as.users.set({ sub: "dora" }),
    ]
  ) {
    await assertRejects(async () => await change(), Error, "the store is down");
  }
  const assertUnchanged = async () => {
    for (const b of [one, two]) {
      assertEquals([await idsOf(b), await subsOf(b)], [[...configuredIds, "late"], ["alice", "bob"]]);
      assertEquals((await b.as.clients.find("late"))?.redirectUris, late.redirect_uris);
    }
  };
  await assertUnchanged();
  isDown = false;
  await one.as.clients.set(late);
  await assertUnchanged();
});

test("[OP-06] a store call that does not end delays no other client or user", async () => {
  let isStuck = false;
  const store = observedStore(
    sharedStore(),
    (verb) => isStuck && verb === "replace" ? new Promise(() => {}) : undefined,
  );
  const { as } = await testServer({ store });
  await as.clients.set(late);
  isStuck = true;
  void as.clients.set({ ...late, redirect_uris: ["https://moved.example/cb"] });
  await Promise.resolve();
  isStuck = false;
  await as.clients.set({ ...late, client_id: "other" });
  await as.users.set({ sub: "dora" });
  assertEquals([await idsOf({ as }), await subsOf({ as })], [[...configuredIds, "late", "other"], [
    "alice",
    "bob",
    "dora",
  ]]);
});

test("[OP-06] a change is one write, and the last one counts", async () => {
  const { store, asked } = recordingStore();
  const [one, two] = await instances(store, 2) as [TestServer, TestServer];
  await one.as.clients.set(late);
  asked.length = 0;
  await two.as.clients.set({ ...late, redirect_uris: ["https://later.example/cb"] });
  assertEquals(asked, ["get client", "replace client"]);
  for (const b of [one, two]) {
    assertEquals((await b.as.clients.find("late"))?.redirectUris, ["https://later.example/cb"]);
  }
});

test("[OP-06] writes apply in the order of the calls, whether or not the caller waits", async () => {
  const [one] = await instances(sharedStore(), 1) as [TestServer];
  one.as.clients.set(late);
  one.as.clients.set({ client_id: "late", redirect_uris: ["https://later.example/cb"] });
  assertEquals((await one.authorize({ client_id: "late", redirect_uri: "https://later.example/cb" })).status, 302);
  one.as.clients.delete("late");
  assertEquals(await one.as.clients.find("late"), undefined);
});

test("[OP-06] concurrent updates of one entry lose nothing, and add no removed entry again", async () => {
  for (const options of [{}, { store: sharedStore() }]) {
    const { as } = await testServer(options);
    await as.users.set({ sub: "dora", groups: [] });
    const join = (group: number) =>
      as.users.update("dora", async ({ groups = [], ...user }) => {
        await Promise.resolve();
        return { ...user, groups: [...groups as number[], group] };
      });
    await Promise.all([1, 2, 3].map(join));
    assertEquals(((await as.users.find("dora"))!.groups as number[]).toSorted(), [1, 2, 3]);
    assertEquals(await as.users.update("dora", () => Promise.resolve(undefined)), undefined);
    const updated = join(4);
    await as.users.delete("dora");
    await updated;
    assertEquals([await as.users.find("dora"), await join(5)], [undefined, undefined]);
  }
});

test("[OP-06] a list has the default first, then configured entries, then those of the store, page by page", async () => {
  const [one, two] = await instances(sharedStore(), 2) as [TestServer, TestServer];
  for (let i = 100; i < 220; i++) await one.as.users.set({ sub: `user-${i}` });
  assertEquals(await two.as.users.makeDefault("user-150"), true);
  assertEquals((await two.as.users.list({ limit: 1 }))[0]?.sub, "user-150");
  const subs: string[] = [];
  for (;;) {
    const page = await two.as.users.list({ after: subs.at(-1), limit: 50 });
    subs.push(...page.map(({ sub }) => sub));
    if (page.length < 50) break;
  }
  assertEquals(subs.slice(0, 5), ["user-150", "alice", "bob", "user-100", "user-101"]);
  assertEquals([subs.length, new Set(subs).size, await two.as.users.count()], [122, 122, 122]);
  assertEquals(await subsOf(two), subs);
});

test("[OP-06] a client's metadata is returned exactly, without its secret", async () => {
  const metadata = {
    ...late,
    client_name: "Late",
    contacts: ["a@late.example"],
    logo_uri: "https://late.example/l.png",
  };
  const [one, two] = await instances(sharedStore(), 2) as [TestServer, TestServer];
  const { client_secret: _, ...withoutSecret } = metadata;
  assertEquals((await one.as.clients.set(metadata)).metadata, withoutSecret);
  assertEquals((await two.as.clients.find("late"))?.metadata, withoutSecret);
});

test("[OP-06] issuers on one store change only their own clients, and skip what another's settings reject", async () => {
  const store = sharedStore();
  const [one] = await instances(store, 1) as [TestServer];
  const other = await testServer({ store, issuer: "https://other.test" });
  const strict = await testServer({ store, scopes: ["openid", "read"] });
  await one.as.clients.set({ ...late, scope: "openid write" });
  await one.as.users.set({ sub: "erin" });
  assertEquals([await idsOf(other), await subsOf(other)], [["spa", "web", "poster"], ["alice", "bob"]]);
  assertEquals([await idsOf(strict), await subsOf(strict)], [["spa", "web", "poster"], ["alice", "bob", "erin"]]);
  // Each read finds the entry again, but only the first one reports it.
  assertEquals((await idsOf(strict)).length, 3);
  const bugs = strict.events.filter((event) => event.type === "internal_error");
  assert(bugs.length === 1 && bugs[0]!.cause instanceof ConfigurationError);
});

test("with a store that is not persistent, changes last for this run without any store access", async () => {
  const asked: string[] = [];
  const store = new Proxy(memoryStore(), {
    get: (store, verb: keyof Store) => (asked.push(verb), store[verb]),
  });
  const { as } = await testServer({ store });
  asked.length = 0;
  await as.clients.set(late);
  await as.users.makeDefault("bob");
  assertEquals([as.users.list()[0]!.sub, as.clients.count()], ["bob", 4]);
  assertEquals([...new Set(asked)].filter((verb) => verb !== "persistent"), []);
});

const name = uniqueName();
const servers = [
  ["PostgreSQL", postgresUrl, (url: string) => postgresStore(url, { timeout, schema: name })],
  ["Redis", redisUrl, (url: string) => redisStore(url, { timeout, prefix: name })],
] as const;

after(() => postgresUrl === undefined ? undefined : dropPostgresSchemas(postgresUrl, [name]));

after(() => redisUrl === undefined ? undefined : dropRedisPrefixes(redisUrl, [name]));

for (const [server, url, open] of servers) {
  test(`[OP-06] on ${server} a change on one instance applies on another, and after a restart`, {
    skip: url === undefined,
  }, async () => {
    const start = async () => await testServer({ store: await open(url!) });
    const [one, two] = [await start(), await start()];
    await one.as.clients.set(late);
    await one.as.users.set({ sub: "carol", name: "Zoë" });
    await two.as.clients.set({ ...late, client_id: "brief" });
    assertEquals((await two.authorize(lateRequest)).status, 302);
    assertEquals(await one.as.clients.delete("brief"), true);
    await one.as.close();
    const three = await start();
    for (const each of [two, three]) {
      const name = (await each.as.users.find("carol"))?.name;
      assertEquals([await idsOf(each), name], [[...configuredIds, "late"], "Zoë"]);
    }
    await Promise.all([two.as.close(), three.as.close()]);
  });
}

/** Startup messages about the store: the entries that only the store has, and the deleted ones. */
function loggedAtStart({ events }: TestServer): readonly [stored: unknown[], deleted: (string | undefined)[]] {
  const stored = events.flatMap((event) => event.type === "stored_entries" ? `${event.of}: ${event.ids}` : []);
  const deleted = events.flatMap((event) =>
    event.type === "warning" && event.explanation.rule === "OP-10" ? /"(.+)"/.exec(event.explanation.reason)![1] : []
  );
  return [stored, deleted.sort()];
}

/** Whether a client proves itself by a secret. */
async function proves(b: TestServer, id: string, secret: string): Promise<boolean> {
  const response = await b.post("/oauth2/introspect", "token=none", basic(id, secret));
  return response.status === 200;
}

for (const [name, skip, create] of storeKinds) {
  test(
    `[OP-10] on ${name} the configuration replaces what the store has of its ids, permanently`,
    { skip },
    async () => {
      const open = create();
      const start = async (options: LatchkeyOptions = {}) => await testServer({ ...options, store: await open() });
      const one = await start();
      assertEquals(loggedAtStart(one), [[], []]);
      await one.as.clients.set(late);
      await one.as.clients.set({ ...late, client_id: "other" });
      await one.as.users.set({ sub: "carol", name: "Stored" });
      await one.as.users.set({ sub: "dora" });
      const code = await one.code({ ...lateRequest, login_hint: "dora" });
      await one.as.close();

      const configured = await start({
        clients: [{ ...late, client_secret: "configured-secret" }],
        users: [{ sub: "alice" }, { sub: "carol", name: "Configured" }],
      });
      assertEquals(loggedAtStart(configured), [["clients: other", "users: dora"], ["carol", "late"]]);
      assertEquals(
        [
          await proves(configured, "late", "late-secret-late-secret"),
          await proves(configured, "late", "configured-secret"),
          (await configured.as.users.find("carol"))?.name,
        ],
        [false, true, "Configured"],
      );
      // What was issued to the client of the store is not valid for the configured one.
      const response = await configured.token({ ...lateRequest, code, client_id: undefined }, {
        headers: basic("late", "configured-secret"),
      });
      assertEquals(await getOutcome(response), "400 invalid_grant");
      await configured.as.close();

      const former = await start();
      assertEquals(loggedAtStart(former), [["clients: other", "users: dora"], []]);
      assertEquals([await idsOf(former), await subsOf(former)], [[...configuredIds, "other"], [
        "alice",
        "bob",
        "dora",
      ]]);
      await former.as.close();
    },
  );
}

test("[OP-10] an entry that another instance adds under a configured id has no effect", async () => {
  const store = sharedStore();
  const other = await testServer({ store, clients: [], users: [] });
  const one = await testServer({ store, users: [{ sub: "alice" }, { sub: "bob" }] });
  await other.as.clients.set({ client_id: "web", client_secret: "other", redirect_uris: ["https://other.example/cb"] });
  await other.as.users.set({ sub: "bob", name: "Other" });
  assertEquals([await proves(one, "web", "other"), await proves(one, "web", "web-secret")], [false, true]);
  assertEquals([await one.as.users.find("bob"), await idsOf(one)], [{ sub: "bob" }, configuredIds]);
  assertEquals([await subsOf(one), [...one.as.users.known().values()]], [["alice", "bob"], [{ sub: "alice" }, {
    sub: "bob",
  }]]);
});

test("[OP-06] a login of a configured client and user reads neither from the store", async () => {
  const { store, asked } = recordingStore();
  const b = await testServer({ store });
  asked.length = 0;
  await assertTokenResponse(await b.token({ code: await b.code() }));
  assertEquals(asked.filter((call) => / (client|user)$/.test(call)), []);
  await b.authorize({ client_id: "unknown" });
  assertEquals(asked.includes("get client"), true);
});

test("[OP-06] if the store cannot list its entries, the start reports it and uses the configured ones", async () => {
  const store = observedStore(sharedStore(), (verb) => {
    if (verb === "count") throw new Error("count fails");
  });
  const server = await testServer({ store });
  const causes = server.events.flatMap((event) => event.type === "internal_error" ? String(event.cause) : []);
  assertEquals(causes, ["Error: count fails"]);
  assertEquals((await server.authorize()).status, 302);
});

test("[OP-06] a default user of the store has the changes of other instances", async () => {
  const [one, two] = await instances(sharedStore(), 2) as [TestServer, TestServer];
  await one.as.users.set({ sub: "erin", name: "Erin" });
  await two.as.users.makeDefault("erin");
  assertEquals((await two.as.users.list({ limit: 1 }))[0]?.name, "Erin");
  await one.as.users.set({ sub: "erin", name: "Erin Jones" });
  assertEquals((await two.as.users.list({ limit: 1 }))[0]?.name, "Erin Jones");
});

test("[OP-06] the default is the last one that was chosen, until it is removed", async () => {
  const { as } = await testServer({ store: sharedStore() });
  for (const sub of ["dora", "erin"]) await as.users.set({ sub });
  for (const sub of ["dora", "bob", "erin"]) {
    assertEquals(await as.users.makeDefault(sub), true);
    assertEquals((await as.users.list({ limit: 1 }))[0]?.sub, sub);
  }
  assertEquals(await as.users.makeDefault("unknown"), false);
  await as.users.delete("erin");
  await as.users.set({ sub: "erin" });
  assertEquals(await subsOf({ as }), ["bob", "alice", "dora", "erin"]);
});

test("[OP-10] a guest does not take the subject of a configured user, even of a removed one", async () => {
  const store = sharedStore();
  const { as } = await testServer({ store });
  assertEquals(await as.users.add({ sub: "alice" }, Infinity), undefined);
  await as.users.delete("bob");
  assertEquals(await as.users.add({ sub: "bob" }, Infinity), undefined);
  assertEquals([await subsOf({ as }), await store.count("user", "")], [["alice"], 0]);
});

test("[OP-06] a server that closes waits for its changes before it closes the store", async () => {
  const calls: string[] = [];
  const inner = sharedStore();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const store: Store = {
    ...inner,
    async add(kind, ...rest) {
      if (kind === "format") return await inner.add(kind, ...rest);
      await released;
      calls.push(`add ${kind}`);
      return await inner.add(kind, ...rest);
    },
    close: () => Promise.resolve(void calls.push("close")),
  };
  const { as } = await testServer({ store });
  const changed = [as.clients.set(late), as.users.set({ sub: "dora" })];
  const closed = as.close();
  await new Promise((resolve) => setTimeout(resolve));
  assertEquals(calls, []);
  release();
  await Promise.all([...changed, closed]);
  assertEquals(calls.toSorted(), ["add client", "add user", "close"]);
  assertEquals(calls.at(-1), "close");
});

test("[OP-10] a start names twenty ids that only the store has, and counts the others", async () => {
  const { store } = recordingStore();
  const one = await testServer({ store });
  const reported = async () => {
    const { events } = await testServer({ store });
    return events.flatMap((event) => event.type === "stored_entries" ? [[event.ids.length, event.more]] : []);
  };
  for (let i = 0; i < 20; i++) await one.as.users.set({ sub: `late-${i}` });
  assertEquals(await reported(), [[20, undefined]]);
  for (const sub of ["later", "latest"]) await one.as.users.set({ sub });
  assertEquals(await reported(), [[20, 2]]);
});

test("[OP-06] a read that the store completes late does not bring a removed client back", async () => {
  const shared = sharedStore();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let holds = false;
  const slow: Store = {
    ...shared,
    async get(kind, id) {
      const isDelayed = holds && kind === "client";
      if (isDelayed) holds = false;
      const record = await shared.get(kind, id);
      if (isDelayed) await released;
      return record;
    },
  };
  const [one] = await instances(shared, 1) as [TestServer];
  const [two] = await instances(slow, 1) as [TestServer];
  await one.as.clients.set(late);
  holds = true;
  const delayed = two.as.clients.find("late");
  await one.as.clients.delete("late");
  assertEquals(await two.as.clients.find("late"), undefined);
  release();
  await delayed;
  assertEquals(await two.as.clients.find("late"), undefined);
});

test("[OP-06, RI-05] a resource with the id of a stored client is rejected before anything has read that client", async () => {
  const store = sharedStore();
  const resource = "https://api.example/late";
  const [one] = await instances(store, 1) as [TestServer];
  await one.as.clients.set({ ...late, client_id: resource });
  const [two] = await instances(store, 1) as [TestServer];
  const response = await two.authorize({ resource });
  assertEquals(new URL(response.headers.get("location")!).searchParams.get("error"), "invalid_target");
});
