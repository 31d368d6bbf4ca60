/** Endpoints that are loaded with the first request: what is promised of them before is what they answer to. */

import { assertEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import { lazyEndpoint } from "../../src/app/lazy_endpoint.ts";
import { json } from "../../src/http/responses.ts";
import type { HttpResponse } from "../../src/http/message.ts";
import type { RequestTarget } from "../../src/http/router.ts";
import { forEachCase, testServer } from "../flows/harness.ts";

const target: RequestTarget = { path: "/", query: "", clientAddress: {} };
const request = new Request("https://any.test/");
const responses = { GET: () => json(200, "got"), reject: () => json(405, "rejected") };

test("concurrent requests load an endpoint once, and later ones do not wait", async () => {
  let loads = 0;
  const { promise, resolve } = Promise.withResolvers<typeof responses>();
  const endpoint = lazyEndpoint({ path: "/", methods: ["GET"] }, () => (loads++, promise));
  const both = Promise.all([endpoint.GET!(request, target), endpoint.GET!(request, target)]);
  resolve(responses);
  assertEquals((await both).map((response) => response.body), [`"got"`, `"got"`]);
  assertEquals((endpoint.GET!(request, target) as HttpResponse).body, `"got"`);
  assertEquals(loads, 1);
});

test("an endpoint that failed to load is loaded again by the next request", async () => {
  let loads = 0;
  const endpoint = lazyEndpoint({ path: "/", methods: ["GET"] }, () => {
    return loads++ === 0 ? Promise.reject(new Error("not there")) : Promise.resolve(responses);
  });
  await assertRejects(async () => await endpoint.GET!(request, target), Error, "not there");
  assertEquals((await endpoint.GET!(request, target)).body, `"got"`);
});

test("every URL responds to each method that it names in Allow", async () => {
  const { get, events } = await testServer({ issuer: "http://localhost:9000", clients: undefined, directory: "edit" });
  const paths = [
    ...["/", "/start", "/authorized", "/authorized/try", "/static/x", "/clients", "/clients/x", "/users", "/users/x"],
    ...["/oauth2/authorize", "/oauth2/token", "/oauth2/jwks", "/oauth2/userinfo", "/oauth2/revoke"],
    ...["/oauth2/introspect", "/oauth2/logout", "/.well-known/openid-configuration"],
  ];
  await forEachCase(paths, async (path) => {
    const rejected = await get(path, { method: "DELETE" });
    assertEquals(rejected.status, 405);
    for (const method of rejected.headers.get("allow")!.split(", ")) {
      const { status } = await get(path, { method });
      assertEquals([405, 500].includes(status), false, `${method} is answered with ${status}`);
    }
  });
  assertEquals(events.filter(({ type }) => type === "internal_error"), []);
});
