/** What the profiles of providers must not break: tokens of earlier processes, other clients' origins, odd texts. */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import type { LatchkeyOptions } from "../../../src/mod.ts";
import type { TraceEvent } from "../../../src/server/trace.ts";
import { decodeJwtPart } from "../../../src/platform/http/jwt_part.ts";
import { testLatchkey } from "../../testing/test_latchkey.ts";
import { basic, challenge, forEachCase, sharedStore, verifier } from "../../kit.ts";
import { latchkey } from "../../secret_leak_check.ts";

const redirect_uri = "https://app.example/cb";
const client_secret = "a-secret-of-32-characters-or-more";
const clients = [
  { client_id: "app", application_type: "native" as const, redirect_uris: [redirect_uri] },
  { client_id: "web", client_secret, redirect_uris: ["https://other.example/cb"] },
];
const users = [{ sub: "00u1", preferred_username: "alice@app.example" }];

/** Logs in at a server; `send` requests a path of it. */
async function start(options: LatchkeyOptions) {
  const as = await latchkey({ clients, users, ...options });
  const send = (path: string, init: RequestInit = {}) =>
    as.fetch(new Request(new URL(as.issuer).origin + path, { redirect: "manual", ...init }));
  const logIn = async (paths: { readonly authorize: string; readonly token: string }, scope?: string) => {
    const query = new URLSearchParams({
      ...{ response_type: "code", client_id: "app", redirect_uri, state: "s", ...scope !== undefined && { scope } },
      ...{ code_challenge: challenge, code_challenge_method: "S256" },
    });
    const redirect = await send(`${paths.authorize}?${query}`);
    const code = new URL(redirect.headers.get("location")!).searchParams.get("code")!;
    const body = new URLSearchParams({
      ...{ grant_type: "authorization_code", client_id: "app", redirect_uri, code, code_verifier: verifier },
    });
    const response = await send(paths.token, { method: "POST", body, headers: { accept: "application/json" } });
    return { tokens: await response.json(), cookie: redirect.headers.get("set-cookie")?.split(";")[0] ?? "" };
  };
  return { as, send, logIn, [Symbol.asyncDispose]: () => as.close() };
}

test("a token whose shape hides claims stays valid after a restart, as a JWT and opaque", async () => {
  await forEachCase(
    [
      ["okta", "/oauth2/default/v1", "/authorize", "/token", "/userinfo", "/introspect"],
      ["keycloak", "/realms/myrealm/protocol/openid-connect", "/auth", "/token", "/userinfo", "/token/introspect"],
      ["cognito", "/oauth2", "/authorize", "/token", "/userInfo", undefined],
    ] as const,
    async ([profile, base, authorize, token, userinfo, introspect]) => {
      for (const access_token_format of ["jwt", "opaque"] as const) {
        const store = sharedStore();
        const options = { profile, store, clients: [{ ...clients[0]!, access_token_format }, clients[1]!] };
        await using before = await start(options);
        const { tokens } = await before.logIn({ authorize: base + authorize, token: base + token }, "openid");
        await using after = await start(options);
        const authorization = `Bearer ${tokens.access_token}`;
        const response = await after.send(base + userinfo, { headers: { authorization } });
        assertEquals([response.status, (await response.json()).sub], [200, "00u1"]);
        if (introspect === undefined) continue;
        const inspected = await after.send(base + introspect, {
          method: "POST",
          headers: basic("web", client_secret),
          body: new URLSearchParams({ token: tokens.access_token }),
        });
        const { active, client_id, scope } = await inspected.json();
        assertEquals([active, client_id, scope?.split(" ")[0]], [true, "app", "openid"]);
      }
    },
  );
});

test("a test changes the sub of an access token of okta, and the server still knows its user", async () => {
  await using as = await testLatchkey({ profile: "okta", users });
  const client = as.client();
  as.issue.nextAccessToken({ sub: "another" });
  const { tokens } = await as.logIn(client, { scope: "openid" });
  const authorization = `Bearer ${tokens.access_token}`;
  const response = await as.fetch(`${as.issuer}/v1/userinfo`, { headers: { authorization } });
  assertEquals([response.status, (await response.json()).sub], [200, "00u1"]);
});

test("keycloak: a page may send cookies only to get what its own client gets; no endpoint with CORS reads them", async () => {
  await using server = await start({ profile: "keycloak" });
  const base = "/realms/myrealm/protocol/openid-connect";
  const { tokens, cookie } = await server.logIn({ authorize: `${base}/auth`, token: `${base}/token` }, "openid");
  const from = (origin: string) => ({ origin, cookie });
  const body = new URLSearchParams({ grant_type: "refresh_token", client_id: "app", refresh_token: "x" });
  const credentials = async (path: string, init: RequestInit) => {
    const { headers } = await server.send(path, init);
    return [headers.get("access-control-allow-origin"), headers.get("access-control-allow-credentials")];
  };
  const own = { method: "POST", body, headers: from("https://app.example") };
  assertEquals(await credentials(`${base}/token`, own), ["https://app.example", "true"]);
  const other = { method: "POST", body, headers: from("https://other.example") };
  assertEquals(await credentials(`${base}/token`, other), ["*", null]);
  const authorize = new URLSearchParams({ client_id: "app", redirect_uri, response_type: "code", scope: "openid" });
  assertEquals(await credentials(`${base}/auth?${authorize}`, { headers: from("https://app.example") }), [null, null]);
  for (const path of ["/userinfo", "/token/introspect", "/revoke", "/certs"]) {
    const method = path === "/userinfo" || path === "/certs" ? "GET" : "POST";
    const read = async (headers: Record<string, string>) => {
      const response = await server.send(base + path, { method, headers, ...method === "POST" && { body } });
      return [response.status, await response.text()];
    };
    assertEquals(await read(from("https://other.example")), await read({ origin: "https://other.example" }), path);
  }
  assertEquals(typeof tokens.access_token, "string");
});

