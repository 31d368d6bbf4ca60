/**
 * The profile apple: form_post, the name at the first login, the client secret as a JWT, and two clients of Apple that
 * know nothing of Latchkey, at the real origin inside the process.
 */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import AppleProvider from "@auth/core/providers/apple";
import { Apple, OAuth2RequestError } from "arctic";
import { exportJWK, exportPKCS8, generateKeyPair, SignJWT } from "jose";
import { test } from "node:test";
import type { TestLatchkeyOptions } from "../../../src/testing/mod.ts";
import { testLatchkey } from "../../testing/test_latchkey.ts";
import { authJsApplication, getRedirectLocation, openBrowser } from "../applications.ts";
import { decodeClaims, forEachCase } from "../../kit.ts";
import { redirectUri, secret } from "./provider_server.ts";

const issuer = "https://appleid.apple.com";
const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
const jwk = { ...await exportJWK(publicKey), kid: "ABC123DEFG", alg: "ES256" };
const alice = {
  ...{ sub: "001234.0123456789abcdef0123456789abcdef.1234", given_name: "Alice", family_name: "Adams" },
  ...{ email: "alice@privaterelay.appleid.com", email_verified: true, is_private_email: true },
};

async function apple(options: TestLatchkeyOptions = {}) {
  const warnings: string[] = [];
  const as = await testLatchkey({
    profile: "apple",
    clients: [{
      ...{ client_id: "com.example.web", client_secret: secret, jwks: { keys: [jwk] } },
      token_endpoint_auth_method: "client_secret_post",
      redirect_uris: [redirectUri, "https://app.example/auth/callback/apple"],
      grant_types: ["authorization_code", "refresh_token"],
    }],
    users: [alice],
    trace: (event) => event.type === "warning" && warnings.push(event.explanation.reason),
    ...options,
  });
  const installed = as.installFetch({ origins: "real" });
  return {
    warnings,
    async [Symbol.asyncDispose]() {
      installed.uninstall();
      await as.close();
    },
  };
}

async function signSecret(claims: Record<string, unknown> = {}, key: CryptoKey = privateKey): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return await new SignJWT({
    ...{ iss: "TEAM123456", sub: "com.example.web", aud: issuer, iat: now, exp: now + 3600, ...claims },
  }).setProtectedHeader({ alg: "ES256", kid: jwk.kid }).sign(key);
}

async function authorize(scope = "name email", more: Record<string, string> = { response_mode: "form_post" }) {
  const query = { response_type: "code", client_id: "com.example.web", redirect_uri: redirectUri, scope, ...more };
  return await fetch(`${issuer}/auth/authorize?${new URLSearchParams(query)}`, { redirect: "manual" });
}

/** The hidden fields of a page that posts itself. */
async function formFields(response: Response): Promise<Record<string, string>> {
  const inputs = (await response.text()).matchAll(/name="([^"]+)" value="([^"]*)"/g);
  const decode = (text: string) => text.replaceAll("&quot;", '"').replaceAll("&amp;", "&");
  return Object.fromEntries([...inputs].map(([, name, value]) => [name, decode(value!)]));
}

async function exchange(fields: Record<string, string>) {
  const body = new URLSearchParams({
    ...{ grant_type: "authorization_code", client_id: "com.example.web", redirect_uri: redirectUri, ...fields },
  });
  return await fetch(`${issuer}/auth/token`, { method: "POST", body });
}

test("apple: the metadata has no userinfo, and a scope demands form_post", async () => {
  await using _ = await apple();
  const metadata = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();
  assertEquals([metadata.issuer, metadata.token_endpoint, metadata.jwks_uri, metadata.userinfo_endpoint], [
    issuer,
    `${issuer}/auth/token`,
    `${issuer}/auth/keys`,
    undefined,
  ]);
  await forEachCase([["name email", {}], ["email", { response_mode: "query" }]] as const, async ([scope, more]) => {
    const rejected = new URL(await getRedirectLocation(await authorize(scope, more)));
    assertEquals(rejected.searchParams.get("error"), "invalid_request");
  });
  const callback = new URL(await getRedirectLocation(await authorize("", {})));
  assert(callback.searchParams.has("code"));
});

test("apple: name and e-mail in the callback of the first login alone, and never in the ID token", async () => {
  await using _ = await apple();
  const first = await formFields(await authorize());
  assertEquals(JSON.parse(first.user!), {
    name: { firstName: "Alice", lastName: "Adams" },
    email: "alice@privaterelay.appleid.com",
  });
  assertEquals((await formFields(await authorize())).user, undefined);
  const response = await exchange({ code: first.code!, client_secret: await signSecret() });
  const { id_token, access_token, scope } = await response.json();
  const claims = decodeClaims(id_token);
  assertEquals([claims.email_verified, claims.is_private_email, claims.nonce_supported], ["true", "true", true]);
  assertEquals([claims.name, claims.given_name, scope, access_token.includes(".")], [
    undefined,
    undefined,
    undefined,
    false,
  ]);
});

test("apple: refresh tokens stay, and responses to them have none", async () => {
  await using _ = await apple();
  const { code } = await formFields(await authorize());
  const { refresh_token } = await (await exchange({ code: code!, client_secret: await signSecret() })).json();
  for (let i = 0; i < 2; i++) {
    const fields = { grant_type: "refresh_token", refresh_token, client_secret: await signSecret() };
    const refreshed = await (await exchange(fields)).json();
    assertEquals([typeof refreshed.id_token, refreshed.refresh_token], ["string", undefined]);
  }
});

