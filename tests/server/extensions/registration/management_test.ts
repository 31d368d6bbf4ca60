/**
 * The client configuration endpoint: reading, replacing and deleting a registration; the bound of clients (group DR).
 *
 * @extensions assertion_authentication
 */

import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { test } from "node:test";
import { memoryStore, type Store } from "../../../../src/mod.ts";
import {
  basic,
  forEachCase,
  getOutcome,
  getRejections,
  observedStore,
  realHost,
  sharedStore,
  testServer,
} from "../../../kit.ts";
import type { TestServer } from "../../../kit.ts";
import { manage, outcomeOf, postRegistration, publicClient, register, type Registered } from "../../registering.ts";

const confidential = {
  redirect_uris: ["https://app.example/cb"],
  grant_types: ["authorization_code", "refresh_token", "client_credentials"],
};

/** The status of a token request by client_credentials with the secret of a client. */
async function useSecret(server: TestServer, { client_id, client_secret }: Registered): Promise<string> {
  return await getOutcome(
    await server.token(
      {
        ...{ grant_type: "client_credentials", scope: "read" },
        ...{ client_id: undefined, redirect_uri: undefined, code_verifier: undefined },
      },
      { headers: basic(client_id, client_secret) },
    ),
  );
}

/** Logs in with a public client that registered itself, and returns the token response. */
async function logIn(server: TestServer, { client_id }: Registered) {
  const at = { client_id, redirect_uri: "https://app.example/cb" };
  return await (await server.token({ ...at, code: await server.code(at) })).json();
}

function deletedClients({ events }: TestServer): string[] {
  return events.flatMap((event) => event.type === "client_deleted" ? event.client : []);
}

test("[DR-06] the registration access token reads its own client only", async () => {
  // A test host names the reason of a rejection; any other host must not.
  const insecure = { insecure: ["auto-login", "open-registration"] as const };
  const server = await testServer({ issuer: "https://as.real.com", registration: { mode: "open" }, ...insecure });
  const client = await register(server, { ...confidential, grant_types: ["authorization_code"] });
  const other = await register(server);
  const response = await manage(server, "GET", client);
  assertEquals(response.headers.get("cache-control"), "no-store");
  const { client_secret: _, ...expected } = client;
  assertEquals(await response.json(), expected);
  assertEquals((await manage(server, "HEAD" as "GET", client)).status, 200);

  const { registration_client_uri: uri } = client;
  server.events.length = 0;
  const wrong: readonly Registered[] = [
    { ...client, registration_access_token: other.registration_access_token },
    { ...client, registration_access_token: "x".repeat(43) },
    { ...client, registration_client_uri: uri.replace(client.client_id, "unknown") },
    { ...client, registration_client_uri: uri.replace(client.client_id, "web") },
  ];
  const bodies = new Set<string>();
  for (const registered of wrong) {
    for (const method of ["GET", "PUT", "DELETE"] as const) {
      const rejected = await manage(server, method, registered, method === "PUT" ? publicClient : undefined);
      bodies.add(await rejected.clone().text());
      assertEquals(await outcomeOf(rejected), "401 invalid_token");
    }
  }
  assertEquals(bodies.size, 1);
  const reasons = getRejections(server.events).map(({ explanation }) => explanation.reason);
  assertEquals(
    [0, 3, 6, 9].map((i) => reasons[i]!.replace(/^the (?:client|registration access token) /, "")),
    [
      ...Array(2).fill("is not that of this client, or was replaced"),
      "is unknown or deleted",
      "did not register itself",
    ],
  );
  const missing = await server.as.fetch(new Request(uri));
  assertEquals(missing.headers.get("www-authenticate"), 'Bearer realm="https://as.real.com"');
  assertEquals(getRejections(server.events).at(-1)!.explanation.received, "no token");
  const malformed = await server.get(new URL(uri).pathname, { headers: { authorization: "Bearer two words" } });
  assertMatch(malformed.headers.get("www-authenticate")!, /^Bearer realm="[^"]+", error="invalid_token"/);
  assertEquals((await manage(server, "POST" as "GET", client)).status, 405);
});

