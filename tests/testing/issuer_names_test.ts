/** One mock under several names. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import { inspector } from "../../src/devtools/mod.ts";
import { testControl } from "../../src/testing/mod.ts";
import { latchkey } from "../secret_leak_check.ts";
import { testLatchkey } from "./test_latchkey.ts";
import { clients, decodeClaims } from "../kit.ts";
import { metadataPath, open, send } from "../server/from_host.ts";

const deviceCode = "urn:ietf:params:oauth:grant-type:device_code";

const urls = {
  issuer: "http://latchkey:9000/tenant",
  frontChannelUrl: "http://localhost:49153",
  backChannelUrl: "http://auth.test:8080",
} as const;

test("[OP-12] from-host: a request without a host, and pages, have the issuer of the server", async () => {
  await using as = await testLatchkey({ issuer: "from-host" });
  assertEquals(as.issuer, "https://latchkey.test");
  const { claims } = await as.logIn(as.client());
  assertEquals(claims!.iss, as.issuer);
  const { url } = await as.listen();
  const { issuer } = await (await fetch(url + metadataPath)).json();
  assertEquals(issuer, url);
});

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
