/** Tenants over HTTP. */

import { assert, assertEquals, assertMatch, assertRejects, assertStrictEquals } from "@std/assert";
import { test } from "node:test";
import { connectLatchkey, ControlRequestError } from "../../../src/testing/control/connect.ts";
import { faults } from "../../../src/testing/mod.ts";
import type { LatchkeyOptions } from "../../../src/mod.ts";
import { programControl } from "../../../src/testing/control/program_control.ts";
import { assertionOf, clientKey, signingContext } from "../../server/client_jwts.ts";
import { encode, getRedirectParams, goodRequest, verifier } from "../../kit.ts";
import { latchkey } from "../../secret_leak_check.ts";
import { testLatchkey } from "../test_latchkey.ts";
import { until } from "../../until.ts";
import { controlClient } from "./harness.ts";

const web = { client_id: "web", client_secret: "web-secret-of-the-test", redirect_uris: ["https://web.test/cb"] };

async function start() {
  const as = await testLatchkey({ control: true });
  const { url } = await as.listen();
  const at = (issuer: string) => controlClient({ issuer, fetch: (request) => fetch(request) });
  return { as, url, at, ...at(url) };
}

test("a tenant is created with settings, clients and users, listed, and removed", async () => {
  const { as, url, at, get, post } = await start();
  const input = { settings: { lifetimes: { access_token: 60 } }, clients: [web], users: [{ sub: "carol" }] };
  const { status, body } = await post("/tenants/create", input);
  assertStrictEquals(status, 200);
  assertEquals(body, {
    id: body.id,
    issuer: `${url}/tenants/${body.id}`,
    control: `${url}/tenants/${body.id}/_control`,
  });
  assertEquals((await get("/tenants/all")).body, { tenants: [body] });
  const tenant = at(body.issuer);
  assertEquals((await tenant.get("/users/all")).body.users, [{ sub: "carol" }]);
  assertEquals((await tenant.get("/openapi.json")).body.servers, [{ url: body.control }]);
  const minted = await tenant.post("/mint/tokens", { client: "web" });
  assertStrictEquals(minted.body.expires_in, 60);
  const userinfo = (issuer: string) =>
    fetch(`${issuer}/oauth2/userinfo`, { headers: { authorization: `Bearer ${minted.body.access_token}` } });
  assertStrictEquals((await userinfo(body.issuer)).status, 200);
  assertStrictEquals((await userinfo(as.issuer)).status, 401);
  assertStrictEquals((await post("/tenants/remove", { id: body.id })).status, 204);
  assertStrictEquals((await userinfo(body.issuer)).status, 404);
  const again = await post("/tenants/remove", { id: body.id });
  assertEquals([again.status, again.body.detail], [404, "No tenant has this id."]);
  assertEquals((await get("/tenants/all")).body, { tenants: [] });
  await as.close();
});

test("the control of a tenant reaches neither its server nor another tenant", async () => {
  const { as, at, get, post } = await start();
  const [one, other] = [(await post("/tenants/create")).body, (await post("/tenants/create", { clients: [web] })).body];
  const tenant = at(one.issuer);
  const rejected = await tenant.post("/tenants/create");
  assertEquals([rejected.status, rejected.body.detail], [
    409,
    "A tenant cannot create tenants. Create them on its server.",
  ]);
  assertEquals((await tenant.get("/tenants/all")).body, { tenants: [] });
  assertStrictEquals((await tenant.post("/tenants/remove", { id: other.id })).status, 404);
  assertStrictEquals((await tenant.post("/clients/delete", { client_id: "web" })).status, 404);
  await tenant.post("/clock/freeze");
  await tenant.post("/faults/add", { fault: "error", parameters: { code: "invalid_grant" } });
  for (const path of ["/reset", "/log/clear"]) await tenant.post(path);
  assertEquals((await get("/clock/now")).body.frozen, false);
  for (const { issuer } of [as, other]) {
    assertEquals((await at(issuer).get("/faults/all")).body, { faults: [] });
    assertEquals((await at(issuer).get("/health")).body.issuer, issuer);
  }
  await as.close();
});