test("[DR-06, DR-01] at rest there are only digests of the secret and of the registration access token", async () => {
  const written: string[] = [];
  const store = observedStore(sharedStore(), (_, args) => written.push(JSON.stringify(args)));
  const server = await testServer({ store });
  const client = await register(server, confidential);
  await manage(server, "GET", client);
  await useSecret(server, client);
  const all = written.join("\n");
  assert(all.includes(client.client_id) && all.includes("client_secret_digest"));
  for (const secret of [client.client_secret, client.registration_access_token]) assert(!all.includes(secret));
});

test("[DR-07] PUT replaces metadata and token: what is left out returns to its default", async () => {
  const server = await testServer();
  const client = await register(server, { ...publicClient, client_name: "Before", scope: "openid" });
  const put = { ...publicClient, client_id: client.client_id, redirect_uris: ["https://new.example/cb"] };
  const response = await manage(server, "PUT", client, put);
  const updated: Registered = await response.json();
  assertEquals(response.status, 200);
  assertEquals([updated.client_name, updated.scope], [undefined, "openid profile email read write offline_access"]);
  assertEquals(updated.redirect_uris, put.redirect_uris);
  assertEquals(updated.client_id_issued_at, client.client_id_issued_at);
  assertNotEquals(updated.registration_access_token, client.registration_access_token);
  assertEquals(await outcomeOf(await manage(server, "GET", client)), "401 invalid_token");
  assertEquals(await (await manage(server, "GET", updated)).json(), updated);
  const old = await server.authorize({ client_id: client.client_id, redirect_uri: "https://app.example/cb" });
  assertEquals(old.status, 400);
  const at = { client_id: client.client_id, redirect_uri: "https://new.example/cb" };
  assertEquals((await server.token({ ...at, code: await server.code(at) })).status, 200);
});

test("[DR-07] PUT rejects another client or secret, and what the server sets; nothing changes", async () => {
  const server = await testServer();
  const client = await register(server, confidential);
  const good = { ...confidential, client_id: client.client_id };
  const cases: readonly Record<string, unknown>[] = [
    confidential,
    { ...good, client_id: "web" },
    { ...good, client_secret: "another" },
    { ...good, client_secret: 5 },
    { ...good, registration_access_token: client.registration_access_token },
    { ...good, registration_client_uri: client.registration_client_uri },
    { ...good, client_secret_expires_at: 0 },
    { ...good, client_id_issued_at: 1 },
  ];
  await forEachCase(cases, async (metadata) => {
    server.events.length = 0;
    assertEquals(await outcomeOf(await manage(server, "PUT", client, metadata)), "400 invalid_request");
    const { rule, received } = getRejections(server.events)[0]!.explanation;
    assertEquals(rule, "DR-07");
    if (metadata.client_id !== client.client_id) {
      assertEquals(received, metadata.client_id === undefined ? "no client_id" : "another client_id");
    }
  });
  const faulty = await manage(server, "PUT", client, { ...good, redirect_uris: ["x"] });
  assertEquals(await outcomeOf(faulty), "400 invalid_redirect_uri");
  const { client_secret: _, ...expected } = client;
  assertEquals(await (await manage(server, "GET", client)).json(), expected);
  assertEquals(await useSecret(server, client), "200");
});

