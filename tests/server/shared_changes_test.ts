/** Several instances on one store that lasts: clients and users that are changed at one hold at all of them. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { ConfigurationError, memoryStore } from "../../src/mod.ts";
import type { ClientMetadata, Latchkey, LatchkeyOptions, Store } from "../../src/mod.ts";
import { inspector } from "../../src/devtools/mod.ts";
import { postgresStore } from "../../src/platform/store/sql/postgres.ts";
import { redisStore } from "../../src/platform/store/redis.ts";
import { sqliteStore } from "../../src/platform/store/sql/sqlite.ts";
import {
  dropPostgresSchemas,
  dropRedisPrefixes,
  postgresUrl,
  redisUrl,
  timeout,
  uniqueName,
} from "../platform/store/servers.ts";
import { assertTokenResponse, basic, getOutcome, recordingStore, testServer } from "../kit.ts";
import type { TestServer } from "../kit.ts";
import { until } from "../until.ts";

const folder = mkdtempSync(join(tmpdir(), "latchkey-changes-"));
after(() => rmSync(folder, { recursive: true }));

/** A store that says it lasts, and as many handles on it as there are instances. */
function sharedStore(): Store {
  return { ...memoryStore(), persistent: true, close: () => Promise.resolve() };
}

function instances(store: Store, count: number, options: LatchkeyOptions = {}): Promise<TestServer[]> {
  return Promise.all(Array.from({ length: count }, () => testServer({ store, ...options })));
}

const late: ClientMetadata = {
  client_id: "late",
  client_secret: "late-secret-late-secret",
  redirect_uris: ["https://late.example/cb"],
};
const lateRequest = { client_id: "late", redirect_uri: "https://late.example/cb" };

/** Lets a second pass on an instance, after which a request makes it read the store, and waits for what it reads. */
async function pass({ advance, get }: TestServer, isRead: () => boolean | Promise<boolean>): Promise<void> {
  advance(1);
  await get("/oauth2/jwks");
  await until(isRead);
}

const idsOf = async ({ as }: TestServer) => (await as.clients.all()).map(({ id }) => id);
const subsOf = async ({ as }: TestServer) => (await as.users.all()).map(({ sub }) => sub);

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
  await one.as.clients.set({
    client_id: "web",
    client_secret: "the-new-secret",
    redirect_uris: ["https://web.example/cb"],
  });
  const code = await two.code({ client_id: "web", redirect_uri: "https://web.example/cb" });
  const fields = { code, client_id: undefined, redirect_uri: "https://web.example/cb" };
  const response = await two.token(fields, { headers: basic("web", "the-new-secret") });
  assertEquals(await getOutcome(response), "200");
});

const proof = { headers: basic("late", "late-secret-late-secret") };

test("[OP-06] a client changed or removed on one instance is so on another within a second", async () => {
  const [one, two] = await instances(sharedStore(), 2) as [TestServer, TestServer];
  await one.as.clients.set({ client_id: "spa", redirect_uris: ["https://moved.example/cb"] });
  assertEquals([await one.as.clients.delete("poster"), await one.as.clients.delete("poster")], [true, false]);
  await pass(two, async () => (await idsOf(two)).length === 2);
  assertEquals([(await two.as.clients.find("spa"))?.redirectUris, await idsOf(two)], [["https://moved.example/cb"], [
    "spa",
    "web",
  ]]);
  assertEquals((await two.authorize()).status, 400);
  const moved = await two.authorize({ redirect_uri: "https://moved.example/cb" });
  assertMatch(moved.headers.get("location")!, /^https:\/\/moved\.example\/cb\?code=/);
});

test("[OP-06] the first requests after a pause see the changes of another instance, and later ones read nothing", async () => {
  const store = sharedStore();
  const lists: string[] = [];
  const list: Store["list"] = (kind, options) => {
    if (kind === "override") lists.push(kind);
    return store.list(kind, options);
  };
  const [one] = await instances(store, 1) as [TestServer];
  const [two] = await instances({ ...store, list }, 1) as [TestServer];
  await one.as.clients.set({ client_id: "spa", redirect_uris: ["https://moved.example/cb"] });
  await one.as.users.delete("alice");
  two.advance(60);
  lists.length = 0;
  const request = () => two.authorize({ redirect_uri: "https://moved.example/cb" });
  const responses = [...await Promise.all([request(), request()]), await request()];
  const places = responses.map(({ headers }) => headers.get("location")?.split("?")[0]);
  assertEquals(places, Array(3).fill("https://moved.example/cb"));
  assertEquals([await subsOf(two), lists.length], [["bob"], 1]);
});

