/** The test browser: cookies, redirects, forms, and the redirect URI where it stops. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { scryptSync } from "node:crypto";
import { test } from "node:test";
import { formatPasswordDigest } from "../../src/server/config/password_digest.ts";
import { formatPersona, parsePersona } from "../../src/testing/persona.ts";
import { testBrowser } from "../../src/testing/browser/test_browser.ts";
import type { RequestParameters } from "../../src/client/parameters.ts";
import { challenge, forEachCase } from "../kit.ts";
import { LoginError, personaHeader, testIssuer } from "../../src/testing/mod.ts";
import { testLatchkey } from "./test_latchkey.ts";

const site = testIssuer;

/** The authorization request of a client. */
function requestOf(
  client: { client_id: string; redirect_uri: string },
  more: RequestParameters = {},
): RequestParameters {
  return {
    response_type: "code",
    client_id: client.client_id,
    redirect_uri: client.redirect_uri,
    scope: "openid read",
    state: "st4te",
    code_challenge: challenge,
    code_challenge_method: "S256",
    ...more,
  };
}

/** A browser with a scripted server, and the requests that it received. */
function scripted(response: (request: Request) => Response | Promise<Response>, now = () => 0) {
  const asked: Request[] = [];
  const agent = testBrowser({
    issuer: () => site,
    endpointUrl: (name) => `${site}/oauth2/${name}`,
    now,
    fetch: async (request) => {
      asked.push(request.clone() as Request);
      return await response(request);
    },
  });
  return { agent, asked };
}

/** The authorization request as an address. */
function addressOf(issuer: string, params: RequestParameters): string {
  return `${issuer}/oauth2/authorize?${new URLSearchParams(params as Record<string, string>)}`;
}

function page(body: string, status = 200): Response {
  return new Response(`<!doctype html><main>${body}</main>`, { status, headers: { "content-type": "text/html" } });
}

function redirect(location: string, ...cookies: readonly string[]): Response {
  return new Response(null, {
    status: 302,
    headers: [["location", location], ...cookies.map((line): [string, string] => ["set-cookie", line])],
  });
}

test("a browser returns what the redirect URI received, for parameters and for a URL", async () => {
  await using as = await testLatchkey();
  const client = as.client();
  const params = requestOf(client);
  for (const request of [params, addressOf(as.issuer, params), new URL(addressOf(as.issuer, params))]) {
    const callback = await as.browser().authorize(request);
    const { url, method, code, state, iss, error } = callback;
    assertEquals([method, state, iss, error], ["GET", "st4te", as.issuer, undefined]);
    assert(url.startsWith(`${client.redirect_uri}?code=${code}`));
    assertEquals([...callback.params.keys()], ["code", "state", "iss"]);
  }
});

test("a browser stops at every URL outside of the issuer, and at the requested redirect URI inside", async () => {
  await using as = await testLatchkey();
  const uris = [
    "com.example.app:/cb",
    "com.example.app://cb/x?y=1",
    "http://127.0.0.1:49152/cb",
    "https://latchkey.test.example/cb",
    `${site}/authorized`,
    `${site}/app?x=1`,
  ];
  await forEachCase(uris, async (redirect_uri) => {
    const { url, code } = await as.browser().authorize(requestOf(as.client({ redirect_uri })));
    assert(code !== undefined && url.startsWith(redirect_uri), url);
  });
  // An issuer with a path has neighbours on its host that are not its own.
  await using tenant = await testLatchkey({ issuer: "https://host.test/tenant" });
  const client = tenant.client({ redirect_uri: "https://host.test/tenants/cb" });
  const { url } = await tenant.browser().authorize(requestOf(client, { redirect_uri: undefined, scope: "read" }));
  assert(url.startsWith("https://host.test/tenants/cb?code="));
});

test("a browser submits the form_post page to the client", async () => {
  await using as = await testLatchkey();
  for (const redirect_uri of ["https://client.test/callback", `${site}/authorized`]) {
    const client = as.client({ redirect_uri });
    const state = `"><script>'&=+% ünï`;
    const request = requestOf(client, { response_mode: "form_post", state });
    const callback = await as.browser().authorize(request);
    assertEquals([callback.method, callback.url, callback.state], ["POST", redirect_uri, state]);
    assertEquals([...callback.params.keys()], ["code", "state", "iss"]);
    const { error, method, explanation } = await as.browser().authorize({ ...request, prompt: "none" });
    assertEquals([error, method, explanation?.rule], ["login_required", "POST", "OI-03"]);
  }
});

