/**
 * The form of tokens: under every profile, whatever issues a token of a user gives it the members of a login's token,
 * in the header and in the claims. `deno test` of this file prints the table.
 */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { defaultScopes } from "../../src/core/policy/policy.ts";
import { providerProfiles } from "../server/profiles/all_profiles.ts";
import type { ProviderName } from "../../src/server/config/provider_profile.ts";
import { foreignJwks, type Tenant, type TestLatchkey, type TestLatchkeyOptions } from "../../src/testing/mod.ts";
import { decodeJwtPart } from "../../src/platform/http/jwt_part.ts";
import { testLatchkey } from "./test_latchkey.ts";

const grant = (name: string) => `urn:ietf:params:oauth:grant-type:${name}`;
const alice = {
  ...{ sub: "alice", name: "Alice Adams", preferred_username: "alice", given_name: "Alice", family_name: "Adams" },
  ...{ email: "alice@app.example", email_verified: true, groups: ["staff"], roles: ["editor"] },
  ...{ realm_access: { roles: ["editor"] } },
};
const credentials = { client_id: "web", client_secret: "a-secret-of-32-characters-or-more" };
const settings = {
  tokenExchange: {},
  trustedIssuers: [{ issuer: "https://idp.test", jwks: foreignJwks(), users: "sub" as const }],
};
const client = {
  ...credentials,
  ...{ redirect_uris: ["https://app.example/cb"], application_type: "native" as const },
  grant_types: [
    ...["authorization_code", "refresh_token", "client_credentials", grant("device_code"), grant("token-exchange")],
    ...[grant("jwt-bearer"), "urn:openid:params:grant-type:ciba"],
  ],
};

type Tokens = { readonly access_token: string; readonly id_token?: string };

/** What an issuer of tokens needs: the server, and the parameters that each request has. */
interface Issuing {
  readonly as: TestLatchkey | Tenant;
  readonly scope: string;
  /** The API that the access token is for. */
  readonly resource?: string;
  /** The parameters of a login that gets a refresh token. */
  readonly authorization?: Readonly<Record<string, string>>;
}

const logIn = async ({ as, scope, resource, authorization }: Issuing) =>
  (await as.logIn(credentials, { scope, resource, authorization: { nonce: undefined, ...authorization } })).tokens;

/** Issuers of tokens of a user; the first one is a login. */
const issuers: Readonly<Record<string, (issuing: Issuing) => Promise<Tokens>>> = {
  code: logIn,
  refresh: async (issuing) => await issuing.as.refresh(credentials, (await logIn(issuing)).refresh_token!),
  device: async ({ as, scope, resource }) => {
    const request = await as.startDevice(client, { scope, params: { resource } });
    await request.approve();
    return await request.poll();
  },
  CIBA: async ({ as, scope, resource }) => {
    const request = await as.startBackchannel(client, {
      user: "alice",
      scope: `openid ${scope}`,
      params: { resource },
    });
    await request.approve();
    return await request.poll();
  },
  "token exchange": async (issuing) =>
    await issuing.as.token(credentials, {
      grant_type: grant("token-exchange"),
      subject_token: (await logIn(issuing)).access_token,
      subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
      resource: issuing.resource,
    }),
  "JWT bearer": async ({ as, scope, resource }) =>
    await as.token(credentials, {
      grant_type: grant("jwt-bearer"),
      assertion: await as.mint.assertion({ sub: "alice" }),
      scope: scope.split(" ").filter((value) => value !== "openid" && value !== "offline_access").join(" "),
      resource,
    }),
  "client credentials": async ({ as, resource }) =>
    await as.token(credentials, { grant_type: "client_credentials", resource }),
  "mint.accessToken, idToken": async ({ as, scope, resource }) => {
    const options = { client: credentials, sub: "alice", scope };
    const access_token = await as.mint.accessToken({ ...options, resource });
    const isOpenId = scope.includes("openid");
    return {
      access_token,
      ...isOpenId && { id_token: await as.mint.idToken({ ...options, accessToken: access_token }) },
    };
  },
  "mint.tokens": async ({ as, scope, resource }) =>
    await as.mint.tokens({ client: credentials.client_id, sub: "alice", scope, resource }),
  "mint over HTTP": async ({ as, scope, resource }) => {
    const response = await as.fetch(`${as.issuer.replace(/\/$/, "")}/_control/mint/tokens`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ client: credentials.client_id, sub: "alice", scope, resource }),
    });
    return await response.json();
  },
};

/** The members of a token: of its header and of its claims, or the beginning of one that is opaque. */
function membersOf(token: string | undefined, prefix: string): readonly string[] {
  if (token === undefined) return [];
  const claims = Object.keys(decodeJwtPart(token, 1));
  if (claims.length === 0) return [token.startsWith(prefix) ? `opaque ${prefix}…` : `opaque without ${prefix}`];
  return [...Object.keys(decodeJwtPart(token, 0)).map((name) => `(${name})`), ...claims].sort();
}

