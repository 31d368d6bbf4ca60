/** One server under several names: `issuer: "from-host"`, `frontChannelUrl` and `backChannelUrl`. */

import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { inspector } from "../../src/devtools/mod.ts";
import { ConfigurationError, memoryStore } from "../../src/mod.ts";
import type { Latchkey, LatchkeyOptions } from "../../src/mod.ts";
import { health } from "../../src/cli/operating/mod.ts";
import { testControl } from "../../src/testing/mod.ts";
import { callEvents, callingServer } from "./extensions/client_logout/logout_receiver.ts";
import { latchkey } from "../secret_leak_check.ts";
import { testLatchkey } from "../testing/test_latchkey.ts";
import { clients, decodeClaims, encode, forEachCase, goodRequest, observedStore, verifier } from "../kit.ts";
import { until } from "../until.ts";

const deviceCode = "urn:ietf:params:oauth:grant-type:device_code";
const metadataPath = "/.well-known/openid-configuration";

const open = (options: LatchkeyOptions = {}) =>
  latchkey({ issuer: "from-host", issuerHosts: ["latchkey"], clients, ...options });

/** Sends a request to one of the names of the server. */
function send(as: Latchkey, origin: string, path: string, init: RequestInit = {}): Promise<Response> {
  const { host } = new URL(origin);
  const request = new Request(origin + path, { redirect: "manual", ...init, headers: { host, ...init.headers } });
  return as.fetch(request);
}

async function exchange(as: Latchkey, origin: string, code: string) {
  const form = { grant_type: "authorization_code", client_id: "spa", redirect_uri: goodRequest.redirect_uri, code };
  const response = await send(as, origin, "/oauth2/token", {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: encode({ ...form, code_verifier: verifier }),
  });
  assertEquals(response.status, 200);
  return await response.json();
}

test("[DM-19] the home page warns if it was requested from another host or port than that of the issuer", async () => {
  await using as = await latchkey({ issuer: "http://localhost:9000" });
  const warning = async (host: string) => {
    const response = await as.fetch(new Request(`${as.issuer}/`, { headers: { host } }));
    return /You opened this page at <code[^>]*>(.*?)<\/code>/.exec(await response.text())?.[1];
  };
  await forEachCase<[string, string | undefined]>([
    ["localhost:9000", undefined],
    ["LOCALHOST:9000", undefined],
    ["localhost:9001", "localhost:9001"],
    ["127.0.0.1:9000", "127.0.0.1:9000"],
    ["localhost", "localhost"],
    // HT-16: not the name of a page that DNS rebinding brings here.
    ["rebound.example:9000", undefined],
  ], async ([host, expected]) => assertEquals((await warning(host))?.replaceAll("<wbr/>", ""), expected));
  await using named = await latchkey({ issuer: "https://as.test", frontChannelUrl: "http://localhost:8000" });
  for (const host of ["as.test", "as.test:443", "localhost:8000"]) {
    const response = await named.fetch(new Request(`${named.issuer}/`, { headers: { host } }));
    assertEquals((await response.text()).includes("You opened this page at"), false, host);
  }
  await using any = await open();
  assertEquals((await (await send(any, "http://localhost:1", "/")).text()).includes("This page was requested"), false);
});

test("[OP-12] from-host: the issuer of each request is the origin that it was sent to", async () => {
  await using as = await open();
  await forEachCase(
    ["http://localhost:49153", "http://127.0.0.1:9000", "http://latchkey:9000", "http://[::1]"],
    async (issuer) => {
      const metadata = await (await send(as, issuer, metadataPath)).json();
      assertEquals(metadata.issuer, issuer);
      for (const [name, url] of Object.entries(metadata)) {
        if (/_endpoint$|_uri$/.test(name)) assertEquals(new URL(String(url)).origin, issuer, name);
      }
      const response = await send(as, issuer, `/oauth2/authorize?${encode(goodRequest)}`);
      const { searchParams } = new URL(response.headers.get("location")!);
      assertEquals(searchParams.get("iss"), issuer);
      const { id_token, access_token } = await exchange(as, issuer, searchParams.get("code")!);
      assertEquals([decodeClaims(id_token).iss, decodeClaims(access_token).iss], [issuer, issuer]);
      const authorization = `Bearer ${access_token}`;
      assertEquals((await send(as, issuer, "/oauth2/userinfo", { headers: { authorization } })).status, 200);
    },
  );
});

test("[OP-12] from-host: a code of one name is exchanged at the other; its tokens have the issuer of the latter", async () => {
  await using as = await open();
  const front = await send(as, "http://localhost:49153", `/oauth2/authorize?${encode(goodRequest)}`);
  const code = new URL(front.headers.get("location")!).searchParams.get("code")!;
  const { id_token, access_token } = await exchange(as, "http://latchkey:9000", code);
  assertEquals(decodeClaims(id_token).iss, "http://latchkey:9000");
  const authorization = `Bearer ${access_token}`;
  const other = await send(as, "http://localhost:49153", "/oauth2/userinfo", { headers: { authorization } });
  assertEquals(other.status, 401);
});

