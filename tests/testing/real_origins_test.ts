/** `installFetch({ origins: "real" })`: the origins of the provider inside the process, and never over the network. */

import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { request } from "node:https";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { latchkey } from "../secret_leak_check.ts";
import { providerProfiles } from "../server/profiles/all_profiles.ts";
import { testControl } from "../../src/testing/mod.ts";
import { httpsAgent } from "../../src/testing/node/mod.ts";
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
        const end = await as.logIn(client, { scope: scopes[0], responseMode, as: "bob", browser })
          .then(() => browser.logOut(logout)).then((response) => response?.url, (error) => error.message);
        const outcome = end === logout_uri ? "logged in and out" : String(end).split("\n", 1)[0]!;
        console.log(`${profile.padEnd(12)} ${login.padEnd(12)} ${origins.padEnd(5)} ${outcome}`);
        if (end !== logout_uri) failed.push(`${profile} ${login} ${origins}: ${outcome}`);
      }
    }
  }
  assertEquals(failed, []);
});

/** Origins of the vendors' own clients and samples besides those of the metadata document. */
const vendorOrigins: Readonly<Record<string, readonly string[]>> = {
  entra: ["https://graph.microsoft.com", "https://login.microsoft.com", "https://login.windows.net"],
  github: ["https://api.github.com"],
  google: ["https://people.googleapis.com", "https://gmail.googleapis.com", "https://sheets.googleapis.com"],
};

/** A URL of the provider's API for each profile that has one. */
const apiPaths: Readonly<Record<string, string>> = {
  entra: "/v1.0/me",
  github: "/user",
  google: "/v1/people/me?personFields=names",
};

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function sendByFetch(url: string, { method = "GET", headers }: Sent): Promise<[number, string]> {
  const response = await fetch(url, { method, headers, redirect: "manual" });
  return [response.status, await response.text()];
}

function sendByAgent(agent: ReturnType<typeof httpsAgent>): typeof sendByFetch {
  return async (url, options) => {
    const { promise, resolve, reject } = Promise.withResolvers<[number, string]>();
    const sent = request(url, { ...options, agent }, (response) => {
      text(response).then((body) => resolve([response.statusCode!, body]), reject);
    });
    sent.on("error", reject);
    sent.end();
    return await promise;
  };
}

test("every origin of every profile is reached by fetch and by an agent: documents, keys, token, userinfo, API", async () => {
  for (const name of Object.keys(providerProfiles).filter((name) => !name.includes("@"))) {
    await using as = await testLatchkey({ profile: name as "google", origins: ownOrigins[name] });
    using _ = as.installFetch({ origins: "real" });
    const discoveryPath = name === "github"
      ? "/.well-known/oauth-authorization-server/login/oauth"
      : `${new URL(as.issuer).pathname.replace(/\/$/, "")}/.well-known/openid-configuration`;
    const metadata = await (await as.fetch(new URL(discoveryPath, as.issuer).href)).json();
    const urls = Object.values(metadata).filter((value): value is string =>
      typeof value === "string" && /^https:/.test(value) && value !== "https://pas.windows.net"
    );
    const origins = as.origins();
    const missing = [...vendorOrigins[name] ?? [], ...urls.map((url) => new URL(url).origin)]
      .filter((origin) => !origins.includes(origin));
    assertEquals([name, missing], [name, []]);
    assertEquals(origins.length, new Set(origins).size);

    const { jwks_uri, token_endpoint, userinfo_endpoint } = metadata;
    const scope = name === "github" ? "read:user" : "openid";
    const authorization = `Bearer ${await as.mint.accessToken({ scope })}`;
    const cases: readonly (readonly [path: string | undefined, status: number, options?: Sent])[] = [
      [discoveryPath, 200],
      [jwks_uri, 200],
      // GitHub reports errors with status 200.
      [token_endpoint, name === "github" ? 200 : 400, { method: "POST" }],
      [userinfo_endpoint, 200, { headers: { authorization } }],
      [apiPaths[name], 200, { headers: { authorization } }],
    ];
    let sent = 0;
    for (const send of [sendByFetch, sendByAgent(httpsAgent(as))]) {
      for (const origin of origins) {
        for (const [url, status, options = {}] of cases) {
          if (url === undefined) continue;
          const { pathname, search } = new URL(url, as.issuer);
          const [received, body] = await send(origin + pathname + search, options);
          assertEquals([name, origin, pathname, received], [name, origin, pathname, status], body);
          sent++;
        }
      }
    }
    assertEquals([name, as.log.exchanges.length], [name, sent + 1]);
  }
});
