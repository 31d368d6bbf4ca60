/** A pending authorization is kept whole: a value of an extension in the request survives login and consent. */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { memoryStore, type Plugin, type Store } from "../../../src/mod.ts";
import type { CodeRecord, Grant, RefreshTokenRecord } from "../../../src/core/store/store.ts";
import type { Server } from "../../../src/server/extension.ts";
import { encodeWithMac } from "../../../src/core/sessions/session.ts";
import { openBrowser } from "../browser.ts";
import { publicTokens, refreshTokens, testClients } from "../client_endpoints.ts";
import { authorizeByPost, type TestServer, testServer } from "../../kit.ts";
import { describePage, openPage, submit } from "../page_navigation.ts";

const extensions = { dpop: "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I" };

/**
 * A server whose users log in by pages, what it stores with codes, and the server value that encodes its pending
 * requests.
 */
async function interactiveServer() {
  const codes: CodeRecord[] = [];
  let server: Server | undefined;
  const capture: Plugin = { setup: (app) => void (server = app.server) };
  const memory = memoryStore();
  const store: Store = {
    ...memory,
    put(kind, id, value, metadata) {
      if (kind === "code") codes.push(value as CodeRecord);
      return memory.put(kind, id, value, metadata);
    },
  };
  const instance: TestServer = await testServer({ login: "interactive", store, plugins: [capture] });
  return { instance, codes, server: () => server! };
}

/** The login page's address with {@link extensions} in the request that it carries. */
async function withExtensions(server: Server, response: Response): Promise<string> {
  const location = new URL(response.headers.get("location")!, "https://as.test");
  const [name, encoded] = location.searchParams.get("interaction")!.split(".");
  const content = JSON.parse(atob(encoded!.replaceAll("-", "+").replaceAll("_", "/")));
  const changed = { ...content, request: { ...content.request, extensions } };
  location.searchParams.set(
    "interaction",
    `${name}.${await encodeWithMac(server, `pending request ${name}`, changed)}`,
  );
  return location.pathname + location.search;
}

test("a value of an extension in a pending request is in the grant when the code is issued, after login and consent", async () => {
  const { instance, codes, server } = await interactiveServer();
  const browser = openBrowser(instance);
  const path = await withExtensions(server(), await browser.authorize());
  const login = await openPage(browser, path, await browser.get(path));
  const consent = await submit(browser, login, "sub", "bob");
  assertEquals(describePage(consent), "consent");
  assertEquals(describePage(await submit(browser, consent, "decision", "allow")), "code");
  assertEquals(codes.map(({ grant }) => grant.extensions), [extensions]);
});

test("a value of an extension in a request that another site posted survives the redirect that repeats it", async () => {
  const { instance, codes, server } = await interactiveServer();
  const browser = openBrowser(instance);
  const path = await withExtensions(server(), await authorizeByPost(instance));
  const login = await openPage(browser, path, await browser.get(path));
  const consent = await submit(browser, login, "sub", "bob");
  assertEquals(describePage(await submit(browser, consent, "decision", "allow")), "code");
  assertEquals(codes.map(({ grant }) => grant.extensions), [extensions]);
});

test("a grant is kept whole: a member that an extension adds is in each refresh token, also when part of it is left out", async () => {
  const grants: unknown[] = [];
  const memory = memoryStore();
  const subject = { kiosk: "north" };
  const store: Store = {
    ...memory,
    async get(kind, id) {
      const record = await memory.get(kind, id);
      if (kind !== "code" || record === undefined) return record;
      const code = record.value as CodeRecord;
      const grant = { ...code.grant, seat: 7, subject: { ...code.grant.subject, ...subject } };
      return { ...record, value: { ...code, grant } as unknown as typeof record.value };
    },
    add(kind, id, value, metadata) {
      if (kind === "refresh_token") grants.push((value as RefreshTokenRecord).grant);
      return memory.add(kind, id, value, metadata);
    },
  };
  const server = await testServer({ ...testClients, store });
  const { refresh_token } = await publicTokens(server);
  await refreshTokens(server, refresh_token);
  const code = await server.code({ scope: "read write" });
  const spa = testClients.clients.find(({ client_id }) => client_id === "spa")!;
  server.as.clients.set({ ...spa, scope: "read" });
  assertEquals((await server.token({ code })).status, 200);
  const carried = grants.map((grant) => grant as Grant & { seat: number; subject: typeof subject });
  assertEquals(carried.map(({ seat, subject: { kiosk } }) => [seat, kiosk]), Array(3).fill([7, "north"]));
  assertEquals(carried[2]!.scope, ["read"]);
});

test("[UI-07] a login is bound to its browser by a cookie of its own, named by the port", async () => {
  const instance = await testServer({ login: "interactive", issuer: "http://localhost:9123", clients: undefined });
  const redirect_uri = "http://localhost:9123/authorized";
  const request = { client_id: "demo-public", redirect_uri };
  const response = await instance.authorize(request);
  const [cookie] = response.headers.getSetCookie();
  assertEquals(cookie!.split("=")[0], "latchkey_login_9123");
  // The cookie of the demo client does not stand for it: the MAC names its purpose.
  const demo = (await instance.get("/start")).headers.getSetCookie()[0]!.split(";")[0]!;
  assertEquals(demo.split("=")[0], "latchkey_demo_9123");
  const asLogin = `latchkey_login_9123=${demo.split("=")[1]}`;
  const renewed = await instance.authorize(request, { headers: { cookie: asLogin } });
  assertEquals(renewed.headers.getSetCookie().length, 1);
});
