/**
 * The profile entra, with plain requests: tenants, claims, errors, refresh tokens and Microsoft Graph.
 *
 * @extensions pairwise
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import type { LatchkeyOptions } from "../../../src/mod.ts";
import type { TraceEvent } from "../../../src/server/trace.ts";
import { decodeClaims, forEachCase } from "../../kit.ts";
import { latchkey } from "../../secret_leak_check.ts";
import { testLatchkey } from "../../testing/test_latchkey.ts";

const tenant = "aaaabbbb-0000-cccc-1111-dddd2222eeee";
const origin = "http://localhost:9000";
const redirect_uri = "https://app.example/cb";
const secret = "a secret of thirty-two characters";
const guid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/;
const alice = {
  ...{ sub: "alice", name: "Alice Adams", given_name: "Alice", family_name: "Adams" },
  ...{ preferred_username: "alice@contoso.com", email: "alice@contoso.com", email_verified: true },
};

async function entra(options: LatchkeyOptions = {}) {
  const events: TraceEvent[] = [];
  const as = await latchkey({
    profile: "entra",
    clients: [{
      ...{ client_id: "app", client_secret: secret, redirect_uris: [redirect_uri] },
      grant_types: ["authorization_code", "refresh_token"],
    }],
    users: [alice],
    trace: (event) => void events.push(event),
    ...options,
  });
  const request = (path: string, init: RequestInit = {}) =>
    as.fetch(new Request(`${origin}${path}`, { redirect: "manual", ...init }));
  const getJson = async (path: string, init?: RequestInit) => await (await request(path, init)).json();
  const authorize = async (scope: string, name = tenant, more: Record<string, string> = {}) => {
    const params = { response_type: "code", client_id: "app", redirect_uri, scope, state: "st4te", ...more };
    const response = await request(`/${name}/oauth2/v2.0/authorize?${new URLSearchParams(params)}`);
    const { search, hash } = new URL(response.headers.get("location")!);
    return new URLSearchParams(search || hash.slice(1));
  };
  const post = (fields: Record<string, string>, name = tenant) =>
    request(`/${name}/oauth2/v2.0/token`, {
      method: "POST",
      body: new URLSearchParams({ client_id: "app", client_secret: secret, redirect_uri, ...fields }),
    });
  const logIn = async (scope: string, name = tenant, more: Record<string, string> = {}) => {
    const code = (await authorize(scope, name)).get("code")!;
    return await (await post({ grant_type: "authorization_code", code, ...more }, name)).json();
  };
  return { as, events, request, getJson, authorize, post, logIn, [Symbol.asyncDispose]: () => as.close() };
}

test("entra: common and organizations have a templated issuer, a domain and the tenant their own", async () => {
  await using provider = await entra();
  const templated = `${origin}/{tenantid}/v2.0`;
  const own = `${origin}/${tenant}/v2.0`;
  await forEachCase(
    [["common", templated], ["organizations", templated], ["contoso.onmicrosoft.com", own], [tenant, own]] as const,
    async ([name, issuer]) => {
      const metadata = await provider.getJson(`/${name}/v2.0/.well-known/openid-configuration`);
      assertEquals(metadata.issuer, issuer);
      assertEquals(metadata.token_endpoint, `${origin}/${name}/oauth2/v2.0/token`);
      assertEquals(metadata.jwks_uri, `${origin}/${name}/discovery/v2.0/keys`);
      assertEquals(metadata.userinfo_endpoint, `${origin}/oidc/userinfo`);
      for (const absent of ["code_challenge_methods_supported", "revocation_endpoint", "introspection_endpoint"]) {
        assertEquals(metadata[absent], undefined, absent);
      }
      const { keys } = await provider.getJson(`/${name}/discovery/v2.0/keys`);
      assertEquals([keys[0].alg, keys[0].use, keys[0].issuer], [undefined, "sig", templated]);
      const { id_token } = await provider.logIn("openid", name);
      assertEquals(decodeClaims(id_token).iss, own);
    },
  );
  const other = "/99999999-0000-cccc-1111-dddd2222eeee/v2.0/.well-known/openid-configuration";
  assertEquals((await provider.request(other)).status, 404);
});

test("entra: claims by scope, tid and oid, no email_verified and no at_hash; scp in the access token", async () => {
  await using provider = await entra();
  const { id_token: bare } = await provider.logIn("openid");
  const claims = decodeClaims(bare);
  assertEquals([claims.ver, claims.tid, claims.oid, claims.name, claims.email], [
    "2.0",
    tenant,
    undefined,
    undefined,
    undefined,
  ]);
  const { id_token, access_token, scope, ext_expires_in } = await provider.logIn("openid profile email");
  const full = decodeClaims(id_token);
  assertMatch(String(full.oid), guid);
  assertEquals([full.name, full.preferred_username, full.email], [alice.name, alice.email, alice.email]);
  assertEquals([full.email_verified, full.at_hash, full.nbf], [undefined, undefined, full.iat]);
  const access = decodeClaims(access_token);
  assertEquals([access.scp, access.azp, access.oid, access.tid, access.ver], [scope, "app", full.oid, tenant, "2.0"]);
  assertEquals(ext_expires_in, 3599);
  const authorization = `Bearer ${access_token}`;
  const userinfo = await provider.getJson("/oidc/userinfo", { headers: { authorization } });
  assertEquals([userinfo.email, userinfo.email_verified], [alice.email, undefined]);
  const me = await provider.getJson("/v1.0/me", { headers: { authorization } });
  assertEquals([me.id, me.displayName, me.mail], [full.oid, alice.name, alice.email]);
  const rejected = await provider.request("/v1.0/me", { headers: { authorization: "Bearer wrong" } });
  assertEquals([rejected.status, (await rejected.json()).error.code], [401, "InvalidAuthenticationToken"]);
});

test("entra: more than 200 groups become a reference; fewer, roles and an oid of the user are claims", async () => {
  const groups = Array.from({ length: 201 }, (_, i) => `group-${i}`);
  for (const length of [200, 201]) {
    const users = [{ ...alice, groups: groups.slice(0, length), roles: ["Admin"], oid: "0id" }];
    await using provider = await entra({ users });
    const claims = decodeClaims((await provider.logIn("openid profile")).id_token);
    assertEquals([claims.roles, claims.oid], [["Admin"], "0id"]);
    if (length === 200) assertEquals((claims.groups as string[]).length, 200);
    else {
      assertEquals([claims.groups, claims._claim_names], [undefined, { groups: "src1" }]);
      const { src1 } = claims._claim_sources as { src1: { endpoint: string } };
      assertEquals(src1.endpoint, "https://graph.microsoft.com/v1.0/users/0id/getMemberObjects");
    }
  }
});

test("entra: errors have AADSTS numbers, and the log has the rule", async () => {
  const right = { grant_type: "authorization_code" };
  const cases: [fields: Record<string, string>, status: number, error: string, number: number][] = [
    [{ ...right, code: "wrong" }, 400, "invalid_grant", 70008],
    [{ ...right, client_secret: "wrong" }, 401, "invalid_client", 7000215],
    [{ ...right, redirect_uri: "https://app.example/x" }, 400, "invalid_grant", 70004],
    [{ grant_type: "password" }, 400, "unsupported_grant_type", 70003],
    [{ grant_type: "refresh_token" }, 400, "invalid_request", 90014],
  ];
  await forEachCase(cases, async ([fields, status, error, number]) => {
    await using provider = await entra();
    const code = (await provider.authorize("openid")).get("code")!;
    const response = await provider.post({ code, ...fields });
    const body = await response.json();
    assertEquals([body.error, body.error_codes], [error, [number]]);
    assert(
      response.status === status || error === "invalid_client" && response.status === 400,
      String(response.status),
    );
    assert(body.error_description.startsWith(`AADSTS${number}: `), body.error_description);
    assert(body.error_description.includes(`Trace ID: ${body.trace_id} Correlation ID: ${body.correlation_id} `));
    assertMatch(body.timestamp, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ$/);
    const rejected = provider.events.find((event) => event.type === "rejected");
    assert(rejected?.type === "rejected" && rejected.explanation.rule !== undefined);
  });
  await using provider = await entra();
  const code = (await provider.authorize("openid")).get("code")!;
  await provider.post({ ...right, code });
  assertEquals((await (await provider.post({ ...right, code })).json()).error_codes, [54005]);
  for (const path of ["/oauth2/v2.0/token", "/oauth2/token"]) {
    const url = `http://localhost:9000/11111111-2222-3333-4444-555555555555${path}`;
    const unknown = await provider.as.fetch(
      new Request(url, { method: "POST", headers: { accept: "*/*" }, body: new URLSearchParams(right) }),
    );
    assertEquals([unknown.status, (await unknown.json()).error_codes], [400, [90002]]);
  }
  const disabled = await provider.authorize("openid", tenant, { response_type: "id_token" });
  assertMatch(
    `${disabled.get("error")} ${disabled.get("error_description")}`,
    /^unsupported_response_type AADSTS700054: /,
  );
  const rejected = await provider.authorize("openid", tenant, { response_type: "token" });
  assertMatch(rejected.get("error_description")!, /^AADSTS70005: /);
  assertEquals([rejected.get("error"), rejected.get("session_state"), rejected.get("iss")], [
    "unsupported_response_type",
    null,
    null,
  ]);
});

