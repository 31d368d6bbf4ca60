/**
 * Logout: who may end a session, where the browser goes afterwards, and what is over then (group LO).
 *
 * @extensions client_documents, pairwise, registration
 */

import { assert, assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import { SignJWT } from "jose";
import { Buffer } from "node:buffer";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { LatchkeyOptions } from "../../../src/mod.ts";
import { sqliteStore } from "../../../src/core/store/sqlite.ts";
import {
  assertPage,
  assertTokenResponse,
  basic,
  decodeClaims,
  encode,
  forEachCase,
  getOutcome,
  getRedirectParams,
  getRejections,
  type ListedOptions,
  testServer,
} from "../../kit.ts";
import type { Fields, TestServer } from "../../kit.ts";
import { assertPageWithForm, type Browser, getForm, openBrowser, sessionCookie } from "../browser.ts";
import { register } from "../registering.ts";
import { refresh } from "../client_endpoints.ts";

const folder = mkdtempSync(join(tmpdir(), "latchkey-logout-"));
after(() => rmSync(folder, { recursive: true }));

const refreshing = { redirect_uris: ["https://spa.example/cb"], grant_types: ["authorization_code", "refresh_token"] };
const bye = "https://spa.example/bye";

const severalUsers: ListedOptions = {
  clients: [
    { client_id: "spa", ...refreshing, post_logout_redirect_uris: [bye, `${bye}?from=as&x`, "com.example.app:/bye"] },
    { client_id: "other", ...refreshing, post_logout_redirect_uris: ["https://other.example/bye"] },
    { client_id: "silent", ...refreshing },
    {
      client_id: "web",
      client_secret: "web-secret",
      redirect_uris: ["https://spa.example/cb"],
      grant_types: ["authorization_code", "refresh_token"],
    },
    {
      client_id: "named",
      client_name: `<img src=x onerror=alert(1)>"'`,
      ...refreshing,
      post_logout_redirect_uris: [bye],
    },
  ],
  users: [{ sub: "alice", name: "Alice <b>Adams</b>" }, { sub: "bob" }],
};

function logout(browser: Browser, fields: Fields = {}): Promise<Response> {
  return browser.get(`/oauth2/logout?${encode(fields)}`);
}

/** Asserts the page that says that one is logged out. */
async function assertLoggedOut(response: Response): Promise<void> {
  assertStringIncludes(await assertPage(response, 200), "You are logged out");
}

/** Asserts the confirmation page, and returns the fields of its form. */
async function asked(response: Response, ...hostile: string[]): Promise<Record<string, string>> {
  const { action, body, html } = await assertPageWithForm(response, ...hostile);
  assertStringIncludes(html, "Log out?");
  assertEquals(action, "/oauth2/logout");
  return Object.fromEntries(new URLSearchParams(body));
}

test("[LO-01] without a hint, or with one of another session, logout asks the user, who stays logged in until the confirmation", async () => {
  const b = await testServer(severalUsers);
  const elsewhere = await openBrowser(b).login();
  await forEachCase(
    [
      {},
      { client_id: "spa" },
      { state: "s" },
      { logout_hint: "alice" },
      { id_token_hint: elsewhere.id_token },
      {
        client_id: "spa",
        post_logout_redirect_uri: bye,
      },
      { ui_locales: "de" },
      { confirm: "" },
    ] as Fields[],
    async (fields) => {
      const browser = openBrowser(b);
      await browser.login();
      const first = await logout(browser, fields);
      assertEquals(first.headers.getSetCookie(), []);
      await asked(first);
      const again = await browser.post("/oauth2/logout", fields);
      assertEquals(again.headers.getSetCookie(), []);
      const form = await asked(again);
      assertEquals(await browser.authorizeSilently(), "code");
      const result = await browser.post("/oauth2/logout", form);
      if (fields.post_logout_redirect_uri) assertEquals(result.headers.get("location"), bye);
      else await assertLoggedOut(result);
      assertEquals([await browser.authorizeSilently(), browser.cookies.has(sessionCookie)], ["login_required", false]);
    },
  );
});

test("[LO-01] with a hint of the current session logout needs no confirmation, by GET and by POST", async () => {
  const b = await testServer(severalUsers);
  await forEachCase(["GET", "POST"], async (method) => {
    const browser = openBrowser(b);
    const { id_token: id_token_hint } = await browser.login();
    const result = method === "GET"
      ? await logout(browser, { id_token_hint })
      : await browser.post("/oauth2/logout", { id_token_hint });
    await assertLoggedOut(result);
    assertEquals(await browser.authorizeSilently(), "login_required");
  });
});

test("[LO-01] without a session logout needs no confirmation, by GET and by POST, and again after logout", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  await assertLoggedOut(await logout(browser));
  await assertLoggedOut(await browser.post("/oauth2/logout", {}));
  const { id_token: id_token_hint } = await browser.login();
  for (let i = 0; i < 2; i++) {
    const result = await logout(browser, { id_token_hint, post_logout_redirect_uri: bye });
    assertEquals([result.status, result.headers.get("location")], [302, bye]);
  }
  await assertLoggedOut(await logout(openBrowser(b, [[sessionCookie, "x.y"]])));
});

