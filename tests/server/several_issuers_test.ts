/** Several issuers in one process: nothing of one is known to another, and a removed one leaves nothing. */

import { assert, assertEquals, assertMatch, assertRejects, assertStrictEquals } from "@std/assert";
import { test } from "node:test";
import { ConfigurationError, host, type LatchkeyOptions, memoryStore, type Plugin, type Store } from "../../src/mod.ts";
import type { HostedApp } from "../../src/server/hosting/hosted_app.ts";
import type { RecordKind } from "../../src/core/store/store.ts";
import type { HostedServer } from "../../src/server/hosted_server.ts";
import { sqliteStore } from "../../src/core/store/sqlite.ts";
import { testControl } from "../../src/testing/mod.ts";
import { latchkey, withSecretLeakCheck } from "../secret_leak_check.ts";
import { encode, verifier } from "../kit.ts";
import { addSide, assertIsolated, common, outcome, requests, webRequest } from "./issuers.ts";

const places: Readonly<Record<string, readonly [LatchkeyOptions, LatchkeyOptions]>> = {
  "by path": [{ path: "/a" }, { path: "/b" }],
  "by a path below the other one": [{ path: "/a" }, { path: "/a/b" }],
  "by host name": [{ issuer: "http://a.localhost:9000" }, { issuer: "http://b.localhost:9000" }],
  "at the root and below it": [{}, { path: "/b" }],
};

for (const [name, [one, other]] of Object.entries(places)) {
  test(`two issuers, ${name}: nothing of one is known to the other`, async () => {
    await using server = await host();
    await assertIsolated(await addSide(server, one), await addSide(server, other));
  });
}

for (const [name, [one, other]] of Object.entries(places)) {
  test(`the metadata of two issuers, ${name}, are at each well-known URL of RFC 8414 and of OpenID Connect`, async () => {
    await using server = await host();
    for (const app of [await server.app({ ...common, ...one }), await server.app({ ...common, ...other })]) {
      const { origin, pathname } = new URL(app.issuer);
      const path = pathname.replace(/\/$/, "");
      const urls = ["oauth-authorization-server", "openid-configuration"].flatMap((form) => [
        `${origin}/.well-known/${form}${path}`,
        `${origin}${path}/.well-known/${form}`,
      ]);
      for (const url of urls) {
        const { issuer, token_endpoint } = await (await server.fetch(new Request(url))).json();
        assertEquals([issuer, token_endpoint], [app.issuer, `${app.issuer}/oauth2/token`], url);
      }
    }
  });
}

test("a URL of no issuer is rejected by the host, however long its path is", async () => {
  await using server = await host();
  const a = await server.app({ ...common, path: "/a/b" });
  const b = await server.app({ ...common, issuer: "http://b.localhost:9000/c" });
  const urls = [
    "/",
    "/a",
    "/a/",
    "/ab/oauth2/jwks",
    "/a/bc/oauth2/jwks",
    "//a/b/oauth2/jwks",
    "/".repeat(100_000),
    "/c",
  ];
  for (const url of [...urls.map((path) => `http://localhost:9000${path}`), "http://b.localhost:9000/d"]) {
    assertStrictEquals((await server.fetch(new Request(url))).status, 404);
  }
  assertStrictEquals((await server.fetch(new Request(`${a.issuer}/oauth2/jwks`))).status, 200);
  // A Host header precedes the URL, as a request of the network has it.
  const headers = { host: "b.localhost:9000" };
  assertStrictEquals((await server.fetch(new Request("http://x.example/c/oauth2/jwks", { headers }))).status, 200);
  await b.close();
  assertStrictEquals((await server.fetch(new Request(`${b.issuer}/oauth2/jwks`))).status, 404);
  assertEquals(server.apps, [a]);
});

test("a host has each issuer once, and rejects an invalid path", async () => {
  await using server = await host();
  const a = await server.app({ ...common, path: "/a" });
  const rejected = async (options: LatchkeyOptions, message: RegExp) =>
    assertMatch(
      (await assertRejects(() => server.app({ ...common, ...options }), ConfigurationError)).message,
      message,
    );
  let closed = 0;
  const plugins = [{ close: () => void closed++ }];
  await rejected({ path: "/a", plugins }, /issuer\n.*Expected an issuer that no other app of the host has/);
  assertStrictEquals(closed, 1);
  for (const path of ["a", "/", "/a/", "/a//b", "/..", "/.well-known", "/a?b", "/%61"]) {
    await rejected({ path }, /path\n.*Expected a path such as \/a/);
  }
  await rejected({ path: "/b", issuer: "http://b.localhost:9000" }, /path\n.*Expected no path together with an issuer/);
  assertEquals(server.apps, [a]);
  await a.remove();
  assertStrictEquals((await server.app({ ...common, path: "/a" })).issuer, a.issuer);
});

test("issuers by path follow the port of the host, and are served there", async () => {
  await using server = await host();
  const [a, b] = [await server.app({ ...common, path: "/a" }), await server.app({ ...common, path: "/b" })];
  const { url } = await server.listen({ port: 0 });
  for (const { issuer } of [a, b]) {
    assert(issuer.startsWith(`${url}/`));
    const response = await fetch(`${issuer}/.well-known/openid-configuration`);
    assertStrictEquals((await response.json()).issuer, issuer);
  }
  await b.remove();
  assertStrictEquals(await (await fetch(`${url}/b/oauth2/jwks`)).text(), "No issuer of this server has this URL.\n");
});

