/**
 * Profiles of providers: what a client sees of Okta and Keycloak, and lists, values and conflicts of the setting. Each
 * flow is a black box of plain requests, not the provider's own client.
 *
 * @extensions assertion_authentication, ciba, device, dpop, mutual_tls, par, registration, signed_responses
 */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { test } from "node:test";
import { ConfigurationError, type Latchkey, type LatchkeyOptions, type ProviderProfile } from "../../src/mod.ts";
import { resolveSettings } from "../../src/server/config/resolve_settings.ts";
import { providers } from "../../src/server/config/provider_settings/providers.ts";
import { providerProfiles } from "./profiles/all_profiles.ts";
import { challenge, decodeClaims, forEachCase, verifier } from "../kit.ts";
import { latchkey } from "../secret_leak_check.ts";

const redirect_uri = "https://app.example/cb";
const alice = {
  ...{ sub: "alice", name: "Alice", preferred_username: "alice", email: "alice@app.example", email_verified: true },
  realm_access: { roles: ["editor"] },
};
const base: LatchkeyOptions = {
  clients: [{
    ...{ client_id: "app", application_type: "native" as const, redirect_uris: [redirect_uri] },
    grant_types: ["authorization_code", "refresh_token"],
  }],
  users: [alice],
  now: () => Date.UTC(2026, 0, 1),
};

const openIdProviders = Object.fromEntries(
  Object.entries(providerProfiles).filter(([, { scopes = [] }]) => scopes.includes("openid")),
);

/** Logs in at the endpoints that discovery lists. */
async function logIn(options: LatchkeyOptions, scope: string | undefined) {
  await using as = await latchkey({ ...base, ...options });
  const fetchJson = async (url: string, init?: RequestInit) => {
    const response = await as.fetch(new Request(url, init));
    assertEquals(response.status, 200, url);
    return await response.json();
  };
  const metadata = await fetchJson(`${as.issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
  const query = new URLSearchParams({
    ...{ response_type: "code", client_id: "app", redirect_uri, state: "st4te" },
    ...{ code_challenge: challenge, code_challenge_method: "S256", ...scope !== undefined && { scope } },
  });
  const redirect = await as.fetch(
    new Request(`${metadata.authorization_endpoint}?${query}`, { redirect: "manual" }),
  );
  const callback = new URL(redirect.headers.get("location")!).searchParams;
  const tokens = await fetchJson(metadata.token_endpoint, {
    method: "POST",
    body: new URLSearchParams({
      ...{ grant_type: "authorization_code", client_id: "app", redirect_uri },
      ...{ code: callback.get("code") ?? "", code_verifier: verifier },
    }),
  });
  const { userinfo_endpoint } = metadata;
  const userinfo = tokens.id_token === undefined || userinfo_endpoint === undefined
    ? {}
    : await fetchJson(userinfo_endpoint, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
  await fetchJson(metadata.jwks_uri);
  return {
    ...{ issuer: as.issuer, metadata, callback, tokens, userinfo },
    access: tokens.access_token.split(".").length === 3 ? decodeClaims(tokens.access_token) : {},
    id: tokens.id_token === undefined ? {} : decodeClaims(tokens.id_token),
  };
}

async function issuesOf(options: LatchkeyOptions) {
  const error = await assertRejects(async () => (await latchkey({ ...base, ...options })).close(), ConfigurationError);
  return error.issues;
}

test("every endpoint of a provider's profile is at the provider's path, below the path of its issuer", async () => {
  const profiles = Object.entries(openIdProviders);
  await forEachCase(profiles, async ([name, { issuerPath = "", paths, metadata: changes }]) => {
    const { issuer, metadata } = await logIn({ profile: name as "okta", registration: { mode: "open" } }, "openid");
    assertEquals(issuer, `http://localhost:9000${issuerPath}`);
    for (const [member, path] of Object.entries(paths!)) {
      if (changes?.[member] === null) continue;
      assertEquals(metadata[member], new URL(issuer.replace(/\/$/, "") + path).href, member);
    }
  });
});

test("a profile that lists the members of metadata has no others, whatever is switched on", async () => {
  const listed = Object.entries(providerProfiles).filter(([, { metadataMembers }]) => metadataMembers !== undefined);
  assertEquals(listed.length, 7);
  await forEachCase(listed, async ([name, profile]) => {
    await using as = await latchkey({ ...base, profile: name as "okta", mutualTls: {} });
    const { origin, pathname } = new URL(as.issuer);
    const url = `${origin}/.well-known/oauth-authorization-server${pathname.replace(/\/$/, "")}`;
    const metadata = await (await as.fetch(new Request(url))).json();
    const names = [...profile.metadataMembers!, ...Object.keys(profile.metadata ?? {})];
    assertEquals(Object.keys(metadata).filter((name) => !names.includes(name)), [], profile.name);
    for (const name of ["issuer", "authorization_endpoint", "token_endpoint"]) assert(metadata[name], profile.name);
  });
});