test("[LO-01] a form posted by another site without cookies ends no session", async () => {
  const b = await testServer(severalUsers);
  const attacks: Fields[] = [{}, { client_id: "spa" }, { client_id: "spa", post_logout_redirect_uri: bye }, {
    confirm: "x",
  }];
  await forEachCase(attacks, async (fields) => {
    const browser = openBrowser(b);
    await browser.login();
    await browser.post("/oauth2/logout", fields, "elsewhere");
    assertEquals([browser.cookies.has(sessionCookie), await browser.authorizeSilently()], [true, "code"]);
  });
});

test("[LO-01, LO-05] a client that posts the hint without cookies ends the session", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const { id_token: id_token_hint, refresh_token } = await browser.login();
  const cookie = browser.cookies.get(sessionCookie)!;
  const result = await browser.post("/oauth2/logout", { id_token_hint }, "elsewhere");
  // A server may send the browser to itself first, where the cookie comes along.
  const location = result.headers.get("location");
  if (location !== null) await browser.get(location.replace("https://as.test", ""));
  assertEquals(await openBrowser(b, [[sessionCookie, cookie]]).authorizeSilently(), "login_required");
  assertEquals(await getOutcome(await refresh(b, refresh_token)), "400 invalid_grant");
});

test("[LO-01, UI-04] an invalid confirmation or one of another session is 403, and the session continues", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  await browser.login();
  const { confirm } = await asked(await logout(browser));
  assertMatch(confirm!, /^[A-Za-z0-9_-]{22,}$/);
  const others = [openBrowser(b), openBrowser(b)];
  await others[0]!.login();
  await others[1]!.login({ login_hint: "bob" });
  const foreign = await Promise.all(others.map(async (other) => (await asked(await logout(other))).confirm!));
  const former = openBrowser(b, browser.cookies);
  const stale = (await asked(await logout(former))).confirm!;
  await former.login({ prompt: "login" });
  const seal = browser.cookies.get(sessionCookie)!.split(".")[1]!;
  const wrong = [
    ...[
      "x",
      "true",
      "1",
      confirm!.slice(1),
      confirm!.slice(0, -1),
      `${confirm}A`,
      ` ${confirm}`,
      confirm!.toLowerCase(),
    ],
    ...[`${confirm!.slice(0, -1)}${confirm!.endsWith("A") ? "B" : "A"}`, seal, "a".repeat(10_000), ...foreign],
  ];
  await forEachCase(wrong, async (value) => {
    for (
      const result of [
        await browser.post("/oauth2/logout", { confirm: value }),
        await logout(browser, { confirm: value }),
      ]
    ) {
      assertEquals(result.headers.getSetCookie(), []);
      await assertPage(result, 403);
    }
    assertEquals(await browser.authorizeSilently(), "code");
  });
  assertEquals((await former.post("/oauth2/logout", { confirm: stale })).status, 403);
  assertEquals(await former.authorizeSilently(), "code");
});

test("[LO-02] an expired hint is valid at any time before the session ends", async () => {
  const b = await testServer({ ...severalUsers, lifetimes: { id_token: 1 } });
  await forEachCase([0, 1, 3600, 28_799], async (seconds) => {
    const browser = openBrowser(b);
    const { id_token: id_token_hint } = await browser.login();
    b.advance(seconds);
    await assertLoggedOut(await logout(browser, { id_token_hint, client_id: "spa" }));
    assertEquals(await browser.authorizeSilently(), "login_required");
  });
});

test("[LO-02, LO-05] an ID token of a refresh, or of another client in the same session, is a hint of the session", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const { refresh_token } = await browser.login();
  const { id_token: id_token_hint } = await assertTokenResponse(await refresh(b, refresh_token));
  await assertLoggedOut(await logout(browser, { id_token_hint }));
  assertEquals(await browser.authorizeSilently(), "login_required");
  await browser.login();
  const { id_token } = await browser.login({ client_id: "other" });
  const result = await logout(browser, {
    id_token_hint: id_token,
    post_logout_redirect_uri: "https://other.example/bye",
  });
  assertEquals(result.headers.get("location"), "https://other.example/bye");
  assertEquals(await browser.authorizeSilently(), "login_required");
});

