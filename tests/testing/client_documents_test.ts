/** Client ID metadata documents that a test publishes without a network. */

import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { test } from "node:test";
import { LoginError } from "../../src/testing/mod.ts";
import { testLatchkey } from "./test_latchkey.ts";

const url = "https://app.example/client.json";

test("a document is published in one call, its fetches are logged, and its client logs in", async () => {
  await using as = await testLatchkey();
  const client = as.clientDocument(url, { client_name: "App" });
  assertEquals(
    [client.client_id, client.redirect_uri, client.token_endpoint_auth_method],
    [url, "https://client.test/callback", "none"],
  );
  const { tokens, claims } = await as.logIn(client);
  assertEquals([tokens.scope, claims!.aud], ["openid profile email", url]);
  await as.refresh(client, tokens.refresh_token!);
  as.log.expect("authorize").called(1).by(client).passed("MC-04").succeeded();
  as.log.expectNoWarnings();
  assertEquals(as.log.documentFetches.map(({ url, outcome }) => [url, outcome]), [[url, "valid for 300 seconds"]]);
  // Fetched clients are no registered clients.
  assertEquals([as.clients.find(url), as.clients.count()], [undefined, 0]);
});

test("a published document can be replaced, removed by its response, and given its own headers", async () => {
  await using as = await testLatchkey();
  const headers = { "cache-control": "max-age=20" };
  const client = as.clientDocument(
    url,
    () => Response.json({ client_id: url, redirect_uris: ["https://client.test/callback"] }, { headers }),
  );
  await as.logIn(client);
  as.clientDocument(url, { redirect_uris: ["https://new.example/cb"] });
  await as.logIn(client);
  as.clock.advance(20);
  const moved = await assertRejects(() => as.logIn(client), LoginError);
  assertMatch(moved.message, /RU-01/);
  as.clientDocument(url, () => new Response("gone", { status: 410 }));
  as.clock.advance(300);
  const gone = await assertRejects(() => as.logIn(client), LoginError);
  assertMatch(gone.message, /received: status 410[^]*MC-04/);
  assertEquals(as.log.documentFetches.map(({ outcome }) => outcome), [
    "valid for 20 seconds",
    "valid for 300 seconds",
    "rejected: status 410",
  ]);
});

test("invalid metadata is published as it is", async () => {
  await using as = await testLatchkey();
  const client = as.clientDocument(url, { client_id: "https://other.example/c", client_secret: "hush" });
  const error = await assertRejects(() => as.logIn(client), LoginError);
  assertMatch(error.message, /client_id: https:\/\/app\.example\/client\.json/);
  assertEquals(as.log.documentFetches.length, 1);
});

test("a reset removes documents, unless it keeps the clients, and each is fetched again", async () => {
  await using as = await testLatchkey({ outbound: () => Promise.resolve(new Response(null, { status: 404 })) });
  const client = as.clientDocument(url);
  await as.logIn(client);
  await as.reset({ keep: ["clients"] });
  assertEquals(as.log.documentFetches, []);
  await as.logIn(client);
  assertEquals(as.log.documentFetches.length, 1);
  await as.reset();
  await assertRejects(() => as.logIn(client), LoginError, "404");
});

test("a document that no test has published is fetched by the option outbound, or by the global fetch", async () => {
  const fetched: string[] = [];
  const respond = (target: string | URL | Request) => {
    fetched.push(String(target));
    return Promise.resolve(Response.json({ client_id: url, redirect_uris: ["https://client.test/callback"] }));
  };
  const client = { client_id: url, redirect_uri: "https://client.test/callback" };
  await using as = await testLatchkey({ outbound: respond });
  await as.logIn(client);
  await using other = await testLatchkey();
  const { fetch } = globalThis;
  try {
    globalThis.fetch = respond as typeof fetch;
    await other.logIn(client);
  } finally {
    globalThis.fetch = fetch;
  }
  assertEquals(fetched, [url, url]);
});
