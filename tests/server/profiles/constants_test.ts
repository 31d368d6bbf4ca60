/**
 * What is the same in the responses of a provider's profile although client, user, scope, settings and time differ: the
 * constants of the provider, each with its reason. Whatever else would be equal is a value that something moves there.
 */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import type { ClientMetadata, LatchkeyOptions } from "../../../src/mod.ts";
import type { ProviderName } from "../../../src/server/config/provider_profile.ts";
import { decodeJwtPart } from "../../../src/platform/http/jwt_part.ts";
import { forEachCase } from "../../kit.ts";
import { testLatchkey } from "../../testing/test_latchkey.ts";
import { providerProfiles } from "./all_profiles.ts";
import { redirectUri, secret } from "./provider_server.ts";

/** A login whose client, user, scope, settings and time are all different from those of the other one. */
interface Login {
  readonly client: ClientMetadata;
  readonly origin: string;
  /** The tenant, if the provider is Entra. */
  readonly tenant: string;
  readonly options: LatchkeyOptions;
  readonly scope: string;
  readonly after: number;
  readonly request?: Readonly<Record<string, string>>;
}

const profiles: ProviderName[] = ["apple", "auth0", "cognito", "entra", "github", "google", "keycloak", "okta"];

const grant_types = ["authorization_code", "refresh_token"];

const plain: Login = {
  origin: "https://one.test",
  tenant: "11112222",
  client: { client_id: "spa", redirect_uris: ["http://localhost:3000/cb"], grant_types },
  options: {
    alg: "RS256",
    users: [{ sub: "one", name: "One User", email: "one@one.example", email_verified: true, hd: "one.example" }],
  },
  scope: "openid email user",
  after: 0,
};

const other: Login = {
  origin: "https://two.test",
  tenant: "33334444",
  client: {
    ...{ client_id: "app", client_name: "App", client_secret: secret, redirect_uris: [redirectUri], grant_types },
  },
  options: {
    alg: "ES256",
    acrValues: [{ value: "high", methods: ["auto"], amr: ["otp"] }],
    audience: "https://api.example",
    lifetimes: { access_token: 111, id_token: 222, refresh_token: 33333, refresh_token_idle: 3333 },
    users: [{
      ...{ sub: "two", name: "Two Users", preferred_username: "two", email: "two@two.example", email_verified: false },
      ...{ groups: ["g"], roles: ["r"], hd: "two.example" },
    }],
  },
  scope: "openid email profile name offline_access user repo",
  after: 77,
  request: { nonce: "n0nce", access_type: "offline", acr_values: "high" },
};

/** By profile, the constants that something could move there; why they stay. */
const reasons: Readonly<Partial<Record<ProviderName, Readonly<Record<string, string>>>>> = {
  apple: { "ID token.nonce_supported": "false on systems without a nonce alone, which no test runs" },
  cognito: {
    "access token.token_use": "the kind of the token",
    "access token.version": "2 of every login at the hosted pages",
    "ID token.token_use": "the kind of the token",
  },
  entra: {
    "access token.ver": "tokens of version 1.0 are not imitated",
    "ID token.ver": "tokens of version 1.0 are not imitated",
  },
  google: { "callback.authuser": "the first account of the browser" },
  keycloak: {
    "response.not-before-policy": "0, unless an administrator has revoked all tokens",
    "refresh response.not-before-policy": "0, unless an administrator has revoked all tokens",
    "access token.typ": "the kind of the token",
    "ID token.typ": "the kind of the token",
    "refresh token header.alg": "the algorithm of every refresh token",
  },
  okta: {
    "access token.ver": "the only version",
    "ID token.ver": "the only version",
    "ID token.idp": "an organization has one",
  },
};

/** What the protocol says, and what no provider moves. */
const ofProtocol = /^(callback\.method|(refresh )?response\.token_type|\w+ token header\.typ|access token\.scp\.\d)$/;

/** All texts, numbers and truth values of a value, by their place. */
function leaves(place: string, value: unknown): [string, unknown][] {
  if (typeof value !== "object" || value === null) return [[place, value]];
  return Object.entries(value).flatMap(([name, member]) => leaves(`${place}.${name}`, member));
}

