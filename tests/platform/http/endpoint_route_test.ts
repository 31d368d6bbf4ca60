/** Lazily loaded endpoints: their description matches their behaviour. */

import { assertEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import type { Context } from "../../../src/core/http/context.ts";
import { type Endpoint, endpointRoute, type Handlers } from "../../../src/core/route.ts";
import { type HttpResponse, json } from "../../../src/core/http/message.ts";
import { forEachCase, testServer } from "../../kit.ts";

const context = { server: { policy: {} } } as Context;
const handlers: Handlers = { GET: () => json(200, "got") };

function routeOf(load: Endpoint["load"]) {
  const route = endpointRoute({
    name: "lazy",
    path: "/",
    methods: ["GET"],
    caller: "browser",
    errors: "json",
    load,
  });
  return () => route.handle("GET", context) as Promise<HttpResponse>;
}

test("concurrent and later requests load an endpoint once", async () => {
  let loads = 0;
  const { promise, resolve } = Promise.withResolvers<Handlers>();
  const get = routeOf(() => (loads++, promise));
  const both = Promise.all([get(), get()]);
  resolve(handlers);
  assertEquals((await both).map((response) => response.body), [`"got"`, `"got"`]);
  assertEquals((await get()).body, `"got"`);
  assertEquals(loads, 1);
});

test("an endpoint that failed to load is loaded again by the next request", async () => {
  let loads = 0;
  const get = routeOf(() => loads++ === 0 ? Promise.reject(new Error("not there")) : Promise.resolve(handlers));
  await assertRejects(get, Error, "not there");
  assertEquals((await get()).body, `"got"`);
});

test("every URL responds to each method that it names in Allow", async () => {
  const { get, events } = await testServer({ issuer: "http://localhost:9000", clients: undefined, directory: "edit" });
  const paths = [
    ...[
      "/",
      "/start",
      "/authorized",
      "/authorized/try",
      "/static/x",
      "/clients",
      "/clients/x",
      "/users",
      "/users/x",
    ],
    ...["/oauth2/authorize", "/oauth2/token", "/oauth2/jwks", "/oauth2/userinfo", "/oauth2/revoke"],
    ...["/oauth2/introspect", "/oauth2/logout", "/.well-known/openid-configuration"],
  ];
  await forEachCase(paths, async (path) => {
    const rejected = await get(path, { method: "DELETE" });
    assertEquals(rejected.status, 405);
    for (const method of rejected.headers.get("allow")!.split(", ")) {
      const { status } = await get(path, { method });
      assertEquals([405, 500].includes(status), false, `${method} returns ${status}`);
    }
  });
  assertEquals(events.filter(({ type }) => type === "internal_error"), []);
});