test("the policy has the values of a provider's profile", async () => {
  const { policy } = await resolveSettings({ profile: "keycloak" }, "https://as.test", { extensions: [] });
  const { scopes, lifetimes, providers: names } = policy;
  assertEquals([scopes, lifetimes.access_token, names], [providerProfiles.keycloak.scopes, 300, ["keycloak"]]);
});

test("a provider's profile needs no extension", async () => {
  await forEachCase(Object.keys(openIdProviders), async (name) => {
    const { issuer, metadata } = await logIn({ profile: name as "okta", extensions: [] }, "openid");
    assertEquals(metadata.issuer, issuer);
  });
});

test("okta: audience, lifetimes, claims in the ID token, no iss in the callback, refresh tokens only if requested", async () => {
  const { metadata, callback, tokens, access, id } = await logIn({ profile: "okta" }, "openid email");
  assertEquals(metadata.issuer, "http://localhost:9000/oauth2/default");
  assertEquals(metadata.scopes_supported, providerProfiles.okta.scopes);
  assertEquals(metadata.authorization_response_iss_parameter_supported, undefined);
  assertEquals(callback.get("iss"), null);
  assertEquals([access.aud, tokens.expires_in], ["api://default", 3600]);
  assertEquals([id.email, id.email_verified, Number(id.exp) - Number(id.iat)], ["alice@app.example", true, 3600]);
  assertEquals(tokens.refresh_token, undefined);
  const offline = await logIn({ profile: "okta" }, "openid offline_access");
  assertEquals(typeof offline.tokens.refresh_token, "string");
});

/** A request of the public client to an endpoint for clients; returns its status and its text. */
async function post(as: Latchkey, path: string, fields: Record<string, string>, headers: HeadersInit = {}) {
  const body = new URLSearchParams(fields);
  const response = await as.fetch(new Request(as.issuer + path, { method: "POST", body, headers }));
  return { status: response.status, text: await response.text() };
}

test("okta: claims of its own, which resources read instead of those of RFC 9068", async () => {
  const { id, access, userinfo } = await logIn({ profile: "okta" }, "openid profile");
  const { ver, cid, uid, scp, sub, scope, client_id } = access;
  assertEquals([ver, cid, uid, scp, sub], [1, "app", "alice", ["openid", "profile"], "alice"]);
  assertEquals([scope, client_id], [undefined, undefined]);
  assertEquals([id.sub, id.ver, id.amr, userinfo.sub], ["alice", 1, ["pwd"], "alice"]);
  assertMatch(String(id.jti), /^ID\./);
  const users = [{ sub: "00u1", preferred_username: "bob@app.example" }];
  const other = await logIn({ profile: "okta", users }, "openid");
  assertEquals([other.access.sub, other.access.uid, other.id.sub, other.userinfo.sub], [
    ...["bob@app.example", "00u1", "00u1", "00u1"],
  ]);
});

test("okta: errors with errorCode for an unknown client, an empty 401 of userinfo, Basic without a colon", async () => {
  await using as = await latchkey({ ...base, profile: "okta" });
  const unknown = await post(as, "/v1/token", { grant_type: "authorization_code", code: "x", client_id: "unknown" });
  const { error, errorCode, errorCauses } = JSON.parse(unknown.text);
  assertEquals([unknown.status, error, errorCode, errorCauses], [401, undefined, "invalid_client", []]);
  const wrong = await post(as, "/v1/token", { grant_type: "refresh_token", refresh_token: "x", client_id: "app" });
  const { error: code, error_description } = JSON.parse(wrong.text);
  assertEquals([code, error_description], ["invalid_grant", "The refresh token is invalid or expired."]);
  const headers = { authorization: "Bearer wrong" };
  const userinfo = await as.fetch(new Request(`${as.issuer}/v1/userinfo`, { headers }));
  assertEquals([userinfo.status, await userinfo.text()], [401, ""]);
  assertMatch(userinfo.headers.get("www-authenticate")!, /^Bearer .*error="invalid_token"/);
  const revoke = (credentials: string) =>
    post(as, "/v1/revoke", { token: "x" }, { authorization: `Basic ${btoa(credentials)}` });
  assertEquals((await revoke("app")).status, 200);
  assertEquals((await revoke("unknown")).status, 401);
});

