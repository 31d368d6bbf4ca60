/** Tenants: mocks of their own on the host of another one. */

import { assert, assertEquals, assertMatch, assertRejects, assertStrictEquals } from "@std/assert";
import { test } from "node:test";
import { ConfigurationError, host } from "../../src/mod.ts";
import { faults, type Tenant, TenantError, testControl, type TestLatchkey } from "../../src/testing/mod.ts";
import type { TenantOptions } from "../../src/testing/test_control.ts";
import { assertIsolated, requests, type Side, web } from "../server/issuers.ts";
import { testLatchkey } from "./test_latchkey.ts";

const options: TenantOptions = { clients: [web], settings: { alg: "ES256", login: "interactive", throttle: true } };

/** Requests over a socket, so that the host finds the issuer. */
function side(app: Tenant | TestLatchkey): Side {
  return { app, control: app, ...requests((request) => fetch(request), app) };
}

test("nothing of a tenant is known to another one or to its server, and the other way round", async () => {
  await using as = await testLatchkey({ clients: [web], alg: "ES256", login: "interactive", throttle: true });
  await as.listen();
  const [one, other] = [await as.tenant(options), await as.tenant(options)];
  assertMatch(one.issuer, new RegExp(`^${as.issuer}/tenants/[\\w-]{22}$`));
  // Every mock signs with the built-in test keys, and the inspector is a plugin.
  const except = ["signing key", "flow of the inspector"];
  await assertIsolated(side(one), side(other), except);
  await assertIsolated(side(as), side(one), except);
});

test("a tenant has its own settings, users, clock, decisions and faults", async () => {
  await using as = await testLatchkey();
  await using one = await as.tenant({
    settings: { lifetimes: { access_token: 60 } },
    users: [{ sub: "carol", email: "carol@example.com" }],
    startsAt: "2031-01-01",
  });
  await using other = await as.tenant();
  const [client, otherClient] = [one.client(), other.client()];
  one.on("token").once(faults.error("invalid_grant"));
  other.decisions.loginNext("bob");
  await assertRejects(() => one.logIn(client), Error, "invalid_grant");
  const first = await one.logIn(client);
  assertEquals([first.claims?.sub, first.claims?.iss, first.tokens.expires_in], ["carol", one.issuer, 60]);
  assertStrictEquals(new Date(one.clock.now()).getUTCFullYear(), 2031);
  const second = await other.logIn(otherClient);
  assertEquals([second.claims?.sub, second.claims?.iss, second.tokens.expires_in], ["bob", other.issuer, 3600]);
  await other.reset();
  assertStrictEquals(one.log.exchanges.length > 0, true);
  assertStrictEquals((await as.logIn(as.client())).claims?.iss, as.issuer);
});

test("[HT-17] a tenant of a mock on an own host is on a test host too", async () => {
  const issuer = "http://192.168.0.10:9000";
  await using as = await testLatchkey({ issuer, issuerHosts: ["192.168.0.10"] });
  await using tenant = await as.tenant();
  assertMatch(tenant.issuer, new RegExp(`^${issuer}/tenants/`));
  assertStrictEquals((await tenant.logIn(tenant.client())).claims?.iss, tenant.issuer);
});

test("a tenant of an issuer with a host name of its own is on that host", async () => {
  await using server = await host();
  const control = testControl();
  const app = await server.app({ issuer: "http://b.localhost:9000/b", plugins: [control.plugin] });
  const { issuer } = await control.tenants.create();
  assertMatch(issuer, new RegExp(`^${app.issuer}/tenants/[\\w-]{22}$`));
  const get = async (url: string) => await (await server.fetch(new Request(url))).json();
  assertStrictEquals((await get(`${issuer}/.well-known/openid-configuration`)).issuer, issuer);
  const elsewhere = issuer.replace("b.localhost", "localhost");
  assertStrictEquals((await server.fetch(new Request(`${elsewhere}/oauth2/jwks`))).status, 404);
});