test("a plugin extends a server once, and the server of its setup follows the port", async () => {
  const seen: HostedServer[] = [];
  let extended = 0;
  const plugin: Plugin = {
    extend(server) {
      extended++;
      return { ...server };
    },
    setup: (app) => void seen.push(app.server),
  };
  await using as = await latchkey({ assertionAudience: "issuer-or-token-endpoint", plugins: [plugin] });
  const { url } = await as.listen({ port: 0 });
  const [{ issuer, names, audience, assertionAudiences }] = seen as [HostedServer];
  assertEquals([as.issuer, issuer, names.backChannel, audience, names.storage], Array(5).fill(url));
  assertEquals(assertionAudiences, [`${url}/oauth2/token`]);
  assertEquals(extended, 1);
});

test("the path of a server's issuer follows its port, and excludes a configured issuer", async () => {
  await using as = await latchkey({ ...common, path: "/a", issuerUntilListening: "https://as.test" });
  assertStrictEquals(as.issuer, "https://as.test/a");
  const { url } = await as.listen({ port: 0 });
  assertStrictEquals(as.issuer, `${url}/a`);
  assertStrictEquals((await (await fetch(`${url}/a/.well-known/openid-configuration`)).json()).issuer, `${url}/a`);
  await assertRejects(
    () => latchkey({ path: "/a", issuer: "https://as.test" }),
    ConfigurationError,
    "no path together",
  );
});

test("an issuer until the server listens is an origin, and an app of a host has that of its host", async () => {
  for (const wrong of ["https://as.test/a", "https://as.test/", "as.test", ""]) {
    await assertRejects(() => latchkey({ issuerUntilListening: wrong }), ConfigurationError, "an origin", wrong);
  }
  await using server = await host();
  await assertRejects(
    () => server.app({ path: "/a", issuerUntilListening: "https://as.test" }),
    ConfigurationError,
    "Pass it to host()",
  );
});

test("the records of an app with its own store are not in the store of the host", async () => {
  const [shared, own] = [persistentStore(), persistentStore()];
  await using server = await host({ store: shared });
  const app = await server.app({ ...common, path: "/a", store: own });
  await app.users.set({ sub: "carol" });
  assertEquals([await shared.count("user", ""), await own.count("user", "")], [0, 1]);
});

test("an app whose issuer is the host of each request is served under all of them, and follows the port", async () => {
  await using server = await host();
  const app = await server.app({ ...common, issuer: "from-host" });
  const { url } = await server.listen({ port: 0 });
  for (const issuer of [url, url.replace("localhost", "127.0.0.1")]) {
    const response = await fetch(`${issuer}/.well-known/openid-configuration`);
    assertStrictEquals((await response.json()).issuer, issuer);
  }
  assertStrictEquals(app.issuer, url);
});

/** A store that lasts, in memory. */
function persistentStore(): Store {
  return { ...memoryStore(), persistent: true };
}

const kinds: readonly RecordKind[] = ["code", "key", "refresh_token", "access_token", "client", "user", "revocation"];
const stores: Readonly<Record<string, () => Promise<Store>>> = {
  memory: () => Promise.resolve(memoryStore()),
  "a persistent store": () => Promise.resolve(persistentStore()),
  SQLite: () => sqliteStore(":memory:"),
};

for (const [name, openStore] of Object.entries(stores)) {
  test(`apps that share ${name} have records of their own, and a removed app leaves none`, async () => {
    const store = await openStore();
    const countAll = async () =>
      (await Promise.all(kinds.map((kind) => store.count(kind, "")))).reduce((sum, count) => sum + count, 0);
    await using server = await host({ store: Promise.resolve(store) });
    const options = () => withSecretLeakCheck<LatchkeyOptions>({ ...common, path: "/b" });
    const a = await server.app({ ...options(), path: "/a" });
    const useAll = async (app: HostedApp) => {
      const { get, post } = requests(server.fetch, app);
      const location = (await get(`/oauth2/authorize?${encode(webRequest)}`)).headers.get("location")!;
      const fields = {
        grant_type: "authorization_code",
        code: new URL(location).searchParams.get("code")!,
        redirect_uri: "https://web.example/cb",
        code_verifier: verifier,
      };
      assertStrictEquals(await outcome(post("/oauth2/token", fields)), 200);
      await app.clients.set({ client_id: "late", redirect_uris: ["https://late.example/cb"] });
      await app.users.set({ sub: "carol" });
      return fields;
    };
    await useAll(a);
    const before = await countAll();
    const b = await server.app(options());
    const fields = await useAll(b);
    assert(await countAll() > before);
    await b.remove();
    assertStrictEquals(await countAll(), before);
    assertStrictEquals((await requests(server.fetch, b).post("/oauth2/token", fields)).status, 404);
    // An app of the same path begins without records, and with another key.
    const next = await server.app(options());
    assertStrictEquals(await next.clients.find("late"), undefined);
    assertStrictEquals(await outcome(requests(server.fetch, next).post("/oauth2/token", fields)), "invalid_grant");
    assert(await a.clients.find("late"));
  });
}

test("a closed app leaves its records to the next app of its path", async () => {
  const store = persistentStore();
  await using server = await host({ store });
  const a = await server.app({ ...common, path: "/a" });
  await a.clients.set({ client_id: "late", redirect_uris: ["https://late.example/cb"] });
  const other = await server.app({ ...common, path: "/b" });
  assertStrictEquals(await other.clients.find("late"), undefined);
  await a.close();
  assert(await (await server.app({ ...common, path: "/a" })).clients.find("late"));
});

test("an app with a clock of its own shares no store, because others would delete its records", async () => {
  await using server = await host({ store: memoryStore() });
  for (const options of [{ now: () => 0 }, { plugins: [testControl().plugin] }] satisfies LatchkeyOptions[]) {
    const error = await assertRejects(() => server.app({ ...common, ...options }), ConfigurationError);
    assertMatch(error.message, /now\n.*Expected the clock of the system, because the apps of the host share a store/);
  }
  assertEquals(server.apps, []);
});