test("keycloak: members of tokens, responses and keys, errors in its own words", async () => {
  const { tokens, access, id, metadata } = await logIn({ profile: "keycloak" }, "openid");
  assertEquals([access.typ, access.azp, access["allowed-origins"]], ["Bearer", "app", ["https://app.example"]]);
  assertEquals([id.typ, id.azp, access.client_id], ["ID", "app", undefined]);
  assertEquals([tokens["not-before-policy"], tokens.refresh_expires_in, tokens.session_state], [0, 1800, access.sid]);
  assertEquals(decodeClaims(tokens.refresh_token), { typ: "Refresh" });
  await using as = await latchkey({ ...base, profile: "keycloak" });
  const keys = await (await as.fetch(new Request(metadata.jwks_uri))).json();
  assertEquals(keys.keys.map(({ use }: { use: string }) => use), ["enc", "sig"]);
  const token = async (fields: Record<string, string>) => {
    const { text } = await post(as, "/protocol/openid-connect/token", { client_id: "app", redirect_uri, ...fields });
    return JSON.parse(text).error_description;
  };
  const grant = { grant_type: "authorization_code", code: "x", code_verifier: verifier };
  assertEquals(await token(grant), "Code not valid");
  assertEquals(await token({ grant_type: "refresh_token", refresh_token: "x" }), "Invalid refresh token");
  assertEquals(await token({ ...grant, client_id: "unknown" }), "Invalid client or Invalid client credentials");
});

test("keycloak: pages of a client may send cookies, those of other origins may not; scope is never sent twice", async () => {
  await using as = await latchkey({ ...base, profile: "keycloak" });
  const certs = `${as.issuer}/protocol/openid-connect/certs`;
  const allowed = async (origin: string) => {
    const { headers } = await as.fetch(new Request(certs, { headers: { origin } }));
    return [headers.get("access-control-allow-origin"), headers.get("access-control-allow-credentials")];
  };
  assertEquals(await allowed("https://app.example"), ["https://app.example", "true"]);
  assertEquals(await allowed("https://evil.example"), ["*", null]);
  const url = `${as.issuer}/protocol/openid-connect/auth?client_id=app&redirect_uri=${redirect_uri}&response_type=code`;
  const response = await as.fetch(new Request(`${url}&scope=openid&scope=openid`, { redirect: "manual" }));
  assertEquals(new URL(response.headers.get("location")!).searchParams.get("error"), "invalid_request");
});

test("keycloak: roles in the access token alone, iss in the callback, always a refresh token, default scope values", async () => {
  const { callback, tokens, access, id, userinfo, issuer } = await logIn({ profile: "keycloak" }, "openid profile");
  assertEquals(issuer, "http://localhost:9000/realms/myrealm");
  assertEquals(callback.get("iss"), issuer);
  assertEquals([access.aud, tokens.expires_in, Number(id.exp) - Number(id.iat)], ["account", 300, 300]);
  assertEquals([access.realm_access, id.realm_access, userinfo.realm_access], [
    alice.realm_access,
    undefined,
    undefined,
  ]);
  assertEquals([access.preferred_username, id.preferred_username], ["alice", "alice"]);
  assertEquals([tokens.scope, access.email], ["openid profile email", "alice@app.example"]);
  assertEquals(typeof tokens.refresh_token, "string");
  assertEquals((await logIn({ profile: "keycloak" }, undefined)).tokens.scope, "profile email");
});

test("a setting overrides the value of a provider's profile, and of an object only its own members", async () => {
  const { metadata, tokens, access } = await logIn({
    profile: "okta",
    issuer: "https://as.test/oauth2/other",
    audience: "https://api.example",
    paths: { jwks_uri: "/keys" },
    lifetimes: { access_token: 60 },
  }, "openid");
  assertEquals(metadata.issuer, "https://as.test/oauth2/other");
  assertEquals([metadata.jwks_uri, metadata.token_endpoint], [
    "https://as.test/oauth2/other/keys",
    "https://as.test/oauth2/other/v1/token",
  ]);
  assertEquals([access.aud, tokens.expires_in], ["https://api.example", 60]);
});

test("of a list of profiles later ones count, and a value is a profile too", async () => {
  const own: ProviderProfile = { name: "ours", issuerPath: "/oauth2/ours", lifetimes: { access_token: 120 } };
  const { metadata, tokens, access } = await logIn({ profile: ["okta", own] }, "openid");
  assertEquals(metadata.token_endpoint, "http://localhost:9000/oauth2/ours/v1/token");
  assertEquals([access.aud, tokens.expires_in], ["api://default", 120]);
});