test("[DR-07] the secret stays, unless it has expired or the method needs another one", async () => {
  const server = await testServer({ registration: { secretLifetime: 100 } });
  let client = await register(server, confidential);
  const put = async (metadata: Record<string, unknown>): Promise<Registered> => {
    const response = await manage(server, "PUT", client, { ...confidential, client_id: client.client_id, ...metadata });
    const body: Registered = await response.json();
    assertEquals(response.status, 200, JSON.stringify(body));
    const { client_secret } = client;
    return client = { ...body, client_secret: body.client_secret ?? client_secret };
  };
  const { client_secret: first, client_secret_expires_at } = client;
  server.advance(50);
  assertEquals((await put({ client_name: "A" })).client_secret_expires_at, client_secret_expires_at);
  assertEquals(await useSecret(server, client), "200");
  const sent = { ...confidential, client_id: client.client_id, client_secret: first };
  const echoed: Registered = await (await manage(server, "PUT", client, sent)).json();
  assertEquals(echoed.client_secret, first);
  client = echoed;
  server.advance(50);
  assertEquals(await useSecret(server, client), "401 invalid_client");
  await put({});
  assertNotEquals(client.client_secret, first);
  assertEquals(await useSecret(server, client), "200");

  const { client_secret: second } = client;
  const none = { token_endpoint_auth_method: "none", grant_types: ["authorization_code"] };
  assertEquals((await put(none)).client_secret_expires_at, undefined);
  assertEquals(await useSecret(server, client), "401 invalid_client");
  await put({});
  assertNotEquals(client.client_secret, second);
  const { client_secret: third } = client;
  await put({ token_endpoint_auth_method: "client_secret_jwt" });
  assertNotEquals(client.client_secret, third);
  // The key of assertions is known to the server: it stays, and is returned.
  const { client_secret: fourth } = client;
  assertEquals((await put({ token_endpoint_auth_method: "client_secret_jwt" })).client_secret, fourth);
  assertEquals((await (await manage(server, "GET", client)).json()).client_secret, client.client_secret);
});

test("[DR-07] of concurrent requests with one token one succeeds", async () => {
  const server = await testServer();
  const client = await register(server);
  const put = { ...publicClient, client_id: client.client_id };
  const responses = await Promise.all(
    ["A", "B", "C"].map((client_name) => manage(server, "PUT", client, { ...put, client_name })),
  );
  const outcomes = await Promise.all(responses.map((response) => outcomeOf(response.clone())));
  assertEquals(outcomes.filter((outcome) => outcome === "401 invalid_token").length, 2);
  const updated: Registered = await responses.find(({ status }) => status === 200)!.json();
  assertEquals((await (await manage(server, "GET", updated)).json()).client_name, updated.client_name);
});

test("[DR-06, DR-07] an update during a deletion does not register the client again", async () => {
  const server = await testServer();
  const client = await register(server);
  const put = { ...publicClient, client_id: client.client_id };
  const [deleted, updated] = await Promise.all([manage(server, "DELETE", client), manage(server, "PUT", client, put)]);
  assertEquals(deleted.status === 204 || updated.status === 200, true);
  const isRegistered = server.as.clients.find(client.client_id) !== undefined;
  assertEquals(isRegistered, deleted.status !== 204);
});

test("[DR-07] a request that the store fails leaves client and token as they were", async () => {
  let fails = false;
  const store = observedStore(sharedStore(), (verb, [kind]) => {
    if (fails && verb === "replace" && kind === "client") throw new Error("the disk is full");
  });
  const server = await testServer({ store });
  const client = await register(server);
  const put = { ...publicClient, client_id: client.client_id };
  fails = true;
  assertEquals((await manage(server, "PUT", client, put)).status, 500);
  fails = false;
  assertEquals((await manage(server, "GET", client)).status, 200);
  assertEquals((await manage(server, "PUT", client, put)).status, 200);
});

