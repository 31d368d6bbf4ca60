/**
 * The profile github, with plain requests: the responses of the token endpoint, its errors, the callback and the API.
 *
 * @extensions device, dpop, mutual_tls
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import type { LatchkeyOptions } from "../../../src/mod.ts";
import type { TraceEvent } from "../../../src/server/trace.ts";
import { basic, challenge, forEachCase, verifier } from "../../kit.ts";
import { clientKey, proof, tokenDigest } from "../client_jwts.ts";
import { latchkey } from "../../secret_leak_check.ts";

const redirect_uri = "https://app.example/cb";
const secret = "a secret of thirty-two characters";
const users = [{
  sub: "583231",
  preferred_username: "octocat",
  name: "Octo Cat",
  email: "octo@app.example",
  email_verified: true,
}];
const clients = [
  { client_id: "app", client_secret: secret, redirect_uris: [redirect_uri] },
  {
    ...{ client_id: "Iv1.app", client_secret: secret, redirect_uris: [redirect_uri] },
    grant_types: ["authorization_code", "refresh_token"],
  },
];

async function github(options: LatchkeyOptions = {}) {
  const events: TraceEvent[] = [];
  const as = await latchkey({
    ...{ profile: "github", clients, users, trace: (event) => void events.push(event) },
    ...options,
  });
  const request = (path: string, init: RequestInit = {}) =>
    as.fetch(new Request(`http://localhost:9000${path}`, { redirect: "manual", ...init }));
  const authorize = async (query: Record<string, string> = {}) => {
    const params = new URLSearchParams({ client_id: "app", redirect_uri, state: "st4te", ...query });
    const response = await request(`/login/oauth/authorize?${params}`);
    return new URL(response.headers.get("location")!);
  };
  const exchange = async (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    await request("/login/oauth/access_token", {
      method: "POST",
      headers,
      body: new URLSearchParams({ client_id: "app", client_secret: secret, redirect_uri, ...fields }),
    });
  const logIn = async (scope = "repo gist") => {
    const code = (await authorize({ scope })).searchParams.get("code")!;
    return await (await exchange({ code }, { accept: "application/json" })).json();
  };
  return { as, events, request, authorize, exchange, logIn, [Symbol.asyncDispose]: () => as.close() };
}

const warnings = (events: readonly TraceEvent[]) =>
  events.flatMap((event) => event.type === "warning" ? [event.explanation.received] : []);

test("github: the metadata is at the inserted form, and the callback has iss", async () => {
  await using provider = await github();
  const metadata = await (await provider.request("/.well-known/oauth-authorization-server/login/oauth")).json();
  assertEquals(
    [metadata.issuer, metadata.authorization_endpoint, metadata.token_endpoint],
    ["", "/authorize", "/access_token"].map((path) => `http://localhost:9000/login/oauth${path}`),
  );
  const callback = await provider.authorize();
  assertEquals([callback.searchParams.get("iss"), callback.searchParams.get("state")], [metadata.issuer, "st4te"]);
});

test("github: metadata has no members for what GitHub lacks, whatever is switched on, except those of the setting metadata", async () => {
  const own = { jwks_uri: "https://keys.example/jwks" };
  await using provider = await github({ mutualTls: {}, metadata: own });
  const metadata = await (await provider.request("/.well-known/oauth-authorization-server/login/oauth")).json();
  assertEquals(Object.keys(metadata).sort(), [
    ...["authorization_endpoint", "authorization_response_iss_parameter_supported", "code_challenge_methods_supported"],
    ...["device_authorization_endpoint", "grant_types_supported", "issuer", "jwks_uri", "response_modes_supported"],
    ...["response_types_supported", "scopes_supported", "token_endpoint", "token_endpoint_auth_methods_supported"],
  ]);
  assertEquals(metadata.jwks_uri, own.jwks_uri);
});

test("github@2025: the callback has no iss, and the rest is the same", async () => {
  await using provider = await github({ profile: "github@2025" });
  assertEquals((await provider.authorize()).searchParams.get("iss"), null);
  assertEquals((await provider.logIn("repo gist")).scope, "repo,gist");
  const headers = { authorization: `token ${(await provider.logIn()).access_token}` };
  assertEquals((await provider.request("/user", { headers })).status, 200);
});

test("github: a request needs no response_type, no scope and no PKCE, and scope may have commas", async () => {
  await using provider = await github();
  const code = (await provider.authorize({ scope: "repo,user:email" })).searchParams.get("code")!;
  assertEquals(warnings(provider.events), ["no response_type", "repo,user:email"]);
  const form = new URLSearchParams(await (await provider.exchange({ code })).text());
  assertEquals(form.get("scope"), "repo,user:email");
  const { scope, access_token } = await provider.logIn("");
  assertEquals(scope, "");
  assertMatch(access_token, /^gho_[\w-]{36,}$/);
});

test("github: the token response is a form unless the request accepts JSON; commas in scope; bearer in lower case", async () => {
  await using provider = await github();
  const code = (await provider.authorize({ scope: "repo gist" })).searchParams.get("code")!;
  const response = await provider.exchange({ code });
  assertMatch(response.headers.get("content-type")!, /^application\/x-www-form-urlencoded/);
  assertEquals([response.headers.get("cache-control"), response.headers.get("x-content-type-options")], [
    "no-store",
    "nosniff",
  ]);
  const form = new URLSearchParams(await response.text());
  assertEquals([...form.keys()].sort(), ["access_token", "scope", "token_type"]);
  assertEquals([form.get("scope"), form.get("token_type")], ["repo,gist", "bearer"]);
  const { access_token: _, ...others } = await provider.logIn();
  assertEquals(others, { token_type: "bearer", scope: "repo,gist" });
});

test("github: GitHub Apps get tokens that expire, and a refresh token that rotates", async () => {
  await using provider = await github();
  const code = (await provider.authorize({ client_id: "Iv1.app" })).searchParams.get("code")!;
  const json = { accept: "application/json" };
  const first = await provider.exchange({ client_id: "Iv1.app", code }, json);
  assert(!Number.isNaN(Date.parse(first.headers.get("date")!)));
  const tokens = await first.json();
  assertEquals([tokens.expires_in, tokens.refresh_token_expires_in], [28800, 15897600]);
  const refresh = { client_id: "Iv1.app", grant_type: "refresh_token", refresh_token: tokens.refresh_token };
  const second = await (await provider.exchange(refresh, json)).json();
  assert(second.refresh_token !== tokens.refresh_token);
  const { error } = await (await provider.exchange(refresh, json)).json();
  assertEquals(error, "bad_refresh_token");
});

test("github: JSON requests need no grant_type, and the log names both deviations", async () => {
  await using provider = await github();
  const code = (await provider.authorize({ response_type: "code" })).searchParams.get("code")!;
  const send = (body: unknown, type = "application/json") =>
    provider.request("/login/oauth/access_token", {
      method: "POST",
      headers: { "content-type": type, accept: "application/json" },
      body: JSON.stringify(body),
    });
  const members = { client_id: "app", client_secret: secret, redirect_uri, code };
  await forEachCase(
    [
      [{ ...members, code: [code] }, "application/json"],
      [[members], "application/json"],
      [members, "text/plain"],
    ] as const,
    async ([body, type]) => {
      assertEquals((await (await send(body, type)).json()).error, "invalid_request");
    },
  );
  const response = await send(members);
  assertEquals((await response.json()).token_type, "bearer");
  assertEquals(warnings(provider.events).slice(-2), ["application/json", "no grant_type"]);
});

test("github: errors have status 200, codes of GitHub, and no cache keeps them", async () => {
  const cases: [fields: Record<string, string>, error: string][] = [
    [{ code: "wrong" }, "bad_verification_code"],
    [{ client_secret: "wrong" }, "incorrect_client_credentials"],
    [{ redirect_uri: "https://app.example/other" }, "redirect_uri_mismatch"],
    [{ code_verifier: verifier.replace("d", "e") }, "bad_verification_code"],
  ];
  await forEachCase(cases, async ([fields, expected]) => {
    await using provider = await github();
    const pkce = { code_challenge: challenge, code_challenge_method: "S256" };
    const code = (await provider.authorize(pkce)).searchParams.get("code")!;
    const right = { code, redirect_uri, code_verifier: verifier };
    const response = await provider.exchange({ ...right, ...fields }, { accept: "application/json" });
    const { error, error_uri } = await response.json();
    assertEquals([response.status, error, response.headers.get("cache-control")], [200, expected, "no-store"]);
    assertEquals(response.headers.get("www-authenticate"), null);
    // The log and the page still have the rule of the standards.
    assert(provider.events.some((event) => event.type === "rejected"));
    assertMatch(error_uri, /^http:\/\/localhost:9000|^https:\/\/docs\.github\.com/);
  });
});

test("github: a redirect URI that is not registered is reported to the registered one, and to no other", async () => {
  await using provider = await github();
  const callback = await provider.authorize({ redirect_uri: "https://evil.example/cb" });
  assertEquals(`${callback.origin}${callback.pathname}`, redirect_uri);
  assertEquals([callback.searchParams.get("error"), callback.searchParams.get("state")], [
    "redirect_uri_mismatch",
    "st4te",
  ]);
  const unknown = await provider.request(
    "/login/oauth/authorize?client_id=unknown&redirect_uri=https://evil.example/cb",
  );
  assertEquals([unknown.status, unknown.headers.get("location")], [400, null]);
});

test("github: /user and /user/emails, at the root and below /api/v3, with either scheme", async () => {
  await using provider = await github();
  const { access_token } = await provider.logIn("user:email");
  for (const base of ["", "/api/v3"]) {
    for (const scheme of ["Bearer", "token"]) {
      const headers = { authorization: `${scheme} ${access_token}` };
      const user = await provider.request(`${base}/user`, { headers });
      const { login, id, email } = await user.json();
      assertEquals([login, id, email, user.headers.get("x-oauth-scopes")], ["octocat", 583231, null, "user:email"]);
      const emails = await (await provider.request(`${base}/user/emails`, { headers })).json();
      assertEquals(emails, [{ email: "octo@app.example", primary: true, verified: true, visibility: "private" }]);
    }
  }
  const other = { authorization: `Bearer ${(await provider.logIn("gist")).access_token}` };
  assertEquals((await provider.request("/user/emails", { headers: other })).status, 404);
  await forEachCase([{}, { authorization: "Bearer wrong" }], async (headers) => {
    const response = await provider.request("/user", { headers: headers as Record<string, string> });
    assertEquals([response.status, (await response.json()).message], [401, "Bad credentials"]);
  });
});

test("github: a user's own members, e-mail addresses for an App without a scope, the first of several callback URLs", async () => {
  const own = { login: "octo", id: 1, company: "@github", location: "SF", bio: "Hi", type: "Bot", html_url: "x:y" };
  const others = ["https://app.example/second", "https://app.example/third"];
  await using provider = await github({
    users: [{ ...users[0]!, ...own }],
    clients: clients.map((client) => ({ ...client, redirect_uris: [redirect_uri, ...others] })),
  });
  for (const [client_id, emails] of [["app", 404], ["Iv1.app", 200]] as const) {
    const response = await provider.request(`/login/oauth/authorize?client_id=${client_id}`);
    const callback = new URL(response.headers.get("location")!);
    assertEquals(callback.href.split("?")[0], redirect_uri);
    const code = callback.searchParams.get("code")!;
    const tokens = await provider.exchange({ client_id, code, redirect_uri: "" }, { accept: "application/json" });
    const { access_token, refresh_token, refresh_token_expires_in: seconds } = await tokens.json();
    assertEquals([refresh_token === undefined, seconds], emails === 404 ? [true, undefined] : [false, 15897600]);
    const headers = { authorization: `Bearer ${access_token}` };
    const user = await (await provider.request("/user", { headers })).json();
    assertEquals({ ...user, ...own }, user);
    assertEquals(user.email, null);
    assertEquals((await provider.request("/user/emails", { headers })).status, emails);
  }
});

test("github: a client sees and deletes its own tokens only", async () => {
  await using provider = await github();
  const { access_token } = await provider.logIn("gist");
  const call = (method: string, client: string, last = "token", password = secret, token: unknown = access_token) =>
    provider.request(`/applications/${client}/${last}`, {
      method,
      headers: { ...basic(client, password), "content-type": "application/json" },
      body: JSON.stringify({ access_token: token }),
    });
  const seen = await (await call("POST", "app")).json();
  assertEquals([seen.token, seen.scopes, seen.user.login], [access_token, ["gist"], "octocat"]);
  assertEquals([(await call("POST", "Iv1.app")).status, (await call("POST", "app", "token", "wrong")).status], [
    404,
    401,
  ]);
  assertEquals((await call("POST", "app", "token", secret, 7)).status, 404);
  assertEquals((await call("DELETE", "Iv1.app")).status, 404);
  const headers = { authorization: `Bearer ${access_token}` };
  assertEquals((await provider.request("/user", { headers })).status, 200);
  assertEquals((await call("DELETE", "app")).status, 204);
  assertEquals((await provider.request("/user", { headers })).status, 401);
  const { access_token: second } = await provider.logIn("gist");
  assertEquals((await call("DELETE", "app", "grant", secret, second)).status, 204);
  assertEquals((await call("POST", "app", "token", secret, second)).status, 404);
});

test("github: the API accepts a token that is bound to a key only with a proof, and none for another resource", async () => {
  await using provider = await github();
  const key = await clientKey();
  const origin = "http://localhost:9000";
  const seconds = Date.now() / 1000;
  const logIn = async (resource: Record<string, string>, headers: Record<string, string>) => {
    const code = (await provider.authorize(resource)).searchParams.get("code")!;
    const response = await provider.exchange({ code, ...resource }, { accept: "application/json", ...headers });
    return (await response.json()).access_token as string;
  };
  const bound = await logIn({}, { dpop: await proof(key, "POST", `${origin}/login/oauth/access_token`, seconds) });
  const getUser = async (headers: Record<string, string>) => (await provider.request("/user", { headers })).status;
  assertEquals(await getUser({ authorization: `Bearer ${bound}` }), 401);
  assertEquals(await getUser({ authorization: `token ${bound}` }), 401);
  const ath = await tokenDigest(bound);
  const dpop = await proof(key, "GET", `${origin}/user`, seconds, { claims: { ath } });
  assertEquals(await getUser({ authorization: `DPoP ${bound}`, dpop }), 200);
  const foreign = await logIn({ resource: "https://api.app.example" }, {});
  assertEquals(await getUser({ authorization: `Bearer ${foreign}` }), 401);
});