test("[LO-02] a hint that is not an ID token of this server, or not of the named client, is a 400 page, and the session continues", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const { id_token, access_token, refresh_token } = await browser.login();
  const [header, payload, signature] = id_token.split(".") as [string, string, string];
  const changed = (claims: object) =>
    Buffer.from(JSON.stringify({ ...decodeClaims(id_token), ...claims })).toString("base64url");
  const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString("base64url");
  const { keys: [key] } = await (await b.get("/oauth2/jwks")).json();
  const hmac = await new SignJWT(decodeClaims(id_token)).setProtectedHeader({ alg: "HS256", typ: "JWT", kid: key.kid })
    .sign(new TextEncoder().encode(JSON.stringify(key)));
  const hints = [
    `${header}.${changed({ sid: "x" })}.${signature}`,
    `${header}.${changed({ aud: "other" })}.${signature}`,
    `${header}.${payload}.${signature.slice(0, -4)}AAAA`,
    `${header}.${payload}.`,
    `${none}.${payload}.`,
    `${none}.${payload}.${signature}`,
    ...[hmac, access_token, refresh_token, "x", "..", "a.b.c", `${id_token}x`, "<script>alert(1)</script>"],
    (await openBrowser(await testServer(severalUsers)).login()).id_token,
    (await openBrowser(await testServer({ ...severalUsers, issuer: "https://as2.test" })).login()).id_token,
  ];
  const asks: Fields[] = [
    ...hints.map((id_token_hint) => ({ id_token_hint })),
    ...["other", "unknown", "Spa", "spa "].map((client_id) => ({ id_token_hint: id_token, client_id })),
  ];
  await forEachCase(asks, async (fields) => {
    for (const more of [{}, { client_id: "spa", post_logout_redirect_uri: bye, ...fields }]) {
      for (
        const result of [
          await logout(browser, { ...fields, ...more }),
          await browser.post("/oauth2/logout", { ...fields, ...more }),
        ]
      ) {
        assertEquals(result.headers.getSetCookie(), []);
        await assertPage(result, 400, "<script>alert");
      }
    }
    assertEquals(await browser.authorizeSilently(), "code");
  });
  assertEquals(b.events.filter(({ type }) => type === "internal_error"), []);
});

test("[LO-03] the browser is redirected to a registered URI of the client, character for character", async () => {
  const b = await testServer(severalUsers);
  for (const uri of [bye, `${bye}?from=as&x`, "com.example.app:/bye"]) {
    const browser = openBrowser(b);
    const { id_token: id_token_hint } = await browser.login();
    const result = await logout(browser, { id_token_hint, post_logout_redirect_uri: uri });
    assertEquals([result.status, result.headers.get("location")], [302, uri]);
    assertEquals(result.headers.get("referrer-policy"), "no-referrer");
    assertEquals(await browser.authorizeSilently(), "login_required");
  }
});

test("[LO-03] any other URI, or one without an identified client, is a 400 page, and the session continues", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const { id_token: id_token_hint } = await browser.login();
  const { id_token: silent } = await browser.login({ client_id: "silent" });
  const uris = [
    ...[`${bye}/`, `${bye}?`, `${bye}?x=y`, `${bye}#`, `${bye}#f`, `${bye}?from=as`, `${bye}?from=as&x=`, `${bye}2`],
    ...["https://spa.example/", "https://spa.example/BYE", "HTTPS://spa.example/bye", "https://SPA.example/bye"],
    ...[
      "https://spa.example:443/bye",
      "https://spa.example/%62ye",
      "https://spa.example/x/../bye",
      ` ${bye}`,
      `${bye} `,
    ],
    ...[
      "http://spa.example/bye",
      "//spa.example/bye",
      "/bye",
      "https://spa.example@evil.example/bye",
      "javascript:alert(1)",
    ],
    ...[
      "https://evil.example",
      "https://other.example/bye",
      "https://spa.example/cb",
      `${bye},${bye}`,
      `${bye}\r\nx: y`,
    ],
  ];
  const asks: Fields[] = [
    ...uris.flatMap((post_logout_redirect_uri) => [
      { id_token_hint, post_logout_redirect_uri },
      { client_id: "spa", post_logout_redirect_uri },
    ]),
    ...[undefined, "unknown", "silent", "other", "SPA"].map((client_id) => ({
      client_id,
      post_logout_redirect_uri: bye,
    })),
    { id_token_hint: silent, post_logout_redirect_uri: bye },
  ];
  await forEachCase(asks, async (fields) => {
    for (const result of [await logout(browser, fields), await browser.post("/oauth2/logout", fields)]) {
      assertEquals(result.headers.getSetCookie(), []);
      const html = await assertPage(result, 400);
      // A link to the form of the client may name the URI in its query.
      const isLinked = /(?:href|action|src)="(?!\/clients\/\w+\?edit&)[^"]*(?:example|bye|evil)/.test(html);
      assert(!isLinked, "the page holds a link to it");
    }
    assertEquals(await browser.authorizeSilently(), "code");
    // Without a session it goes nowhere, either.
    await assertPage(await logout(openBrowser(b), fields), 400);
  });
});

test("[LO-03] the page says what is missing: a client, a registered client, or a registered URI", async () => {
  const b = await testServer(severalUsers);
  await forEachCase<[Fields, RegExp, string]>([
    [{}, /^post_logout_redirect_uri was sent without id_token_hint and client_id/, "neither"],
    [{ client_id: "unknown" }, /^client_id is not a registered client/, "unknown"],
    [{ client_id: "silent" }, /^post_logout_redirect_uri is not registered for this client/, bye],
  ], async ([fields, reason, received]) => {
    const response = await logout(openBrowser(b), { post_logout_redirect_uri: bye, ...fields });
    await assertPage(response, 400);
    const { explanation } = getRejections(b.events).at(-1)!;
    assertMatch(explanation.reason, reason);
    assertEquals(explanation.received, received);
  });
});