test("two browsers have two sessions, and each keeps its own", async () => {
  await using as = await testLatchkey();
  const client = as.client();
  const [one, other] = [as.browser({ as: "alice" }), as.browser({ as: "bob" })];
  const [first, second] = await Promise.all(
    [one, other].map((agent) => as.logIn(client, { browser: agent, as: undefined })),
  );
  assertEquals([first!.claims!.sub, second!.claims!.sub], ["alice", "bob"]);
  assert(first!.claims!.sid !== second!.claims!.sid);
  as.clock.advance(60);
  const again = await as.logIn(client, { browser: one, prompt: "none" });
  assertEquals([again.claims!.sub, again.claims!.sid], ["alice", first!.claims!.sid]);
  assertEquals(again.claims!.auth_time, first!.claims!.auth_time);
  const { error } = await as.browser().authorize(requestOf(client, { prompt: "none" }));
  assertEquals(error, "login_required");
});

test("cookies can be read and deleted, and a session ends with its cookie", async () => {
  await using as = await testLatchkey();
  const agent = as.browser();
  const client = as.client();
  await as.logIn(client, { browser: agent });
  const [cookie, ...others] = agent.cookies.all();
  assertEquals(others, []);
  const { name, origin, path, secure, httpOnly, sameSite } = cookie!;
  assertEquals({ name, origin, path, secure, httpOnly, sameSite }, {
    name: "__Host-latchkey_session",
    origin: site,
    path: "/",
    secure: true,
    httpOnly: true,
    sameSite: "Lax",
  });
  assertEquals(agent.cookies.get("__Host-latchkey_session"), cookie!.value);
  agent.cookies.clear();
  assertEquals((await agent.authorize(requestOf(client, { prompt: "none" }))).error, "login_required");
});

test("the storage state for Playwright has every attribute of each cookie that has not expired", async () => {
  let now = 0;
  const { agent } = scripted(
    () => redirect("https://client.test/cb", "a=1; Path=/x; HttpOnly; SameSite=none; Secure; Max-Age=60", 'b="2"'),
    () => now,
  );
  await agent.open("/oauth2/authorize");
  const common = { domain: "latchkey.test", expires: -1 };
  const first = { ...common, name: "a", value: "1", path: "/x", httpOnly: true, secure: true, sameSite: "None" };
  const second = {
    ...common,
    name: "b",
    value: '"2"',
    path: "/oauth2",
    httpOnly: false,
    secure: false,
    sameSite: "Lax",
  };
  assertEquals<unknown>(agent.storageState(), { cookies: [first, second], origins: [] });
  now = 60_000;
  assertEquals<unknown>(agent.storageState(), { cookies: [second], origins: [] });
});

test("the persona of a browser can deny, and can grant fewer scope values", async () => {
  await using as = await testLatchkey();
  const client = as.client();
  const denied = await as.browser({ deny: true }).authorize(requestOf(client));
  assertEquals([denied.error, denied.code, denied.state], ["access_denied", undefined, "st4te"]);
  const { error, callback, message } = await assertRejects(
    () => as.logIn(client, { as: "bob", deny: true }),
    LoginError,
  ) as LoginError;
  assertEquals([error, callback?.error], ["access_denied", "access_denied"]);
  assertMatch(message, /access_denied, .*\n +.*\n +expected: .*\n +received: bob/);
  const { tokens } = await as.logIn(client, { scope: "openid read write", denyScopes: ["write"] });
  assertEquals(tokens.scope, "openid read");
});

test("the persona header is parsed as it was formatted", () => {
  const users = [
    { as: "bøb & co", deny: true, denyScopes: ["a", "b"], denyDetails: ["payment"], acr: "mfa" },
    { as: "x", deny: false, denyScopes: [], denyDetails: [], acr: undefined },
  ];
  for (const user of users) {
    const headers = new Headers({ [personaHeader]: formatPersona(user)! });
    assertEquals(parsePersona({ headers }), user);
  }
  assertEquals([formatPersona({}), parsePersona({ headers: new Headers() })], [undefined, undefined]);
});

