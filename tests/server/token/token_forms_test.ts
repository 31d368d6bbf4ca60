/** The forms of tokens: opaque or JWT, and whose approval they rest on (IN, AZ). */

import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { type Approver, autoApprover } from "../../../src/mod.ts";
import { sqliteStore } from "../../../src/core/store/sqlite.ts";
import {
  assertTokenResponse,
  basic,
  decodeClaims,
  forEachCase,
  getOutcome,
  getRedirectParams,
  type ListedOptions,
  observedStore,
  testServer,
} from "../../kit.ts";
import type { Fields } from "../../kit.ts";
import { type LoginTokens, openBrowser } from "../browser.ts";
import { fetchIntrospection, refresh, userinfo } from "../client_endpoints.ts";

const folder = mkdtempSync(join(tmpdir(), "latchkey-forms-"));
after(() => rmSync(folder, { recursive: true }));

const refreshing = ["authorization_code", "refresh_token"];
const cb = "https://spa.example/cb";

const severalUsers: ListedOptions = {
  clients: [
    { client_id: "spa", redirect_uris: [cb], grant_types: refreshing },
    { client_id: "opaque", redirect_uris: [cb], grant_types: refreshing, access_token_format: "opaque" },
    {
      client_id: "machine",
      client_secret: "machine-secret",
      grant_types: ["client_credentials"],
      access_token_format: "opaque",
    },
    { client_id: "api", client_secret: "api-secret", grant_types: [], serves: ["https://api.example"] },
    { client_id: "nosy", client_secret: "nosy-secret", grant_types: [] },
  ],
  resources: [
    { uri: "https://api.example" },
    { uri: "https://closed.example", access_token_format: "opaque" },
    { uri: "https://as.test" },
  ],
  users: [{ sub: "alice", name: "Alice Adams" }, { sub: "bob" }],
};

test("[IN-03] an opaque token has 256 random bits, no dot, and is unique", async () => {
  const b = await testServer(severalUsers);
  const tokens = await Promise.all(
    Array.from({ length: 50 }, async () => (await openBrowser(b).login({ client_id: "opaque" })).access_token),
  );
  for (const token of tokens) assertMatch(token, /^[A-Za-z0-9_-]{43}$/);
  assertEquals(new Set(tokens).size, 50);
});

test("[IN-03] a token is opaque if the client or one of the resources is registered so", async () => {
  const b = await testServer(severalUsers);
  const isOpaque = ({ access_token }: { access_token: string }) => !access_token.includes(".");
  const cases: [Fields, boolean][] = [
    [{}, false],
    [{ client_id: "opaque" }, true],
    [{ resource: "https://api.example" }, false],
    [{ resource: "https://closed.example" }, true],
    [{ resource: "https://CLOSED.example/" }, true],
    [{ resource: ["https://api.example", "https://closed.example"] }, true],
    [{ resource: "https://api.example", client_id: "opaque" }, true],
  ];
  await forEachCase(cases, async ([fields, opaque]) => {
    const client = fields.client_id ?? "spa";
    const tokens = await openBrowser(b).login(fields);
    assertEquals(isOpaque(tokens), opaque);
    assertEquals(
      isOpaque(await assertTokenResponse(await refresh(b, tokens.refresh_token, { client_id: client }))),
      opaque,
    );
    assertEquals(decodeClaims(tokens.id_token).aud, client);
  });
  const both = await openBrowser(b).login({ resource: ["https://api.example", "https://closed.example"] });
  const narrow = await assertTokenResponse(await refresh(b, both.refresh_token, { resource: "https://api.example" }));
  assertEquals(isOpaque(narrow), false);
});

test("[IN-03] introspection returns the same for an opaque token as for a JWT, and as the JWT itself", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const resource = "https://api.example";
  const jwt = await browser.login({ resource });
  const opaque = await browser.login({ resource, client_id: "opaque" });
  const [known, shown] = [
    await fetchIntrospection(b, jwt.access_token),
    await fetchIntrospection(b, opaque.access_token),
  ];
  const { jti, ...claims } = decodeClaims(jwt.access_token);
  assertEquals(known, { active: true, token_type: "Bearer", ...claims, jti });
  assertEquals({ ...shown, client_id: "spa", jti }, known);
  assertNotEquals(shown.jti, jti);
});

test("[IN-02] an opaque token may be introspected by its client, by its resource server, and by all for the default audience", async () => {
  const b = await testServer(severalUsers);
  const forApi = (await openBrowser(b).login({ client_id: "opaque", resource: "https://api.example" })).access_token;
  const forServer = (await openBrowser(b).login({ client_id: "opaque" })).access_token;
  const forClosed =
    (await openBrowser(b).login({ client_id: "opaque", resource: "https://closed.example" })).access_token;
  const active = async (token: string, id: string) => (await fetchIntrospection(b, token, id)).active;
  assertEquals([await active(forApi, "api"), await active(forApi, "nosy")], [true, false]);
  assertEquals([await active(forServer, "api"), await active(forServer, "nosy")], [true, true]);
  assertEquals([await active(forClosed, "api"), await active(forClosed, "nosy")], [false, false]);
  assertEquals(await fetchIntrospection(b, forClosed, "nosy"), { active: false });
});