function tokenLeaves(place: string, token: unknown): [string, unknown][] {
  if (typeof token !== "string" || token.split(".").length !== 3) return [];
  return [...leaves(`${place} header`, decodeJwtPart(token, 0)), ...leaves(place, decodeJwtPart(token, 1))];
}

/** Every value that the client receives in a login and a refresh, by its place. */
async function received(
  profile: ProviderName,
  { origin, tenant, client, options, scope, after, request }: Login,
): Promise<ReadonlyMap<string, unknown>> {
  const { issuerPath = "", scopes = [] } = providerProfiles[profile];
  await using as = await testLatchkey({
    profile,
    issuer: origin + issuerPath.replace("aaaabbbb", tenant),
    ...options,
    clients: [{ ...client, ...profile === "google" && { application_type: "native" } }],
  });
  as.clock.advance(after);
  const browser = as.browser();
  const login = {
    scope: scope.split(" ").filter((value) => scopes.includes(value)).join(" "),
    ...profile === "apple" && { responseMode: "form_post" as const },
    browser,
  };
  const { tokens, callback: first } = await as.logIn(client, { ...login, authorization: request });
  // The other login is followed by a silent one.
  const { callback } = request === undefined
    ? { callback: first }
    : await as.logIn(client, { ...login, prompt: "none" });
  const refreshed = tokens.refresh_token === undefined ? {} : await as.refresh(client, tokens.refresh_token);
  return new Map([
    ...leaves("callback", { method: callback.method, ...Object.fromEntries(callback.params) }),
    ...leaves("response", tokens),
    ...leaves("refresh response", refreshed),
    ...tokenLeaves("access token", tokens.access_token),
    ...tokenLeaves("ID token", tokens.id_token),
    ...tokenLeaves("refresh token", tokens.refresh_token),
  ]);
}

test("what no client, user, scope, setting or time moves at a provider is a constant of the provider", async () => {
  await forEachCase(profiles, async (profile) => {
    const [one, two] = await Promise.all([received(profile, plain), received(profile, other)]);
    const equal = [...one].filter(([place, value]) => value !== undefined && two.get(place) === value)
      .map(([place]) => place);
    assertEquals(equal.filter((place) => !ofProtocol.test(place)), Object.keys(reasons[profile] ?? {}));
  });
});

/** By profile: what a token request changes, and the error by its own words. */
const causes: readonly (readonly [ProviderName, Readonly<Record<string, string>>, string])[] = [
  ["entra", { client_id: "unknown" }, "400 unauthorized_client 700016"],
  ["entra", { client_secret: "" }, "401 invalid_client 7000218"],
  ["entra", { client_secret: "wrong" }, "401 invalid_client 7000215"],
  ["google", { client_id: "unknown" }, "401 invalid_client The OAuth client was not found."],
  ["google", { client_secret: "wrong" }, "401 invalid_client Unauthorized"],
  ["google", { code: "wrong" }, "400 invalid_grant Malformed auth code."],
  ["google", { redirect_uri: "http://localhost:3000/other" }, "400 invalid_grant Bad Request"],
  [
    "google",
    { grant_type: "refresh_token", refresh_token: "wrong" },
    "400 invalid_grant Token has been expired or revoked.",
  ],
  ["keycloak", { client_id: "unknown" }, "401 invalid_client Invalid client or Invalid client credentials"],
  ["keycloak", { code: "wrong" }, "400 invalid_grant Code not valid"],
  ["okta", { client_id: "unknown" }, "401 undefined undefined"],
];

