/** `installFetch({ origins: "real" })`: the origins of the provider inside the process, and never over the network. */

import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { test } from "node:test";
import { latchkey } from "../secret_leak_check.ts";
import { providerProfiles } from "../server/profiles/all_profiles.ts";
import { testControl } from "../../src/testing/mod.ts";
import { decodeClaims } from "../kit.ts";
import { testLatchkey } from "./test_latchkey.ts";

/** Origins for the profiles of servers that have no origin that all share. */
const ownOrigins: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  auth0: { issuer: "https://acme.eu.auth0.com" },
  keycloak: { issuer: "https://sso.example.net" },
  okta: { issuer: "https://acme.okta.com" },
};

const cognitoPages = "https://mydomain.auth.us-east-1.amazoncognito.com";
const discovery = "https://accounts.google.com/.well-known/openid-configuration";

test("one server has the three origins of Google until it is undone, and signs with the test keys", async () => {
  await using as = await testLatchkey({ profile: "google" });
  const own = as.issuer;
  const before = globalThis.fetch;
  {
    using _ = as.installFetch({ origins: "real" });
    const metadata = await (await fetch(discovery)).json();
    assertEquals(
      ["issuer", "token_endpoint", "userinfo_endpoint", "jwks_uri"].map((name) => new URL(metadata[name]).host),
      ["accounts.google.com", "oauth2.googleapis.com", "openidconnect.googleapis.com", "www.googleapis.com"],
    );
    const { tokens } = await as.logIn(as.client({ application_type: "native" }), { scope: "openid" });
    const { iss, sub } = decodeClaims(tokens.id_token!);
    assertEquals([as.issuer, iss], ["https://accounts.google.com", "https://accounts.google.com"]);
    const { keys } = await (await fetch(metadata.jwks_uri)).json();
    assertMatch(keys[0].kid, /^latchkey-test-/);
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    assertEquals((await (await fetch(metadata.userinfo_endpoint, { headers })).json()).sub, sub);
  }
  assertEquals([as.issuer, globalThis.fetch], [own, before]);
});

test("a server with the name of a provider does not listen, and a listener of it rejects all requests", async () => {
  await using as = await testLatchkey({ profile: "google" });
  const installed = as.installFetch({ origins: "real" });
  await assertRejects(() => as.listen({ port: 0 }), TypeError, "https://accounts.google.com");
  installed.uninstall();
  const { url } = await as.listen({ port: 0 });
  assertEquals((await fetch(`${url}/oauth2/v3/certs`)).status, 200);
  using _ = as.installFetch({ origins: "real" });
  for (const path of ["/oauth2/v3/certs", "/.well-known/openid-configuration", "/", "/nowhere"]) {
    const response = await fetch(url + path);
    assertEquals([response.status, (await response.text()).includes("google")], [421, false]);
  }
});

test("a server that listens by itself rejects all requests while it has the name of a provider", async () => {
  const control = testControl();
  await using as = await latchkey({ profile: "google", plugins: [control.plugin] });
  const { fetch } = globalThis;
  using _ = control.installFetch({ origins: "real" });
  const { url } = await as.listen({ port: 0 });
  assertEquals((await fetch(`${url}/.well-known/openid-configuration`)).status, 421);
});

test("the name of a provider changes no permission, and installations can be undone in any order", async () => {
  await using as = await testLatchkey({ profile: ["google", "google@2025"] });
  const own = as.issuer;
  const [first, second, ownOrigin] = [
    as.installFetch({ origins: "real" }),
    as.installFetch({ origins: "real" }),
    as.installFetch(),
  ];
  first.uninstall();
  assertEquals(as.issuer, "https://accounts.google.com");
  assertEquals((await fetch(discovery)).status, 200);
  second.uninstall();
  second.uninstall();
  assertEquals(as.issuer, own);
  ownOrigin.uninstall();
});

test("the path of the issuer stays, and a profile without origins is rejected", async () => {
  const origins = { issuer: "https://login.corp.example.net" };
  await using as = await testLatchkey({ profile: ["okta", { name: "ours", issuerPath: "/oauth2/ours", origins }] });
  {
    using _ = as.installFetch({ origins: "real" });
    assertEquals(as.issuer, "https://login.corp.example.net/oauth2/ours");
    assert((await fetch("https://login.corp.example.net/oauth2/ours/.well-known/openid-configuration")).ok);
  }
  await using plain = await testLatchkey({ profile: "okta" });
  assertThrows(() => plain.installFetch({ origins: "real" }), TypeError, "okta");
  await using none = await testLatchkey();
  assertThrows(() => none.installFetch({ origins: "real" }), TypeError, "no profile");
  assertThrows(() => none.installFetch({ origins: "all" as "real" }), TypeError, "origins");
});

test("a login and a logout in a browser work under every profile, at its own and at the real origins, with and without pages", async () => {
  const failed: string[] = [];
  for (const [profile, { scopes = [] }] of Object.entries(providerProfiles)) {
    for (const login of ["auto", "interactive"] as const) {
      for (const origins of ["own", "real"] as const) {
        await using as = await testLatchkey({ profile: profile as "google", origins: ownOrigins[profile], login });
        const logout_uri = "https://app.example/bye";
        const client = as.client({
          ...{ confidential: true, redirect_uri: "https://app.example/cb" },
          post_logout_redirect_uris: [logout_uri],
        });
        using _ = as.installFetch({ origins });
        const browser = as.browser();
        const responseMode = profile === "apple" ? "form_post" as const : undefined;
        const { client_id: clientId } = client;
        const { origin } = new URL(as.issuer);
        // Cognito's endpoint has parameters of its own.
        const logout = profile === "cognito"
          ? `${origins === "own" ? origin : cognitoPages}/logout?${new URLSearchParams({
            client_id: clientId,
            logout_uri,
          })}`
          : { clientId, postLogoutRedirectUri: logout_uri };
        const result = await as.logIn(client, { scope: scopes[0], responseMode, as: "bob", browser })
          .then(() => browser.logOut(logout)).catch((error) => error);
        const outcome = result instanceof Error ? result.message.split("\n", 1)[0]! : "logged in and out";
        console.log(`${profile.padEnd(12)} ${login.padEnd(12)} ${origins.padEnd(5)} ${outcome}`);
        if (result instanceof Error) failed.push(`${profile} ${login} ${origins}: ${outcome}`);
      }
    }
  }
  assertEquals(failed, []);
});
