/** Several instances on one store that lasts: clients and users that are changed at one hold at all of them. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { ConfigurationError, memoryStore } from "../../src/mod.ts";
import type { ClientMetadata, Latchkey, LatchkeyOptions, Store } from "../../src/mod.ts";
import { postgresStore } from "../../src/store/postgres.ts";
import { redisStore } from "../../src/store/redis.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { dropPostgresSchemas, dropRedisPrefixes, freshName, postgresUrl, redisUrl } from "../stores/servers.ts";
import { basic, bench, outcome, tokensOf } from "./harness.ts";
import type { Bench } from "./harness.ts";

const folder = mkdtempSync(join(tmpdir(), "latchkey-changes-"));
after(() => rmSync(folder, { recursive: true }));

/** A store that says it lasts, and as many handles on it as there are instances. */
function sharedStore(): Store {
  return { ...memoryStore(), lasting: true, close: () => Promise.resolve() };
}

function instances(store: Store, count: number, options: LatchkeyOptions = {}): Promise<Bench[]> {
  return Promise.all(Array.from({ length: count }, () => bench({ store, ...options })));
}

const late: ClientMetadata = {
  client_id: "late",
  client_secret: "late-secret-late-secret",
  redirect_uris: ["https://late.example/cb"],
};
const lateRequest = { client_id: "late", redirect_uri: "https://late.example/cb" };

/** Waits for what an instance does by itself, by its own clock. */
async function pass({ advance, get }: Bench, seconds: number): Promise<void> {
  advance(seconds);
  // Any request makes it look around; the one after it finds what was found.
  await get("/oauth2/jwks");
  for (let i = 0; i < 20; i++) await Promise.resolve();
  await get("/oauth2/jwks");
}

const idsOf = ({ as }: Bench) => as.clients.all().map(({ id }) => id);
const subsOf = ({ as }: Bench) => as.users.all().map(({ sub }) => sub);

test("[OP-06] a client added at one instance works at another at once: login here, tokens there", async () => {
  const [one, two] = await instances(sharedStore(), 2) as [Bench, Bench];
  one.as.clients.set(late);
  await one.as.clients.kept();
  const code = await two.code(lateRequest);
  const [three] = await instances(sharedStore(), 1) as [Bench];
  assertEquals(
    await outcome(await three.token({ ...lateRequest, code, client_id: undefined }, proof)),
    "401 invalid_client",
  );
  const answer = await one.token({ ...lateRequest, code, client_id: undefined }, proof);
  assertEquals((await tokensOf(answer)).token_type, "Bearer");
});

test("[OP-06] a secret that is changed at one instance counts at another at once", async () => {
  const [one, two] = await instances(sharedStore(), 2) as [Bench, Bench];
  one.as.clients.set({ client_id: "web", client_secret: "the-new-secret", redirect_uris: ["https://web.example/cb"] });
  await one.as.clients.kept();
  const code = await two.code({ client_id: "web", redirect_uri: "https://web.example/cb" });
  const fields = { code, client_id: undefined, redirect_uri: "https://web.example/cb" };
  const answer = await two.token(fields, { headers: basic("web", "the-new-secret") });
  assertEquals(await outcome(answer), "200");
});

const proof = { headers: basic("late", "late-secret-late-secret") };

test("[OP-06] a client that is changed or removed at one instance is so at another within a second", async () => {
  const [one, two] = await instances(sharedStore(), 2) as [Bench, Bench];
  one.as.clients.set({ client_id: "spa", redirect_uris: ["https://moved.example/cb"] });
  one.as.clients.delete("poster");
  await one.as.clients.kept();
  await pass(two, 1);
  assertEquals([two.as.clients.find("spa")?.redirectUris, idsOf(two)], [["https://moved.example/cb"], ["spa", "web"]]);
  assertEquals((await two.authorize()).status, 400);
  const moved = await two.authorize({ redirect_uri: "https://moved.example/cb" });
  assertMatch(moved.headers.get("location")!, /^https:\/\/moved\.example\/cb\?code=/);
});