test("[CO-05] settings of the process, and settings that are none, are rejected with their place", async () => {
  const { as, post, get } = await start();
  const invalid: readonly [object, string][] = [
    [{ settings: { issuer: "http://localhost:1" } }, "settings.issuer"],
    [{ settings: { trustProxy: ["127.0.0.1"] } }, "settings.trustProxy"],
    [{ settings: { plugins: [{}] } }, "settings.plugins"],
    [{ settings: { now: 1 } }, "settings.now"],
    [{ settings: { lifetimes: { access_token: "60" } } }, "settings.lifetimes.access_token"],
    [{ clients: [{ client_id: 1 }] }, "clients[0].client_id"],
    [{ users: "any" }, "users"],
    [{ lifetime: -1 }, "lifetime"],
    [{ path: "/a" }, "path"],
  ];
  for (const [input, place] of invalid) {
    const { status, body } = await post("/tenants/create", input);
    assertEquals([status, body.rule, body.errors[0].place], [400, "CO-05", place]);
  }
  assertEquals((await get("/tenants/all")).body, { tenants: [] });
  await as.close();
});

test("[CO-01] the control of a tenant has the secret of its server", async () => {
  const secret = "secret-of-the-control-of-this-test";
  await using as = await testLatchkey({ control: { secret } });
  const { url } = await as.listen();
  assertStrictEquals((await fetch(`${url}/_control/tenants/create`, { method: "POST", body: "{}" })).status, 401);
  const connected = await connectLatchkey(url, { secret });
  await using tenant = await connected.tenants.create();
  assertStrictEquals((await fetch(`${tenant.issuer}/_control/users/all`)).status, 401);
  assertStrictEquals((await tenant.users.all()).length, 2);
});

test("a program connects to a tenant, which is removed at the end of the test", async () => {
  await using as = await testLatchkey({ control: true });
  const { url } = await as.listen();
  const connected = await connectLatchkey(url);
  const tenant = await connected.tenants.create({ users: [{ sub: "carol" }] });
  assertEquals((await connected.tenants.all()).map(({ issuer }) => issuer), [tenant.issuer]);
  const client = await tenant.client();
  assertMatch(await tenant.mint.refreshToken({ client }), /^[\w-]{43}$/);
  await tenant.clock.advance(3600);
  assert((await tenant.clock.now()) > as.clock.now() + 3_000_000);
  await tenant.on("token", { client }).once(faults.error("invalid_grant"));
  const error = await assertRejects(() => tenant.close(), ControlRequestError);
  assertStrictEquals(error.status, 409);
  assertEquals(await connected.tenants.all(), []);
});