test("[CA-07, TK-16, RT-07] a provider's error names its own cause", async () => {
  await forEachCase(causes, async ([profile, fields, expected]) => {
    const { client_id, redirect_uris: [redirect_uri] = [] } = other.client;
    await using as = await testLatchkey({ profile, clients: [other.client] });
    const browser = as.browser();
    const request = { client_id, redirect_uri, response_type: "code", scope: "openid" };
    const { code } = await browser.authorize(request);
    const right = { grant_type: "authorization_code", client_id, client_secret: secret, redirect_uri, code, ...fields };
    const sent = Object.entries(right).filter(([, value]) => value !== "" && value !== undefined) as [string, string][];
    const { token_endpoint } = await (await as.fetch(`${as.issuer}/.well-known/openid-configuration`)).json();
    const response = await as.fetch(token_endpoint, { method: "POST", body: new URLSearchParams(sent) });
    const { error, error_description, error_codes: [number] = [] } = await response.json();
    assertEquals(`${response.status} ${error} ${number ?? error_description}`, expected);
  });
});

test("keycloak: an offline token outlives the session and its limit, and says so; its revocation outlives it", async () => {
  await using as = await testLatchkey({ profile: "keycloak", lifetimes: { access_token: 60 } });
  const client = as.client();
  const types = [];
  for (const scope of ["openid", "openid offline_access"]) {
    const { tokens, claims } = await as.logIn(client, { scope });
    assertEquals(Number(claims!.exp) - Number(claims!.iat), 60);
    types.push(decodeJwtPart(tokens.refresh_token!, 1).typ);
    as.clock.advance(29 * 86_400);
    const outcome = await as.refresh(client, tokens.refresh_token!).catch(({ error }) => error);
    if (scope === "openid") {
      assertEquals(outcome, "invalid_grant");
      continue;
    }
    await as.revoke({ token: outcome.refresh_token });
    as.clock.advance(86_400);
    assertEquals(await as.refresh(client, tokens.refresh_token!).catch(({ error }) => error), "invalid_grant");
    as.clock.advance(20 * 86_400);
    assertEquals(await as.refresh(client, tokens.refresh_token!).catch(({ error }) => error), "invalid_grant");
  }
  assertEquals(types, ["Refresh", "Offline"]);
});

test("entra: azpacr is how the client authenticated; github: the token of an App begins with ghu_", async () => {
  await using as = await testLatchkey({ profile: "entra" });
  const withKey = as.client({ token_endpoint_auth_method: "private_key_jwt" });
  const methods = [as.client(), as.client({ confidential: true }), withKey];
  const values = [];
  for (const client of methods) {
    const { tokens } = await as.logIn(client, { scope: "openid" });
    values.push(decodeJwtPart(tokens.access_token, 1).azpacr);
  }
  assertEquals(values, ["0", "1", "2"]);
  await using github = await testLatchkey({ profile: "github" });
  const tokens = [];
  for (const types of [["authorization_code"], grant_types]) {
    const client = github.client({ confidential: true, grant_types: types });
    tokens.push((await github.logIn(client, { scope: "user" })).tokens.access_token.slice(0, 4));
  }
  assertEquals(tokens, ["gho_", "ghu_"]);
});

test("a client without grant_types gets a refresh token where a new application of the provider does", async () => {
  const scope = "openid email offline_access user";
  const given: ProviderName[] = [];
  await forEachCase(profiles, async (profile) => {
    const client = { ...other.client, grant_types: undefined };
    await using as = await testLatchkey({ profile, clients: [client] });
    const { tokens } = await as.logIn(client, {
      scope: scope.split(" ").filter((value) => providerProfiles[profile].scopes!.includes(value)).join(" "),
      ...profile === "apple" && { responseMode: "form_post" as const },
      authorization: { access_type: "offline" },
    });
    if (tokens.refresh_token !== undefined) given.push(profile);
    const machine = { client_id: "machine", client_secret: secret, grant_types: ["client_credentials"] };
    const code = { ...other.client, grant_types: ["authorization_code"] };
    const hybrid = { ...code, grant_types: undefined, response_types: ["code", "code id_token"] };
    for (const settings of [[machine, code], [hybrid]]) {
      if (profile === "github" || profile === "cognito") continue;
      await (await testLatchkey({ profile, clients: settings })).close();
    }
  });
  // An Okta application has the grant only if its settings say so, and a GitHub App is one by it.
  assertEquals(given.toSorted(), ["apple", "auth0", "cognito", "entra", "google", "keycloak"]);
});