test("[US-01, US-03] userinfo accepts an opaque token like a JWT, until it expires", async () => {
  const b = await testServer({ ...severalUsers, lifetimes: { access_token: 100 } });
  const { access_token } = await openBrowser(b).login({ client_id: "opaque", scope: "openid profile" });
  assertEquals(await (await userinfo(b, access_token)).json(), { sub: "alice", name: "Alice Adams" });
  assertEquals((await b.post("/oauth2/userinfo", { access_token })).status, 200);
  assertEquals((await userinfo(b, access_token.toLowerCase())).status, 401);
  b.advance(99);
  assertEquals((await userinfo(b, access_token)).status, 200);
  b.advance(1);
  assertEquals((await userinfo(b, access_token)).status, 401);
  assertEquals(await fetchIntrospection(b, access_token), { active: false });
});

test("[US-03, RI-03] an opaque token for another resource, or without openid, is rejected like a JWT", async () => {
  const b = await testServer(severalUsers);
  const { access_token } = await openBrowser(b).login({ client_id: "opaque", resource: "https://api.example" });
  assertEquals((await userinfo(b, access_token)).status, 401);
  const { access_token: plain } = await openBrowser(b).login({ client_id: "opaque", scope: "read" });
  assertEquals((await userinfo(b, plain)).status, 403);
});

test("[RV-05, CI-06, RT-04] an opaque token ends with its revocation and with its grant", async () => {
  const b = await testServer(severalUsers);
  const gone = async (token: string) => {
    assertEquals((await userinfo(b, token)).status, 401);
    assertEquals(await fetchIntrospection(b, token), { active: false });
  };
  const one = await openBrowser(b).login({ client_id: "opaque" });
  const two = await openBrowser(b).login({ client_id: "opaque" });
  assertEquals((await b.post("/oauth2/revoke", { token: one.access_token, client_id: "spa" })).status, 200);
  assertEquals((await userinfo(b, one.access_token)).status, 200);
  assertEquals((await b.post("/oauth2/revoke", { token: one.access_token, client_id: "opaque" })).status, 200);
  await gone(one.access_token);
  await assertTokenResponse(await refresh(b, one.refresh_token, { client_id: "opaque" }));
  const next = await assertTokenResponse(await refresh(b, two.refresh_token, { client_id: "opaque" }));
  assertEquals(await getOutcome(await refresh(b, two.refresh_token, { client_id: "opaque" })), "400 invalid_grant");
  await gone(two.access_token);
  await gone(next.access_token);
  const code = await b.code({ client_id: "opaque" });
  const three = await assertTokenResponse(await b.token({ client_id: "opaque", code }));
  assertEquals(await getOutcome(await b.token({ client_id: "opaque", code })), "400 invalid_grant");
  await gone(three.access_token);
});

test("[IN-03, JK-05] opaque tokens survive a restart on SQLite, and the store contains none of them", async () => {
  const path = join(folder, "opaque.db");
  const start = async (observe: (text: string) => void = () => {}) =>
    await testServer({
      ...severalUsers,
      store: observedStore(await sqliteStore(path), (_, args) => observe(JSON.stringify(args))),
    });
  let received = "";
  const one = await start((text) => received += text);
  const { access_token, refresh_token } = await openBrowser(one).login({ client_id: "opaque" });
  await one.as.close();
  assert(!received.includes(access_token) && !received.includes(refresh_token), "a token was stored as it is");
  const two = await start();
  assertEquals((await userinfo(two, access_token)).status, 200);
  assertEquals((await fetchIntrospection(two, access_token)).sub, "alice");
  await two.as.close();
});

test("[CC-03, IN-03] an opaque client_credentials token has the client and no user", async () => {
  const b = await testServer({ ...severalUsers, users: [{ sub: "machine" }] });
  const { access_token } = await assertTokenResponse(
    await b.post(
      "/oauth2/token",
      { grant_type: "client_credentials", scope: "read" },
      basic("machine", "machine-secret"),
    ),
  );
  const { sub, client_id, auth_time, sid } = await fetchIntrospection(b, access_token);
  assertEquals([sub, client_id, auth_time, sid], ["machine", "machine", undefined, undefined]);
  assertMatch(String((await userinfo(b, access_token)).status), /^40[13]$/);
});