test("[OP-06] added, changed, reordered and removed users are the same on every instance, in the same order", async () => {
  const [one, two] = await instances(sharedStore(), 2) as [TestServer, TestServer];
  await one.as.users.set({ sub: "carol", name: "Carol" });
  await one.as.users.set({ sub: "bob", name: "Robert" });
  await one.as.users.makeDefault("carol");
  await one.as.users.delete("alice");
  await pass(two, async () => !(await subsOf(two)).includes("alice"));
  assertEquals([await subsOf(one), await subsOf(two)], [["carol", "bob"], ["carol", "bob"]]);
  assertEquals(await two.as.users.find("bob"), { sub: "bob", name: "Robert" });
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
    for (let n = 0; n < 10; n++) {
      const changes = [
        as.clients.set({ client_id: `${i}-${n}`, redirect_uris: [`https://app.example/${i}`] }),
        as.users.set({ sub: "bob", name: `Bob of ${i}, the ${n}th` }),
      ];
      if (n % 3 === 0) await Promise.all(changes);
    }
  }));
  for (const { as } of all) await as.clients.refresh();
  const [first, ...others] = await Promise.all(
    all.map(async (one) => [await idsOf(one), await one.as.users.find("bob")]),
  );
  for (const other of others) assertEquals(other, first);
  assertEquals(first![0]!, [...new Set(first![0] as string[])]);
  assertEquals((first![0] as string[]).length, 3 + 40);
});

