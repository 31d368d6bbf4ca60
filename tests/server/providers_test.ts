/**
 * Profiles of providers: what a client sees of Okta and Keycloak, and lists, values and conflicts of the setting. Each
 * flow is a black box of plain requests, not the provider's own client.
 *
 * @extensions assertion_authentication, ciba, device, dpop, par, registration, signed_responses
 */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { test } from "node:test";
import { ConfigurationError } from "../../src/mod.ts";
import type { LatchkeyOptions, ProviderProfile } from "../../src/mod.ts";
import { resolveSettings } from "../../src/server/config/resolve_settings.ts";
import { withProviders } from "../../src/server/config/with_providers.ts";
import { providers } from "../../src/server/profiles/providers.ts";
import { challenge, decodeClaims, forEachCase, verifier } from "../kit.ts";
import { latchkey } from "../secret_leak_check.ts";

const redirect_uri = "https://app.example/cb";
const alice = {
  ...{ sub: "alice", name: "Alice", preferred_username: "alice", email: "alice@app.example", email_verified: true },
  realm_access: { roles: ["editor"] },
};
const base: LatchkeyOptions = {
  clients: [{ client_id: "app", redirect_uris: [redirect_uri], grant_types: ["authorization_code", "refresh_token"] }],
  users: [alice],
  now: () => Date.UTC(2026, 0, 1),
};

/** Logs in at the endpoints that discovery lists. */
async function logIn(options: LatchkeyOptions, scope: string | undefined) {
  await using as = await latchkey({ ...base, ...options });
  const fetchJson = async (url: string, init?: RequestInit) => {
    const response = await as.fetch(new Request(url, init));
    assertEquals(response.status, 200, url);
    return await response.json();
  };
  const metadata = await fetchJson(`${as.issuer}/.well-known/openid-configuration`);
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
  const userinfo = tokens.id_token === undefined ? {} : await fetchJson(metadata.userinfo_endpoint, {
    headers: { authorization: `Bearer ${tokens.access_token}` },
  });
  await fetchJson(metadata.jwks_uri);
  return {
    ...{ issuer: as.issuer, metadata, callback, tokens, userinfo },
    access: decodeClaims(tokens.access_token),
    id: tokens.id_token === undefined ? {} : decodeClaims(tokens.id_token),
  };
}

async function issuesOf(options: LatchkeyOptions) {
  const error = await assertRejects(async () => (await latchkey({ ...base, ...options })).close(), ConfigurationError);
  return error.issues;
}

test("every endpoint of a provider's profile is at the provider's path, below the path of its issuer", async () => {
  await forEachCase(Object.entries(providers), async ([name, { issuerPath, paths }]) => {
    const { issuer, metadata } = await logIn({ profile: name as "okta", registration: { mode: "open" } }, "openid");
    assertEquals(issuer, `http://localhost:9000${issuerPath}`);
    for (const [member, path] of Object.entries(paths!)) assertEquals(metadata[member], issuer + path, member);
  });
});

test("the resolved settings have the values of a provider's profile, before and after they are filled in", () => {
  const { scopes, lifetimes, providers: names } = resolveSettings({ profile: "keycloak" }, "https://as.test", []);
  assertEquals([scopes, lifetimes.access_token, names], [providers.keycloak.scopes, 300, ["keycloak"]]);
  const { settings } = withProviders({ profile: "keycloak" });
  assertEquals(resolveSettings(settings, "https://as.test", []).scopes, scopes);
});

test("a provider's profile needs no extension", async () => {
  await forEachCase(Object.keys(providers), async (name) => {
    const { issuer, metadata } = await logIn({ profile: name as "okta", extensions: [] }, "openid");
    assertEquals(metadata.issuer, issuer);
  });
});

test("okta: audience, lifetimes, claims in the ID token, no iss in the callback, refresh tokens only if requested", async () => {
  const { metadata, callback, tokens, access, id } = await logIn({ profile: "okta" }, "openid email");
  assertEquals(metadata.issuer, "http://localhost:9000/oauth2/default");
  assertEquals(metadata.scopes_supported, providers.okta.scopes);
  assertEquals(metadata.authorization_response_iss_parameter_supported, undefined);
  assertEquals(callback.get("iss"), null);
  assertEquals([access.aud, tokens.expires_in], ["api://default", 3600]);
  assertEquals([id.email, id.email_verified, Number(id.exp) - Number(id.iat)], ["alice@app.example", true, 3600]);
  assertEquals(tokens.refresh_token, undefined);
  const offline = await logIn({ profile: "okta" }, "openid offline_access");
  assertEquals(typeof offline.tokens.refresh_token, "string");
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
  assertEquals(access.email, undefined);
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
    [{ profile: 7 as unknown as "okta" }, "profile", /okta/],
    [{ profile: ["oidc", "okta"], mcpRevision: "2025-06-18" }, "profile", /"mcp"/],
    // RFC 9207, which these standards require.
    [{ profile: ["okta", "oauth2.1"] }, "profile", /^metadata\.authorization_response_iss_parameter_supported: true/],
    // Its metadata would be false on a real host.
    [{ profile: "okta", issuer: "https://login.widgets.com", insecureAllowAutoLogin: true }, "profile", /^metadata: /],
  ];
  await forEachCase(cases, async ([options, path, expected]) => {
    const issues = await issuesOf(options);
    const issue = issues.find((one) => one.path === path);
    assert(issue !== undefined, JSON.stringify(issues));
    assertMatch(issue.expected, expected);
    assert(issue.hint !== "");
  });
});
