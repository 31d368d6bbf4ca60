/** Client ID metadata documents that a test publishes without a network. */

import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { test } from "node:test";
import { LoginError } from "../../src/testing/mod.ts";
import { testLatchkey } from "./test_latchkey.ts";
import type { KeyTestClient } from "../../src/testing/clients.ts";
import { clientAuthenticationOf } from "../../src/client/authentication.ts";
import { signingContext } from "../server/client_jwts.ts";
import { assertPage, getRejections } from "../kit.ts";
import { document, documentServer, real } from "../server/extensions/client_documents/document_server.ts";

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

test("[MC-04] a document cannot set members reserved for the operator", async () => {
  await using as = await testLatchkey();
  const serves = ["https://api.example"];
  const keyed = { token_endpoint_auth_method: "private_key_jwt", serves } as const;
  const grant_types = ["authorization_code", "client_credentials"];
  const client = as.clientDocument(url, { ...keyed, grant_types });
  const { tokens } = await as.logIn(as.client(), { resource: "https://api.example", scope: "read" });
  const isActiveFor = async (introspecting: KeyTestClient) => {
    const { params } = await clientAuthenticationOf(signingContext(as.clock.now() / 1000, as.issuer), introspecting);
    const body = new URLSearchParams({ token: tokens.access_token, ...params });
    return (await (await as.fetch("/oauth2/introspect", { method: "POST", body })).json()).active;
  };
  assertEquals([await isActiveFor(as.client(keyed)), await isActiveFor(client)], [true, false]);
  // A test host issues tokens to a client itself.
  assertEquals((await as.token(client, { grant_type: "client_credentials", scope: "read" })).scope, "read");

  const b = await documentServer({ ...real, clientIdMetadataDocuments: true, clients: [] });
  b.respond = () => Response.json({ ...document, grant_types: ["client_credentials"], redirect_uris: undefined });
  await assertPage(await b.authorize({ client_id: document.client_id }));
  assertMatch(
    getRejections(b.events)[0]!.explanation.expected!,
    /grant_types: at least one value of authorization_code/,
  );
});

test("[MC-07] a client with private_key_jwt authenticates with the keys of its document", async () => {
  await using as = await testLatchkey();
  const client = as.clientDocument(url, { token_endpoint_auth_method: "private_key_jwt" });
  const { tokens } = await as.logIn(client);
  await as.refresh(client, tokens.refresh_token!);
  as.log.expect("token", { grant_type: "refresh_token" }).with("private_key_jwt").succeeded();
  const rejected = async (login: Promise<unknown>) =>
    await login.then(() => "accepted", (error) => `${(error as LoginError).status} ${(error as LoginError).error}`);
  const stolen = as.clientDocument("https://other.example/c", { token_endpoint_auth_method: "private_key_jwt" });
  for (
    const impostor of [
      { ...client, token_endpoint_auth_method: "none" as const },
      { ...client, private_jwk: stolen.private_jwk },
    ]
  ) {
    assertEquals(await rejected(as.refresh(impostor, tokens.refresh_token!)), "401 invalid_client");
    assertEquals(await rejected(as.token(impostor, { grant_type: "client_credentials" })), "401 invalid_client");
  }

  // Keys behind a URL: the private key is that of the client above.
  const jwks_uri = "https://client.example/jwks.json";
  const { d: _, ...publicJwk } = client.private_jwk;
  as.clientDocument(jwks_uri, () => Response.json({ keys: [publicJwk] }));
  const remote = as.clientDocument("https://remote.example/c", { jwks_uri });
  await as.logIn({ ...remote, private_jwk: client.private_jwk });
  assertEquals(remote.token_endpoint_auth_method, "private_key_jwt");
  assertEquals(await rejected(as.logIn({ ...remote, private_jwk: stolen.private_jwk })), "401 invalid_client");
});