test("[HT-24] from-host: any other host is rejected at every endpoint but health checks, and caches nothing", async () => {
  const plugins = [health(), inspector()];
  await using as = await open({ plugins, issuerHosts: ["latchkey", "host.docker.internal"] });
  const hosts = [
    "evil.example.com",
    "attacker:9000",
    "localhost.evil.com",
    "10.0.0.7:9000",
    "latchkey.evil.com",
    "0.0.0.0",
  ];
  await forEachCase(hosts, async (host) => {
    for (const path of [metadataPath, "/oauth2/jwks", "/", "/flows", `/oauth2/authorize?${encode(goodRequest)}`]) {
      const response = await send(as, "http://localhost:9000", path, { headers: { host } });
      const text = await response.text();
      assertEquals([response.status, response.headers.get("location")], [421, null], path);
      assert(!text.includes(`http://${host}`), path);
    }
    assertEquals((await send(as, "http://localhost:9000", "/healthz", { headers: { host } })).status, 200);
  });
  assertEquals((await send(as, "http://host.docker.internal:9000", metadataPath)).status, 200);
});

test("[OP-12] from-host: a request without a host, and pages, have the issuer of the server", async () => {
  await using as = await testLatchkey({ issuer: "from-host" });
  assertEquals(as.issuer, "https://latchkey.test");
  const { claims } = await as.logIn(as.client());
  assertEquals(claims!.iss, as.issuer);
  const { url } = await as.listen();
  const { issuer } = await (await fetch(url + metadataPath)).json();
  assertEquals(issuer, url);
});

test("[OP-12] from-host and issuerHosts are for test hosts, and frontChannelUrl and backChannelUrl for one issuer", async () => {
  const found = async (options: LatchkeyOptions, place: string) => {
    const { message } = await assertRejects(() => latchkey(options), ConfigurationError);
    assertStringIncludes(message, place);
  };
  await found({ issuer: "from-host", issuerHosts: ["login.widgets.com"] }, "issuerHosts[0]");
  await found({ issuer: "from-hosts" }, "Did you mean from-host?");
  await found({ issuer: "http://localhost:9000", issuerHosts: ["latchkey"] }, "issuerHosts[0]");
  await found({ issuer: "from-host", frontChannelUrl: "http://localhost:9000" }, "frontChannelUrl");
  await found({ frontChannelUrl: "https://login.widgets.com" }, "frontChannelUrl");
  await found({ backChannelUrl: "http://localhost:80" }, "backChannelUrl");
  await found({ backChannelUrl: "http://localhost:9000/path" }, "backChannelUrl");
});

const urls = {
  issuer: "http://latchkey:9000/tenant",
  frontChannelUrl: "http://localhost:49153",
  backChannelUrl: "http://auth.test:8080",
} as const;

test("[OP-13] metadata lists browser endpoints below frontChannelUrl, all others below backChannelUrl; one issuer", async () => {
  await using as = await testLatchkey(urls);
  const metadata = await (await as.fetch(`${urls.issuer}${metadataPath}`)).json();
  assertEquals(metadata.issuer, urls.issuer);
  const { authorization_endpoint, end_session_endpoint, token_endpoint, jwks_uri, userinfo_endpoint } = metadata;
  for (const url of [authorization_endpoint, end_session_endpoint]) {
    assert(url.startsWith(`${urls.frontChannelUrl}/tenant/oauth2/`), url);
  }
  for (const url of [token_endpoint, jwks_uri, userinfo_endpoint]) {
    assert(url.startsWith(`${urls.backChannelUrl}/tenant/oauth2/`), url);
  }
  const client = await as.register();
  assert(client.registration_client_uri.startsWith(urls.backChannelUrl));
  const device = await as.fetch(metadata.device_authorization_endpoint, {
    method: "POST",
    body: new URLSearchParams({ client_id: as.client({ grant_types: [deviceCode] }).client_id }),
  });
  assertEquals((await device.json()).verification_uri, `${urls.frontChannelUrl}/tenant/device`);
});

test("[OP-13] a login passes through both: DPoP proofs and assertions are for backChannelUrl, tokens have the issuer", async () => {
  await using as = await testLatchkey(urls);
  const client = as.client({ token_endpoint_auth_method: "private_key_jwt" });
  const { claims, callback, tokens, dpop } = await as.logIn(client, { dpop: true, scope: "openid profile" });
  assertEquals([claims!.iss, callback.iss], [urls.issuer, urls.issuer]);
  const userinfo = `${urls.backChannelUrl}/tenant/oauth2/userinfo`;
  const proof = await dpop!.proof("GET", userinfo, { accessToken: tokens.access_token });
  const response = await as.fetch(userinfo, { headers: { authorization: `DPoP ${tokens.access_token}`, dpop: proof } });
  assertEquals(response.status, 200);
});

