/** Logins at the core, from the authorization request to the claims of the user. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { createLocalJWKSet, jwtVerify } from "jose";
import { test } from "node:test";
import { encodeBase64url } from "../../src/core/keys/crypto.ts";
import { createGrant } from "../../src/core/store/grant.ts";
import { memoryStore } from "../../src/core/store/memory.ts";
import type { TraceEvent } from "../../src/core/mod.ts";
import { authorizeParameters, basic, callback, encode, issuer, startCore } from "./kit.ts";

/** The left half of the digest of a token, by the algorithm of the ID token (OpenID Connect Core §3.1.3.6). */
async function halfHash(alg: string, token: string): Promise<string> {
  const digest = await crypto.subtle.digest(alg === "EdDSA" ? "SHA-512" : "SHA-256", new TextEncoder().encode(token));
  return encodeBase64url(new Uint8Array(digest.slice(0, digest.byteLength / 2)));
}

test("[TK-09, OI-02, RT-03] a public client logs in, reads the claims, and renews its tokens", async () => {
  const { authorize, exchange, send, token, lastRule } = await startCore();
  const response = await authorize({ scope: "openid profile read", nonce: "n1" });
  assertEquals(response.status, 302);
  const location = new URL(response.headers.get("location")!);
  assertEquals(location.origin + location.pathname, callback);
  assertEquals(location.searchParams.get("state"), "s1");
  assertEquals(location.searchParams.get("iss"), issuer);
  const tokenResponse = await exchange(location.searchParams.get("code")!);
  assertEquals([tokenResponse.status, tokenResponse.headers.get("cache-control")], [200, "no-store"]);
  const tokens = await tokenResponse.json();
  assertEquals([tokens.token_type, tokens.expires_in, tokens.scope], ["Bearer", 3600, "openid profile read"]);
  const keys = createLocalJWKSet(await (await send("/oauth2/jwks")).json());
  const currentDate = new Date(Date.UTC(2030, 0, 1));
  const idToken = await jwtVerify(tokens.id_token, keys, { issuer, audience: "spa", currentDate });
  assertEquals([idToken.payload.sub, idToken.payload.nonce], ["alice", "n1"]);
  assertEquals(idToken.payload.at_hash, await halfHash(idToken.protectedHeader.alg, tokens.access_token));
  const accessToken = await jwtVerify(tokens.access_token, keys, {
    issuer,
    audience: issuer,
    typ: "at+jwt",
    currentDate,
  });
  assertEquals(accessToken.payload.client_id, "spa");
  const userinfo = await send("/oauth2/userinfo", { headers: { authorization: `Bearer ${tokens.access_token}` } });
  assertEquals(await userinfo.json(), { sub: "alice", name: "Alice" });
  const renewed = await token({ grant_type: "refresh_token", client_id: "spa", refresh_token: tokens.refresh_token });
  assertEquals(renewed.status, 200);
  assert((await renewed.json()).refresh_token !== tokens.refresh_token, "rotated");
  assertEquals(lastRule(), undefined);
});

test("[CC-01, IN-02, RV-05] a confidential client gets a token for itself, inspects and revokes it", async () => {
  const { token, post } = await startCore();
  const auth = basic("web", "web-secret");
  const { access_token } = await (await token({ grant_type: "client_credentials", scope: "write" }, auth)).json();
  const inspect = async () => await (await post("/oauth2/introspect", encode({ token: access_token }), auth)).json();
  assertEquals((await inspect()).client_id, "web");
  assertEquals((await post("/oauth2/revoke", encode({ token: access_token }), auth)).status, 200);
  assertEquals(await inspect(), { active: false });
});