test("[LO-03] a removed client, or one whose URI was removed, gets no redirect", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const { id_token: id_token_hint } = await browser.login();
  b.as.clients.set({ client_id: "spa", ...refreshing });
  await assertPage(await logout(browser, { id_token_hint, post_logout_redirect_uri: bye }), 400);
  b.as.clients.delete("spa");
  await assertPage(await logout(browser, { id_token_hint, post_logout_redirect_uri: bye }), 400);
  assertEquals(await browser.authorizeSilently({ client_id: "other" }), "code");
  await assertLoggedOut(await logout(browser, { id_token_hint }));
});

const states = [
  ...[
    "s",
    "0",
    "a b+c&d=e#f%25",
    "%00",
    "ünï 🔑",
    "\r\nset-cookie: x=y",
    `"><script>alert(1)</script>`,
    "'",
    "a".repeat(4096),
  ],
  ...["&state=2", "https://evil.example", "\u2028", "constructor"],
];

test("[LO-04] the redirect has the state unchanged, by GET, by POST and after the confirmation", async () => {
  const b = await testServer(severalUsers);
  await forEachCase(states, async (state) => {
    for (const way of ["GET", "POST", "question", "unknown"]) {
      const browser = openBrowser(b);
      const { id_token: id_token_hint } = await browser.login();
      const fields = { id_token_hint, post_logout_redirect_uri: bye, state };
      let result = way === "GET"
        ? await logout(browser, fields)
        : way === "POST"
        ? await browser.post("/oauth2/logout", fields)
        : await logout(way === "unknown" ? openBrowser(b) : browser, {
          ...fields,
          id_token_hint: undefined,
          client_id: "spa",
        });
      if (way === "question") {
        const form = await asked(result, "<script>alert");
        result = await browser.post("/oauth2/logout", form);
      }
      assertEquals(result.status, way === "POST" || way === "question" ? 303 : 302, way);
      const location = result.headers.get("location")!;
      assertMatch(location, /^https:\/\/spa\.example\/bye\?state=[\x21-\x7E]+$/);
      assertEquals([...getRedirectParams(result)], [["state", state]]);
    }
  });
});

test("[LO-04] the redirect has no state if none was sent; a registered query is kept", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  for (const state of [undefined, ""]) {
    const result = await logout(browser, { client_id: "spa", post_logout_redirect_uri: bye, state });
    assertEquals(result.headers.get("location"), bye);
  }
  const result = await logout(browser, { client_id: "spa", post_logout_redirect_uri: `${bye}?from=as&x`, state: "s" });
  assertEquals(result.headers.get("location"), `${bye}?from=as&x&state=s`);
  const page = await logout(browser, { state: "st4te-of-nothing" });
  assert(!(await assertPage(page, 200)).includes("st4te-of-nothing"));
});

test("[LO-05] the cookie is deleted with the attributes that it was set with", async () => {
  await forEachCase(
    [["https://as.test", "", true], ["https://as.test/t1", "/t1", true], ["http://localhost:9000", "", false]] as const,
    async ([issuer, base, secure]) => {
      const { as } = await testServer({ ...severalUsers, issuer });
      const get = (path: string, headers = {}) =>
        as.fetch(new Request(new URL(base + path, issuer), { redirect: "manual", headers }));
      const { client_id, redirect_uri } = { client_id: "web", redirect_uri: "https://spa.example/cb" };
      const begun = await get(
        `/oauth2/authorize?${encode({ response_type: "code", client_id, redirect_uri, scope: "openid" })}`,
      );
      const [set] = begun.headers.getSetCookie();
      const [pair, ...attributes] = set!.split("; ");
      const page = await (await get("/oauth2/logout", { cookie: pair })).text();
      const { fields } = getForm(page);
      const done = await as.fetch(
        new Request(new URL(`${base}/oauth2/logout`, issuer), {
          method: "POST",
          body: new URLSearchParams(fields.map(([name, value]) => [name, value])),
          headers: { cookie: pair! },
        }),
      );
      const [cleared, ...others] = done.headers.getSetCookie();
      assertEquals([done.status, others], [200, []]);
      assertEquals(cleared!.split("; ").slice(1).sort(), [...attributes, "Max-Age=0"].sort());
      assertEquals(attributes.includes("Secure"), secure);
    },
  );
});