test("without tenants, changes of claims and checks of the log are for one client, in process and over HTTP", async () => {
  await using as = await testLatchkey({ control: true });
  const { url } = await as.listen();
  const connected = await connectLatchkey(url);
  const [one, other] = [as.client(), as.client()];
  for (const handle of [as, connected]) {
    await handle.issue.nextIdToken({ email: "first@example.com" }, one);
    await handle.issue.nextIdToken({ email: "second@example.com" }, other.client_id);
    await handle.issue.everyAccessToken({ roles: ["admin"] }, other);
    const emails = [];
    for (const client of [other, one, one]) {
      emails.push((await as.logIn(client, { scope: "openid email" })).claims?.email);
    }
    assertEquals(emails, ["second@example.com", "first@example.com", undefined]);
    const roles = async (token: Promise<{ tokens: { access_token: string } }>) =>
      JSON.parse(atob((await token).tokens.access_token.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/")))
        .roles;
    assertEquals([await roles(as.logIn(one)), await roles(as.logIn(other))], [undefined, ["admin"]]);
    await as.refresh(one, "unknown").catch(() => {});
    await handle.log.expectNoRejections(other);
    await assertRejects(
      async () => await handle.log.expectNoRejections(one),
      Error,
      "expected no rejections, received 1",
    );
    await handle.log.expectNoWarnings(one.client_id);
    await as.reset({ keep: ["clients"] });
  }
});

test("[MC-05] whatever a client names to a tenant, the outgoing requests are those of the server, its protection included", async () => {
  const sent: string[] = [];
  const files: Record<string, unknown> = { "/sector": ["https://app.example/cb"], "/keys": { keys: [] } };
  const outbound: LatchkeyOptions["outbound"] = (url, init) => {
    sent.push(`${init.method ?? "GET"} ${url}`);
    const { pathname } = new URL(url);
    return Promise.resolve(files[pathname] === undefined ? new Response() : Response.json(files[pathname]));
  };
  const as = await latchkey({ plugins: programControl({}).plugins, outbound });
  const { url } = await as.listen({ port: 0 });
  const { fetch: realFetch } = globalThis;
  const unprotected: string[] = [];
  globalThis.fetch = (input, init) => {
    unprotected.push(String(input));
    return realFetch(input, init);
  };
  try {
    const send = (at: string, body: BodyInit, type = "application/json") =>
      realFetch(at, { method: "POST", body, headers: { "content-type": type }, redirect: "manual" });
    const web = {
      ...{ client_id: "web", token_endpoint_auth_method: "private_key_jwt", jwks_uri: "https://foreign.test/keys" },
      ...{ redirect_uris: ["https://app.example/cb"], backchannel_logout_uri: "https://foreign.test/logout" },
    } as const;
    const spa = { ...web, client_id: "spa", token_endpoint_auth_method: "none", jwks_uri: undefined } as const;
    const created = await send(`${url}/_control/tenants/create`, JSON.stringify({ clients: [web, spa] }));
    const { issuer, control } = await created.json();
    const form = (path: string, fields: Record<string, string>) =>
      send(`${issuer}${path}`, encode(fields), "application/x-www-form-urlencoded");
    const registered = await send(
      `${issuer}/oauth2/register`,
      JSON.stringify({ redirect_uris: spa.redirect_uris, sector_identifier_uri: "https://foreign.test/sector" }),
    );
    assertStrictEquals(registered.status, 201);
    const assertion = await assertionOf("web", await clientKey("ES256"), {}, signingContext(Date.now() / 1000, issuer));
    await form("/oauth2/token", { grant_type: "client_credentials", ...assertion });
    const authorize = (fields: Record<string, string>) =>
      realFetch(`${issuer}/oauth2/authorize?${encode({ ...goodRequest, ...fields })}`, { redirect: "manual" });
    await (await authorize({ client_id: "https://foreign.test/client" })).body?.cancel();
    const login = await authorize({ client_id: "spa", redirect_uri: spa.redirect_uris[0], scope: "openid" });
    const code = getRedirectParams(login).get("code")!;
    const fields = { grant_type: "authorization_code", client_id: "spa", redirect_uri: spa.redirect_uris[0], code };
    const { id_token } = await (await form("/oauth2/token", { ...fields, code_verifier: verifier })).json();
    await (await form("/oauth2/logout", { id_token_hint: id_token })).body?.cancel();
    assertStrictEquals((await realFetch(`${control}/health`)).status, 200);
    await until(() => sent.length === 4);
    assertEquals(sent.sort(), [
      ...["GET https://foreign.test/client", "GET https://foreign.test/keys", "GET https://foreign.test/sector"],
      "POST https://foreign.test/logout",
    ]);
    assertEquals(unprotected, []);
  } finally {
    globalThis.fetch = realFetch;
    await as.close();
  }
});

test("[MC-05] a tenant of a server without an option for it connects to no host that the server protects", async () => {
  const as = await latchkey({ plugins: programControl({}).plugins });
  const { url } = await as.listen({ port: 0 });
  const { post } = controlClient({ issuer: url, fetch: (request) => fetch(request) });
  const { issuer } = (await post("/tenants/create", { settings: { registration: { mode: "open" } } })).body;
  for (const host of ["10.0.0.1", "169.254.169.254", "metadata.google.internal"]) {
    const metadata = { redirect_uris: ["https://app.example/cb"], sector_identifier_uri: `https://${host}/sector` };
    const response = await fetch(`${issuer}/oauth2/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(metadata),
    });
    const text = await response.text();
    assertStrictEquals(response.status, 400, text);
    const log = await controlClient({ issuer, fetch: (request) => fetch(request) }).get("/log/exchanges");
    assertMatch(JSON.stringify(log.body), /expected a host with a public address/);
  }
  await as.close();
});
