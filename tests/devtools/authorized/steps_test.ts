/**
 * The steps after `/authorized`: each against the real server, who may send them, and what is never shown.
 */

import { assert, assertEquals, assertLess, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { type ClientMetadata, type LatchkeyOptions, memoryStore } from "../../../src/mod.ts";
import { demoSecret } from "../../../src/server/config/demo_entries.ts";
import { arrive, callback, type Page, press, read, textOf, unescapeHtml } from "./step_pages.ts";
import { type Browser, openBrowser, parseAttributes } from "../../server/browser.ts";
import {
  assertPage,
  decodeClaims,
  encode,
  forEachCase,
  getRedirectParams,
  observedStore,
  testServer,
} from "../../kit.ts";
import type { Fields } from "../../kit.ts";

/** The demo clients, whose redirect URI is the callback page. */
const demo: LatchkeyOptions = { clients: undefined };

/** Presses one button after the other. */
async function walk(browser: Browser, page: Page, ...steps: readonly string[]): Promise<Page> {
  for (const step of steps) page = await press(browser, page, step);
  return page;
}

/** Body of a response on the wire. */
function bodyOf(message: string): Record<string, unknown> {
  return JSON.parse(message.split("\n\n")[1]!);
}

test("[DM-11] the callback page shows its authorization request and the redirect, with checks of state and iss", async () => {
  const browser = openBrowser(await testServer(demo));
  const { text, path, verdicts } = await arrive(browser);
  const result = new URL(path, "https://as.test").searchParams;
  for (const part of ["response_type code requests a code", "client_id demo-public the client"]) {
    assertStringIncludes(text, part);
  }
  assertStringIncludes(text, `scope openid profile read the requested permissions state ${result.get("state")}`);
  assertMatch(text, /nonce [\w-]{22} returned in the ID token code_challenge [\w-]{43} hash of the code verifier/);
  assertStringIncludes(text, `code ${result.get("code")} exchanged for tokens, once state ${result.get("state")}`);
  assertStringIncludes(text, "iss https://as.test the server that responded");
  const [state, iss] = verdicts;
  assertMatch(state!, /^✓ state equals the one that this browser sent/);
  assertMatch(iss!, /^✓ iss names this server/);
});

test("[DM-11] the shown request is the one that was sent", async () => {
  const self = await testServer(demo);
  const browser = openBrowser(self);
  const start = (await browser.get("/start")).headers.get("location")!;
  const back = getRedirectParams(await browser.get(start));
  const { text } = await read(await browser.get(`/authorized?${back}`));
  for (const [name, value] of new URLSearchParams(start.split("?")[1])) assertStringIncludes(text, `${name} ${value}`);
});

test("[DM-11] a check compares the hash of the verifier with the challenge of the code", async () => {
  const { html, text, verdicts } = await arrive(openBrowser(await testServer(demo)));
  const verifier = /aria-label="Show the code verifier"\/><span>([\w-]{43})</.exec(html)![1]!;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier)));
  const challenge = btoa(String.fromCharCode(...digest)).replaceAll("+", "-").replaceAll("/", "_").replace("=", "");
  assertStringIncludes(text, `code_challenge ${challenge}`);
  assertStringIncludes(text, `Expected and received: ${challenge}`);
  assert(verdicts.some((one) => one.startsWith("✓ code_verifier matches the code_challenge")));
});

test("[DM-11] unexpected response parameters are named and otherwise ignored", async () => {
  const { get } = await testServer(demo);
  const { text } = await read(
    await get(`/authorized?code=x&session_state=secret-value&${"x".repeat(2000)}=y&%3Cb%3E=1`),
  );
  assertStringIncludes(text, "not parameters of an authorization response: session_state , xxx");
  assertStringIncludes(text, "<b> .");
  assert(!text.includes("secret-value") && !text.includes("x".repeat(1100)));
});

test("[DM-11, AZ-13] in another browser state fails, the flow is unknown, and no step is available", async () => {
  const self = await testServer(demo);
  const { path } = await arrive(openBrowser(self));
  const { text, verdicts, steps, fields } = await read(await openBrowser(self).get(path));
  assertMatch(verdicts[0]!, /^✗ state differs from the one that this browser sent/);
  assertStringIncludes(text, "this page does not know the request");
  assertEquals([steps, fields], [[], undefined]);
});

