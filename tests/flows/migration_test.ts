/** Stores of version 0.1, with a change log and guest users under digests, become records at start. */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import type { LatchkeyOptions, Store } from "../../src/mod.ts";
import { storeKinds } from "../stores/store_kinds.ts";
import { basic, testServer } from "./harness.ts";
import type { TestServer } from "./harness.ts";
import { version01Settings, writeVersion01 } from "./version_0_1.ts";

async function createVersion01(create: () => () => Promise<Store>): Promise<() => Promise<Store>> {
  const open = create();
  const store = await open();
  await writeVersion01(store);
  await store.close();
  return open;
}

const start = async (store: Store | Promise<Store>, options: LatchkeyOptions = {}) =>
  await testServer({ ...version01Settings, store, ...options });

/** Asserts that the server has what the log of version 0.1 reported. */
async function assertMigrated({ as, get, events }: TestServer, store: Store): Promise<void> {
  assertEquals((await as.clients.all()).map(({ id }) => id), ["spa", "web", "kept", "late"]);
  assertEquals((await as.users.all()).map(({ sub }) => sub), ["dora", "alice", "bob", "guest"]);
  assertEquals((await as.clients.find("spa"))?.redirectUris, ["https://spa.example/cb"]);
  assertEquals((await as.clients.find("late"))?.metadata, {
    client_id: "late",
    client_name: "Late",
    redirect_uris: ["https://late.example/cb"],
  });
  for (const id of ["gone", "brief"]) assertEquals(await as.clients.find(id), undefined);
  for (const sub of ["carol", "left"]) assertEquals(await as.users.find(sub), undefined);
  assertEquals((await as.users.find("bob"))?.name, "Robert");
  assertEquals((await as.users.find("dora"))?.email, "dora@example.com");
  assertEquals((await as.users.find("guest"))?.name, "A guest");
  assertEquals([await as.clients.count(), await as.users.count()], [4, 4]);
  for (const [id, secret, status] of secrets) {
    const response = await get("/oauth2/introspect", {
      method: "POST",
      body: "token=none",
      headers: { ...basic(id, secret), "content-type": "application/x-www-form-urlencoded" },
    });
    assertEquals(response.status, status);
  }
  assertEquals([await store.count("change", ""), await store.count("person", "")], [0, 0]);
  assertEquals(events.filter(({ type }) => type === "internal_error"), []);
  const [guest] = (await store.list("user", { prefix: "", limit: 10 })).filter(({ expiresAt }) => expiresAt < Infinity);
  assert(guest !== undefined && guest.id.endsWith(" guest") && guest.expiresAt > Date.UTC(2026, 0, 1));
}

const secrets = [
  ["late", "late-secret-late-secret", 200],
  ["web", "changed-web-secret", 200],
  ["web", "web-secret", 401],
] as const;

/** The same store, which fails from the given write on. */
function failingAfter(store: Store, writes: number): Store {
  let remaining = writes;
  return new Proxy(store, {
    get(target, verb: keyof Store) {
      const member = target[verb];
      if (typeof member !== "function" || !["add", "put", "delete", "consume"].includes(verb)) return member;
      return (...args: unknown[]) =>
        remaining-- > 0
          ? (member as (...args: unknown[]) => unknown)(...args)
          : Promise.reject(new Error("the process ends here"));
    },
  });
}

for (const [name, skip, create] of storeKinds) {
  test(`[OP-06] on ${name} a store of version 0.1 is migrated at start, once`, { skip }, async () => {
    const open = await createVersion01(create);
    for (let i = 0; i < 2; i++) {
      const store = await open();
      const server = await start(store);
      assertEquals(server.events.filter(({ type }) => type === "warning"), []);
      await assertMigrated(server, store);
      await server.as.close();
    }
    const store = await open();
    const server = await start(store);
    await server.as.clients.delete("late");
    await server.as.close();
    const again = await start(await open());
    assertEquals(await again.as.clients.find("late"), undefined);
    await again.as.close();
  });

  test(
    `[OP-06] on ${name} instances that start at the same time migrate once, and lose nothing`,
    { skip },
    async () => {
      const open = await createVersion01(create);
      const stores = await Promise.all([open(), open(), open()]);
      const servers = await Promise.all(stores.map((store) => start(store)));
      for (const [i, server] of servers.entries()) await assertMigrated(server, stores[i]!);
      await Promise.all(servers.map(({ as }) => as.close()));
    },
  );

  test(`[OP-06] on ${name} an interrupted migration is completed by the next start`, { skip }, async () => {
    for (let writes = 0; writes < 24; writes += name === "memory" ? 1 : 5) {
      const open = await createVersion01(create);
      const interrupted = await start(failingAfter(await open(), writes));
      await interrupted.as.close();
      const store = await open();
      const next = await start(store);
      await assertMigrated(next, store);
      await next.as.close();
    }
  });
}

test("[OP-06] an instance that is late with the migration brings nothing back", async () => {
  const open = await createVersion01(storeKinds[0]![2]);
  const store = await open();
  const { promise: isDeleted, resolve: markDeleted } = Promise.withResolvers<void>();
  const late = start(
    new Proxy(store, {
      get: (target, verb: keyof Store) =>
        verb !== "list" ? target[verb] : async (...args: Parameters<Store["list"]>) => {
          // The log has been read by now.
          if (args[0] === "person") await isDeleted;
          return await target.list(...args);
        },
    }),
  );
  const quick = await start(store);
  await quick.as.clients.delete("late");
  await quick.as.users.delete("guest");
  markDeleted();
  const { as } = await late;
  assertEquals([await as.clients.find("late"), await as.users.find("guest")], [undefined, undefined]);
});

test("[OP-10] a migrated change is dropped when the configuration says something else", async () => {
  const open = await createVersion01(storeKinds[0]![2]);
  const web = { client_id: "web", client_secret: "rotated", redirect_uris: ["https://web.example/cb"] };
  const changed = { clients: [...version01Settings.clients.filter(({ client_id }) => client_id !== "web"), web] };
  const { events, get } = await start(await open(), changed);
  assertEquals(
    events.flatMap((event) => event.type === "warning" ? [[event.client, event.explanation.rule]] : []),
    [["web", "OP-10"]],
  );
  for (const [secret, status] of [["rotated", 200], ["changed-web-secret", 401]] as const) {
    const response = await get("/oauth2/introspect", {
      method: "POST",
      body: "token=none",
      headers: { ...basic("web", secret), "content-type": "application/x-www-form-urlencoded" },
    });
    assertEquals(response.status, status);
  }
});