test("[OP-06] users that are added, changed, put first and removed are the same everywhere, in the same order", async () => {
  const [one, two] = await instances(sharedStore(), 2) as [Bench, Bench];
  one.as.users.set({ sub: "carol", name: "Carol" });
  one.as.users.set({ sub: "bob", name: "Robert" });
  one.as.users.putFirst("carol");
  one.as.users.delete("alice");
  await one.as.users.kept();
  await pass(two, 1);
  assertEquals([subsOf(one), subsOf(two)], [["carol", "bob"], ["carol", "bob"]]);
  assertEquals(two.as.users.find("bob"), { sub: "bob", name: "Robert" });
});

test("[OP-06] a code for a user who was added a moment ago is redeemed at another instance", async () => {
  const [one, two] = await instances(sharedStore(), 2) as [Bench, Bench];
  one.as.users.set({ sub: "dora" });
  await one.as.users.kept();
  const { sub } = JSON.parse(
    atob((await tokensOf(await two.token({ code: await one.code({ login_hint: "dora" }) }))).id_token.split(".")[1]!),
  );
  assertEquals(sub, "dora");
});

test("[OP-06] instances that change at the same moment agree in the end, and lose nothing", async () => {
  const all = await instances(sharedStore(), 4);
  await Promise.all(all.map(async ({ as }, i) => {
    for (let n = 0; n < 10; n++) {
      as.clients.set({ client_id: `${i}-${n}`, redirect_uris: [`https://app.example/${i}`] });
      as.users.set({ sub: "bob", name: `Bob of ${i}, the ${n}th` });
      if (n % 3 === 0) await as.clients.kept();
    }
    await as.clients.kept();
  }));
  for (const { as } of all) await as.clients.refresh();
  const [first, ...others] = all.map((one) => [idsOf(one), one.as.users.find("bob")]);
  for (const other of others) assertEquals(other, first);
  assertEquals(first![0]!, [...new Set(first![0] as string[])]);
  assertEquals((first![0] as string[]).length, 3 + 40);
});