test("[DM-11] a state from elsewhere and a response without iss are explained", async () => {
  const { get } = await testServer(demo);
  const validate = async (query: string) => (await read(await get(`/authorized?code=x&${query}`))).verdicts.slice(0, 2);
  assertMatch((await validate("state=my-own"))[0]!, /^– This page did not create the state/);
  assertMatch((await validate("state=s&iss=https://evil.example"))[1]!, /^✗ iss does not name this server/);
  assertMatch((await validate("state=s"))[1]!, /^✗ iss does not name this server/);
  assertMatch((await validate("iss=https://as.test"))[0]!, /^– This page did not create the state/);
});

test("[DM-12, DM-13] one button exchanges the code: the proposed request, the real response, every check passed", async () => {
  const self = await testServer(demo);
  const browser = openBrowser(self);
  const arrived = await arrive(browser);
  assertEquals(arrived.steps, ["exchange"]);
  const page = await press(browser, arrived, "exchange");
  assertEquals(page.heading, "Code exchanged");
  const [request, response, ...more] = page.messages;
  assertEquals([request, more], [arrived.messages[0], []]);
  assertMatch(request!, /^POST \/oauth2\/token HTTP\/1\.1\nHost: as\.test\nContent-Type: application\/x-www-form-url/);
  const [head, form] = request!.split("\n\n");
  assertStringIncludes(head!, `Content-Length: ${form!.length}`);
  assertEquals(new URLSearchParams(form).get("client_id"), "demo-public");
  assertMatch(response!, /^HTTP\/1\.1 200 OK\n/);
  assertStringIncludes(response!.toLowerCase(), "cache-control: no-store");
  const tokens = bodyOf(response!);
  assertEquals(Object.keys(tokens), ["access_token", "token_type", "expires_in", "scope", "refresh_token", "id_token"]);
  assertEquals(page.verdicts.map((one) => one[0]), Array(13).fill("✓"));
  assertStringIncludes(
    page.text,
    `sub ${decodeClaims(tokens.id_token as string).sub} the subject: the user, or the client itself`,
  );
  assertStringIncludes(page.text, "2026-01-01 01:00:00 UTC, in 60 minutes");
  assertEquals(self.events.filter(({ type }) => type === "tokens_issued").length, 1);
});

test("[DM-12, PK-09, TK-15] an edited request is rejected with its reason and fix, and the code stays valid", async () => {
  const self = await testServer(demo);
  const edits = { code_verifier: "PK-09", redirect_uri: "TK-15" } as const;
  for (const [name, rule] of Object.entries(edits)) {
    const browser = openBrowser(self);
    const arrived = await arrive(browser);
    const sent = Object.fromEntries(["redirect_uri", "code_verifier"].map((field) => {
      const [, value] = new RegExp(`<input id="${field}"[^>]*value="([^"]*)"`).exec(arrived.html)!;
      return [field, field === name ? `${value}x` : value!];
    }));
    const rejected = await press(browser, arrived, "edit", sent);
    assertEquals(rejected.heading, "Code not exchanged");
    assertMatch(rejected.messages[1]!, /^HTTP\/1\.1 400 Bad Request\n/);
    assertStringIncludes(String(bodyOf(rejected.messages[1]!).error_description), `[${rule}]`);
    assertStringIncludes(rejected.text, "How to fix it:");
    assertEquals(new URLSearchParams(rejected.messages[0]!.split("\n\n")[1]).get(name), sent[name]);
    assertEquals(rejected.steps, ["exchange"]);
    const page = await press(browser, rejected, "exchange", { [name]: sent[name] });
    assertEquals(page.heading, "Code exchanged", "only the form to edit sends its fields");
    assert(!/<input id="code_verifier"/.test(page.html), "a used code has no request to edit");
  }
});