test("[LO-05] a copy of the cookie is invalid after logout, on another server with the same store and after a restart too", async () => {
  const path = join(folder, "ended.db");
  let time = Date.UTC(2026, 0, 1);
  const start = async () => await testServer({ ...severalUsers, now: () => time, store: await sqliteStore(path) });
  const one = await start();
  const two = await start();
  const browser = openBrowser(one);
  const { id_token: id_token_hint, refresh_token } = await browser.login();
  const copy = new Map(browser.cookies);
  assertEquals(await openBrowser(two, copy).authorizeSilently(), "code");
  await logout(browser, { id_token_hint });
  const ended = async (b: TestServer) => {
    assertEquals(await openBrowser(b, copy).authorizeSilently(), "login_required");
    assertEquals(await getOutcome(await refresh(b, refresh_token)), "400 invalid_grant");
    await assertLoggedOut(await logout(openBrowser(b, copy)));
  };
  await ended(one);
  await ended(two);
  await one.as.close();
  await two.as.close();
  const three = await start();
  for (const hours of [0, 1, 6, 24, 100]) {
    time += hours * 3600_000;
    await ended(three);
  }
  await three.as.close();
});

test("[LO-05] ended tokens stay ended, even after expired records are deleted", async () => {
  const b = await testServer({
    ...severalUsers,
    lifetimes: { session: 60, refresh_token: 100_000, refresh_token_idle: 100_000 },
  });
  const browser = openBrowser(b);
  const { id_token: id_token_hint, refresh_token } = await browser.login();
  await logout(browser, { id_token_hint });
  for (let i = 0; i < 12; i++) {
    b.advance(9000);
    await openBrowser(b).authorize();
    assertEquals(await getOutcome(await refresh(b, refresh_token)), "400 invalid_grant");
  }
});

test("[LO-05, RT-01] refresh tokens of the session are revoked for every client, rotated or not; offline ones continue", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const { id_token: id_token_hint, refresh_token } = await browser.login();
  const other = await browser.login({ client_id: "other", scope: "read" });
  const offline = await browser.login({ scope: "openid offline_access" });
  const rotated = await assertTokenResponse(await refresh(b, refresh_token)) as unknown as { refresh_token: string };
  const webAuth = { headers: basic("web", "web-secret") };
  const web = { client_id: undefined, code_verifier: undefined, redirect_uri: undefined };
  const result = getRedirectParams(
    await browser.authorize({ client_id: "web", code_challenge: undefined, code_challenge_method: undefined }),
  );
  const confidential = await assertTokenResponse(
    await b.token({ ...web, redirect_uri: "https://spa.example/cb", code: result.get("code")! }, webAuth),
  ) as unknown as { refresh_token: string };
  const introspected = async (token: string) =>
    (await (await b.post("/oauth2/introspect", { token }, webAuth.headers)).json()).active;
  assertEquals(await introspected(confidential.refresh_token), true);
  await logout(browser, { id_token_hint });
  assertEquals(await getOutcome(await refresh(b, rotated.refresh_token)), "400 invalid_grant");
  assertEquals(await getOutcome(await refresh(b, other.refresh_token, { client_id: "other" })), "400 invalid_grant");
  assertEquals(await introspected(confidential.refresh_token), false);
  const again = { ...web, grant_type: "refresh_token", refresh_token: confidential.refresh_token };
  assertEquals(await getOutcome(await b.token(again, webAuth)), "400 invalid_grant");
  let { refresh_token: next } = offline;
  for (let i = 0; i < 3; i++) {
    ({ refresh_token: next } = await assertTokenResponse(await refresh(b, next)) as unknown as {
      refresh_token: string;
    });
  }
});

test("[LO-05] a code in transit during logout yields no working refresh token", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const { id_token: id_token_hint } = await browser.login();
  const code = getRedirectParams(await browser.authorize()).get("code")!;
  await logout(browser, { id_token_hint });
  const response = await b.token({ code });
  if (response.status !== 200) return assertEquals(await getOutcome(response), "400 invalid_grant");
  const { refresh_token } = await assertTokenResponse(response) as unknown as { refresh_token: string };
  assertEquals(await getOutcome(await refresh(b, refresh_token)), "400 invalid_grant");
});

test("[LO-05] other sessions of the same user and of other users continue", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const { id_token: id_token_hint } = await browser.login();
  const [phone, bobs] = [openBrowser(b), openBrowser(b)];
  const phones = await phone.login();
  const { refresh_token } = await bobs.login({ login_hint: "bob" });
  await logout(browser, { id_token_hint });
  assertEquals([await phone.authorizeSilently(), await bobs.authorizeSilently()], ["code", "code"]);
  assertEquals(await getOutcome(await refresh(b, phones.refresh_token)), "200");
  assertEquals(await getOutcome(await refresh(b, refresh_token)), "200");
});

test("[LO-05] logout in one tab applies to the other, and the next login is a new session", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const first = await browser.login();
  const tab = openBrowser(b, browser.cookies);
  await logout(browser, { id_token_hint: first.id_token });
  assertEquals(await tab.authorizeSilently(), "login_required");
  b.advance(1);
  const second = decodeClaims((await tab.login()).id_token);
  const before = decodeClaims(first.id_token);
  assertNotEquals(second.sid, before.sid);
  assertEquals(second.auth_time, before.auth_time as number + 1);
});