test("a browser logs out: with an ID token immediately, without one by confirming", async () => {
  await using as = await testLatchkey();
  const client = as.client();
  const agent = as.browser();
  const { tokens } = await as.logIn(client, { browser: agent });
  const goodbye = client.post_logout_redirect_uris![0]!;
  const farewell = await agent.logOut({ idToken: tokens.id_token, postLogoutRedirectUri: goodbye, state: "s" });
  assertEquals([farewell?.url, farewell?.state, agent.cookies.all()], [`${goodbye}?state=s`, "s", []]);
  await as.logIn(client, { browser: agent });
  assertEquals([await agent.logOut(), agent.cookies.all()], [undefined, []]);
  await as.logIn(client, { browser: agent });
  const clientId = client.client_id;
  assertEquals((await agent.logOut({ clientId, postLogoutRedirectUri: goodbye }))?.url, goodbye);
  const { explanation, status } = await assertRejects(
    () => agent.logOut({ idToken: tokens.id_token, postLogoutRedirectUri: "https://elsewhere.test/" }),
    LoginError,
  ) as LoginError;
  assertEquals([status, explanation !== undefined], [400, true]);
});

test("a browser opens pages of the server and of no other host", async () => {
  await using as = await testLatchkey();
  const agent = as.browser();
  assertEquals((await agent.open("/")).status, 200);
  assertEquals((await agent.open(`${site}/.well-known/openid-configuration`)).status, 200);
  const away = await agent.open(addressOf(as.issuer, requestOf(as.client())));
  assertEquals([away.status, agent.cookies.get("__Host-latchkey_session") !== undefined], [302, true]);
  await assertRejects(() => agent.open("https://elsewhere.test/"), TypeError, `expected a URL of ${site}`);
  await assertRejects(() => agent.authorize("https://elsewhere.test/"), TypeError, "received https://elsewhere.test/");
});

test("without an explanation of the server, the error quotes the page", async () => {
  await using as = await testLatchkey();
  const client = as.client();
  const { message, explanation, status } = await assertRejects(
    () =>
      testBrowser({ issuer: () => as.issuer, endpointUrl: (name) => `${as.issuer}/oauth2/${name}`, fetch: as.fetch })
        .authorize(
          requestOf(client, { redirect_uri: "https://elsewhere.test/" }),
        ),
    LoginError,
  ) as LoginError;
  assertEquals([explanation, status], [undefined, 400]);
  assertMatch(message, /not registered.*https:\/\/client\.test\/callback.*https:\/\/elsewhere\.test\/.*RU-01/s);
});

test("cookies are kept and sent as RFC 6265 says", async () => {
  let now = Date.UTC(2026, 0, 1);
  const lines = [
    "plain=1",
    "deep=2; Path=/a/b",
    "brief=3; Path=/; Max-Age=60; Expires=Thu, 01 Jan 2099 00:00:00 GMT",
    "dated=4; Path=/; Expires=Thu, 01 Jan 2026 00:00:30 GMT; HttpOnly; SameSite=Strict",
    "past=5; Path=/; Max-Age=0",
    'quoted="a=b"; path=/; SECURE',
    "=nameless",
    "nothing",
  ];
  const set = (...cookies: string[]) =>
    new Response(null, { headers: cookies.map((line): [string, string] => ["set-cookie", line]) });
  let next = set(...lines);
  const { agent, asked } = scripted(() => {
    const response = next;
    next = new Response();
    return response;
  }, () => now);
  const sentTo = async (path: string) => {
    await agent.open(path);
    return asked.at(-1)!.headers.get("cookie");
  };
  await agent.open("/a/x?y");
  assertEquals(agent.cookies.all().map(({ name }) => name), ["plain", "deep", "brief", "dated", "quoted"]);
  assertEquals(await sentTo("/a/b/c"), 'deep=2; plain=1; brief=3; dated=4; quoted="a=b"');
  assertEquals(await sentTo("/a/bc"), 'plain=1; brief=3; dated=4; quoted="a=b"');
  assertEquals(await sentTo("/ab"), 'brief=3; dated=4; quoted="a=b"');
  now += 30_000;
  assertEquals(await sentTo("/"), 'brief=3; quoted="a=b"');
  now += 30_000;
  assertEquals(await sentTo("/"), 'quoted="a=b"');
  next = set("quoted=; Path=/; Max-Age=0", "plain=other; Path=/elsewhere");
  await agent.open("/");
  assertEquals(await sentTo("/a/b"), "deep=2; plain=1");
  agent.cookies.clear("plain");
  assertEquals(agent.cookies.all().map(({ name }) => name), ["deep"]);
});