test("a tenant follows the port of its server, and is found at each well-known URL", async () => {
  await using as = await testLatchkey();
  const tenant = await as.tenant();
  assert(tenant.issuer.startsWith("https://latchkey.test/tenants/"));
  const { url } = await as.listen();
  const path = `/tenants/${tenant.id}`;
  assertStrictEquals(tenant.issuer, url + path);
  for (const at of [`/.well-known/oauth-authorization-server${path}`, `${path}/.well-known/openid-configuration`]) {
    assertStrictEquals((await (await fetch(url + at)).json()).issuer, tenant.issuer);
  }
  await tenant.close();
  assertStrictEquals((await fetch(`${url}${path}/oauth2/jwks`)).status, 404);
});

test("a tenant is below the path of its server", async () => {
  await using as = await testLatchkey({ issuer: "https://latchkey.test/auth" });
  const tenant = await as.tenant();
  assertStrictEquals(tenant.issuer, `https://latchkey.test/auth/tenants/${tenant.id}`);
  assertStrictEquals((await tenant.logIn(tenant.client())).claims?.iss, tenant.issuer);
});

test("a tenant without requests expires, by the clock of the system and not by that of a test", async () => {
  let now = Date.UTC(2030, 0, 1);
  await using as = await testLatchkey({ now: () => now });
  const [one, other] = [await as.tenant({ lifetime: 60 }), await as.tenant({ lifetime: 60 })];
  as.clock.advance(3600);
  const status = async (tenant: Tenant) => (await tenant.fetch(`${tenant.issuer}/oauth2/jwks`)).status;
  now += 59_000;
  assertStrictEquals(await status(one), 200);
  now += 59_000;
  assertStrictEquals(await status(one), 200);
  // The other one was not used for 118 seconds.
  assertStrictEquals(await status(other), 404);
});

test("a server has at most 1000 tenants at a time; those that expired or were removed do not count", async () => {
  let now = Date.UTC(2030, 0, 1);
  await using as = await testLatchkey({ now: () => now });
  for (let i = 0; i < 999; i++) await as.tenant({ lifetime: 60 });
  const last = await as.tenant();
  await assertRejects(() => as.tenant(), TenantError, "The server already has 1000 tenants, the maximum.");
  await last.close();
  await last.close();
  await using _ = await as.tenant();
  await assertRejects(() => as.tenant(), TenantError);
  now += 60_000;
  await as.tenant();
});

test("a tenant cannot create tenants, and has no settings that say where the process is", async () => {
  await using as = await testLatchkey();
  await using tenant = await as.tenant();
  await assertRejects(() => tenant.tenant(), TenantError, "A tenant cannot create tenants.");
  const rejected: readonly (readonly [object, RegExp])[] = [
    [{ settings: { issuer: "https://other.test" } }, /settings\.issuer/],
    [{ settings: { privateHosts: ["10.0.0.1"] } }, /settings\.privateHosts/],
    [{ settings: { store: {} } }, /settings\.store/],
    [{ settings: { lifetimes: { access_token: "60" } } }, /settings\.lifetimes\.access_token/],
    [{ plugins: [] }, /plugins/],
    [{ lifetime: 0 }, /lifetime/],
    [{ clients: [{}] }, /clients\[0\]/],
  ];
  for (const [invalid, message] of rejected) {
    assertMatch((await assertRejects(() => as.tenant(invalid), ConfigurationError)).message, message);
  }
});

test("closing a tenant reports faults that did not fire, and ends those that wait", async () => {
  await using as = await testLatchkey();
  const tenant = await as.tenant();
  tenant.on("token").once(faults.error("invalid_grant"));
  await assertRejects(() => tenant.close(), Error, "token");
  assertStrictEquals((await tenant.fetch(`${tenant.issuer}/oauth2/jwks`)).status, 404);
});