test("entra: a refresh token only with offline_access; each use returns another one, and both stay valid", async () => {
  await using provider = await entra();
  assertEquals((await provider.logIn("openid")).refresh_token, undefined);
  const { refresh_token } = await provider.logIn("openid offline_access");
  const refresh = (token: string) => provider.post({ grant_type: "refresh_token", refresh_token: token });
  const second = (await (await refresh(refresh_token)).json()).refresh_token;
  assert(second !== refresh_token);
  assertEquals([(await refresh(refresh_token)).status, (await refresh(second)).status], [200, 200]);
});

test("entra: the callback has session_state and no iss; the token response has client_info if it is requested", async () => {
  await using provider = await entra();
  const callback = await provider.authorize("openid", "common");
  const state = callback.get("session_state")!;
  assertMatch(state, guid);
  assert(state.slice(0, 8) !== state.slice(-8), state);
  assert(state !== (await provider.authorize("openid")).get("session_state"));
  assertEquals([callback.get("iss"), callback.get("state")], [null, "st4te"]);
  assertEquals((await provider.logIn("openid")).client_info, undefined);
  const { client_info, id_token } = await provider.logIn("openid profile", tenant, { client_info: "1" });
  const info = JSON.parse(atob(client_info.replaceAll("-", "+").replaceAll("_", "/")));
  assertEquals(info, { uid: decodeClaims(id_token).oid, utid: tenant });
});