test("apple: the client secret is a JWT of the developer, whose signature and claims are verified", async () => {
  await using _ = await apple();
  const now = Math.floor(Date.now() / 1000);
  const other = await generateKeyPair("ES256");
  const cases: [name: string, secret: string][] = [
    ["plain", secret],
    ["another key", await signSecret({}, other.privateKey)],
    ["expired", await signSecret({ iat: now - 7200, exp: now - 3600 })],
    ["longer than six months", await signSecret({ exp: now + 15_900_000 })],
    ["another client", await signSecret({ sub: "com.example.other" })],
    ["another audience", await signSecret({ aud: "https://other.example" })],
    ["no team", await signSecret({ iss: undefined })],
  ];
  await forEachCase(cases, async ([, client_secret]) => {
    const { code } = await formFields(await authorize());
    const response = await exchange({ code: code!, client_secret });
    assertEquals([response.status, (await response.json()).error], [400, "invalid_client"]);
  });
});

test("apple: without keys of the client, its plain secret is accepted with a warning", async () => {
  await using provider = await apple({
    clients: [{ client_id: "com.example.web", client_secret: secret, redirect_uris: [redirectUri] }],
  });
  const { code } = await formFields(await authorize());
  assertEquals((await exchange({ code: code!, client_secret: secret })).status, 200);
  assert(provider.warnings.some((reason) => reason.includes("Apple accepts only")));
});

test("[HY-03] apple: code id_token needs no nonce, with a warning, and a nonce stays what it is", async () => {
  const warnings: (string | undefined)[] = [];
  await using _ = await apple({
    clients: [{
      ...{ client_id: "com.example.web", client_secret: secret, redirect_uris: [redirectUri] },
      response_types: ["code", "code id_token"],
    }],
    trace: (event) => void (event.type === "warning" && warnings.push(event.explanation.rule)),
  });
  await forEachCase([undefined, "n0nce"], async (nonce) => {
    warnings.length = 0;
    const more = { response_type: "code id_token", response_mode: "form_post", ...nonce && { nonce } };
    const { id_token, code } = await formFields(await authorize("name email", more));
    assertEquals(warnings, nonce === undefined ? ["HY-03"] : []);
    const tokens = await (await exchange({ code: code!, client_secret: secret })).json();
    assertEquals([id_token, tokens.id_token].map((token) => decodeClaims(token).nonce), [nonce, nonce]);
  });
});

test("arctic logs in with its class Apple, which signs the client secret", async () => {
  await using _ = await apple();
  const pkcs8 = await exportPKCS8(privateKey);
  const der = Uint8Array.from(atob(pkcs8.replace(/-----.*?-----|\s/g, "")), (byte) => byte.charCodeAt(0));
  const client = new Apple("com.example.web", "TEAM123456", jwk.kid, der, redirectUri);
  const url = client.createAuthorizationURL("st4te", ["name", "email"]);
  url.searchParams.set("response_mode", "form_post");
  const { code, state } = await formFields(await openBrowser()(url));
  const tokens = await client.validateAuthorizationCode(code!);
  assertEquals([decodeClaims(tokens.idToken()).sub, state], [alice.sub, "st4te"]);
  const error = await assertRejects(() => client.validateAuthorizationCode("wrong"), OAuth2RequestError);
  assertEquals(error.code, "invalid_grant");
});

test("apple-signin-auth signs the client secret, verifies the ID token, renews and revokes", async () => {
  await using _ = await apple();
  // It remembers the fetch of its first import.
  const { default: client } = await import("apple-signin-auth");
  const clientID = "com.example.web";
  const clientSecret = client.getClientSecret({
    ...{ clientID, teamID: "TEAM123456", keyIdentifier: jwk.kid, privateKey: await exportPKCS8(privateKey) },
  });
  const url = client.getAuthorizationUrl({ clientID, redirectUri, scope: "name email", state: "st4te" });
  const { code } = await formFields(await openBrowser()(url));
  const options = { clientID, clientSecret, redirectUri };
  const tokens = await client.getAuthorizationToken(code!, options);
  const claims = await client.verifyIdToken(tokens.id_token, { audience: clientID });
  assertEquals([claims.sub, String(claims.email_verified)], [alice.sub, "true"]);
  const renewed = await client.refreshAuthorizationToken(tokens.refresh_token, options);
  assertEquals(typeof renewed.access_token, "string");
  await client.revokeAuthorizationToken(tokens.refresh_token, {
    clientID,
    clientSecret,
    tokenTypeHint: "refresh_token",
  });
  const { error } = await client.refreshAuthorizationToken(tokens.refresh_token, options) as { error?: string };
  assertEquals(error, "invalid_grant");
});

test("Auth.js logs in with its provider Apple, and reads the name of the first login", async () => {
  await using _ = await apple();
  const app = authJsApplication([AppleProvider({ clientId: "com.example.web", clientSecret: await signSecret() })]);
  const page = await openBrowser()(await app.begin("apple"));
  const body = new URLSearchParams(await formFields(page));
  const back = await app.visit("https://app.example/auth/callback/apple", { method: "POST", body });
  assertMatch(await getRedirectLocation(back), /\/home$/);
  const { user } = await (await app.visit("https://app.example/auth/session")).json();
  assertEquals([user.name, user.email], ["Alice Adams", "alice@privaterelay.appleid.com"]);
});