test("[LO-05, HT-15] the trace reports the end of a session without hint, cookie or confirmation token", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const { id_token } = await browser.login();
  const cookie = browser.cookies.get(sessionCookie)!;
  const form = await asked(await logout(browser));
  await logout(browser, { id_token_hint: `${id_token}x` });
  await browser.post("/oauth2/logout", { confirm: "wr0ng-confirmation" });
  await browser.post("/oauth2/logout", form);
  assertEquals(b.events.filter(({ type }) => type === "session_ended").length, 1);
  const trace = JSON.stringify(b.events);
  for (const secret of [cookie, id_token, form.confirm!, "wr0ng-confirmation"]) assert(!trace.includes(secret));
});

test("[UI-03, LO-01] request values are inert on the confirmation page and on the error page", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  await browser.login();
  const hostile = `"><script>alert(1)</script><!--`;
  const form = await asked(
    await logout(browser, { client_id: "named", state: hostile, post_logout_redirect_uri: bye }),
    hostile,
    "<img src=x",
    "<b>",
  );
  assertEquals([form.state, form.client_id], [hostile, "named"]);
  for (const name of ["client_id", "id_token_hint", "post_logout_redirect_uri"]) {
    await assertPage(
      await logout(browser, { [name]: hostile, ...name === "client_id" && { post_logout_redirect_uri: bye } }),
      400,
      hostile,
    );
  }
});

test("[UI-01, UI-02, LO-01] the pages of logout have the headers of every page", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  await browser.login();
  const responses = [
    [await logout(browser), "same-origin"],
    [await logout(browser, { id_token_hint: "x" }), "no-referrer"],
    [await logout(openBrowser(b)), "no-referrer"],
  ] as const;
  for (const [{ headers }, referrers] of responses) {
    assertEquals(headers.get("cache-control"), "no-store");
    assertEquals(headers.get("referrer-policy"), referrers);
    assertEquals(headers.get("x-frame-options"), "DENY");
    assertMatch(headers.get("content-security-policy") ?? "", /default-src 'none'.*frame-ancestors 'none'/);
  }
});

test("[HT-01, HT-02] other methods are rejected, and HEAD ends no session", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const { id_token: id_token_hint } = await browser.login();
  const query = `/oauth2/logout?${encode({ id_token_hint, post_logout_redirect_uri: bye })}`;
  for (const method of ["PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"]) {
    const result = await browser.get(query, { method });
    assertEquals([result.status, result.headers.get("allow")], [405, "GET, HEAD, POST"]);
    assertEquals(result.headers.get("access-control-allow-origin"), null);
  }
  const head = await browser.get(query, { method: "HEAD" });
  assertEquals([head.body, head.headers.getSetCookie(), head.headers.get("location")], [null, [], null]);
  assertEquals(await browser.authorizeSilently(), "code");
});

test("[HT-07, HT-08, HT-10, TK-02] a logout request that is no form, too large or malformed is an error page, and the session continues", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const { id_token: id_token_hint } = await browser.login();
  const good = encode({ id_token_hint });
  const post = (body: BodyInit, type?: string) =>
    browser.get("/oauth2/logout", { method: "POST", body, headers: type ? { "content-type": type } : {} });
  const form = "application/x-www-form-urlencoded";
  await assertPage(await post(new TextEncoder().encode(good)), 400);
  await assertPage(await post(JSON.stringify({ id_token_hint }), "application/json"), 400);
  await assertPage(await post(good, "text/plain"), 400);
  await assertPage(await post(`${good}&x=${"a".repeat(70_000)}`, form), 413);
  await assertPage(await post(`${good}&x=%zz`, form), 400);
  await assertPage(await browser.get(`/oauth2/logout?${good}&x=%FF`), 400);
  await assertPage(await browser.get(`/oauth2/logout?${good}&x=${"a".repeat(17_000)}`), 414);
  await assertPage(await browser.post(`/oauth2/logout?${good}`, { id_token_hint: "x" }), 400);
  assertEquals(await browser.authorizeSilently(), "code");
});

test("[LO-02, LO-03, LO-04] a repeated parameter is a 400 page, and the session continues", async () => {
  const b = await testServer(severalUsers);
  await forEachCase(["id_token_hint", "client_id", "post_logout_redirect_uri", "state"] as const, async (name) => {
    const browser = openBrowser(b);
    const { id_token: id_token_hint } = await browser.login();
    const good = { id_token_hint, client_id: "spa", post_logout_redirect_uri: bye, state: "s" };
    for (const other of [good[name], "https://evil.example", ""]) {
      for (const pair of [[good[name], other], [other, good[name]]]) {
        await assertPage(await logout(browser, { ...good, [name]: pair }), 400);
        await assertPage(await browser.post("/oauth2/logout", { ...good, [name]: pair }), 400);
      }
    }
    assertEquals(await browser.authorizeSilently(), "code");
  });
});

