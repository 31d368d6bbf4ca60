/** What a provider does not check: the server accepts it with a warning that names the provider and the rule. */

import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { test } from "node:test";
import { ConfigurationError, type LatchkeyOptions } from "../../../src/mod.ts";
import type { TraceEvent } from "../../../src/server/trace.ts";
import { challenge, forEachCase, verifier } from "../../kit.ts";
import { latchkey } from "../../secret_leak_check.ts";
import { testLatchkey } from "../../testing/test_latchkey.ts";

const redirect_uri = "https://app.example/cb";
const client_secret = "a-secret-of-32-characters-or-more";
const clients = [
  { client_id: "app", application_type: "native" as const, redirect_uris: [redirect_uri] },
  { client_id: "web", redirect_uris: [redirect_uri], client_secret },
];

type Fields = Readonly<Record<string, string>>;

/** Sends an authorization request and exchanges its code; `callback` has the error if there is no code. */
async function logIn(options: LatchkeyOptions, request: Fields, exchange: Fields = {}, atUrl: Fields = {}) {
  const events: TraceEvent[] = [];
  await using as = await latchkey({ clients, ...options, trace: (event) => void events.push(event) });
  const urls = await as.fetch(
    new Request(
      `${new URL(as.issuer).origin}/.well-known/oauth-authorization-server${
        new URL(as.issuer).pathname.replace(/\/$/, "")
      }`,
    ),
  );
  const { authorization_endpoint, token_endpoint } = await urls.json();
  const client_id = "client_secret" in { ...exchange, ...atUrl } ? "web" : "app";
  const query = new URLSearchParams({ response_type: "code", client_id, redirect_uri, state: "s", ...request });
  const response = await as.fetch(new Request(`${authorization_endpoint}?${query}`, { redirect: "manual" }));
  const callback = new URL(response.headers.get("location")!).searchParams;
  const fields = { grant_type: "authorization_code", client_id, redirect_uri, ...exchange };
  const tokens = await as.fetch(
    new Request(`${token_endpoint}${Object.keys(atUrl).length > 0 ? `?${new URLSearchParams(atUrl)}` : ""}`, {
      method: "POST",
      headers: { accept: "application/json" },
      body: new URLSearchParams({ ...fields, code: callback.get("code") ?? "" }),
    }),
  );
  const warnings = events.flatMap((event) => event.type === "warning" ? [event.explanation] : []);
  return { callback, tokens: await tokens.json() as Fields, warnings };
}

const scope = { scope: "openid" };

test("[PK-01] a provider that does not require PKCE of native clients: accepted, and the warning names it", async () => {
  await forEachCase(["google", "keycloak", "cognito"] as const, async (profile) => {
    const { tokens, warnings } = await logIn({ profile }, scope);
    assertEquals(typeof tokens.access_token, "string");
    const [warning] = warnings.filter(({ rule }) => rule === "PK-01");
    assertMatch(warning!.reason, new RegExp(`: ${profile} lets this pass; OAuth 2.1 does not$`));
  });
  await forEachCase(["okta", "auth0", "entra"] as const, async (profile) => {
    assertEquals((await logIn({ profile }, scope)).callback.get("error"), "invalid_request");
  });
});

test("[PK-10, PK-11] a challenge demands its verifier, and the reverse, at these providers too", async () => {
  const sent = { ...scope, code_challenge: challenge, code_challenge_method: "S256" };
  assertEquals((await logIn({ profile: "google" }, sent)).tokens.error, "invalid_grant");
  const { tokens } = await logIn({ profile: "google" }, scope, { code_verifier: verifier });
  assertEquals(tokens.error, "invalid_grant");
  const required = [{ ...clients[0]!, require_pkce: true }];
  const { callback } = await logIn({ profile: "google", clients: required }, scope);
  assertEquals(callback.get("error"), "invalid_request");
});

test("[PK-04] plain: accepted with a warning where the provider does, and verified", async () => {
  const plain = { code_challenge: verifier, code_challenge_method: "plain" };
  await forEachCase(["google", "auth0", "keycloak", "entra"] as const, async (profile) => {
    const request = { ...scope, ...plain };
    const { tokens, warnings } = await logIn({ profile }, request, { code_verifier: verifier });
    assertEquals(typeof tokens.access_token, "string");
    assertEquals(warnings.filter(({ rule }) => rule === "PK-04").length, 1);
    const other = await logIn({ profile }, request, { code_verifier: verifier.replace(/^./, "~") });
    assertEquals(other.tokens.error, "invalid_grant");
  });
  await forEachCase(["okta", "cognito"] as const, async (profile) => {
    assertEquals((await logIn({ profile }, { ...scope, ...plain })).callback.get("error"), "invalid_request");
  });
  const short = { ...scope, ...plain, code_challenge: "short" };
  assertEquals((await logIn({ profile: "google" }, short)).callback.get("error"), "invalid_request");
});

test("github: the secret in the query is accepted with a warning; other servers reject it", async () => {
  const { tokens, warnings } = await logIn({ profile: "github" }, {}, {}, { client_secret });
  assertEquals(typeof tokens.access_token, "string");
  assertEquals(warnings.filter(({ received }) => received === "parameters in the query").length, 1);
  const rejected = await logIn({ profile: "google" }, { scope: "openid" }, {}, { client_secret });
  assertEquals(rejected.tokens.access_token, undefined);
});

test("[BR-01] one access token in the query of userinfo: accepted with a warning where the provider does", async () => {
  await forEachCase(["google", "auth0", "okta"] as const, async (profile) => {
    const warnings: TraceEvent[] = [];
    const trace = (event: TraceEvent) => void (event.type === "warning" && warnings.push(event));
    const users = [{ sub: "alice", email: "alice@app.example" }];
    await using as = await testLatchkey({ profile, clients, users, trace });
    const { tokens: { access_token } } = await as.logIn(await as.client(clients[1]), { scope: "openid email" });
    const issuer = as.issuer.replace(/\/$/, "");
    const { userinfo_endpoint } = await (await as.fetch(`${issuer}/.well-known/openid-configuration`)).json();
    const send = async (query: string, init?: RequestInit) => {
      warnings.length = 0;
      const { status } = await as.fetch(new Request(`${userinfo_endpoint}?${query}`, init));
      return [status, ...warnings.map((event) => event.type === "warning" && event.explanation.rule)];
    };
    const query = `access_token=${access_token}`;
    for (const sent of [query, query.replaceAll(".", "%2E")]) {
      assertEquals(await send(`alt=json&${sent}`), profile === "okta" ? [401] : [200, "BR-01"]);
    }
    const rejected: [query: string, init?: RequestInit][] = [
      [`${query}&${query}`],
      [query, { headers: { authorization: "Bearer wrong" } }],
      ["access_token="],
      ["access_token=%zz"],
      ["access_token=a%20b"],
    ];
    for (const [query, init] of rejected) assertEquals(await send(query, init), [401]);
  });
});

test("a real host and a standard reject a configuration that does not check PKCE", async () => {
  const pkce = { insecureAllowMissing: true, insecureAllowPlain: true };
  const paths = ["pkce.insecureAllowMissing", "pkce.insecureAllowPlain"];
  for (const options of [{ issuer: "https://login.widgets.com" }, { profile: "oauth2.1" as const }]) {
    const error = await assertRejects(async () => (await latchkey({ pkce, ...options })).close(), ConfigurationError);
    assertEquals(error.issues.map(({ path }) => path).filter((path) => path.startsWith("pkce")), paths);
  }
});