test("[DR-06, DR-08] DELETE ends the client with its codes and tokens", async () => {
  const server = await testServer();
  const client = await register(server);
  const at = { client_id: client.client_id, redirect_uri: "https://app.example/cb" };
  const tokens = await logIn(server, client);
  const code = await server.code(at);
  const bearer = { headers: { authorization: `Bearer ${tokens.access_token}` } };
  assertEquals((await server.get("/oauth2/userinfo", bearer)).status, 200);
  const deleted = await manage(server, "DELETE", client);
  assertEquals([deleted.status, await deleted.text()], [204, ""]);
  assertEquals(await outcomeOf(await manage(server, "GET", client)), "401 invalid_token");
  assertEquals((await server.get("/oauth2/userinfo", bearer)).status, 401);
  assertEquals(await getOutcome(await server.token({ ...at, code })), "401 invalid_client");
  const refresh = { grant_type: "refresh_token", refresh_token: tokens.refresh_token, code_verifier: undefined };
  assertEquals(await getOutcome(await server.token({ ...refresh, ...at })), "401 invalid_client");
  const introspection = await server.get("/oauth2/introspect", {
    method: "POST",
    headers: basic("web", "web-secret"),
    body: new URLSearchParams({ token: tokens.access_token }),
  });
  assertEquals(await introspection.json(), { active: false });
  assertEquals((await server.authorize(at)).status, 400);
});

const openRealHost = { ...realHost, insecure: ["auto-login", "open-registration"] } as const;

const open = { mode: "open", initialAccessTokens: ["an-initial-access-token"] } as const;

/** The tokens of a client are valid for an hour, so that it is in use for a little longer. */
const lifetimes = { access_token: 600, refresh_token: 3600 };

test("[DR-09] beyond the limit a registration removes the client that was unused the longest, and none in use", async () => {
  const server = await testServer({ ...openRealHost, lifetimes, registration: { ...open, maxClients: 3 } });
  const approval = { authorization: `Bearer ${open.initialAccessTokens[0]}` };
  const approved = await register(server, confidential, approval);
  const registerLater = async () => (server.advance(1), await register(server));
  const [used, first, second] = [await registerLater(), await registerLater(), await registerLater()];
  await logIn(server, used);
  // A rejected request does not count as a use.
  await server.authorize({ client_id: first.client_id, redirect_uri: "https://app.example/cb", response_type: "x" });
  server.advance(60);
  const third = await registerLater();
  assertEquals(deletedClients(server), [first.client_id]);
  assertEquals((await manage(server, "GET", first)).status, 401);
  for (const client of [approved, used, second, third]) {
    assertEquals((await manage(server, "GET", client)).status, 200);
  }
  // A use keeps it for the lifetime of another token.
  server.advance(3000);
  await logIn(server, used);
  server.advance(3000);
  await registerLater();
  await registerLater();
  assertEquals(deletedClients(server), [first, second, third].map(({ client_id }) => client_id));
  server.advance(900);
  for (let i = 0; i < 3; i++) await registerLater();
  assertEquals(deletedClients(server).at(-1), used.client_id);
  const response = await server.authorize({ client_id: used.client_id, redirect_uri: "https://app.example/cb" });
  assertEquals(response.status, 400);
  assertEquals(
    getRejections(server.events).at(-1)!.explanation.earlier,
    "a client of this id existed until newer registrations exceeded the limit",
  );
  assertEquals((await manage(server, "GET", approved)).status, 200);
});

test("[DR-09] if all clients are in use, or registered in the last minute, a registration is rejected", async () => {
  const server = await testServer({ ...openRealHost, registration: { ...open, maxClients: 2 } });
  const clients = [await register(server), await register(server)];
  const assertFull = async () => {
    const full = await postRegistration(server, publicClient);
    assertEquals(full.headers.get("retry-after"), "60");
    assertEquals(await outcomeOf(full), "429 temporarily_unavailable");
    assertEquals(getRejections(server.events).at(-1)!.explanation.rule, "DR-09");
    for (const client of clients) assertEquals((await manage(server, "GET", client)).status, 200);
  };
  await assertFull();
  for (const client of clients) await logIn(server, client);
  server.advance(3600);
  await assertFull();
  // Clients with an initial access token do not count.
  await register(server, publicClient, { authorization: `Bearer ${open.initialAccessTokens[0]}` });
  // After a deletion one client can register, which may be evicted a minute later.
  await manage(server, "DELETE", clients.pop()!);
  const brief = await register(server);
  await assertFull();
  server.advance(60);
  assertEquals((await postRegistration(server, publicClient)).status, 201);
  assertEquals((await manage(server, "GET", brief)).status, 401);
  // Rejected metadata does not count.
  server.advance(60);
  for (let i = 0; i < 5; i++) await postRegistration(server, {});
  assertEquals((await postRegistration(server, publicClient)).status, 201);
});