test("[DM-12] the stepper keeps the outcome of each step, and one primary button leads to the last one", async () => {
  const browser = openBrowser(await testServer(demo));
  let page: Page = await arrive(browser);
  const shown = () =>
    [...page.html.matchAll(/<li[^>]*>(?:<b[^>]*>([^<]*)<\/b>)<span>(\w+)/g)].map(([, mark]) => mark).join("");
  const marks = [shown()];
  const headings: string[] = [];
  while (page.steps.length > 0 && headings.length < 6) {
    const primary = [...page.html.matchAll(/class="button" name="step" value="(\w+)"/g)].map(([, step]) => step!);
    assertEquals(primary.length, 1, "one primary button");
    page = await press(browser, page, primary[0]!);
    headings.push(page.heading);
    marks.push(shown());
  }
  assertEquals(headings, [
    "Code exchanged",
    "Userinfo returned the claims of the user",
    "The access token is active",
    "Tokens refreshed",
    "Second use of the code rejected",
    "Tokens revoked",
  ]);
  assertEquals(marks, ["✓234567", "✓✓34567", "✓✓✓4567", "✓✓✓✓567", "✓✓✓✓✓67", "✓✓✓✓✓✗7", "✓✓✓✓✓✗✓"]);
  assertMatch(
    page.html,
    /class="ways"><a class="button" href="\/start\?client_id=demo-public">Start New Authorization/,
  );
});

test("[DM-12] userinfo, introspection and refresh show real responses, with the newest tokens", async () => {
  const browser = openBrowser(await testServer(demo));
  const exchanged = await walk(browser, await arrive(browser), "exchange");
  assertEquals(exchanged.steps, ["userinfo", "introspect", "refresh", "replay", "revoke"]);
  const info = await press(browser, exchanged, "userinfo");
  assertEquals(bodyOf(info.messages[1]!), { name: "Alice Adams", sub: "alice" });
  const active = await press(browser, info, "introspect");
  assertEquals(active.heading, "The access token is active");
  assertEquals([bodyOf(active.messages[1]!).active, bodyOf(active.messages[1]!).client_id], [true, "demo-public"]);
  const fresh = await press(browser, active, "refresh");
  assertEquals(fresh.heading, "Tokens refreshed");
  for (const name of ["access_token", "refresh_token"]) {
    assertNotEquals(fresh.fields![name], active.fields![name]);
    assertEquals(fresh.fields![name], bodyOf(fresh.messages[1]!)[name]);
  }
  assertEquals(new Set(fresh.verdicts.map((one) => one[0])), new Set("✓"));
  assertEquals((await press(browser, fresh, "userinfo")).heading, "Userinfo returned the claims of the user");
});

test("[DM-12, RV-02] after a revocation userinfo, introspection and refresh are rejected, as the page predicts", async () => {
  const browser = openBrowser(await testServer(demo));
  const revoked = await walk(browser, await arrive(browser), "exchange", "revoke");
  assertEquals(revoked.heading, "Tokens revoked");
  assert(!revoked.steps.includes("revoke"));
  const info = await press(browser, revoked, "userinfo");
  assertEquals(info.heading, "Access token rejected");
  assertMatch(info.messages[1]!, /^HTTP\/1\.1 401 Unauthorized\n[^]*error="invalid_token"/);
  const inactive = await press(browser, info, "introspect");
  assertEquals([inactive.heading, bodyOf(inactive.messages[1]!)], ["The access token is not active", {
    active: false,
  }]);
  assertStringIncludes(inactive.text, "Shows that the refresh token is rejected now");
  assertEquals((await press(browser, inactive, "refresh")).heading, "Refresh token rejected");
});

test("[DM-12, CI-06] a replayed code is rejected, and the page shows what it revoked", async () => {
  const self = await testServer(demo);
  const browser = openBrowser(self);
  const replayed = await walk(browser, await arrive(browser), "exchange", "replay");
  assertEquals(replayed.heading, "Second use of the code rejected");
  const [, rejection, use, result] = replayed.messages;
  assertEquals(bodyOf(rejection!).error, "invalid_grant");
  assertMatch(use!, /^GET \/oauth2\/userinfo HTTP\/1\.1\n[^]*Authorization: Bearer ey/);
  assertMatch(result!, /^HTTP\/1\.1 401 /);
  assertStringIncludes(replayed.text, "the second use revoked every token of the grant");
  assertEquals(self.events.filter(({ type }) => type === "grant_revoked").length, 1);
});

