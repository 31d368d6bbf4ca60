/** Forms of clients and users that several visitors open: the record changes once, and the others see its values. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { LatchkeyOptions } from "../../../src/mod.ts";
import { postgresStore } from "../../../src/platform/store/sql/postgres.ts";
import { redisStore } from "../../../src/platform/store/redis.ts";
import { sqliteStore } from "../../../src/core/store/sqlite.ts";
import {
  dropPostgresSchemas,
  dropRedisPrefixes,
  postgresUrl,
  redisUrl,
  timeout,
  uniqueName,
} from "../../platform/store/servers.ts";
import { controlClient } from "../../testing/control/harness.ts";
import { testLatchkey } from "../../testing/test_latchkey.ts";
import { openBrowser } from "../../server/browser.ts";
import { assertPageWithForms } from "../../server/csrf.ts";
import { type Fields, forEachCase, observedStore, sharedStore, type TestServer, testServer } from "../../kit.ts";
import { readFields } from "../../server/page.ts";

/** The form of a page in a browser of its own: what it would send, and how to send it. */
async function openForm(server: Parameters<typeof openBrowser>[0], path: string) {
  const browser = openBrowser(server);
  const [action = ""] = path.split("?");
  const fields: Readonly<Record<string, string>> = readFields(await (await browser.get(path)).text(), action, "save");
  const save = (changes: Fields) => browser.post(action, { ...fields, ...changes, action: "save" });
  const remove = () => browser.post(action, { form_token: fields.form_token, action: "remove" });
  return { fields, save, remove };
}

interface Form {
  readonly path: string;
  /** Fields of one change, and of another one. */
  readonly changes: readonly [Fields, Fields];
  /** The value that the changes set. */
  value(server: TestServer): Promise<unknown>;
}

/** Fields that give a client with this redirect URI, or a user, a name. */
const named = (name: string, uri: string): Fields => ({
  metadata: JSON.stringify({ client_name: name, redirect_uris: [uri] }),
  name,
  claims: "{}",
});

const spaUri = "https://spa.example/cb";
const lateUri = "https://late.example/cb";

const forms: readonly Form[] = [
  {
    path: "/clients/spa?edit",
    changes: [named("First", spaUri), named("Second", spaUri)],
    value: async ({ as }) => (await as.clients.find("spa"))!.metadata.client_name,
  },
  {
    path: "/users/bob",
    changes: [named("First", ""), named("Second", "")],
    value: async ({ as }) => (await as.users.find("bob"))!.name,
  },
];

test("[DI-03] a form that is older than its record changes nothing, and the page has the current values", async () => {
  await forEachCase(forms, async ({ path, changes: [first, second], value }) => {
    const server = await testServer();
    const [one, two] = [await openForm(server, path), await openForm(server, path)];
    assertEquals((await one.save(first)).status, 303);
    const html = await assertPageWithForms(await two.save(second), 409);
    assertMatch(html, /Nothing was saved:<\/strong> <bdi>[^<]*<\/bdi> was changed after your form was opened/);
    assertEquals(await value(server), "First");
    const current = readFields(html, path.split("?")[0]!, "save");
    assertStringIncludes(JSON.stringify(current), "First");
    // The page is a form of the current record.
    const again = openBrowser(server);
    const { form_token } = (await openForm(server, path)).fields;
    assertEquals((await again.post(path.split("?")[0]!, { ...current, form_token, action: "save" })).status, 403);
    const fresh = await openForm(server, path);
    assertEquals(fresh.fields.version, current.version);
    assertEquals((await fresh.save(second)).status, 303);
    assertEquals(await value(server), "Second");
  });
});

test("[DI-03] the page of an older form repeats nothing of it", async () => {
  const server = await testServer();
  const [one, two] = [await openForm(server, "/clients/spa?edit"), await openForm(server, "/clients/spa?edit")];
  await one.save(named("First", spaUri));
  assertEquals((await (await two.save(named("Typed", spaUri))).text()).includes("Typed"), false);
});

test("[DI-03] a form without the version of its record changes nothing; a second click on Save is no second change", async () => {
  await forEachCase(forms, async ({ path, changes: [first, second], value }) => {
    const server = await testServer();
    const former = await value(server);
    const form = await openForm(server, path);
    for (const version of ["", "x", `${form.fields.version}x`]) {
      assertEquals((await form.save({ ...second, version })).status, 409);
    }
    assertEquals(await value(server), former);
    for (let click = 0; click < 2; click++) assertEquals((await form.save(first)).status, 303);
    assertEquals(await value(server), "First");
  });
});

test("[DI-03] a change that no form made counts, too: of a program, of a new secret", async () => {
  const server = await testServer();
  const [client, user] = [await openForm(server, "/clients/web?edit"), await openForm(server, "/users/bob")];
  server.as.clients.set({ ...server.as.clients.find("web")!.metadata, client_secret: "another-web-secret" });
  server.as.users.set({ sub: "bob", name: "Set" });
  assertEquals((await client.save(named("Typed", "https://web.example/cb"))).status, 409);
  assertEquals((await user.save({ claims: "{}" })).status, 409);
  assertEquals(server.as.users.find("bob"), { sub: "bob", name: "Set" });
});

