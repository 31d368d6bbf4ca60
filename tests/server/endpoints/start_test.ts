/** The demo logins of a server without the inspector. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { type ClientMetadata, latchkey } from "../../../src/mod.ts";
import { assertPage } from "../../kit.ts";

const issuer = "http://localhost:9000";
const redirect_uris = [`${issuer}/authorized`];
const demoClients = [
  { client_id: "demo-secret", client_secret: "s3cret", redirect_uris },
  { client_id: "demo-public", redirect_uris },
];

/** A server, as one browser requests it. */
async function openServer(clients: readonly ClientMetadata[]) {
  const server = await latchkey({ issuer, clients, alg: "EdDSA" });
  let cookie = "";
  return async (path: string, sent = cookie) => {
    const response = await server.fetch(new Request(new URL(path, issuer), { headers: { cookie: sent } }));
    const set = response.headers.getSetCookie().map((text) => text.split(";")[0]!);
    cookie = [...cookie === "" ? [] : [cookie], ...set].join("; ");
    return response;
  };
}

test("a login that names no client starts as the public one, and ends with a token request to paste", async () => {
  const get = await openServer(demoClients);
  const started = new URL((await get("/start")).headers.get("location")!, issuer);
  assertEquals(started.searchParams.get("client_id"), "demo-public");
  const callback = (await get(started.href)).headers.get("location")!;
  const html = await assertPage(await get(callback), 200);
  assertStringIncludes(html, "Authorization Successful!");
  assertStringIncludes(html, new URL(callback).searchParams.get("code")!);
  assert(!html.includes("YOUR_CODE_VERIFIER"), "the verifier of this browser is inserted");
  const elsewhere = await assertPage(await get(callback, ""), 200);
  assertStringIncludes(elsewhere, "YOUR_CODE_VERIFIER");
});

test("a login starts as the client that it names", async () => {
  const get = await openServer(demoClients);
  const started = new URL((await get("/start?client_id=demo-secret")).headers.get("location")!, issuer);
  assertEquals(started.searchParams.get("client_id"), "demo-secret");
});

test("[DM-15] if no client has the redirect URI /authorized, the error page of /start names that URI", async () => {
  const get = await openServer([{ client_id: "spa", redirect_uris: ["https://spa.example/cb"] }]);
  const texts = { "/start": "No client has", "/start?client_id=spa": "No client with this client_id has" };
  for (const [path, text] of Object.entries(texts)) {
    const html = await assertPage(await get(path), 404);
    assertStringIncludes(html, `${text} the redirect URI`);
    assertStringIncludes(html, redirect_uris[0]!);
    assertStringIncludes(html, "DM-15");
  }
});
