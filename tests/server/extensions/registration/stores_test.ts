/** Registration with several instances on one store, on every kind of store: races, bounds, restarts (group DR). */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import type { LatchkeyOptions, Store } from "../../../../src/mod.ts";
import { storeKinds } from "../../../platform/store/store_kinds.ts";
import { getRedirectParams, realHost, testServer } from "../../../kit.ts";
import type { TestServer } from "../../../kit.ts";
import { manage, outcomeOf, postRegistration, publicClient, register } from "../../registering.ts";
import type { Registered } from "../../registering.ts";

const redirect_uri = "https://app.example/cb";

/** Two instances on one new store. */
async function twoInstances(
  open: () => Promise<Store>,
  options: LatchkeyOptions = {},
): Promise<readonly [TestServer, TestServer]> {
  return [await testServer({ store: await open(), ...options }), await testServer({ store: await open(), ...options })];
}

async function close(...servers: readonly TestServer[]): Promise<void> {
  for (const { as } of servers) await as.close();
}

/** Sends the requests at the same time, to both instances in turn. */
function race<T>(servers: readonly TestServer[], count: number, send: (server: TestServer, i: number) => Promise<T>) {
  return Promise.all(Array.from({ length: count }, (_, i) => send(servers[i % servers.length]!, i)));
}

