/** Registration with several instances on one store, on every kind of store: races, bounds, restarts (group DR). */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { formattedStore } from "../../../../src/core/store/format.ts";
import type { LatchkeyOptions, Store } from "../../../../src/mod.ts";
import { storeKinds } from "../../../platform/store/store_kinds.ts";
import { getRedirectParams, observedStore, realHost, type TestServer, testServer } from "../../../kit.ts";
import { manage, outcomeOf, postRegistration, publicClient, register, type Registered } from "../../registering.ts";

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

  test(`[DR-07] on ${name} one token makes one change, and no removed client is back, whatever clocks and durations`, {
    skip,
  }, async () => {
    const send = (server: TestServer, method: "PUT" | "DELETE", client: Registered) =>
      manage(server, method, client, method === "PUT" ? { ...publicClient, client_id: client.client_id } : undefined);
    for (const skew of [0, 15, 30, 60]) {
      const open = create();
      let delay: { readonly begins: () => void; readonly ends: Promise<void> } | undefined;
      const store = observedStore(await open(), async (verb, [kind]) => {
        if (delay === undefined || kind !== "client" || verb !== "replace" && verb !== "delete") return;
        delay.begins();
        await delay.ends;
      });
      const [slow, other] = [await testServer({ store }), await testServer({ store: await open() })];
      other.advance(skew);
      for (const first of ["PUT", "DELETE"] as const) {
        for (const second of ["PUT", "DELETE"] as const) {
          const client = await register(slow);
          const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
          delay = { begins: begun.resolve, ends: ended.promise };
          const late = send(slow, first, client);
          await begun.promise;
          delay = undefined;
          for (const server of [slow, other]) server.advance(15);
          // If the slow instance is killed here, this is all that happens.
          const changed = await send(other, second, client);
          assertEquals(changed.status, second === "PUT" ? 200 : 204);
          ended.resolve();
          assertEquals(await outcomeOf(await late), "401 invalid_token", `${skew} ${first} ${second}`);
          for (const server of [slow, other]) {
            assertEquals(await server.as.clients.find(client.client_id) !== undefined, second === "PUT");
            assertEquals(await outcomeOf(await manage(server, "GET", client)), "401 invalid_token");
          }
          if (second === "PUT") assertEquals((await manage(slow, "DELETE", await changed.json())).status, 204);
        }
      }
      await close(slow, other);
    }
  });

  test(`[DR-09] on ${name} all instances together have one limit of clients`, { skip }, async () => {
    const maxClients = 5;
    const servers = await twoInstances(create(), { clients: [], registration: { maxClients } });
    const registered: Registered[] = [];
    for (let round = 0; round < 3; round++) {
      const responses = await race(servers, 8, (server) => postRegistration(server, publicClient));
      for (const response of responses) {
        if (response.status === 201) registered.push(await response.json());
        else assertEquals(await outcomeOf(response), "429 temporarily_unavailable");
      }
      assert(registered.length <= maxClients, `${registered.length} clients`);
    }
    // Concurrent requests may all have been rejected at the limit; sequential ones reach it.
    while (registered.length < maxClients) registered.push(await register(servers[1]));
    assertEquals(await outcomeOf(await postRegistration(servers[0], publicClient)), "429 temporarily_unavailable");
    for (const server of servers) {
      assertEquals(await server.as.clients.count(), maxClients);
      for (const client of registered) assertEquals((await manage(server, "GET", client)).status, 200);
    }
    await close(...servers);
  });

  test(`[DR-09] on ${name} concurrent uses and removals keep the limit, and remove no client in use`, {
    skip,
  }, async () => {
    const count = 8;
    const [user, other] = await twoInstances(create(), {
      ...realHost,
      insecure: ["auto-login", "open-registration"],
      registration: { mode: "open", maxClients: count },
    });
    const clients = await race([user], count, (server) => register(server));
    for (const server of [user, other]) server.advance(60);
    await Promise.all([
      race([user], count, (server, i) => server.authorize({ client_id: clients[i]!.client_id, redirect_uri })),
      race([other], count, (server) => postRegistration(server, publicClient)),
    ]);
    const used: Registered[] = [];
    for (const client of clients) {
      const at = { client_id: client.client_id, redirect_uri };
      const login = await user.authorize(at);
      assertEquals(login.status === 302, (await manage(other, "GET", client)).status === 200);
      if (login.status !== 302) continue;
      used.push(client);
      assertEquals((await user.token({ ...at, code: getRedirectParams(login).get("code")! })).status, 200);
    }
    // The used ones stay, however many others register.
    for (const server of [user, other]) server.advance(60);
    await race([user, other], 2 * count, (server) => postRegistration(server, publicClient));
    for (const client of used) assertEquals((await manage(other, "GET", client)).status, 200);
    assert(await other.as.clients.count() <= 3 + count);
    await close(user, other);
  });

  test(`[DR-09] on ${name} the unused clients are found on any number of pages`, { skip }, async () => {
    const open = create();
    const [store, server] = [
      formattedStore(await open()),
      await testServer({ store: await open(), registration: { maxClients: 2 } }),
    ];
    const time = Date.UTC(2026, 0, 1);
    const add = (i: number, until: number) =>
      store.add("registration", `https://as.test client-${i}`, { until }, { expiresAt: Infinity });
    // The last one is in use, and those of another issuer are its own.
    await Promise.all(Array.from({ length: 1001 }, (_, i) => add(i, i < 1000 ? time - i : time + 1)));
    await store.add("registration", "https://other.test x", { until: time }, { expiresAt: Infinity });
    const { client_id } = await register(server);
    const left = await store.list("registration", { prefix: "https://", limit: 10 });
    assertEquals(left.map(({ id }) => id).sort(), [
      "https://as.test client-1000",
      `https://as.test ${client_id}`,
      "https://other.test x",
    ]);
    await store.close();
    await close(server);
  });
}