test("[LO-05] logout ends all logins of one user in this browser, and none of other users or browsers", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const first = await browser.login({ scope: "openid" });
  const copied = new Map(browser.cookies);
  const second = await browser.login({ scope: "openid", prompt: "login" });
  const elsewhere = openBrowser(b);
  const other = await elsewhere.login({ scope: "openid" });
  assertNotEquals(decodeClaims(first.id_token).sid, decodeClaims(second.id_token).sid);
  // The hint of the earlier login is still one of this session.
  await assertLoggedOut(await logout(browser, { id_token_hint: first.id_token }));
  assertEquals(await openBrowser(b, copied).authorizeSilently(), "login_required");
  for (const { refresh_token } of [first, second]) {
    assertEquals(await getOutcome(await refresh(b, refresh_token)), "400 invalid_grant");
  }
  assertEquals(await elsewhere.authorizeSilently(), "code");
  assertEquals((await refresh(b, other.refresh_token)).status, 200);
});

test("[LO-05] of many logins in one browser, the one beyond the session's capacity ends immediately", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const first = await browser.login({ scope: "openid" });
  const copied = new Map(browser.cookies);
  const offline = await browser.login({ scope: "openid offline_access", prompt: "login" });
  const others: Awaited<ReturnType<Browser["login"]>>[] = [];
  for (let i = 0; i < 7; i++) others.push(await browser.login({ scope: "openid", prompt: "login" }));
  const { refresh_token } = await assertTokenResponse(await refresh(b, first.refresh_token)) as typeof first;
  others.push(await browser.login({ scope: "openid", prompt: "login" }));
  assertEquals(await getOutcome(await refresh(b, refresh_token)), "400 invalid_grant");
  assertEquals(await openBrowser(b, copied).authorizeSilently(), "login_required");
  assertEquals(await browser.authorizeSilently(), "code");
  others.push(await browser.login({ scope: "openid", prompt: "login" }));
  assertEquals((await refresh(b, offline.refresh_token)).status, 200);
  assertEquals((await refresh(b, others[0]!.refresh_token)).status, 200);
  await assertLoggedOut(await logout(browser, { id_token_hint: others.at(-1)!.id_token }));
  for (const { refresh_token } of others.slice(1)) {
    assertEquals(await getOutcome(await refresh(b, refresh_token)), "400 invalid_grant");
  }
});

test("[LO-05] with automatic login, the login of another user ends the previous session with its grants", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const first = await browser.login({ scope: "openid" });
  const second = await browser.login({ scope: "openid", prompt: "login" });
  const alices = new Map(browser.cookies);
  // A failed login replaces no session.
  const bob = { login_hint: "bob", scope: "openid" };
  assertEquals(getRedirectParams(await browser.authorize({ ...bob, prompt: "none" })).get("error"), "login_required");
  assertEquals(await browser.authorizeSilently(), "code");
  const bobs = await browser.login(bob);
  assertEquals(decodeClaims(bobs.id_token).sub, "bob");
  assertEquals(await openBrowser(b, alices).authorizeSilently(), "login_required");
  for (const { refresh_token } of [first, second]) {
    assertEquals(await getOutcome(await refresh(b, refresh_token)), "400 invalid_grant");
  }
  assertEquals((await refresh(b, bobs.refresh_token)).status, 200);
  assertEquals(b.events.filter(({ type }) => type === "session_ended").length, 1);
});

test("[LO-08] without the cookie an expired hint ends the grants of its client alone", async () => {
  for (const subject_type of ["public", "pairwise"] as const) {
    const clients = severalUsers.clients!.map((client) => ({ ...client, subject_type }));
    const b = await testServer({ ...severalUsers, clients, lifetimes: { id_token: 60 } });
    const browser = openBrowser(b);
    const ofSpa = await browser.login();
    const ofOther = await browser.login({ client_id: "other" });
    const later = await browser.login();
    b.advance(60);
    await assertLoggedOut(await logout(openBrowser(b), { id_token_hint: ofSpa.id_token }));
    assertEquals(await browser.authorizeSilently(), "code");
    assertEquals(await getOutcome(await refresh(b, ofOther.refresh_token, { client_id: "other" })), "200");
    assertEquals(await getOutcome(await refresh(b, ofSpa.refresh_token)), "400 invalid_grant");
    // A later login of the browser continues the session or has one of its own.
    const isSameSession = decodeClaims(ofSpa.id_token).sid === decodeClaims(later.id_token).sid;
    const outcome = await getOutcome(await refresh(b, later.refresh_token));
    assertEquals(outcome, isSameSession ? "400 invalid_grant" : "200");
  }
});

const unknownUri = "https://unknown.example/bye";