test("[OP-06] what was changed holds after a restart, over what the configuration says, and secrets are digests", async () => {
  const path = join(folder, "kept.db");
  const options = { issuer: "https://kept.test", users: [{ sub: "alice" }, { sub: "bob" }] };
  const open = async () => await bench({ ...options, store: await sqliteStore(path) });
  const before = await open();
  before.as.clients.set(late);
  before.as.clients.delete("web");
  before.as.users.putFirst("bob");
  await before.as.close();
  const behind = await open();
  assertEquals([idsOf(behind), subsOf(behind)], [["spa", "poster", "late"], ["bob", "alice"]]);
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

test("[OP-06] a program that says the same at every start adds nothing to the store after the first", async () => {
  let added = 0;
  const inner = sharedStore();
  const store: Store = {
    ...inner,
    add(kind, ...more) {
      if (kind === "change") added++;
      return inner.add(kind, ...more);
    },
  };
  for (let start = 0; start < 5; start++) {
    const { as } = await bench({ store });
    as.clients.set(late);
    as.clients.delete("poster");
    await as.clients.kept();
  }
  assertEquals(added, 2);
});

test("[OP-06] what the store could not take is not acknowledged, holds here, and is written when it can", async () => {
  const inner = sharedStore();
  let down = false;
  const store = new Proxy(inner, {
    get: (store, verb: keyof Store) =>
      verb === "add" && down ? () => Promise.reject(new Error("the store is down")) : store[verb],
  });
  const [one, two] = await instances(store, 2) as [Bench, Bench];
  down = true;
  one.as.clients.set(late);
  await assertRejects(() => one.as.clients.kept(), Error, "the store is down");
  assertEquals([idsOf(one).includes("late"), idsOf(two).includes("late")], [true, false]);
  down = false;
  await pass(one, 1);
  await one.as.clients.kept();
  await two.as.clients.refresh();
  assertEquals(idsOf(two), ["spa", "web", "poster", "late"]);
});

test("[OP-06] a change whose answer was lost is not written twice", async () => {
  const inner = sharedStore();
  let lost = 1;
  const store: Store = {
    ...inner,
    async add(kind, ...more) {
      const added = await inner.add(kind, ...more);
      if (kind === "change" && lost-- > 0) throw new Error("the answer was lost");
      return added;
    },
  };
  const [one, two] = await instances(store, 2) as [Bench, Bench];
  one.as.clients.set(late);
  await one.as.clients.kept().catch(() => {});
  two.as.clients.set({ ...late, redirect_uris: ["https://later.example/cb"] });
  await two.as.clients.kept();
  await one.as.clients.kept();
  for (const { as } of [one, two]) {
    await as.clients.refresh();
    assertEquals(as.clients.find("late")?.redirectUris, ["https://later.example/cb"]);
  }
});

test("[OP-06] issuers on one store change their own clients alone, and what another's settings refuse is left out", async () => {
  const store = sharedStore();
  const [one] = await instances(store, 1) as [Bench];
  const other = await bench({ store, issuer: "https://other.test" });
  const strict = await bench({ store, scopes: ["openid", "read"] });
  one.as.clients.set({ ...late, scope: "openid write" });
  one.as.users.set({ sub: "erin" });
  await one.as.clients.kept();
  for (const { as } of [other, strict]) await as.clients.refresh();
  assertEquals([idsOf(other), subsOf(other)], [["spa", "web", "poster"], ["alice", "bob"]]);
  assertEquals([idsOf(strict), subsOf(strict)], [["spa", "web", "poster"], ["alice", "bob", "erin"]]);
  const bugs = strict.events.filter((event) => event.type === "bug");
  assert(bugs.length === 1 && bugs[0]!.cause instanceof ConfigurationError);
});

test("with a store that does not last, changes are for this run, and nothing is asked of the store", async () => {
  const asked: string[] = [];
  const store = new Proxy(memoryStore(), {
    get: (store, verb: keyof Store) => (asked.push(verb), store[verb]),
  });
  const { as } = await bench({ store });
  as.clients.set(late);
  as.users.putFirst("bob");
  await as.clients.kept();
  await as.users.refresh();
  assertEquals([as.clients.isKept, as.users.all()[0]!.sub], [false, "bob"]);
  assertEquals([...new Set(asked)].filter((verb) => verb !== "lasting"), []);
});

const name = freshName();
const servers = [
  ["PostgreSQL", postgresUrl, (url: string) => postgresStore(url, { schema: name })],
  ["Redis", redisUrl, (url: string) => redisStore(url, { prefix: name })],
] as const;
after(() => postgresUrl === undefined ? undefined : dropPostgresSchemas(postgresUrl, [name]));
after(() => redisUrl === undefined ? undefined : dropRedisPrefixes(redisUrl, [name]));

for (const [server, url, open] of servers) {
  test(`[OP-06] on ${server} what one instance changes holds at another, and after a restart`, {
    skip: url === undefined,
  }, async () => {
    const start = async () => await bench({ store: await open(url!) });
    const [one, two] = [await start(), await start()];
    one.as.clients.set(late);
    one.as.users.set({ sub: "carol", name: "Zoë" });
    await Promise.all([one.as.clients.kept(), two.as.clients.delete("poster"), two.as.clients.kept()]);
    assertEquals((await two.authorize(lateRequest)).status, 302);
    await one.as.clients.refresh();
    await two.as.clients.refresh();
    await one.as.close();
    const three = await start();
    for (const each of [two, three]) {
      assertEquals([idsOf(each), each.as.users.find("carol")?.name], [["spa", "web", "late"], "Zoë"]);
    }
    await Promise.all([two.as.close(), three.as.close()]);
  });
}

/** A page of a server, and the token of its form. */
async function pageOf(as: Latchkey, path: string): Promise<{ html: string; token: string; cookie: string }> {
  const answer = await as.fetch(new Request(as.issuer + path));
  const html = await answer.text();
  const token = /name="form_token" value="([^"]+)"/.exec(html)![1]!;
  return { html, token, cookie: answer.headers.get("set-cookie")!.split(";")[0]! };
}

test("[OP-06] the pages say whether a change is kept, and answer when it is", async () => {
  const store = sharedStore();
  const [one, two] = await instances(store, 2) as [Bench, Bench];
  const { html, token, cookie } = await pageOf(one.as, "/clients");
  assertMatch(html, /Kept in the store: whatever instance runs on it/);
  assert(!html.includes("For this run"));
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
  const [alone] = await Promise.all([bench()]);
  assertMatch((await pageOf(alone.as, "/users")).html, /For this run/);
});