test("[DM-12] a code exchanged elsewhere can only be replayed, and the reopened page says so", async () => {
  const browser = openBrowser(await testServer(demo));
  const { path, ...arrived } = await arrive(browser);
  await press(browser, arrived, "exchange");
  const again = await read(await browser.get(path));
  assertEquals(again.steps, ["replay"]);
  const replayed = await press(browser, again, "replay");
  assertStringIncludes(again.text, "This code is used up");
  assertEquals([replayed.heading, replayed.steps], ["Second use of the code rejected", []]);
});

test("[DM-12] a replayed code that the server no longer knows revokes nothing, and the page says so", async () => {
  const self = await testServer(demo);
  const browser = openBrowser(self);
  const exchanged = await walk(browser, await arrive(browser), "exchange");
  self.advance(331);
  await self.get("/");
  const replayed = await press(browser, exchanged, "replay");
  assertEquals(replayed.heading, "Second use of the code rejected");
  assertStringIncludes(replayed.text, "The access token still works, see below: the code is so old");
  assert(replayed.steps.includes("revoke"));
});

test("[DM-12] a confidential demo client authenticates by Basic, and introspects its own tokens", async () => {
  const browser = openBrowser(await testServer(demo));
  const page = await walk(browser, await arrive(browser, "demo-confidential"), "exchange");
  assertStringIncludes(page.messages[0]!, `\nAuthorization: Basic ${btoa("demo-confidential:demo-secret")}\n`);
  assert(!page.messages[0]!.includes("client_id="));
  const active = await press(browser, page, "introspect");
  assertEquals(active.heading, "The access token is active");
  assertEquals((await press(browser, active, "refresh")).heading, "Tokens refreshed");
});

const secretive: ClientMetadata[] = [
  { client_id: "own", client_secret: "correct horse/+&", redirect_uris: [callback] },
  {
    client_id: "poster",
    client_secret: "battery staple",
    token_endpoint_auth_method: "client_secret_post",
    redirect_uris: [callback],
  },
];

test("[DM-13] a secret other than the public one must be typed, is used, and is never shown", async () => {
  const self = await testServer({ clients: secretive });
  for (const { client_id, client_secret } of secretive) {
    const browser = openBrowser(self);
    const arrived = await arrive(browser, client_id);
    assertMatch(arrived.html, /<input id="client_secret" name="client_secret" type="password"/);
    const wrong = await press(browser, arrived, "exchange", { client_secret: "not-it-at-all" });
    assertEquals(bodyOf(wrong.messages[1]!).error, "invalid_client");
    const right = await press(browser, wrong, "exchange", { client_secret });
    assertEquals(right.heading, "Code exchanged");
    for (const secret of [client_secret!, "not-it-at-all"]) {
      const spellings = [secret, encodeURIComponent(secret), btoa(`${client_id}:${encodeURIComponent(secret)}`)];
      for (const { html } of [wrong, right]) {
        for (const spelling of spellings) assert(!unescapeHtml(html).includes(spelling), `${spelling} is shown`);
      }
    }
    assertMatch(right.messages[0]!, client_id === "own" ? /Authorization: Basic …\n/ : /client_secret=…$/);
  }
});

test("[DM-12] a client with key authentication or another redirect URI has no steps", async () => {
  const other = "https://c.example/cb";
  const clients: ClientMetadata[] = [
    {
      client_id: "signer",
      token_endpoint_auth_method: "client_secret_jwt",
      client_secret: "a secret that is long enough for it",
      redirect_uris: [callback],
    },
    { client_id: "elsewhere", redirect_uris: [callback, other] },
    { client_id: "other", redirect_uris: [other] },
  ];
  const self = await testServer({ clients });
  const browser = openBrowser(self);
  assertEquals((await arrive(browser, "signer")).steps, []);
  for (const client_id of ["elsewhere", "other"]) {
    const code = await self.code({ client_id, redirect_uri: other });
    const { steps, text } = await read(await browser.get(`/authorized?${encode({ code })}`));
    assertEquals(steps, []);
    assertStringIncludes(text, "only for a code that this browser requested for a client of this page");
  }
  const form = (await arrive(browser, "elsewhere")).fields!;
  for (const client_id of ["other", "signer", "unknown", ""]) {
    const response = await browser.post("/authorized/try", { ...form, client_id, step: "exchange" });
    assertStringIncludes(await assertPage(response, 400), "DM-12");
  }
});

