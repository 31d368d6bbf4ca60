/**
 * What the callbacks of each provider have: `iss` (RFC 9207), and ID tokens where its response types allow them.
 *
 * @extensions response_types
 */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { providers } from "../../../src/server/config/provider_settings/providers.ts";
import type { ProviderName } from "../../../src/server/config/provider_profile.ts";
import { decodeClaims, forEachCase } from "../../kit.ts";
import { latchkey } from "../../secret_leak_check.ts";

const redirect_uri = "https://app.example/cb";
const withIssuer: readonly ProviderName[] = ["github", "google", "keycloak"];
const withIdToken: readonly ProviderName[] = [
  ...["apple", "auth0", "entra", "google", "google@2025", "keycloak", "okta"] as const,
];

async function start(profile: ProviderName) {
  const types = withIdToken.includes(profile) ? ["code", "code id_token"] : ["code"];
  const as = await latchkey({
    profile,
    clients: [{
      ...{ client_id: "web", client_secret: "a-secret-of-32-characters-or-more", redirect_uris: [redirect_uri] },
      response_types: types,
    }],
    users: [{ sub: "alice" }],
  });
  const { origin, pathname } = new URL(as.issuer);
  const url = `${origin}/.well-known/oauth-authorization-server${pathname.replace(/\/$/, "")}`;
  const metadata = await (await as.fetch(new Request(url))).json();
  const authorize = async (fields: Record<string, string>) => {
    const query = new URLSearchParams({ client_id: "web", redirect_uri, scope: "openid", state: "s", ...fields });
    const request = new Request(`${metadata.authorization_endpoint}?${query}`, { redirect: "manual" });
    const location = new URL((await as.fetch(request)).headers.get("location")!);
    return new URLSearchParams(location.hash === "" ? location.search : location.hash.slice(1));
  };
  return { metadata, authorize, [Symbol.asyncDispose]: () => as.close() };
}

test("callbacks have iss, and metadata says so, at the providers that send it", async () => {
  await forEachCase(Object.keys(providers) as ProviderName[], async (profile) => {
    await using provider = await start(profile);
    const { metadata } = provider;
    const scope = profile.startsWith("github") ? "repo" : "openid";
    const callback = await provider.authorize({ response_type: "code", scope });
    const sends = withIssuer.includes(profile);
    assertEquals([callback.get("state"), callback.get("iss")], ["s", sends ? metadata.issuer : null]);
    assertEquals(metadata.authorization_response_iss_parameter_supported, sends ? true : undefined);
  });
});

test("callbacks to code id_token have an ID token with the nonce", async () => {
  await forEachCase(withIdToken, async (profile) => {
    await using provider = await start(profile);
    const callback = await provider.authorize({ response_type: "code id_token", nonce: "n0nce" });
    assertEquals(decodeClaims(callback.get("id_token")!).nonce, "n0nce");
    assertEquals(callback.has("code"), true);
  });
});