/** A server with a client that registered itself, and one that has only a metadata document. */
async function withUnknownClients(options: LatchkeyOptions) {
  const document = "https://unknown.example/client.json";
  const metadata = {
    redirect_uris: ["https://unknown.example/cb"],
    post_logout_redirect_uris: [unknownUri],
    token_endpoint_auth_method: "none",
  };
  const server = await testServer({
    ...severalUsers,
    ...options,
    clientIdMetadataDocuments: true,
    registration: { mode: "open", initialAccessTokens: ["an-initial-access-token"] },
    outbound: () => Promise.resolve(Response.json({ ...metadata, client_id: document })),
  });
  const { client_id } = await register(server, metadata);
  const approved = await register(server, metadata, { authorization: "Bearer an-initial-access-token" });
  return { server, unknown: [client_id, document], approved: approved.client_id };
}

test("[LO-07] an unknown client gets no redirect after logout without a hint of a session of the browser, only a link with its host", async () => {
  const onRealHost = { issuer: "https://login.widgets.com", insecure: ["auto-login"] as const };
  for (const options of [{}, { ...onRealHost, insecure: ["auto-login", "open-registration"] }]) {
    const { server, unknown, approved } = await withUnknownClients(options);
    const fields = { post_logout_redirect_uri: unknownUri, state: "st4te" };
    await forEachCase(unknown, async (client_id) => {
      const browser = openBrowser(server);
      const asked = await (await logout(browser, { client_id, ...fields })).text();
      assertStringIncludes(
        asked,
        `<a href="${unknownUri}?state=st4te" rel="noreferrer">Continue to <bdi>unknown.example</bdi></a>`,
      );
      // With a session, after the confirmation.
      const { id_token } = await browser.login({ client_id, redirect_uri: "https://unknown.example/cb" });
      const { fields: form } = getForm(await (await logout(browser, { client_id, ...fields })).text());
      const result = await browser.post("/oauth2/logout", Object.fromEntries(form));
      assertEquals([result.status, result.headers.get("location")], [200, null]);
      assertStringIncludes(await result.text(), "You are logged out");
      const again = await browser.login({ client_id, redirect_uri: "https://unknown.example/cb" });
      const foreign = openBrowser(server);
      await foreign.login({ client_id, redirect_uri: "https://unknown.example/cb", login_hint: "bob" });
      // The ID token may be of the party that made the link, which a browser without its session follows, whatever the
      // age of the token and whatever the user then confirms.
      const assertStays = async (browser: Browser, id_token_hint: string) => {
        const response = await logout(browser, { id_token_hint, ...fields });
        const html = await response.text();
        assertEquals([response.status, response.headers.get("location")], [200, null]);
        if (!html.includes("Log out?")) return;
        const confirmed = await browser.post("/oauth2/logout", Object.fromEntries(getForm(html).fields));
        assertEquals([confirmed.status, confirmed.headers.get("location")], [200, null]);
      };
      for (const id_token_hint of [id_token, again.id_token]) {
        await assertStays(openBrowser(server), id_token_hint);
        await assertStays(foreign, id_token_hint);
      }
      const own = openBrowser(server);
      const current = await own.login({ client_id, redirect_uri: "https://unknown.example/cb" });
      const hinted = await logout(own, { id_token_hint: current.id_token, ...fields });
      assertEquals(hinted.headers.get("location"), `${unknownUri}?state=st4te`);
      server.advance(7200);
      await assertStays(openBrowser(server), current.id_token);
    });
    const trusted = await logout(openBrowser(server), { client_id: approved, ...fields });
    assertEquals(trusted.headers.get("location"), `${unknownUri}?state=st4te`);
  }
});

test("[LO-03] on a test host a post_logout_redirect_uri alone names its client, if one client has registered it", async () => {
  const uri = "https://other.example/bye";
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  await browser.login({ login_hint: "bob" });
  const fields = { post_logout_redirect_uri: uri, state: "st4te" };
  // The user is asked, as the request has no hint.
  const { fields: form } = getForm(await (await logout(browser, fields)).text());
  assertEquals(await browser.authorizeSilently(), "code");
  const result = await browser.post("/oauth2/logout", Object.fromEntries(form));
  assertEquals([result.status, result.headers.get("location")], [303, `${uri}?state=st4te`]);
  assertEquals(await browser.authorizeSilently(), "login_required");
  const warnings = b.events.flatMap((event) =>
    event.type === "warning" && event.explanation.rule === "LO-03" ? [[event.client, event.explanation.received]] : []
  );
  assertEquals(warnings[0], ["other", "neither; one client has registered the URI"]);
  // A URI of two clients, of none, of a client that registered itself, and every URI on a real host go nowhere.
  assertEquals((await logout(openBrowser(b), { post_logout_redirect_uri: bye })).status, 400);
  assertEquals((await logout(openBrowser(b), { post_logout_redirect_uri: `${uri}/` })).status, 400);
  await register(b, {
    redirect_uris: ["https://evil.example/cb"],
    post_logout_redirect_uris: ["https://evil.example/"],
  });
  const evil = await logout(openBrowser(b), { post_logout_redirect_uri: "https://evil.example/" });
  assertEquals(evil.headers.get("location"), null);
  const real = await testServer({ ...severalUsers, issuer: "https://login.widgets.com", insecure: ["auto-login"] });
  assertEquals((await logout(openBrowser(real), fields)).status, 400);
});