test("[DM-12, UI-04] only the browser that loaded the page can send steps, and only from that page", async () => {
  const self = await testServer(demo);
  const browser = openBrowser(self);
  const { fields } = await arrive(browser);
  const other = openBrowser(self);
  const theirs = (await arrive(other)).fields!;
  const post = (from: Browser, change: Fields, headers: Record<string, string> = {}) =>
    from.get("/authorized/try", {
      method: "POST",
      body: encode({ ...fields, step: "exchange", ...change }),
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    });
  const before = self.events.filter(({ type }) => type === "tokens_issued").length;
  for (
    const response of [
      await post(openBrowser(self), {}),
      await post(other, {}),
      await post(browser, { form_token: theirs.form_token }),
      await post(browser, { form_token: undefined }),
      await post(browser, { form_token: "" }),
      await post(browser, {}, { origin: "https://evil.example" }),
      await post(browser, {}, { origin: "http://as.test" }),
      await post(browser, {}, { "sec-fetch-site": "cross-site" }),
      await post(browser, {}, { "sec-fetch-site": "same-site" }),
      await browser.post("/authorized/try", { ...fields, step: "exchange" }, "elsewhere"),
    ]
  ) assertMatch(await assertPage(response, 403), /UI-0[45]/);
  assertEquals(self.events.filter(({ type }) => type === "tokens_issued").length, before);
  // The callback page sends no referrer, so browsers say null; those that do not say which site they are of, say only
  // that.
  const fine = await post(browser, {}, { origin: "null", "sec-fetch-site": "same-origin" });
  assertEquals((await read(fine)).heading, "Code exchanged");
  assertEquals((await post(browser, { step: "replay" }, { origin: "null" })).status, 200);
});

test("[DM-12] every request of a step passes the plugins, and goes only to this server", async () => {
  const seen: string[] = [];
  const self = await testServer({
    ...demo,
    outbound: (url) => {
      throw new Error(`the server called ${url}`);
    },
    plugins: [{
      handle: (next) => (request, peer) => {
        seen.push(`${request.method} ${request.url}`);
        return next(request, peer);
      },
    }],
  });
  const browser = openBrowser(self);
  const arrived = await arrive(browser);
  seen.length = 0;
  await walk(browser, arrived, "exchange", "userinfo", "introspect", "refresh", "replay", "revoke");
  assertEquals(
    new Set(seen.map((one) => one.replace("https://as.test", ""))),
    new Set([
      "POST /authorized/try",
      "POST /oauth2/token",
      "GET /oauth2/jwks",
      "GET /oauth2/userinfo",
      "POST /oauth2/introspect",
      "POST /oauth2/revoke",
    ]),
  );
  assert(seen.every((one) => one.includes(" https://as.test/")));
});

test("[DM-12] an invalid, late or missing response is shown as it is, and the page stays complete", async () => {
  const responses: (() => Response)[] = [
    () => new Response("<b>gateway</b> timed out", { status: 503, headers: { "content-type": "text/html" } }),
    () => new Response("{", { status: 200, headers: { "content-type": "application/json" } }),
    () => new Response(null, { status: 200 }),
    () => Response.json({ access_token: 1, id_token: {}, refresh_token: null }),
    () => Response.json(["x"]),
    () => Response.json({ access_token: "a\0<i>", id_token: "e30.e30.x", refresh_token: "" }),
    () => new Response("x".repeat(100_000), { status: 400 }),
    () => new Response(new Uint8Array([0xff, 0xfe, 0x3c, 0x62])),
    () => {
      throw new Error("lost");
    },
  ];
  let broken: (() => Response) | undefined;
  const self = await testServer({
    ...demo,
    plugins: [{
      handle: (next) => async (request, peer) =>
        broken !== undefined && request.url.endsWith("/oauth2/token") ? broken() : await next(request, peer),
    }],
  });
  const browser = openBrowser(self);
  await forEachCase(responses, async (result) => {
    const arrived = await arrive(browser);
    broken = result;
    const page = await press(browser, arrived, "exchange");
    broken = undefined;
    assert(!/<b>gateway|<i>/.test(page.html));
    assertLess(page.html.length, 60_000);
    await walk(browser, page, page.steps[0]!);
  });
});