test("[BR-03] other kinds of tokens, and parts of a token, are rejected as opaque access tokens", async () => {
  const b = await testServer(severalUsers);
  const { access_token, refresh_token, id_token } = await openBrowser(b).login({ client_id: "opaque" });
  const code = await b.code({ client_id: "opaque" });
  const [first = "", middle = ""] = id_token.split(".");
  await forEachCase([
    refresh_token,
    id_token,
    code,
    access_token.slice(1),
    `${access_token}.`,
    `${access_token}A`,
    first,
    middle,
  ], async (token) => {
    assertEquals((await userinfo(b, token)).status, 401);
    if (token !== refresh_token) assertEquals(await fetchIntrospection(b, token), { active: false });
  });
});

const subOf = ({ id_token }: { id_token: string }) => decodeClaims(id_token).sub as string;

/** Asks once: shows a page that sets a cookie with the user. */
const byCookie: Approver = (request, { session, users, now, httpRequest }) => {
  const user = users.known().get(/\buser=(\w+)/.exec(httpRequest.headers.get("cookie") ?? "")?.[1] ?? "");
  if (user === undefined) return new Response("Who are you?", { status: 200, headers: { "set-cookie": "asked=1" } });
  const scope = request.scope.filter((value) => value !== "write");
  return { user, scope, authTime: session?.sub === user.sub ? session.authTime : now() };
};

test("[AZ-18, OI-03] a custom approver asks first, then a session starts, and the response continues with it", async () => {
  const b = await testServer({ ...severalUsers, approver: byCookie });
  const browser = openBrowser(b);
  const page = await browser.authorize();
  assertEquals([page.status, await page.text(), page.headers.get("cache-control")], [200, "Who are you?", "no-store"]);
  assertEquals(await browser.authorizeSilently(), "login_required");
  browser.cookies.set("user", "bob");
  const first = await browser.login({ scope: "openid read write" });
  assertEquals([subOf(first), first.scope], ["bob", "openid read"]);
  b.advance(30);
  assertEquals(await browser.authorizeSilently(), "code");
  const { auth_time, sid } = decodeClaims((await browser.login()).id_token);
  assertEquals([auth_time, sid], [decodeClaims(first.id_token).auth_time, decodeClaims(first.id_token).sid]);
});

test("[OI-04, OI-05, UI-07] an approver sees no session if a new login is required, and starts another", async () => {
  const seen: (string | undefined)[] = [];
  const approver: Approver = (request, at) => {
    seen.push(at.session?.sub);
    return byCookie(request, at);
  };
  const b = await testServer({ ...severalUsers, approver });
  const browser = openBrowser(b, [["user", "bob"]]);
  const first = decodeClaims((await browser.login()).id_token);
  b.advance(10);
  await browser.login();
  const again = decodeClaims((await browser.login({ prompt: "login" })).id_token);
  const old = decodeClaims((await browser.login({ max_age: "0" })).id_token);
  assertEquals(seen, [undefined, "bob", undefined, undefined]);
  assertEquals([again.auth_time, old.auth_time], [first.auth_time as number + 10, again.auth_time]);
  assertEquals(new Set([first.sid, again.sid, old.sid]).size, 3);
});

test("[OI-03, OI-07] an approver cannot satisfy prompt=none or a hint with another user", async () => {
  const b = await testServer({ ...severalUsers, approver: byCookie });
  const browser = openBrowser(b, [["user", "bob"]]);
  const { id_token: id_token_hint } = await browser.login();
  browser.cookies.set("user", "alice");
  const result = getRedirectParams(await browser.authorize({ id_token_hint }));
  assertEquals([result.get("error"), result.get("code")], ["access_denied", null]);
  assertNotEquals(await browser.authorizeSilently({ id_token_hint }), "code");
});

test("[OI-03] with prompt=none an approver cannot log in another user than that of the session", async () => {
  const b = await testServer({ ...severalUsers, approver: byCookie });
  const browser = openBrowser(b, [["user", "bob"]]);
  await browser.login();
  browser.cookies.set("user", "alice");
  const response = await browser.authorize({ prompt: "none" });
  assertEquals([getRedirectParams(response).get("code"), response.headers.getSetCookie()], [null, []]);
  assertEquals(subOf(await browser.login()), "alice");
});

test("[AZ-18] the built-in approver can be wrapped, and its grant narrowed", async () => {
  const approver: Approver = async (request, at) => {
    const approval = await autoApprover(request, at);
    return approval instanceof Response
      ? approval
      : { ...approval, scope: approval.scope.filter((one) => one !== "read") };
  };
  const b = await testServer({ ...severalUsers, approver });
  const browser = openBrowser(b);
  const tokens = await browser.login({ scope: "openid read write" });
  assertEquals([tokens.scope, await browser.authorizeSilently()], ["openid write", "code"]);
  const next = await assertTokenResponse(await refresh(b, tokens.refresh_token));
  assertEquals(next.scope, "openid write");
  assertEquals(
    await getOutcome(await refresh(b, (next as LoginTokens).refresh_token, { scope: "read" })),
    "400 invalid_scope",
  );
});
