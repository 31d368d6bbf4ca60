/** Changes on the pages of clients and users of a server with a persistent store. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import type { Latchkey, LatchkeyOptions, Store } from "../../../src/mod.ts";
import { sharedStore, type TestServer, testServer } from "../../kit.ts";

function instances(store: Store, count: number, options: LatchkeyOptions = {}): Promise<TestServer[]> {
  return Promise.all(Array.from({ length: count }, () => testServer({ store, ...options })));
}

/** A page of a server, and the token of its form. */
async function pageOf(as: Latchkey, path: string): Promise<{ html: string; token: string; cookie: string }> {
  const response = await as.fetch(new Request(as.issuer + path));
  const html = await response.text();
  const token = /name="form_token" value="([^"]+)"/.exec(html)![1]!;
  return { html, token, cookie: response.headers.get("set-cookie")!.split(";")[0]! };
}

test("[OP-06, OP-10] the pages report whether a change is stored, and respond when it is", async () => {
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
  const textOf = async (path: string) => (await pageOf(one.as, path)).html;
  await one.as.users.set({ sub: "dora" });
  for (const path of ["/clients/paged?edit", "/users/dora"]) assertMatch(await textOf(path), /The store keeps/, path);
  // OP-10: a change of a configured entry is not stored.
  for (const path of ["/clients/spa?edit", "/users/bob"]) {
    assertMatch(await textOf(path), /lost when the server stops/, path);
  }
  for (const path of ["/clients/spa", "/users/bob"]) {
    assertMatch(
      await textOf(path),
      /Copy as latchkey\.json to keep changes after [^]*&quot;(spa|bob)&quot;[^]*is back when the server restarts/,
      path,
    );
  }
  const [alone] = await Promise.all([testServer()]);
  assertMatch((await pageOf(alone.as, "/users")).html, /in memory until it stops/);
});