test("[DR-09, HT-23] no network takes all new registrations: others always find a place", async () => {
  const server = await testServer({ ...openRealHost, registration: { ...open, maxClients: 20 } });
  const registerFrom = async (address?: string) => {
    const url = `${server.as.issuer}/oauth2/register`;
    const body = JSON.stringify(publicClient);
    const request = new Request(url, { method: "POST", headers: { "content-type": "application/json" }, body });
    return (await server.as.fetch(request, { address })).status;
  };
  const statuses: number[] = [];
  for (let i = 0; i < 15; i++) statuses.push(await registerFrom(`2001:db8:1:${i}::1`));
  assertEquals(statuses, [...Array(10).fill(201), ...Array(5).fill(429)]);
  assertEquals(getRejections(server.events).at(-1)!.explanation.rule, "HT-23");
  for (const address of ["192.0.2.1", "192.0.2.2", "2001:db8:2::1"]) assertEquals(await registerFrom(address), 201);
  // A minute later they are no longer new.
  server.advance(60);
  assertEquals(await registerFrom("2001:db8:1::1"), 201);
  // A program on this machine is not counted.
  for (let i = 0; i < 6; i++) assertEquals(await registerFrom("127.0.0.1"), 201);
});

test("[DR-13] an unknown client has at most 8 KiB of metadata and 32 redirect URIs; an approved one may have more", async () => {
  const server = await testServer({ registration: open });
  const uris = (count: number) => Array.from({ length: count }, (_, i) => `https://app.example/cb${i}`);
  const long = (count: number) => ({ redirect_uris: uris(count).map((uri) => uri.padEnd(1900, "x")) });
  const cases = [
    [long(4), "201"],
    [long(5), "400 invalid_client_metadata"],
    [{ redirect_uris: uris(32) }, "201"],
    [{ redirect_uris: uris(33) }, "400 invalid_redirect_uri"],
    // What is not stored does not count.
    [{ unknown_member: "x".repeat(20_000) }, "201"],
  ] as const;
  const client = await register(server);
  let token = client.registration_access_token;
  for (const [changes, expected] of cases) {
    const metadata = { ...publicClient, ...changes };
    const response = await postRegistration(server, metadata);
    assertEquals(
      response.status === 201 ? "201" : await outcomeOf(response),
      expected,
      JSON.stringify(changes).slice(0, 50),
    );
    const owner = { ...client, registration_access_token: token };
    const put = await manage(server, "PUT", owner, { ...metadata, client_id: client.client_id });
    assertEquals(put.status === 200 ? "201" : await outcomeOf(put.clone()), expected);
    if (put.status === 200) token = (await put.json()).registration_access_token;
    const approval = { authorization: `Bearer ${open.initialAccessTokens[0]}` };
    assertEquals((await postRegistration(server, metadata, approval)).status, 201);
  }
});

test("[DR-09] a flood of registrations at the limit reads the clients once a minute", async () => {
  const memory = memoryStore();
  let lists = 0;
  const store: Store = {
    ...memory,
    list: (kind, options) => {
      if (kind === "registration") lists++;
      return memory.list(kind, options);
    },
  };
  const server = await testServer({ store, registration: { maxClients: 1 } });
  await register(server);
  for (let i = 0; i < 20; i++) assertEquals((await postRegistration(server, publicClient)).status, 429);
  assertEquals(lists, 1);
  server.advance(60);
  await register(server);
  assertEquals(lists, 2);
});