test("functions of a profile change claims, requests, responses and errors", async () => {
  const names: string[] = [];
  const own: ProviderProfile = {
    name: "ours",
    accepts: { token_endpoint: ["json"] },
    metadataMembers: ["issuer", "authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri"],
    fixedClaims: { id_token: { "*": { tier: "gold" }, email: { level: 1 } } },
    functions: {
      claims: (claims, { kind }) => kind === "access_token" ? { ...claims, uid: claims.sub, sub: "00u1" } : claims,
      originalClaims: ({ uid, ...claims }) => ({ ...claims, sub: uid }),
      request: (request, { endpoint }) => (names.push(endpoint), request),
      response: (response, { endpoint }) =>
        endpoint === "token_endpoint" && typeof response.body === "object"
          ? { ...response, body: { ...response.body, ours: true } }
          : response,
      error: (response, { rejection }) => ({ ...response, status: 418, body: { code: rejection?.error } }),
      callback: (parameters) => ({ ...parameters, session_state: "s" }),
    },
  };
  const { callback, tokens, access, id, userinfo, metadata } = await logIn({ profile: own }, "openid email");
  assertEquals([callback.get("session_state"), tokens.ours, id.tier, id.level], ["s", true, "gold", 1]);
  assertEquals([access.sub, access.uid, id.sub, userinfo.sub], ["00u1", "alice", "alice", "00u1"]);
  assertEquals([names[0], metadata.scopes_supported], ["authorization_endpoint", undefined]);
  await using as = await latchkey({ ...base, profile: own });
  const response = await as.fetch(
    new Request(metadata.token_endpoint, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ grant_type: "authorization_code", client_id: "app", code: "x", redirect_uri }),
    }),
  );
  assertEquals([response.status, await response.json()], [418, { code: "invalid_grant" }]);
});

test("the issuer of a provider's profile follows the port", async () => {
  await using as = await latchkey({ ...base, profile: "keycloak" });
  const { url } = await as.listen({ port: 0 });
  assertEquals(as.issuer, `http://localhost:${new URL(url).port}/realms/myrealm`);
  const metadata = await (await fetch(`${as.issuer}/.well-known/openid-configuration`)).json();
  assertEquals(metadata.token_endpoint, `${as.issuer}/protocol/openid-connect/token`);
});

test("[PF-02] a standard raises the weaker values of a provider before it, and rejects those after it", async () => {
  const weak: ProviderProfile = { name: "weak", lifetimes: { code: 300 }, pkce: { requireMethod: false } };
  const strict = { clients: undefined, alg: "ES256" } as const;
  await (await latchkey({ ...base, ...strict, profile: [weak, "fapi2-security"] })).close();
  const issues = await issuesOf({ ...strict, profile: ["fapi2-security", weak] });
  assertEquals(issues.map(({ path }) => path), ["profile[1]", "profile[1]"]);
  assertMatch(issues[0]!.expected, /^pkce\.requireMethod: true or stricter.*fapi2-security/);
  assertMatch(issues[1]!.expected, /^lifetimes\.code: 60 or stricter.*fapi2-security/);
  assertEquals(issues[1]!.received, "300 in the profile weak");
});