test("entra: a silent login at common finds the session of a login at the tenant", async () => {
  await using provider = await entra();
  const query = new URLSearchParams({ response_type: "code", client_id: "app", redirect_uri, scope: "openid" });
  const first = await provider.request(`/${tenant}/oauth2/v2.0/authorize?${query}`);
  const cookie = first.headers.get("set-cookie")!;
  assertMatch(cookie, /; Path=\/;/);
  const headers = { cookie: cookie.split(";")[0]! };
  const silent = await provider.request(`/common/oauth2/v2.0/authorize?${query}&prompt=none`, { headers });
  assert(new URL(silent.headers.get("location")!).searchParams.has("code"));
});

test("entra: a logout may lead to a redirect URI of the client, without a hint", async () => {
  await using provider = await entra();
  const logOut = (uri: string) =>
    provider.request(`/common/oauth2/v2.0/logout?${new URLSearchParams({ post_logout_redirect_uri: uri })}`);
  assertEquals((await logOut(redirect_uri)).headers.get("location"), redirect_uri);
  assertEquals((await logOut("https://other.example/")).status, 400);
});

test("entra: a client with subject_type pairwise gets a sub of its own, and oid stays the same", async () => {
  const common = { redirect_uris: [redirect_uri], token_endpoint_auth_method: "client_secret_post" } as const;
  const clients = [{ ...common, client_id: "app", client_secret: secret, subject_type: "pairwise" as const }];
  await using provider = await entra({ clients });
  await using other = await entra();
  const { id_token } = await provider.logIn("openid profile");
  const [own, shared] = [decodeClaims(id_token), decodeClaims((await other.logIn("openid profile")).id_token)];
  assertMatch(String(own.sub), /^[\w-]{43}$/);
  assertEquals([own.oid, shared.sub], [shared.oid, "alice"]);
});