test("[OI-06] the session continues, login_hint selects another user", async () => {
  const { authorize, exchange, send, advance } = await startCore();
  const subjectOf = async (response: Response) => {
    const code = new URL(response.headers.get("location")!).searchParams.get("code")!;
    const { id_token } = await (await exchange(code)).json();
    return JSON.parse(atob(id_token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/"))).sub;
  };
  const first = await authorize({ login_hint: "bob" });
  assertEquals(await subjectOf(first), "bob");
  const cookie = first.headers.get("set-cookie")!.split(";")[0]!;
  advance(1);
  const again = await send(`/oauth2/authorize?${encode(authorizeParameters)}`, { headers: { cookie } });
  assertEquals(await subjectOf(again), "bob");
  assertEquals(again.headers.get("set-cookie"), null, "the session continues");
});

test("[OI-05] a login whose time is no number or in the future gets neither code nor session", async () => {
  const wrong = ["2030-01-01", "1893456000000", new Date(0), NaN, Infinity, undefined, null, 10n, Date.UTC(2031, 0, 1)];
  for (const authTime of wrong) {
    const errors: unknown[] = [];
    const { authorize } = await startCore({
      approver: async (request, { users }) => ({
        user: (await users.find("alice"))!,
        scope: request.scope,
        authTime: authTime as number,
      }),
      trace: (event) => void (event.type === "rejected" && errors.push(event.explanation)),
    });
    const { headers } = await authorize();
    const response = new URL(headers.get("location")!).searchParams;
    const label = String(authTime);
    assertEquals(
      [response.get("error"), response.get("code"), headers.get("set-cookie")],
      ["server_error", null, null],
      label,
    );
    assertMatch(JSON.stringify(errors), /the authTime of a login: milliseconds since the epoch/, label);
  }
});

test("[AZ-21] an approval of a user whom the server does not have is rejected, without a word about passwords", async () => {
  const { authorize } = await startCore({
    approver: (request, { now }) => ({ user: { sub: "carol" }, scope: request.scope, authTime: now() }),
  });
  const response = new URL((await authorize()).headers.get("location")!).searchParams;
  assertEquals(
    [response.get("error"), response.get("error_description")],
    ["access_denied", "the user does not exist [AZ-21]"],
  );
});

test("[LO-06] a session and its grants end when an extension says that the user must log in again", async () => {
  let fingerprint = "first";
  const { authorize, exchange, send, token, lastRule } = await startCore({
    extensions: [{
      name: "fingerprints",
      extend: (server) => ({
        ...server,
        grants: {
          ...server.grants,
          loginFingerprint: () => fingerprint,
          create: (server, client, granted) => ({ ...createGrant(server, client, granted), fingerprint }),
          async findInvalidReason(current, client, stored, scope) {
            const { fingerprint: former } = stored.value.grant as { fingerprint?: string };
            return await server.grants.findInvalidReason(current, client, stored, scope) ??
              (former === fingerprint ? undefined : { rule: "LO-06" });
          },
        },
      }),
    }],
  });
  for (const next of ["", "changed"]) {
    fingerprint = "first";
    const first = await authorize({ login_hint: "bob" });
    const code = new URL(first.headers.get("location")!).searchParams.get("code")!;
    const { refresh_token } = await (await exchange(code)).json();
    const headers = { cookie: first.headers.get("set-cookie")!.split(";")[0]! };
    fingerprint = next;
    assertEquals((await token({ grant_type: "refresh_token", client_id: "spa", refresh_token })).status, 400);
    assertEquals(lastRule(), "LO-06");
    // The former session continues without a new cookie.
    const again = await send(`/oauth2/authorize?${encode(authorizeParameters)}`, { headers });
    assert(again.headers.has("set-cookie"), `no new session after ${JSON.stringify(next)}`);
  }
});

test("metadata, the home page and /authorized name what the server has", async () => {
  const { send, code } = await startCore({
    clients: [{ client_id: "demo", redirect_uris: [`${issuer}/authorized`] }],
  });
  const metadata = await (await send("/.well-known/openid-configuration")).json();
  assertEquals(metadata.issuer, issuer);
  assertEquals(metadata.code_challenge_methods_supported, ["S256"]);
  for (const [name, value] of Object.entries(metadata)) {
    if (!name.endsWith("_endpoint") && name !== "jwks_uri") continue;
    assert((await send(new URL(String(value)).pathname)).status !== 404, name);
  }
  assertMatch(await (await send("/")).text(), /localhost:9000/);
  const value = await code({ client_id: "demo", redirect_uri: `${issuer}/authorized` });
  const page = await send(`/authorized?${encode({ code: value, state: "s1", iss: issuer })}`);
  assertEquals(page.status, 200);
  assert((await page.text()).includes(value));
});

test("the parameter claims changes nothing, and metadata does not announce it", async () => {
  const { code, exchange, send } = await startCore();
  const metadata = await (await send("/.well-known/openid-configuration")).json();
  assertEquals("claims_parameter_supported" in metadata, false);
  for (const claims of [`{"userinfo":{"name":null},"id_token":{"acr":{"essential":true,"value":"mfa"}}}`, "{"]) {
    const { access_token } = await (await exchange(await code({ claims }))).json();
    const userinfo = await send("/oauth2/userinfo", { headers: { authorization: `Bearer ${access_token}` } });
    assertEquals(await userinfo.json(), { sub: "alice" });
  }
});

test("two servers on one store sign with one key, and a server with another algorithm still publishes it", async () => {
  const options = { store: memoryStore() };
  const servers = [await startCore(options), await startCore(options)];
  const kids = async ({ send }: Awaited<ReturnType<typeof startCore>>) => {
    const { keys } = await (await send("/oauth2/jwks")).json();
    return keys.map(({ kid }: { readonly kid: string }) => kid);
  };
  const [one, two] = await Promise.all(servers.map(kids));
  assertEquals([one.length, two], [1, one]);
  const later = await kids(await startCore({ ...options, policy: { alg: "ES256" } }));
  assertEquals([later.length, later.includes(one[0])], [2, true]);
});

test("a token that names an unused algorithm makes no key", async () => {
  const { send } = await startCore();
  const part = (value: object) => btoa(JSON.stringify(value)).replaceAll("=", "");
  const token = `${part({ alg: "ES256", kid: "k1", typ: "at+jwt" })}.${part({ iss: issuer })}.${"A".repeat(86)}`;
  assertEquals((await send("/oauth2/userinfo", { headers: { authorization: `Bearer ${token}` } })).status, 401);
  const { keys } = await (await send("/oauth2/jwks")).json();
  assertEquals(keys.map(({ alg }: { alg: string }) => alg), ["EdDSA"]);
});

test("expired records leave the store", async () => {
  const store = memoryStore();
  const { code, advance, send } = await startCore({ store });
  for (let i = 0; i < 20; i++) await code();
  assertEquals(await store.count("code", ""), 20);
  advance(3600 * 24 * 31);
  await send("/");
  assertEquals(await store.count("code", ""), 0);
});

test("the trace of a login has the checks that pass, in their order, and no secret", async () => {
  const events: TraceEvent[] = [];
  const { code, exchange, send, token } = await startCore({ trace: (event) => void events.push(event) });
  const passed = () => events.splice(0).flatMap((event) => event.type === "passed" ? [event.rule] : []);
  const first = await code({ scope: "openid profile" });
  assertEquals(passed(), ["AZ-02", "RU-01", "AZ-07", "AZ-09", "AZ-17", "PK-07"]);
  const tokens = await (await exchange(first)).json();
  assertEquals(passed(), [
    ...["CA-07", "TK-06", "TK-16", "CI-05", "TK-15", "PK-09", "CI-02"],
    ...["CI-11", "LO-05", "RT-09", "CI-06"],
  ]);
  const { access_token, refresh_token } = tokens;
  await token({ grant_type: "refresh_token", client_id: "spa", refresh_token });
  const refresh = events.slice();
  assertEquals(passed(), ["CA-07", "TK-06", "RT-02", "CI-11", "LO-05", "RT-07", "RT-09", "RT-06", "RT-04"]);
  assert(!JSON.stringify(refresh).includes(refresh_token));
  await send("/oauth2/userinfo", { headers: { authorization: `Bearer ${access_token}` } });
  assertEquals(passed(), ["BR-02"]);
});