test("a user with a lone surrogate causes no error at the APIs of providers", async () => {
  const odd = [{
    sub: "00u1",
    preferred_username: "x\udfff",
    name: "\ud800 y",
    hd: "\ud800",
    email: "a@app.example",
  }];
  await using server = await start({ profile: "github", users: odd });
  const { tokens } = await server.logIn({
    authorize: "/login/oauth/authorize",
    token: "/login/oauth/access_token",
  }, "user");
  const headers = { authorization: `token ${tokens.access_token}` };
  const response = await server.send("/user", { headers });
  assertEquals([response.status, (await response.json()).login], [200, "x\udfff"]);
  await using entra = await start({ profile: "entra", users: odd });
  const tenant = new URL(entra.as.issuer).pathname.split("/")[1];
  const base = `/${tenant}/oauth2/v2.0`;
  const atEntra = await entra.logIn({ authorize: `${base}/authorize`, token: `${base}/token` }, "openid profile");
  assertEquals(decodeJwtPart(atEntra.tokens.id_token, 1).preferred_username, "x\udfff");
  await using google = await start({ profile: "google", users: odd });
  const atGoogle = await google.logIn({ authorize: "/o/oauth2/v2/auth", token: "/token" }, "openid email");
  assertEquals(typeof atGoogle.tokens.id_token, "string");
});

test("a part of a text that is no JWT decodes to no claims, whatever it is", () => {
  const encode = (text: string) => btoa(text).replaceAll("=", "");
  const hostile = [
    ...["", ".", "..", "\ud800.\ud800", "%.%", "a.\0", `.${encode("null")}`, `.${encode('"text"')}`, `.${encode("1")}`],
    ...[
      `.${encode("[".repeat(50_000))}`,
      `.${encode("{".repeat(1000))}`,
      `.${"A".repeat(100_000)}`,
      `.${encode("\xff{}")}`,
    ],
  ];
  for (const text of hostile) assertEquals(decodeJwtPart(text, 1), {}, text.slice(0, 20));
  const { toString, ...own } = decodeJwtPart(`.${encode('{"__proto__":{"oid":"x"},"sub":"y"}')}`, 1);
  assertEquals([typeof toString, own.oid, own.sub], ["function", undefined, "y"]);
});

test("the root of a host leads to the home page below the path of the issuer", async () => {
  await using server = await start({ profile: "okta" });
  const response = await server.send("/");
  assertEquals([response.status, response.headers.get("location")], [302, "/oauth2/default/"]);
});

test("the missing iss of a profile causes no warning at the start, that of a setting does", async () => {
  const metadata = { authorization_response_iss_parameter_supported: null };
  await forEachCase([[{ profile: "okta" as const }, 0], [{ metadata }, 1]] as const, async ([options, count]) => {
    const events: TraceEvent[] = [];
    await using server = await start({ ...options, trace: (event) => void events.push(event) });
    await server.as.listen({ port: 0 });
    assertEquals(events.filter((event) => event.type === "configuration_warning").length, count);
  });
});

test("members of a user with any values cause no error at the server of a profile", async () => {
  const odd = { toString: 1, valueOf: null };
  const user = {
    ...{ sub: "00u1", name: odd, email: odd, email_verified: odd, phone_number_verified: odd, preferred_username: odd },
    ...{ updated_at: 1e300, groups: [odd, "a/b"], orgs: [odd], address: odd },
  };
  await forEachCase(
    [
      ["auth0", "/authorize", "/oauth/token", ["/userinfo"]],
      ["cognito", "/oauth2/authorize", "/oauth2/token", ["/oauth2/userInfo"]],
      ["entra", "/common/oauth2/v2.0/authorize", "/common/oauth2/v2.0/token", ["/v1.0/me", "/v1.0/me/memberOf"]],
      ["github", "/login/oauth/authorize", "/login/oauth/access_token", ["/user", "/user/orgs", "/user/teams"]],
    ] as const,
    async ([profile, authorize, token, paths]) => {
      await using server = await start({ profile, users: [user as unknown as { sub: string }] });
      const scope = profile === "github" ? "read:org" : "openid profile email";
      const { tokens } = await server.logIn({ authorize, token }, scope);
      const headers = { authorization: `Bearer ${tokens.access_token}` };
      const statuses = await Promise.all(paths.map(async (path) => (await server.send(path, { headers })).status));
      assertEquals(statuses, paths.map(() => 200));
    },
  );
});
