/**
 * One server under several names: `issuer: "from-host"`, `frontChannelUrl` and `backChannelUrl`.
 *
 * @extensions client_logout, pairwise
 */

import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { ConfigurationError, host, type Latchkey, type LatchkeyOptions, memoryStore } from "../../src/mod.ts";
import { callEvents, callingServer } from "./extensions/client_logout/logout_receiver.ts";
import { latchkey } from "../secret_leak_check.ts";
import { clients, decodeClaims, encode, forEachCase, goodRequest, observedStore, verifier } from "../kit.ts";
import { until } from "../until.ts";
import { exchange, metadataPath, open, send } from "./from_host.ts";

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

test("[OP-12] from-host: an issuer with a path keeps it under each name", async () => {
  await using server = await host();
  const as = await server.app({ path: "/default", issuer: "from-host", clients });
  const issuers = ["http://localhost:49153/default", "http://127.0.0.1:9000/default"];
  const fetchAt = (url: string, init: RequestInit = {}) => {
    const { origin } = new URL(url);
    return send(as, origin, url.slice(origin.length), init);
  };
  const [first, second] = await Promise.all(issuers.map(async (issuer) => {
    const metadata = await (await fetchAt(issuer + metadataPath)).json();
    assertEquals(metadata.issuer, issuer);
    return metadata;
  }));
  const front = await fetchAt(`${first.authorization_endpoint}?${encode(goodRequest)}`);
  const code = new URL(front.headers.get("location")!).searchParams.get("code")!;
  const form = { grant_type: "authorization_code", client_id: "spa", redirect_uri: goodRequest.redirect_uri };
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const body = encode({ ...form, code, code_verifier: verifier });
  const { id_token } = await (await fetchAt(second.token_endpoint, { method: "POST", headers, body })).json();
  assertEquals(decodeClaims(id_token).iss, issuers[1]);
  const logout = `${first.end_session_endpoint}?${encode({ id_token_hint: id_token })}`;
  assertEquals((await fetchAt(logout)).status, 200);
  assertEquals((await fetchAt(`http://rebound.example/default${metadataPath}`)).status, 421);
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