test("[OP-06] changes survive a restart and override the configuration, and secrets are digests", async () => {
  const path = join(folder, "kept.db");
  const options = { issuer: "https://kept.test", users: [{ sub: "alice" }, { sub: "bob" }] };
  const open = async () => await testServer({ ...options, store: await sqliteStore(path) });
  const before = await open();
  await before.as.clients.set(late);
  await before.as.clients.delete("web");
  await before.as.users.makeDefault("bob");
  await before.as.close();
  const behind = await open();
  assertEquals([await idsOf(behind), await subsOf(behind)], [["spa", "poster", "late"], ["bob", "alice"]]);
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

test("[OP-06] a program that says the same at every start leaves as many records as after the first", async () => {
  const store = sharedStore();
  for (let start = 0; start < 5; start++) {
    const { as } = await testServer({ store });
    await as.clients.set(late);
    await as.clients.delete("poster");
    assertEquals([await store.count("client", ""), await store.count("override", "")], [1, 1]);
    assertEquals(await as.clients.count(), 3);
  }
});

test("[OP-06] a change that the store could not take is not acknowledged, and changes nothing", async () => {
  const inner = sharedStore();
  let down = false;
  const store = new Proxy(inner, {
    get: (store, verb: keyof Store) =>
      verb === "put" && down ? () => Promise.reject(new Error("the store is down")) : store[verb],
  });
  const [one, two] = await instances(store, 2) as [TestServer, TestServer];
  down = true;
  for (
    const change of [
      () => one.as.clients.set(late),
      () => one.as.clients.delete("web"),
      () => one.as.users.makeDefault("bob"),
    ]
  ) {
    await assertRejects(async () => await change(), Error, "the store is down");
  }
  assertEquals([await idsOf(one), await subsOf(one)], [["spa", "web", "poster"], ["alice", "bob"]]);
  down = false;
  await one.as.clients.set(late);
  assertEquals([await idsOf(one), await idsOf(two)], [["spa", "web", "poster", "late"], [
    "spa",
    "web",
    "poster",
    "late",
  ]]);
});

test("[OP-06] a change is one write, and the last one counts", async () => {
  const { store, asked } = recordingStore();
  const [one, two] = await instances(store, 2) as [TestServer, TestServer];
  await one.as.clients.set(late);
  asked.length = 0;
  await two.as.clients.set({ ...late, redirect_uris: ["https://later.example/cb"] });
  assertEquals(asked.filter((call) => !call.startsWith("get")), ["put client"]);
  asked.length = 0;
  await one.as.users.set({ sub: "bob", name: "Robert" });
  assertEquals(asked.filter((call) => !call.startsWith("get") && !call.endsWith("server_secret")), ["put override"]);
  for (const b of [one, two]) {
    await b.as.clients.refresh();
    assertEquals((await b.as.clients.find("late"))?.redirectUris, ["https://later.example/cb"]);
  }
});

test("[OP-06] what is written first counts first, whether or not the caller waits", async () => {
  const [one] = await instances(sharedStore(), 1) as [TestServer];
  one.as.clients.set(late);
  one.as.clients.set({ client_id: "late", redirect_uris: ["https://later.example/cb"] });
  assertEquals((await one.authorize({ client_id: "late", redirect_uri: "https://later.example/cb" })).status, 302);
  one.as.clients.delete("late");
  assertEquals(await one.as.clients.find("late"), undefined);
});

test("[OP-06] a list has the default first, then configured entries, then those of the store, page by page", async () => {
  const [one, two] = await instances(sharedStore(), 2) as [TestServer, TestServer];
  for (let i = 100; i < 220; i++) await one.as.users.set({ sub: `user-${i}` });
  await one.as.users.makeDefault("user-150");
  await two.as.users.refresh();
  assertEquals((await two.as.users.first())?.sub, "user-150");
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
  for (const { as } of [other, strict]) await as.clients.refresh();
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
  await as.clients.set(late);
  await as.users.makeDefault("bob");
  await as.users.refresh();
  assertEquals([as.clients.isPersistent, as.users.all()[0]!.sub, as.clients.count()], [false, "bob", 4]);
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
    await two.as.clients.delete("poster");
    assertEquals((await two.authorize(lateRequest)).status, 302);
    await one.as.clients.refresh();
    await two.as.clients.refresh();
    await one.as.close();
    const three = await start();
    for (const each of [two, three]) {
      assertEquals([await idsOf(each), (await each.as.users.find("carol"))?.name], [["spa", "web", "late"], "Zoë"]);
    }
    await Promise.all([two.as.close(), three.as.close()]);
  });
}

/** What the first configuration says; what comes after it differs. */
const first = {
  clients: [
    { client_id: "spa", redirect_uris: ["https://spa.example/cb"] },
    { client_id: "web", client_secret: "web-secret", redirect_uris: ["https://web.example/cb"] },
    { client_id: "gone", client_secret: "gone-secret", redirect_uris: ["https://gone.example/cb"] },
    { client_id: "kept", redirect_uris: ["https://kept.example/cb"] },
  ],
  users: [{ sub: "alice" }, { sub: "bob", name: "Bob" }, { sub: "carol" }],
} satisfies LatchkeyOptions;

/** Clients and users with other members where there is one of that id; an id alone is left out. */
function changed(...entries: readonly { readonly client_id?: string; readonly sub?: string }[]): LatchkeyOptions {
  const apply = <Written extends object>(written: readonly Written[], name: "client_id" | "sub") => [
    ...written.filter((one) => !entries.some((entry) => name in entry && entry[name] === one[name as never])),
    ...entries.filter((entry) => name in entry && Object.keys(entry).length > 1) as unknown as Written[],
  ];
  return { clients: apply(first.clients, "client_id"), users: apply(first.users, "sub") } as LatchkeyOptions;
}

/** Startup messages about the store: changes, and dropped changes. */
function loggedAtStart({ events }: TestServer): readonly [stored: unknown[], left: (string | undefined)[]] {
  const stored = events.flatMap((event) => {
    if (event.type !== "stored_changes") return [];
    const { of, replaced, removed, added } = event;
    return [`${of}: replaced ${replaced}; removed ${removed}; added ${added}`];
  });
  const left = events.flatMap((event) =>
    event.type === "warning" && event.explanation.rule === "OP-10" ? /"(.+)"/.exec(event.explanation.reason)![1] : []
  );
  return [stored, left.sort()];
}

/** Whether a client proves itself by a secret. */
async function proves(b: TestServer, id: string, secret: string): Promise<boolean> {
  const response = await b.post("/oauth2/introspect", "token=none", basic(id, secret));
  return response.status === 200;
}

const lastingStores: (readonly [name: string, skip: boolean, open: () => Promise<Store>])[] = [
  ["a store in memory that lasts", false, ((store) => () => Promise.resolve(store))(sharedStore())],
  ["SQLite", false, () => sqliteStore(join(folder, "configured.db"))],
  ["PostgreSQL", postgresUrl === undefined, () => postgresStore(postgresUrl!, { timeout, schema: `${name}_c` })],
  ["Redis", redisUrl === undefined, () => redisStore(redisUrl!, { timeout, prefix: `${name}_c` })],
];
after(() => postgresUrl === undefined ? undefined : dropPostgresSchemas(postgresUrl, [`${name}_c`]));
after(() => redisUrl === undefined ? undefined : dropRedisPrefixes(redisUrl, [`${name}_c`]));

for (const [server, skip, open] of lastingStores) {
  test(`[OP-10] on ${server} a change applies until the configuration changes its entry, and then never again`, {
    skip,
  }, async () => {
    const start = async (options: LatchkeyOptions) => await testServer({ ...options, store: await open() });
    const one = await start(first);
    assertEquals(loggedAtStart(one), [[], []]);
    await one.as.clients.set({ ...first.clients[1]!, client_secret: "changed-web-secret" });
    await one.as.clients.set({ ...first.clients[2]!, client_secret: "changed-gone-secret" });
    await one.as.clients.delete("kept");
    await one.as.clients.set(late);
    await one.as.users.set({ sub: "bob", name: "Robert" });
    await one.as.users.delete("carol");
    await one.as.users.set({ sub: "dora" });
    await one.as.close();

    const same = await start(first);
    assertEquals(loggedAtStart(same), [[
      "clients: replaced web,gone; removed kept; added late",
      "users: replaced bob; removed carol; added dora",
    ], []]);
    assertEquals([await proves(same, "web", "web-secret"), await proves(same, "web", "changed-web-secret")], [
      false,
      true,
    ]);
    await same.as.close();

    const rotated = await start(changed(
      { client_id: "web", ...{ client_secret: "rotated-secret", redirect_uris: ["https://web.example/cb"] } },
      { client_id: "gone" },
      { client_id: "late", ...{ redirect_uris: ["https://late.example/new"] } },
      { sub: "bob", ...{ name: "Bobby" } },
      { sub: "carol", ...{ name: "Carol" } },
    ));
    assertEquals(loggedAtStart(rotated), [
      ["clients: replaced ; removed kept; added ", "users: replaced ; removed ; added dora"],
      ["bob", "carol", "gone", "late", "web"],
    ]);
    assertEquals(
      await Promise.all(
        ["web-secret", "changed-web-secret", "rotated-secret"].map((secret) => proves(rotated, "web", secret)),
      ),
      [false, false, true],
    );
    assertEquals(await proves(rotated, "gone", "changed-gone-secret"), false);
    assertEquals(await proves(rotated, "late", "late-secret-late-secret"), false);
    assertEquals([(await rotated.as.users.find("bob"))?.name, (await rotated.as.users.find("carol"))?.name], [
      "Bobby",
      "Carol",
    ]);
    await rotated.as.close();

    // What the configuration has replaced does not come back with the configuration of before.
    const before = await start(first);
    assertEquals(loggedAtStart(before), [
      ["clients: replaced ; removed kept; added ", "users: replaced ; removed ; added dora"],
      [],
    ]);
    assertEquals(
      [
        await proves(before, "web", "web-secret"),
        await proves(before, "web", "changed-web-secret"),
        await proves(before, "gone", "gone-secret"),
        await proves(before, "gone", "changed-gone-secret"),
        await proves(before, "late", "late-secret-late-secret"),
      ],
      [true, false, true, false, false],
    );
    assertEquals(await subsOf(before), ["alice", "bob", "carol", "dora"]);
    await before.as.close();
  });
}

test("[OP-06] a login of a configured client and user reads neither from the store", async () => {
  const { store, asked } = recordingStore();
  const b = await testServer({ store });
  asked.length = 0;
  await assertTokenResponse(await b.token({ code: await b.code() }));
  assertEquals(asked.filter((call) => / (client|user|override)$/.test(call)), []);
  await b.authorize({ client_id: "unknown" });
  assertEquals(asked.includes("get client"), true);
});

test("[OP-06] changes that cannot be read are reported once, until a read succeeds", async () => {
  let isFailing = true;
  const working = sharedStore();
  const store: Store = {
    ...working,
    list: (kind, options) => isFailing ? Promise.reject(new Error("list fails")) : working.list(kind, options),
  };
  const { as, events } = await testServer({ store });
  const reported = () => events.filter(({ type }) => type === "internal_error").length;
  await as.clients.refresh();
  assertEquals(reported(), 1);
  for (const [fails, count] of [[true, 1], [false, 1], [true, 2]] as const) {
    isFailing = fails;
    await as.clients.refresh();
    assertEquals(reported(), count);
  }
});

test("[OP-06] the default user of the store has the changes of another instance after a read of it", async () => {
  const [one, two] = await instances(sharedStore(), 2) as [TestServer, TestServer];
  await one.as.users.set({ sub: "erin", name: "Erin" });
  await one.as.users.makeDefault("erin");
  await two.as.users.refresh();
  assertEquals((await two.as.users.first())?.name, "Erin");
  await one.as.users.set({ sub: "erin", name: "Erin Jones" });
  await two.as.users.reload("erin");
  assertEquals((await two.as.users.first())?.name, "Erin Jones");
});

test("[OP-10] a start names twenty ids that only the store has, and counts the others", async () => {
  const { store } = recordingStore();
  const one = await testServer({ ...first, store });
  const reported = async () => {
    const { events } = await testServer({ ...first, store });
    return events.flatMap((event) => event.type === "stored_changes" ? [[event.added.length, event.moreAdded]] : []);
  };
  for (let i = 0; i < 20; i++) await one.as.users.set({ sub: `late-${i}` });
  assertEquals(await reported(), [[20, undefined]]);
  for (const sub of ["later", "latest"]) await one.as.users.set({ sub });
  assertEquals(await reported(), [[20, 2]]);
});

test("[OP-10] instances with two configurations, as in a rolling update, lose no change of either", async () => {
  const store = sharedStore();
  const start = (options: LatchkeyOptions) => testServer({ ...options, store });
  const newer = changed({
    client_id: "web",
    ...{ client_secret: "rotated", redirect_uris: ["https://web.example/cb"] },
  });
  const old = await start(first);
  await old.as.clients.set({ ...first.clients[1]!, client_secret: "changed-at-old" });
  const one = await start(newer);
  await old.as.clients.refresh();
  assertEquals([await proves(old, "web", "changed-at-old"), await proves(one, "web", "rotated")], [true, true]);
  await one.as.clients.set({
    client_id: "web",
    client_secret: "changed-at-new",
    redirect_uris: ["https://web.example/cb"],
  });
  await one.as.clients.set(late);
  await old.as.clients.refresh();
  assertEquals([await proves(old, "web", "changed-at-old"), await proves(old, "web", "changed-at-new")], [true, false]);
  assertEquals([loggedAtStart(old)[1], (await idsOf(old)).includes("late")], [["web"], true]);
  // An old instance that is restarted meanwhile takes nothing from the new ones.
  const restarted = await start(first);
  assertEquals([await proves(restarted, "web", "web-secret"), (await idsOf(restarted)).includes("late")], [true, true]);
  await one.as.clients.refresh();
  for (const b of [one, await start(newer)]) assertEquals(await proves(b, "web", "changed-at-new"), true);
});

test("[OP-10] a later change of an instance with a former configuration does not affect the one before", async () => {
  const store = sharedStore();
  const start = (options: LatchkeyOptions) => testServer({ ...options, store });
  const web = { client_id: "web", redirect_uris: ["https://web.example/cb"] };
  const newer = changed({
    client_id: "web",
    ...{ client_secret: "rotated", redirect_uris: ["https://web.example/cb"] },
  });
  const [old, one] = [await start(first), await start(newer)];
  await one.as.clients.set({ ...web, client_secret: "changed-at-new" });
  await old.as.clients.set({ ...web, client_secret: "changed-at-old" });
  assertEquals(await proves(await start(newer), "web", "changed-at-new"), true);
});

test("[OP-10] a program that configures and changes the same at every start leaves as many records", async () => {
  const store = sharedStore();
  for (let i = 0; i < 3; i++) {
    const b = await testServer({ ...first, store });
    await b.as.clients.set({ ...first.clients[1]!, client_secret: "changed-web-secret" });
    await b.as.clients.delete("kept");
    assertEquals(await store.count("override", ""), 2);
    assertEquals(loggedAtStart(b)[1], []);
  }
});

test("[OP-10] what a change is based on is kept as a digest, keyed by a secret of each store", async () => {
  const bases: string[] = [];
  for (let i = 0; i < 2; i++) {
    const store = sharedStore();
    const { as } = await testServer({ ...first, store });
    await as.clients.set({ ...first.clients[1]!, client_name: "Web" });
    await as.clients.delete("web");
    await as.users.delete("bob");
    await as.users.set({ sub: "dora" });
    const overrides = await store.list("override", { prefix: "", limit: 10 });
    assertEquals(overrides.map(({ value }) => value.id).sort(), ["bob", "web"]);
    bases.push(...overrides.map(({ value }) => value.basis));
  }
  assert(bases.every((basis) => /^[\w-]{43}$/.test(basis)));
  assertEquals(new Set(bases).size, 4);
});

/** A page of a server, and the token of its form. */
async function pageOf(as: Latchkey, path: string): Promise<{ html: string; token: string; cookie: string }> {
  const response = await as.fetch(new Request(as.issuer + path));
  const html = await response.text();
  const token = /name="form_token" value="([^"]+)"/.exec(html)![1]!;
  return { html, token, cookie: response.headers.get("set-cookie")!.split(";")[0]! };
}