test("[DI-03] a form and the control undo no change of each other, and a form adds no removed record again", async () => {
  const as = await testLatchkey({ control: true });
  const server = {
    get: (path: string, init?: RequestInit) => as.fetch(path, { redirect: "manual", ...init }),
    token: () => Promise.reject(new Error("only forms are sent")),
  };
  const { post } = controlClient(as);
  const change = { client_id: "brief", changes: { policy_uri: "https://brief.example/policy" } };
  for (let delay = 0; delay < 60; delay++) {
    await post("/clients/set", { client_id: "brief", redirect_uris: ["https://brief.example/cb"] });
    await post("/users/set", { sub: "brief" });
    const [client, user] = [await openForm(server, "/clients/brief?edit"), await openForm(server, "/users/brief")];
    const later = async <T>(send: () => Promise<T>) => {
      for (let i = 0; i < delay; i++) await undefined;
      return await send();
    };
    const [{ status }, changed] = await Promise.all([
      client.save(named("Saved", "https://brief.example/cb")),
      later(() => post("/clients/change", change)),
      user.save({ name: "Saved", claims: "{}" }),
      later(() => post("/users/delete", { sub: "brief" })),
    ]);
    const { client_name, policy_uri } = as.clients.find("brief")!.metadata;
    assertEquals([changed.status, policy_uri], [200, "https://brief.example/policy"]);
    assertEquals(status, client_name === "Saved" ? 303 : 409);
    assertEquals(as.users.find("brief"), undefined);
  }
});

test("[DI-03] a change that does not end delays no change of another record", async () => {
  let isStuck = false;
  const store = observedStore(
    sharedStore(),
    (verb, [kind]) => isStuck && verb === "replace" && kind === "client" ? new Promise(() => {}) : undefined,
  );
  const server = await testServer({ store });
  await server.as.clients.set({ client_id: "late", redirect_uris: [lateUri] });
  await server.as.users.set({ sub: "dora" });
  const [one, other] = [await openForm(server, "/clients/late?edit"), await openForm(server, "/users/dora")];
  isStuck = true;
  void one.save(named("Stuck", lateUri));
  await new Promise((resolve) => setTimeout(resolve));
  isStuck = false;
  assertEquals((await other.save({ claims: '{"name":"Saved"}' })).status, 303);
});

const folder = mkdtempSync(join(tmpdir(), "latchkey-forms-"));
after(() => rmSync(folder, { recursive: true }));
const name = uniqueName();
after(() => postgresUrl === undefined ? undefined : dropPostgresSchemas(postgresUrl, [name]));
after(() => redisUrl === undefined ? undefined : dropRedisPrefixes(redisUrl, [name]));

const shared = sharedStore();

const stores: readonly (readonly [name: string, skip: boolean, open: () => Promise<Partial<LatchkeyOptions>>])[] = [
  ["in memory", false, () => Promise.resolve({})],
  ["on a store in memory that lasts", false, () => Promise.resolve({ store: shared })],
  ["on SQLite", false, async () => ({ store: await sqliteStore(join(folder, "forms.db")) })],
  [
    ...["on PostgreSQL", postgresUrl === undefined] as const,
    async () => ({ store: await postgresStore(postgresUrl!, { timeout, schema: name }) }),
  ],
  [
    ...["on Redis", redisUrl === undefined] as const,
    async () => ({ store: await redisStore(redisUrl!, { timeout, prefix: name }) }),
  ],
];

for (const [store, skip, open] of stores) {
  test(`[DI-03] ${store} one of several forms that are sent at the same time is saved`, { skip }, async () => {
    const server = await testServer(await open());
    const { as } = server;
    await as.clients.set({ client_id: "late", redirect_uris: [lateUri] });
    await as.users.set({ sub: "late" });
    const paths = { "/clients/spa?edit": spaUri, "/users/bob": "", "/clients/late?edit": lateUri, "/users/late": "" };
    for (const [path, uri] of Object.entries(paths)) {
      const id = /[a-z]+(?=\?|$)/.exec(path)![0];
      for (let round = 0; round < 3; round++) {
        const opened = await Promise.all(Array.from({ length: 6 }, () => openForm(server, path)));
        const names = opened.map((_, i) => `Round ${round}, form ${i}`);
        const responses = await Promise.all(opened.map(({ save }, i) => save(named(names[i]!, uri))));
        const statuses = responses.map(({ status }) => status);
        assertEquals(statuses.toSorted(), [303, 409, 409, 409, 409, 409]);
        const saved = uri === "" ? (await as.users.find(id))?.name : (await as.clients.find(id))?.metadata.client_name;
        assertEquals(saved, names[statuses.indexOf(303)]);
      }
    }
    await as.close();
  });

  test(`[DI-03] ${store} a form that is saved during a removal adds no record again`, { skip }, async () => {
    const server = await testServer(await open());
    const { as } = server;
    for (const path of ["/clients/brief?edit", "/users/brief"]) {
      for (let delay = 0; delay < 60; delay += 3) {
        await as.clients.set({ client_id: "brief", redirect_uris: [lateUri] });
        await as.users.set({ sub: "brief" });
        const [saving, removing] = [await openForm(server, path), await openForm(server, path)];
        const remove = async () => {
          for (let i = 0; i < delay; i++) await undefined;
          return await removing.remove();
        };
        const [removed, saved] = await Promise.all([remove(), saving.save(named("Saved", lateUri))]);
        assertEquals(removed.status, 303);
        assertEquals([303, 404].includes(saved.status), true);
        const { clients, users } = as;
        assertEquals(await (path === "/users/brief" ? users : clients).find("brief"), undefined);
      }
    }
    await as.close();
  });
}