test("[OP-13] pages are served under the host of frontChannelUrl, and their forms accepted", async () => {
  await using as = await latchkey({ ...urls, clients, login: "interactive", plugins: [inspector()] });
  const page = async (host: string) =>
    (await as.fetch(new Request(`${urls.issuer}/flows`, { headers: { host } }))).status;
  assertEquals([await page("localhost:49153"), await page("evil.example.com")], [200, 403]);
  const response = await as.fetch(new Request(`${urls.issuer}/clients`, { headers: { host: "localhost:49153" } }));
  assertMatch(await response.text(), /spa/);
});

test("[LO-02, OP-12] from-host: logout accepts ID tokens of every name, and no others of the same store", async () => {
  const store = memoryStore();
  await using as = await open({ store });
  await using other = await latchkey({ issuer: "http://shop.test", clients, store });
  const logIn = async (server: Latchkey, name: string) => {
    const front = await send(server, name, `/oauth2/authorize?${encode(goodRequest)}`);
    const code = new URL(front.headers.get("location")!).searchParams.get("code")!;
    return (await exchange(server, name, code)).id_token;
  };
  const logOut = async (id_token_hint: string) =>
    (await send(as, "http://localhost:49153", `/oauth2/logout?${encode({ id_token_hint })}`)).status;
  assertEquals(await logOut(await logIn(as, "http://latchkey:9000")), 200);
  assertEquals(await logOut(await logIn(other, "http://shop.test")), 400);
});

test("[OP-12] from-host: a request under another name adds nothing that stays in memory", async () => {
  const reads: unknown[] = [];
  const store = observedStore(memoryStore(), (verb, [kind]) => {
    if (verb === "get" && kind === "server_secret") reads.push(kind);
  });
  await using as = await open({ store });
  const login = (port: number) => send(as, `http://localhost:${port}`, `/oauth2/authorize?${encode(goodRequest)}`);
  assertEquals((await login(49000)).status, 302);
  const known = reads.length;
  await forEachCase([49001, 49002, 49003], async (port) => void assertEquals((await login(port)).status, 302));
  assertEquals(reads.length, known);
});

test("[BL-07, OP-12] from-host: a client is logged out with the issuer of its ID token, also at a repetition", async () => {
  const name = "http://latchkey:9000";
  const server = await callingServer({ issuer: "from-host", issuerHosts: ["latchkey"] });
  const { as, calls } = server;
  server.respond = () => new Response(null, { status: 503 });
  const front = await send(as, "http://localhost:49153", `/oauth2/authorize?${encode(goodRequest)}`);
  const { id_token } = await exchange(as, name, new URL(front.headers.get("location")!).searchParams.get("code")!);
  assertEquals(decodeClaims(id_token).iss, name);
  as.users.delete("alice");
  await until(() => callEvents(server).length === 1);
  await server.repeatCalls(60, 1);
  assertEquals(calls.map(({ claims }) => claims.iss), [name, name]);
  const other = await send(as, name, `/oauth2/authorize?${encode({ ...goodRequest, login_hint: "bob" })}`);
  const login = await exchange(as, name, new URL(other.headers.get("location")!).searchParams.get("code")!);
  const hint = encode({ id_token_hint: login.id_token });
  assertEquals((await send(as, name, `/oauth2/logout?${hint}`)).status, 200);
  await server.repeatCalls(60, 1);
  assertEquals(calls.slice(2).map(({ claims }) => claims.iss), [name, name]);
});

test("[OP-12] from-host: the control acts under the name that its request was sent to", async () => {
  const name = "http://latchkey:9000";
  const control = testControl();
  await using as = await open({ plugins: [control.plugin, await control.overHttp()] });
  const call = async (verb: string, input: object, method = "POST") => {
    const headers = { "content-type": "application/json" };
    const body = method === "POST" ? JSON.stringify(input) : undefined;
    const response = await send(as, name, `/_control/${verb}`, { method, headers, body });
    return response.status === 204 ? 204 : await response.json();
  };
  assertEquals((await call("health", {}, "GET")).issuer, name);
  const { id_token, access_token } = await call("mint/tokens", { client: "spa", scope: "openid" });
  assertEquals([decodeClaims(id_token).iss, decodeClaims(access_token).iss], [name, name]);
  const { token } = await call("mint/accessToken", { client: "spa", scope: "openid" });
  const authorization = `Bearer ${token}`;
  assertEquals((await send(as, name, "/oauth2/userinfo", { headers: { authorization } })).status, 200);
  assertEquals(await call("endSession", { idToken: id_token }), 204);
});