test("[DM-12] a response that never arrives is reported", async () => {
  let drop = false;
  const self = await testServer({
    ...demo,
    plugins: [{
      handle: (next) => async (request, peer) =>
        drop && request.url.endsWith("/oauth2/token") ? Response.error() : await next(request, peer),
    }],
  });
  const browser = openBrowser(self);
  const arrived = await arrive(browser);
  drop = true;
  const lost = await press(browser, arrived, "exchange");
  assertEquals([lost.heading, lost.messages.length], ["No response", 1]);
  drop = false;
  assertEquals((await press(browser, lost, "exchange")).heading, "Code exchanged");
});

test("[DM-14] a defective token fails the check that it violates", async () => {
  const lies: Readonly<Record<string, readonly [Record<string, unknown>, RegExp]>> = {
    iss: [{ iss: "https://evil.example" }, /^✗ Rule broken: iss is the issuer/],
    aud: [{ aud: "other" }, /^✗ Rule broken: aud names the client/],
    exp: [{ exp: 1 }, /^✗ Rule broken: exp is in the future/],
    nonce: [{ nonce: "other" }, /^✗ Rule broken: nonce equals .*may be replayed/],
    at_hash: [{ at_hash: "other" }, /^✗ Rule broken: at_hash matches/],
  };
  await forEachCase(Object.keys(lies), async (name) => {
    const [claims, sentence] = lies[name]!;
    const browser = openBrowser(
      await testServer({
        ...demo,
        plugins: [{
          extend: (server) => ({
            ...server,
            keys: {
              ...server.keys,
              sign: (kind, alg, all) => server.keys.sign(kind, alg, kind === "id_token" ? { ...all, ...claims } : all),
            },
          }),
        }],
      }),
    );
    const { verdicts } = await walk(browser, await arrive(browser), "exchange");
    const failed = verdicts.filter((one) => one.startsWith("✗"));
    assertEquals(failed.length, 1);
    assertMatch(failed[0]!, sentence);
  });
});

test("[DM-13] every page masks verifier, tokens and credentials", async () => {
  const browser = openBrowser(await testServer(demo));
  let page: Page = await arrive(browser, "demo-confidential");
  for (const step of ["exchange", "userinfo", "introspect", "refresh", "revoke", "replay", "userinfo"]) {
    const { access_token = "none", refresh_token = "none" } = page.fields!;
    const verifier = /code_verifier=([\w-]{43})/.exec(page.messages.join("\n"))?.[1] ?? "none";
    const shown = textOf(
      page.html.replace(/<label class="masked">[^]*?<\/label>/g, "•").replace(/<input type="hidden"[^>]*>/g, "")
        .replace(/<input id="code_verifier" name="code_verifier" type="password"[^>]*>/g, ""),
    );
    for (const secret of [access_token, refresh_token, verifier, btoa("demo-confidential:demo-secret")]) {
      assert(!shown.includes(secret as string), `a secret stands open before ${step}`);
    }
    for (const [jwt] of shown.matchAll(/eyJ[\w-]{20,}/g)) assert(false, `${jwt} stands open before ${step}`);
    page = await press(browser, page, step);
  }
});

test("[DM-13] the pages of a long session do not grow", async () => {
  const browser = openBrowser(await testServer(demo));
  let page = await walk(browser, await arrive(browser), "exchange", "userinfo");
  const { length } = page.html;
  for (let i = 0; i < 40; i++) page = await press(browser, page, i % 2 === 0 ? "introspect" : "userinfo");
  assertLess(page.html.length, length + 600);
});

test("[DM-13] the server stores nothing for the steps except what the requests store", async () => {
  const calls: string[] = [];
  const self = await testServer({ ...demo, store: observedStore(memoryStore(), (verb) => calls.push(verb)) });
  const browser = openBrowser(self);
  const page = await walk(browser, await arrive(browser), "exchange");
  calls.length = 0;
  await walk(browser, page, "userinfo", "introspect");
  assertEquals(new Set(calls), new Set(["get"]));
});

test("[DM-13] the address of the steps has no parameters; opened by hand, it leads to the page", async () => {
  const { get } = await testServer(demo);
  const response = await get("/authorized/try?code=x");
  assertEquals([response.status, response.headers.get("location")], [302, "/authorized"]);
  for (const method of ["PUT", "DELETE", "PATCH"]) await assertPage(await get("/authorized/try", { method }), 405);
});