test("[AZ-17] entra: the case of scope values does not matter, at the authorization and the token endpoint", async () => {
  await using provider = await entra();
  const tokens = await provider.logIn("OPENID Offline_Access user.read");
  assertEquals(tokens.scope, "openid offline_access User.Read");
  const refreshed = await provider.post({
    ...{ grant_type: "refresh_token", refresh_token: tokens.refresh_token, scope: "USER.READ" },
  });
  assertEquals((await refreshed.json()).scope, "User.Read");
});

test("[RT-06] entra: a refresh gets other scope values than the login, if the client may request them", async () => {
  const scopes = ["openid", "offline_access", "User.Read", "Mail.Read", "api://orders/Read", "api://orders/.default"];
  await using provider = await entra({
    scopes: [...scopes, "Files.Read"],
    clients: [{
      ...{ client_id: "app", client_secret: secret, redirect_uris: [redirect_uri], scope: scopes.join(" ") },
      grant_types: ["authorization_code", "refresh_token"],
    }],
  });
  const { refresh_token } = await provider.logIn("openid offline_access User.Read");
  const refresh = async (scope?: string) =>
    await (await provider.post({ grant_type: "refresh_token", refresh_token, ...scope !== undefined && { scope } }))
      .json();
  await forEachCase(
    [
      [undefined, "openid offline_access User.Read"],
      ["User.Read", "User.Read"],
      ["Mail.Read openid offline_access", "Mail.Read openid offline_access"],
      ["api://orders/Read offline_access", "api://orders/Read offline_access"],
      ["api://orders/.default", "api://orders/.default"],
    ] as const,
    async ([scope, granted]) => {
      const { scope: received, ...tokens } = await refresh(scope);
      assertEquals([received, typeof tokens.refresh_token], [granted, "string"]);
    },
  );
  await forEachCase(["Files.Read", "unknown"], async (scope) => {
    const { error, error_codes } = await refresh(scope);
    assertEquals([error, error_codes], ["invalid_scope", [70011]]);
  });
});

test("[RT-06] entra: a refresh with a scope value that the user has not consented to is AADSTS65001", async () => {
  await using as = await testLatchkey({
    profile: "entra",
    login: "interactive",
    // The page that asks for consent.
    loginPage: "latchkey",
    clients: [{
      ...{ client_id: "app", client_secret: secret, redirect_uris: [redirect_uri] },
      grant_types: ["authorization_code", "refresh_token"],
    }],
    users: [alice],
  });
  const browser = as.browser();
  const post = async (fields: Record<string, string>) => {
    const body = new URLSearchParams({ client_id: "app", client_secret: secret, redirect_uri, ...fields });
    return await (await as.fetch(new URL(`/${tenant}/oauth2/v2.0/token`, as.issuer).href, { method: "POST", body }))
      .json();
  };
  const logIn = async (scope: string) => {
    const params = { response_type: "code", client_id: "app", redirect_uri, scope, state: "st4te" };
    const url = new URL(`/${tenant}/oauth2/v2.0/authorize?${new URLSearchParams(params)}`, as.issuer);
    const { code } = await browser.authorize(url);
    return await post({ grant_type: "authorization_code", code: code! });
  };
  const { refresh_token } = await logIn("openid offline_access User.Read");
  const refresh = () => post({ grant_type: "refresh_token", refresh_token, scope: "Mail.Read openid offline_access" });
  const { error, suberror, error_codes } = await refresh();
  assertEquals([error, suberror, error_codes], ["invalid_grant", "consent_required", [65001]]);
  const { explanation } = as.log.exchanges.at(-1)!.rejection!;
  assertEquals([explanation.rule, explanation.reason], ["RT-06", "the user has not consented to Mail.Read"]);
  // What the fix says.
  await logIn("openid offline_access Mail.Read");
  assertEquals((await refresh()).scope, "Mail.Read openid offline_access");
});