test("a Secure cookie is sent only over https and to loopback hosts", async () => {
  await forEachCase(
    [["http://latchkey.test", 0], ["http://localhost:8000", 1], ["http://127.0.0.1:8000", 1], [site, 1]] as const,
    async (
      [issuer, kept],
    ) => {
      const fetch = () => Promise.resolve(new Response(null, { headers: { "set-cookie": "a=1; Secure" } }));
      const agent = testBrowser({ issuer: () => issuer, endpointUrl: () => issuer, fetch });
      await agent.open("/");
      assertEquals(agent.cookies.all().length, kept);
    },
  );
});

test("a redirect sends cookies, and the body only with status 307 and 308", async () => {
  const { agent, asked } = scripted(({ url }) => {
    if (url.includes("/authorize")) return page(`<form method=post action="/oauth2/login"><button name=sub value=a>`);
    if (url.endsWith("/login")) return new Response(null, { status: 307, headers: { location: "/oauth2/again" } });
    if (url.endsWith("/again")) return redirect("step?x=1", "step=1; Path=/");
    return redirect("https://client.test/cb?code=c&x=%2B+%41#fragment");
  });
  const callback = await agent.authorize({});
  assertEquals(asked.map(({ method, url }) => `${method} ${url.slice(site.length)}`), [
    "GET /oauth2/authorize?",
    "POST /oauth2/login",
    "POST /oauth2/again",
    "GET /oauth2/step?x=1",
  ]);
  assertEquals(await asked[2]!.text(), "sub=a");
  assertEquals(asked[3]!.headers.get("cookie"), "step=1");
  assertEquals(callback.url, "https://client.test/cb?code=c&x=%2B+%41#fragment");
  assertEquals(Object.fromEntries(callback.params), { code: "c", x: "+ A" });
});

test("a browser stops after 20 redirects", async () => {
  const { agent } = scripted(() => redirect("/oauth2/authorize"));
  await assertRejects(() => agent.authorize({}), LoginError, "redirects more than 20 times");
  assertEquals((await agent.open("/")).status, 302);
});

const offers = `<form method="post" action="/oauth2/login">
  <input type="hidden" name="interaction" value="i&amp;1"><input type="hidden" name="form_token" value='t'>
  <button name="sub" value="alice">Alice</button><button name="sub" value="bob">Bob</button>
  <button type="button" name="sub" value="unknown"></button><input disabled name="off" value="x">
</form>
<form method="post" action="/oauth2/login"><input type="text" name="sub" value="bob">
  <label>Password <input type="password" name="password"></label><button>Log in</button></form>
<form method="post" action="/oauth2/login"><input name="subject"><textarea name="claims">
{}</textarea><button name="new" value="yes">Create</button></form>
<form method="post" action="/oauth2/login"><input type="hidden" name="form_token" value="t">
  <button name="cancel" value="yes">Cancel</button></form>
<form action="/search"><input name="sub" value="search"></form>
<!-- <form method="post"><button name="sub" value="comment"></form> -->`;

const consent = `<form method="post" action="/oauth2/consent"><input type="hidden" name="interaction" value="i&#38;2">
  <input type="checkbox" disabled value="openid" checked><input type="hidden" name="scope" value="openid"><input type="checkbox" name="scope" value="read" checked>
  <input type="checkbox" name="scope" value="write">
  <button name="decision" value="allow">Allow</button><button name="decision" value="deny">Deny</button></form>`;

/** A server that shows a login page, then a consent page, then sends the browser on; and the forms it was sent. */
function asking(login = offers, question = consent) {
  const { agent, asked } = scripted(({ url, method }) => {
    if (method === "GET") return page(login);
    return url.endsWith("/login") ? page(question) : redirect("https://client.test/cb?code=c");
  });
  const sent = () => Promise.all(asked.slice(1).map(async (request) => (await request.text()).replaceAll("%2C", ",")));
  return { agent, sent };
}