const hostile = [
  "<script>alert(1)</script>",
  `"><img src=x onerror=alert(1)>`,
  "</dl></form><form action=//evil.example>",
  "\u202e\0\r\n",
  "é".repeat(3000),
];

test("[UI-03, DM-12] hostile values in any field stay text or are left out, and cause no 500", async () => {
  const self = await testServer(demo);
  const browser = openBrowser(self);
  const { fields } = await walk(browser, await arrive(browser), "exchange");
  for (const value of hostile) {
    await forEachCase(
      [
        ...["code", "state", "iss", "pkce", "access_token", "refresh_token", "ended", "past", "client_secret"],
        ...["redirect_uri", "code_verifier"],
      ],
      async (name) => {
        for (const step of ["userinfo", "introspect", "refresh", "exchange", "edit", "replay", "revoke"]) {
          const { html } = await press(browser, { fields } as Page, step, { [name]: value });
          if (/[<"]/.test(value)) assert(!html.includes(value), "it stands there as it was sent");
        }
      },
    );
    for (const change of [{ step: value }, { client_id: value }, { code: "" }]) {
      const response = await browser.post("/authorized/try", { ...fields, step: "userinfo", ...change });
      await assertPage(response, 400);
    }
    const { html } = await press(browser, { fields } as Page, "userinfo", {
      past: `exchange:done ${value} x:done edit:`,
    });
    if (/[<"]/.test(value)) assert(!html.includes(value));
  }
  assertEquals(self.events.filter(({ type }) => type === "internal_error"), []);
});

test("[DM-12] the form and every request stay below the path of the issuer", async () => {
  const self = await testServer({ ...demo, issuer: "https://as.test/t1" });
  const user = openBrowser({
    ...self,
    get: (path, init) => self.as.fetch(new Request(`https://as.test${path}`, { redirect: "manual", ...init })),
  });
  const start = (await user.get("/t1/start")).headers.get("location")!;
  const back = new URL((await user.get(start)).headers.get("location")!);
  const html = await (await user.get(back.pathname + back.search)).text();
  assertStringIncludes(html, 'action="/t1/authorized/try"');
  assertStringIncludes(html, "POST /t1/oauth2/token HTTP/1.1");
  const fields: Fields = Object.fromEntries(
    [...html.matchAll(/<input type="hidden"(?:"[^"]*"|[^>"])*>/g)].map(([tag]) => {
      const input = parseAttributes(tag);
      return [input.get("name")!, input.get("value")!];
    }),
  );
  const page = await (await user.post("/t1/authorized/try", { ...fields, step: "exchange" })).text();
  assertStringIncludes(page, "<h1>Code exchanged</h1>");
});

test("[DM-16, PA-07] where requests must be pushed, the links of the demo clients push them", async () => {
  const pushing = [
    { ...demo, requirePushedAuthorizationRequests: true },
    {
      clients: [
        { client_id: "demo-public", redirect_uris: [callback], require_pushed_authorization_requests: true },
        {
          client_id: "demo-confidential",
          client_secret: demoSecret,
          redirect_uris: [callback],
          require_pushed_authorization_requests: true,
        },
      ],
    },
  ];
  await forEachCase(pushing, async (options) => {
    for (const client of ["demo-public", "demo-confidential"]) {
      const b = await testServer(options);
      const browser = openBrowser(b);
      const link = (await browser.get(`/start?client_id=${client}`)).headers.get("location")!;
      const names = [...new URL(link, "https://as.test").searchParams.keys()];
      assertEquals(names, ["client_id", "request_uri"]);
      const page = await arrive(browser, client);
      assertEquals(page.heading, "Authorization Successful!");
      const tokens = await press(browser, page, "exchange");
      assertEquals(tokens.verdicts.filter((verdict) => !verdict.startsWith("✓")), []);
    }
  });
});

test("[DM-16] a client whose secret or keys the page does not know is an error page that says what to do", async () => {
  const b = await testServer({
    requirePushedAuthorizationRequests: true,
    clients: [{ client_id: "own", client_secret: "a-secret-of-its-own", redirect_uris: [callback] }],
  });
  const response = await openBrowser(b).get("/start");
  const html = await assertPage(response, 400);
  assertStringIncludes(html, "cannot push the authorization request");
  assertStringIncludes(html, "Start the flow in the client itself");
});