test("entra: aud and scp are those of the resource that scope values begin with", async () => {
  const api = "11112222-bbbb-3333-cccc-4444dddd5555";
  const scopes = [
    `api://${api}/Read`,
    `api://${api}/Write`,
    `api://${api}/.default`,
    "https://orders.contoso.com/Read",
  ];
  await using as = await testLatchkey({
    profile: "entra",
    scopes: ["openid", "profile", "User.Read", "https://graph.microsoft.com/Mail.Read", ...scopes],
  });
  const own = as.issuer;
  await forEachCase(
    [
      ["openid User.Read", own, "openid User.Read"],
      ["openid https://graph.microsoft.com/Mail.Read", own, "openid Mail.Read"],
      [`openid ${scopes[0]}`, api, "Read"],
      [`${scopes[0]} ${scopes[1]} profile`, api, "Read Write"],
      [`${scopes[2]}`, api, undefined],
      [scopes[3]!, "https://orders.contoso.com", "Read"],
    ] as const,
    async ([scope, aud, scp]) => {
      const token = await as.mint.accessToken({ client: as.client(), scope });
      const claims = decodeClaims(token);
      assertEquals([claims.aud, claims.scp, claims.azp !== undefined], [aud, scp, true]);
      const me = await as.fetch(new URL("/v1.0/me", own).href, { headers: { authorization: `Bearer ${token}` } });
      assertEquals(me.status, aud === own ? 200 : 401);
    },
  );
});

test("entra: /common/discovery/instance has the names of the cloud, and rejects other hosts", async () => {
  await using as = await testLatchkey({ profile: "entra" });
  const ask = async (origin: string, endpoint?: string) => {
    const query = new URLSearchParams({ "api-version": "1.1", ...endpoint && { authorization_endpoint: endpoint } });
    const response = await as.fetch(`${origin}/common/discovery/instance?${query}`);
    return { status: response.status, body: await response.json() };
  };
  const own = new URL(as.issuer);
  const found = await ask(own.origin, `${own.origin}/common/oauth2/v2.0/authorize`);
  assertEquals(found.body.metadata, [{ preferred_network: own.host, preferred_cache: own.host, aliases: [own.host] }]);
  using _ = as.installFetch({ origins: "real" });
  const real = "https://login.microsoftonline.com";
  for (const host of ["login.microsoftonline.com", "login.microsoft.com", "login.windows.net", "sts.windows.net"]) {
    const { status, body } = await ask(real, `https://${host}/${tenant}/oauth2/v2.0/authorize`);
    const [{ preferred_network, aliases }] = body.metadata;
    assertEquals([status, preferred_network, aliases.includes(host)], [200, "login.microsoftonline.com", true]);
    assertEquals(body.tenant_discovery_endpoint, `https://${host}/${tenant}/v2.0/.well-known/openid-configuration`);
  }
  await forEachCase(
    [undefined, "x", "https://evil.example/common", "https://login.microsoft.com/"],
    async (endpoint) => {
      const { status, body } = await ask(real, endpoint);
      assertEquals([status, body.error, body.error_codes], [400, "invalid_instance", [50049]]);
    },
  );
});