test("[PF-02] of two standards the stricter value counts, in each order", async () => {
  for (const profile of [["oidc", "oauth2.1"], ["oauth2.1", "oidc"]] as const) {
    const issues = await issuesOf({
      profile,
      pkce: { requireForConfidential: false },
      requireRedirectUri: false,
    });
    assertEquals(issues.map(({ path }) => path).sort(), ["pkce.requireForConfidential", "requireRedirectUri"]);
    assertMatch(issues.find(({ path }) => path === "requireRedirectUri")!.expected, /oidc \(OpenID Connect Core/);
  }
});

test("conflicts in the list of profiles stop the start, and each names its place and a fix", async () => {
  const cases: [LatchkeyOptions, path: string, expected: RegExp][] = [
    [{ profile: ["okta", "okta"] }, "profile[1]", /each profile once/],
    [{ profile: ["oidc", "okta", "oidc"] }, "profile[2]", /each profile once/],
    [{ profile: [] }, "profile", /at least one profile/],
    [{ profile: ["okta", "oktaa" as "okta"] }, "profile[1]", /"okta"/],
    [{ profile: [{ name: "ours", login: "auto" } as ProviderProfile] }, "profile[0].login", /a known key/],
    [{ profile: {} as ProviderProfile }, "profile.name", /letters, digits/],
    [{ profile: { name: "ours", shapes: {} } as ProviderProfile }, "profile.shapes", /a known key/],
    [
      { profile: { name: "ours", functions: { claims: {} } } as unknown as ProviderProfile },
      "profile.functions.claims",
      /a function/,
    ],
    [{ profile: 7 as unknown as "okta" }, "profile", /okta/],
    [{ profile: ["oidc", "okta"], mcpRevision: "2025-06-18" }, "profile", /"mcp"/],
    // RFC 9207, which these standards require.
    [{ profile: ["okta", "oauth2.1"] }, "profile", /^metadata\.authorization_response_iss_parameter_supported: true/],
    // Their requests and responses differ from the standards.
    [{ profile: ["github", "oauth2.1"] }, "profile", /settings alone/],
    [
      { profile: "github", issuer: "https://login.widgets.com", insecure: ["auto-login"] },
      "profile",
      /settings alone/,
    ],
    // Its metadata would be false on a real host.
    [{ profile: "okta", issuer: "https://login.widgets.com", insecure: ["auto-login"] }, "profile", /^metadata: /],
  ];
  await forEachCase(cases, async ([options, path, expected]) => {
    const issues = await issuesOf(options);
    const issue = issues.find((one) => one.path === path && expected.test(one.expected));
    assert(issue !== undefined, JSON.stringify(issues));
    assert(issue.hint !== "");
  });
});

test("no request to an endpoint of a provider fails the server", async () => {
  const json = { "content-type": "application/json" };
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const inits: RequestInit[] = [
    {},
    { headers: { authorization: "token" } },
    { headers: { authorization: "Basic %%%" } },
    ...[
      "{",
      "[]",
      "null",
      '{"code":{}}',
      '{"__proto__":"x","scope":","}',
      "[".repeat(30_000),
      `"${"x".repeat(70_000)}"`,
    ]
      .map((body) => ({ method: "POST", body, headers: json })),
    ...["%zz", "client_info=1&%zz", "grant_type=&grant_type=", "scope=,&client_secret=a.b.c&client_id=app"]
      .map((body) => ({ method: "POST", body, headers: form })),
    { method: "DELETE", body: "{}", headers: { ...json, authorization: "Basic YXBwOg==" } },
    { method: "OPTIONS" },
  ];
  await forEachCase(Object.keys(providers), async (name) => {
    const failures: string[] = [];
    await using as = await latchkey({
      ...{ ...base, profile: name as "okta" },
      trace: (event) => event.type === "internal_error" && failures.push(String(event.cause)),
    });
    const metadata =
      await (await as.fetch(new Request(`${as.issuer.replace(/\/$/, "")}/.well-known/openid-configuration`)))
        .json();
    const urls = Object.entries<string>(metadata).flatMap(([member, url]) =>
      /_(?:endpoint|uri)$/.test(member) ? url : []
    );
    const paths = [
      "/user",
      "/applications/%zz/token",
      "/applications//grant",
      "/v1.0/me",
      "/logout/session",
      "/common/v2.0/x",
    ];
    for (const url of [...urls, ...paths.map((path) => new URL(path, as.issuer).href)]) {
      for (const query of ["", "?%zz", "?scope=,&scope=,&response_type=", "?client_id=app&logout_uri=%00&state=%F0"]) {
        for (const init of query === "" ? inits : inits.slice(0, 1)) {
          const response = await as.fetch(new Request(url + query, { redirect: "manual", ...init }));
          const text = await response.text();
          assert(response.status < 500, `${init.method} ${url}${query}: ${response.status} ${text}`);
        }
      }
    }
    assertEquals(failures, []);
  });
});

test("a profile of a file gets no plugin of the provider with its name, on a real host either", async () => {
  const paths = { auth0: "/v2/logout", github: "/user", google: "/tokeninfo", entra: "/v1.0/me" };
  for (const issuer of ["http://localhost:9000", "https://login.company.com"]) {
    for (const [name, path] of Object.entries(paths)) {
      await using as = await latchkey({
        ...{ issuer, profile: { name }, login: "interactive", insecure: ["open-login"] },
        ...{ users: [{ sub: "alice" }], clients: [{ client_id: "app", redirect_uris: ["https://app.example/cb"] }] },
      });
      assertEquals([name, (await as.fetch(new Request(issuer + path))).status], [name, 404]);
    }
  }
});