for (const [name, skip, create] of storeKinds) {
  test(
    `[DR-01, DR-06] on ${name} a client registered at one instance is known to all, and after a restart`,
    { skip },
    async () => {
      const open = create();
      const [one, two] = await twoInstances(open);
      const client = await register(one);
      const at = { client_id: client.client_id, redirect_uri };
      assertEquals((await two.token({ ...at, code: await two.code(at) })).status, 200);
      const put = await manage(two, "PUT", client, {
        ...publicClient,
        client_id: client.client_id,
        client_name: "New",
      });
      const updated: Registered = await put.json();
      assertEquals(await outcomeOf(await manage(one, "GET", client)), "401 invalid_token");
      assertEquals((await (await manage(one, "GET", updated)).json()).client_name, "New");
      await close(one, two);

      const [three, four] = await twoInstances(open);
      assertEquals((await manage(three, "GET", updated)).status, 200);
      assertEquals((await manage(four, "DELETE", updated)).status, 204);
      assertEquals(await outcomeOf(await manage(three, "GET", updated)), "401 invalid_token");
      assertEquals((await three.authorize(at)).status, 400);
      await close(three, four);
    },
  );

  test(
    `[DR-07] on ${name} of concurrent requests with one token, at several instances, one succeeds`,
    { skip },
    async () => {
      const servers = await twoInstances(create());
      const client = await register(servers[0]);
      const put = { ...publicClient, client_id: client.client_id };
      const responses = await race(
        servers,
        6,
        (server, i) => manage(server, "PUT", client, { ...put, client_name: `name ${i}` }),
      );
      const outcomes = await Promise.all(responses.map((response) => outcomeOf(response.clone())));
      assertEquals(outcomes.filter((outcome) => outcome !== "401 invalid_token"), ["200"]);
      const updated: Registered = await responses.find(({ status }) => status === 200)!.json();
      for (const server of servers) {
        assertEquals((await (await manage(server, "GET", updated)).json()).client_name, updated.client_name);
      }
      await close(...servers);
    },
  );

  test(`[DR-09] on ${name} all instances together have one limit of unused clients`, { skip }, async () => {
    const maxUnused = 5;
    const servers = await twoInstances(create(), { clients: [], registration: { maxUnused } });
    const registered: Registered[] = [];
    for (let round = 0; round < 3; round++) {
      const responses = await race(servers, 8, (server) => postRegistration(server, publicClient));
      for (const response of responses) {
        if (response.status === 201) registered.push(await response.json());
        else assertEquals(await outcomeOf(response), "429 temporarily_unavailable");
      }
      assert(registered.length <= maxUnused, `${registered.length} clients`);
    }
    // Concurrent requests may all have been rejected at the limit; sequential ones reach it.
    while (registered.length < maxUnused) registered.push(await register(servers[1]));
    assertEquals(await outcomeOf(await postRegistration(servers[0], publicClient)), "429 temporarily_unavailable");
    for (const server of servers) {
      assertEquals(await server.as.clients.count(), maxUnused);
      for (const client of registered) assertEquals((await manage(server, "GET", client)).status, 200);
    }
    await close(...servers);
  });

  test(`[DR-09] on ${name} a client is either used or deleted, whichever comes first`, { skip }, async () => {
    const count = 8;
    const registration = { mode: "open", unusedLifetime: 600, maxUnused: count } as const;
    const [user, sweeper] = await twoInstances(create(), {
      ...realHost,
      insecureAllowOpenRegistration: true,
      registration,
    });
    const clients = await race([user], count, (server) => register(server));
    // By the clock of one instance the time is over, by that of the other it is not.
    user.advance(599);
    sweeper.advance(600);
    const [logins] = await Promise.all([
      race([user], count, (server, i) => server.authorize({ client_id: clients[i]!.client_id, redirect_uri })),
      // The limit is reached: old unused clients are deleted first.
      race([sweeper], 2, (server) => postRegistration(server, publicClient)),
    ]);
    user.advance(1);
    for (const [i, client] of clients.entries()) {
      const exists = (await manage(user, "GET", client)).status === 200;
      const login = logins[i]!;
      assertEquals(login.status === 302, exists, `client ${i}: ${login.status}, ${exists}`);
      if (!exists) continue;
      const code = getRedirectParams(login).get("code")!;
      assertEquals((await user.token({ client_id: client.client_id, redirect_uri, code })).status, 200);
    }
    // Used clients stay, however long.
    user.advance(100_000);
    sweeper.advance(100_000);
    await race([user, sweeper], 4, (server) => postRegistration(server, publicClient));
    for (const [i, client] of clients.entries()) {
      assertEquals((await manage(sweeper, "GET", client)).status, logins[i]!.status === 302 ? 200 : 401);
    }
    await close(user, sweeper);
  });

  test(`[DR-09] on ${name} the sweep reaches every unused client, on any number of pages`, { skip }, async () => {
    const open = create();
    const [store, server] = [await open(), await testServer({ store: await open(), registration: { maxUnused: 1 } })];
    const until = Date.UTC(2026, 0, 1);
    const add = (i: number, expiry: number) =>
      store.add("unused_registration", `https://as.test client-${i}`, { until: expiry }, { expiresAt: Infinity });
    // The last one is not over yet, and those of another issuer are its own.
    await Promise.all(Array.from({ length: 1001 }, (_, i) => add(i, i < 1000 ? until : until + 1)));
    await store.add("unused_registration", "https://other.test x", { until }, { expiresAt: Infinity });
    assertEquals(await outcomeOf(await postRegistration(server, publicClient)), "429 temporarily_unavailable");
    const left = await store.list("unused_registration", { prefix: "https://", limit: 10 });
    assertEquals(left.map(({ id }) => id).sort(), ["https://as.test client-1000", "https://other.test x"]);
    await store.close();
    await close(server);
  });
}

test("[DR-09] a crash between the steps of a use or a deletion leaves no wrong state", async () => {
  const [, , create] = storeKinds[0]!;
  const open = create();
  const server = await testServer({ store: await open(), registration: { unusedLifetime: 600, maxUnused: 2 } });
  const store = await open();
  const [used, deleted] = [await register(server), await register(server)];
  const [record] = await store.list("unused_registration", { prefix: "https://as.test ", limit: 1 });
  const until = record!.value.until;
  const idOf = ({ client_id }: Registered) => `https://as.test ${client_id}`;
  // What a process leaves that ended after `consume`: of a use, and of a deletion.
  await store.consume("unused_registration", idOf(used), until - 1);
  await store.consume("unused_registration", idOf(deleted), until);
  server.advance(600);
  await register(server);
  assertEquals((await manage(server, "GET", used)).status, 200);
  assertEquals((await manage(server, "GET", deleted)).status, 401);
  assertEquals(await store.count("unused_registration", ""), 1);
});