test("a browser submits the forms of login and consent, with their hidden fields and its choices", async () => {
  await forEachCase<[object, readonly string[]]>([
    [{}, ["interaction=i%261&form_token=t&sub=alice", "interaction=i%262&scope=openid&scope=read&decision=allow"]],
    [{ as: "bob", denyScopes: ["openid", "read"] }, [
      "interaction=i%261&form_token=t&sub=bob",
      "interaction=i%262&scope=openid&decision=allow",
    ]],
  ], async ([user, expected]) => {
    const { agent, sent } = asking();
    assertEquals((await agent.authorize({}, user)).code, "c");
    assertEquals(await sent(), expected);
  });
});

test("a page that cannot be submitted is a clear error", async () => {
  await forEachCase<[string, object, string]>([
    [
      offers,
      { as: "zoe" },
      "as zoe\n  users to pick: alice, bob\n  for a login by password: set password\n  for a new user: set as and claims",
    ],
    [
      "<form method=post><button name=sub value=a></form>",
      { as: "b", password: "p", claims: {} },
      "as b\n  users to pick: a",
    ],
    [
      "<h1>Sorry</h1><p>Closed &amp; gone</p>",
      {},
      "showed a page instead of redirecting to the client: status 200\n  Sorry Closed & gone",
    ],
  ], async ([login, user, expected]) => {
    await assertRejects(() => asking(login).agent.authorize({}, user), LoginError, expected);
  });
  const { agent } = scripted(() => page(`<p>Wrong password</p>${offers}`));
  await assertRejects(() => agent.authorize({}), LoginError, "asks to log in again: status 200\n  Wrong password");
});

test("a browser goes through the server's own pages of login and consent", async () => {
  await using as = await testLatchkey({ login: "interactive" });
  const client = as.client();
  const agent = as.browser({ as: "bob", denyScopes: ["email"] });
  const { tokens, claims } = await as.logIn(client, { browser: agent });
  assertEquals([claims!.sub, tokens.scope], ["bob", "openid profile"]);
  const { code } = await agent.authorize(requestOf(client, { scope: "openid profile", prompt: "consent" }));
  assert(code !== undefined);
  for (const agent of [as.browser({ deny: true }), as.browser()]) {
    // On the login page at first, and then, logged in, on the consent page.
    const { error, explanation } = await agent.authorize(requestOf(client), { deny: true });
    assertEquals([error, explanation?.rule], ["access_denied", "AZ-21"]);
    await agent.authorize(requestOf(client, { scope: "openid" }), { deny: false });
    const again = await agent.authorize(requestOf(client, { scope: "openid write" }), { deny: true });
    assertEquals([again.error, again.explanation?.received], ["access_denied", "Deny"]);
  }
  const { error } = await as.browser().authorize(requestOf(client, { prompt: "none", response_mode: "form_post" }));
  assertEquals(error, "login_required");
  const dora = await as.logIn(client, { as: "dora", claims: { name: "Dora" } });
  assertEquals(dora.claims!.sub, "dora");
  await assertRejects(() => as.logIn(client, { as: "zoe" }), LoginError, "users to pick: ");
});

test("a browser submits a password, and a wrong password is a clear error", async () => {
  const salt = new Uint8Array(16);
  const hash = new Uint8Array(scryptSync("c@rol & co", salt, 32, { N: 1024, r: 8, p: 1 }));
  const password = formatPasswordDigest({ ln: 10, r: 8, p: 1, salt, hash });
  await using as = await testLatchkey({ login: "interactive", users: [{ sub: "alice" }, { sub: "carol", password }] });
  const client = as.client();
  assertEquals((await as.logIn(client, { as: "carol", password: "c@rol & co" })).claims!.sub, "carol");
  assertEquals((await as.logIn(client, { as: "alice", password: "needs none" })).claims!.sub, "alice");
  const error = await assertRejects(() => as.logIn(client, { as: "carol", password: "c@rol" }), LoginError);
  assertEquals([error.status, error.explanation?.rule], [403, "UI-12"]);
  await assertRejects(() => as.logIn(client, { as: "carol" }), LoginError, "for a login by password: set password");
});
