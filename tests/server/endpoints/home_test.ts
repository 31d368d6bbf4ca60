/** The home page of a server without the inspector. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { latchkey } from "../../../src/mod.ts";

const get = async (path: string, headers: HeadersInit = {}) => {
  await using server = await latchkey({ issuer: "http://localhost:9000" });
  const response = await server.fetch(new Request(`http://localhost:9000${path}`, { headers }));
  return { status: response.status, text: (await response.text()).replaceAll("<wbr/>", "") };
};

test("without the inspector the home page has the issuer, its metadata and a demo login", async () => {
  const { status, text } = await get("/");
  assertEquals(status, 200);
  assertStringIncludes(text, `<a href="/.well-known/openid-configuration">`);
  assertStringIncludes(text, `href="/start?client_id=demo-public">Start a login</a>`);
  for (const path of ["/clients", "/users", "/flows"]) assert(!text.includes(`href="${path}`), path);
});

test("[DI-04] that page names no client under a foreign host", async () => {
  const { text } = await get("/", { host: "rebound.example" });
  assert(!text.includes("demo-public"));
});

test("without the inspector no rejection links to its form", async () => {
  const rejected = await get("/oauth2/authorize?client_id=unknown&redirect_uri=http://localhost:3000/cb");
  assertEquals(rejected.status, 400);
  assert(!rejected.text.includes("#connect"), "a link to the form of the home page for developers");
});