test("[OP-06] the pages report whether a change is stored, and respond when it is", async () => {
  const store = sharedStore();
  const [one, two] = await instances(store, 2) as [TestServer, TestServer];
  const { html, token, cookie } = await pageOf(one.as, "/users");
  assertMatch(html, /The store keeps the \w+.* and every instance on the store/);
  assert(!html.includes("in memory until"));
  const body = new URLSearchParams({
    form_token: token,
    client_id: "paged",
    redirect_uris: "https://paged.example/cb",
    token_endpoint_auth_method: "none",
  });
  const added = await one.as.fetch(
    new Request(`${one.as.issuer}/clients`, { method: "POST", body, headers: { cookie }, redirect: "manual" }),
  );
  assertEquals(added.status, 303);
  await two.code({ client_id: "paged", redirect_uri: "https://paged.example/cb" });
  const [alone] = await Promise.all([testServer()]);
  assertMatch((await pageOf(alone.as, "/users")).html, /in memory until it stops/);
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
  two.advance(1.5);
  assertEquals(await two.as.clients.find("late"), undefined);
  release();
  assertEquals(await delayed, undefined);
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

test("[OP-06, HT-15] a secret sent as the client id is hidden on the pages of flows, which read no client", async () => {
  const reads: string[] = [];
  const shared = sharedStore();
  const store: Store = {
    ...shared,
    get(kind, id) {
      reads.push(kind);
      return shared.get(kind, id);
    },
  };
  const { as, get } = await testServer({ store, plugins: [inspector()] });
  const secret = "Sup3rS3cretPassw0rd";
  await as.fetch(
    new Request(`${as.issuer}/oauth2/token`, {
      method: "POST",
      headers: { ...basic(secret, "other") },
      body: new URLSearchParams({ grant_type: "client_credentials" }),
    }),
  );
  reads.length = 0;
  for (const path of ["/flows", "/flows/1"]) assert(!(await (await get(path)).text()).includes(secret), path);
  assertEquals(reads.filter((kind) => kind === "client"), []);
});