function difference(members: readonly string[], expected: readonly string[]): readonly string[] {
  const missing = expected.filter((name) => !members.includes(name)).map((name) => `-${name}`);
  return [...missing, ...members.filter((name) => !expected.includes(name)).map((name) => `+${name}`)];
}

/** Members of a user, or of a login, which a token of the client alone lacks. */
const ofUser = [
  ...["auth_time", "sid", "scope", "scp", "oid", "uid", "username", "cognito:groups", "origin_jti"],
  ...Object.keys(alice),
];

/** The differences from a login that follow from what is issued. */
const differences: Readonly<Record<string, { readonly less: readonly string[]; readonly more?: readonly string[] }>> = {
  "JWT bearer": { less: ["auth_time", "sid"] },
  // keycloak/keycloak ServiceAccountConstants; gty of Auth0
  "client credentials": { less: ofUser, more: ["client_id", "gty"] },
};

function isExpected(issuer: string, difference: string): boolean {
  const { less = [], more = [] } = differences[issuer] ?? {};
  return more.some((name) => difference === `+${name}`) || less.some((name) => difference === `-${name}`);
}

const names = Object.keys(providerProfiles) as ProviderName[];

/** The name, the options and the resource of each server. */
const cases: readonly (readonly [string, TestLatchkeyOptions, resource?: string])[] = [
  ["(no profile)", {}],
  ...names.map((profile) => [profile, { profile }] as const),
  ["auth0, for an API", { profile: "auth0" }, "https://api.example"],
];

const authorizations: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  apple: { response_mode: "form_post" },
  google: { access_type: "offline", prompt: "consent" },
  "google@2025": { access_type: "offline", prompt: "consent" },
};

const wantedScope = ["openid", "profile", "email", "name", "no_scope", "offline_access"];

test("whatever issues a token gives it the members of a login's token, under every profile", async () => {
  const failed: string[] = [];
  await using host = await testLatchkey();
  for (const [name, { profile }, resource] of cases) {
    const own = providerProfiles[String(profile) as ProviderName] ?? {};
    const { scopes = defaultScopes, tokenPrefixes: { access_token: prefix = "" } = {} } = own;
    const scope = scopes.filter((value) => wantedScope.includes(value)).join(" ");
    await using as = await testLatchkey({ ...settings, profile, clients: [client], users: [alice], control: true });
    await using tenant = await host.tenant({ settings: { ...settings, profile }, clients: [client], users: [alice] });
    const issuing: Issuing = { as, scope, resource, authorization: authorizations[String(profile)] };
    const login = await logIn(issuing);
    const [access, id] = [membersOf(login.access_token, prefix), membersOf(login.id_token, "")];
    console.log([`\n${name}`, access.join(" "), id.join(" ")].filter(Boolean).join("\n  "));
    for (const [issuer, issue] of Object.entries(issuers)) {
      // CIBA needs openid, and a tenant of a program has no control over HTTP.
      if (issuer === "CIBA" && id.length === 0) continue;
      for (const server of issuer === "mint over HTTP" ? [as] : [as, tenant]) {
        const tokens = await issue({ ...issuing, as: server });
        const found = [
          ...difference(membersOf(tokens.access_token, prefix), access),
          ...tokens.id_token === undefined ? [] : difference(membersOf(tokens.id_token, ""), id),
        ];
        const row = `    ${issuer}${server === as ? "" : ", of a tenant"}: ${found.join(" ") || "the same"}`;
        console.log(row);
        if (!found.every((one) => isExpected(issuer, one))) failed.push(`${name}${row}`);
      }
    }
  }
  assertEquals(failed, []);
});

test("a token without aud has no audience, unless a profile issues such tokens", async () => {
  for (const access_token_format of ["jwt", "opaque"] as const) {
    await using as = await testLatchkey({ ...settings, clients: [{ ...client, access_token_format }], users: [alice] });
    for (const [claims, status] of [[{}, 200], [{ aud: null }, 401], [{ aud: [] }, 401]] as const) {
      const token = await as.mint.accessToken({ sub: "alice", scope: "openid", claims });
      const response = await as.fetch("/oauth2/userinfo", { headers: { authorization: `Bearer ${token}` } });
      assertEquals([access_token_format, claims, response.status], [access_token_format, claims, status]);
    }
  }
});

test("a minted token of the default audience works at userinfo under every profile that has it", async () => {
  for (const profile of names) {
    await using as = await testLatchkey({ ...settings, profile, clients: [client], users: [alice] });
    const { origin, pathname } = new URL(as.issuer);
    const metadata = `${origin}/.well-known/oauth-authorization-server${pathname.replace(/\/$/, "")}`;
    const { userinfo_endpoint } = await (await as.fetch(metadata)).json();
    if (userinfo_endpoint === undefined) continue;
    const authorization = `Bearer ${await as.mint.accessToken({ sub: "alice", scope: "openid" })}`;
    const response = await as.fetch(userinfo_endpoint, { headers: { authorization } });
    assertEquals([profile, response.status, (await response.json()).sub], [profile, 200, "alice"]);
  }
});
