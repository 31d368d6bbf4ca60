/** The log of the mock: its contents, waiting for an exchange, and the messages of failed expectations. */

import {
  assert,
  assertEquals,
  assertMatch,
  assertNotMatch,
  assertRejects,
  assertStrictEquals,
  assertThrows,
} from "@std/assert";
import { test } from "node:test";
import { rememberIssued } from "../../src/server/redaction/issued_secrets.ts";
import { memoryStore, type Plugin } from "../../src/mod.ts";
import type { HttpResponse } from "../../src/server/extension.ts";
import { recorder } from "../../src/recorder/recorder.ts";
import { type Log, testLog } from "../../src/testing/log/log.ts";
import { LogError } from "../../src/testing/log/log_error.ts";
import { LoginError } from "../../src/testing/mod.ts";
import { wrapStore } from "../../src/testing/wrap_store.ts";
import {
  basicHeader,
  publicTokens,
  refresh,
  refreshTokens,
  testClients,
  userinfo,
  webTokens,
} from "../server/client_endpoints.ts";
import { basic, challenge, type TestServer, testServer, verifier } from "../kit.ts";
import { testLatchkey } from "./test_latchkey.ts";

async function logged(...inner: readonly Plugin[]): Promise<{ readonly b: TestServer; readonly log: Log }> {
  const record = recorder();
  const b = await testServer({ ...testClients, plugins: [record, ...inner] });
  return { b, log: testLog(record) };
}

/** The error of an expectation that must fail, as a test runner sees it. */
function failure(expectation: () => unknown): LogError {
  const error = assertThrows(expectation, LogError);
  assert(error instanceof Error);
  assertEquals(error.name, "AssertionError");
  return error;
}

test("the log has every exchange in order, by endpoint, and the newest of an endpoint", async () => {
  const { b, log } = await logged();
  const { access_token, refresh_token } = await publicTokens(b);
  await refresh(b, refresh_token);
  await userinfo(b, access_token);
  assertEquals(log.exchanges.map(({ endpoint }) => endpoint), ["authorize", "token", "token", "userinfo"]);
  assertEquals(log.filter("token").map(({ request }) => new Map(request.form).get("grant_type")), [
    "authorization_code",
    "refresh_token",
  ]);
  assertEquals(log.filter("token", { grant_type: "refresh_token" }).map(({ number }) => number), [3]);
  assertEquals(log.last("token").number, 3);
  assertEquals(log.last("token", { grant_type: "authorization_code" }).number, 2);
  assertEquals(log.filter("jwks"), []);
  assertEquals(log.flows.map(({ client, exchanges }) => [client, exchanges.length]), [["spa", 4]]);
  log.clear();
  assertEquals([log.exchanges, log.flows], [[], []]);
});

test("the log shows a request to an unknown path with its rejection, and no requests for pages", async () => {
  for (const path of ["", "/t1"]) {
    const record = recorder();
    const b = await testServer({ ...testClients, issuer: `https://as.test${path}`, plugins: [record] });
    const log = testLog(record);
    for (const page of ["/", "/start", "/clients", "/clients/unknown", "/static/style.css", "/authorized"]) {
      await b.get(page);
    }
    assertEquals(log.exchanges, []);
    await b.get("/token", { method: "POST", body: new URLSearchParams({ grant_type: "authorization_code" }) });
    await b.get("/authorize?client_id=spa");
    await b.get("/clients/a/b");
    assertEquals(
      log.exchanges.map(({ endpoint, outcome, request, rejection, response }) => [
        endpoint,
        outcome,
        `${request.method} ${request.path}`,
        rejection?.explanation.rule,
        response?.status,
      ]),
      [["POST", "/token"], ["GET", "/authorize"], ["GET", "/clients/a/b"]].map(([method, page]) => [
        "unknown",
        "rejected",
        `${method} ${path}${page}`,
        "HT-01",
        404,
      ]),
    );
    assertThrows(() => log.expectNoRejections(), LogError, "/token");
  }
});

test("exchanges are selected by client, grant type, method, parameters or a function", async () => {
  const { b, log } = await logged();
  const { access_token } = await webTokens(b);
  const code = await b.code({ prompt: "login" });
  await b.token({ code });
  await userinfo(b, access_token);
  const count = (...which: Parameters<Log["filter"]>) => log.filter(...which).length;
  assertEquals(count("token", { client: "web" }), 1);
  assertEquals(count("token", { client: { client_id: "spa" } }), 1);
  assertEquals(count("token", { client: "spa", grant_type: "refresh_token" }), 0);
  assertEquals(count("token", { params: { code } }), 1, "by the secret as it was sent");
  assertEquals(count("authorize", { params: { prompt: /^log/, code_challenge: challenge } }), 1);
  assertEquals(count("authorize", { params: { code_challenge: undefined } }), 1);
  assertEquals(count("authorize", { method: "POST" }), 0);
  assertEquals(count("authorize", ({ passed }) => passed.some(({ rule }) => rule === "PK-02")), 1);
});

test("secrets are redacted except in the unmasked log", async () => {
  const { b, log } = await logged();
  const { access_token, refresh_token } = await publicTokens(b);
  await userinfo(b, access_token);
  const secrets = [access_token, refresh_token, verifier];
  const shown = (view: Log) =>
    JSON.stringify([
      view.exchanges,
      view.flows,
      view.filter("token"),
      view.last("token"),
      view.last("userinfo"),
      String(view),
    ]);
  for (const secret of secrets) assert(!shown(log).includes(secret) && shown(log.unmasked).includes(secret));
  assertEquals(log.unmasked.last("userinfo").request.headers.authorization, `Bearer ${access_token}`);
  assertEquals((await log.unmasked.next("userinfo")).request.headers.authorization, `Bearer ${access_token}`);
  assertMatch(log.last("userinfo").request.headers.authorization!, /^Bearer eyJ…/);
});

test("next returns each exchange once and in order, including earlier ones", async () => {
  const { b, log } = await logged();
  const { refresh_token } = await publicTokens(b);
  assertEquals((await log.next("token")).number, 2);
  const waiting = [log.next("token"), log.next("token")];
  await refreshTokens(b, refresh_token);
  await b.token({ code: "never-issued" });
  assertEquals((await Promise.all(waiting)).map(({ number, outcome }) => [number, outcome]), [[3, "done"], [
    4,
    "rejected",
  ]]);
  await b.token({ code: "again" });
  assertEquals((await log.next("token")).number, 5);
  assertEquals((await log.next("authorize")).number, 1);
});

test("next waits for a matching exchange and leaves the others for later calls", async () => {
  const { b, log } = await logged();
  const { refresh_token } = await publicTokens(b);
  const refreshing = log.next("token", { grant_type: "refresh_token" });
  await b.post("/oauth2/token", { grant_type: "client_credentials" }, basicHeader("machine"));
  await refreshTokens(b, refresh_token);
  assertEquals((await refreshing).number, 4);
  assertEquals([(await log.next("token")).number, (await log.next("token")).number], [2, 3]);
});

test("next waits until the exchange has ended, in any way", async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const { b, log } = await logged({
    handle: () => async () => {
      await gate;
      return Response.error();
    },
  });
  const lost = assertRejects(() => b.get("/oauth2/jwks"), TypeError);
  const next = log.next("jwks");
  assertEquals(log.last("jwks").outcome, "pending");
  open();
  assertEquals((await next).outcome, "dropped");
  await lost;
});

test("after clear, next returns no earlier exchange", async () => {
  const { b, log } = await logged();
  await b.get("/oauth2/jwks");
  log.clear();
  const next = log.next("jwks");
  await b.get("/oauth2/jwks");
  assertEquals((await next).number, 2);
});

test("next rejects only for an aborted signal, with its reason, or after a timeout, with the requests received", async () => {
  const { b, log } = await logged();
  const control = new AbortController();
  const given = log.next("token", undefined, { signal: control.signal });
  const reason = new Error("the test is over");
  control.abort(reason);
  assertStrictEquals(await assertRejects(() => given), reason);
  assertStrictEquals(await assertRejects(() => log.next("token", undefined, { signal: control.signal })), reason);
  const empty = await assertRejects(() => log.next("token", undefined, { timeoutMs: 1 }), LogError);
  assertEquals(empty.message, "expected a request to token within 1 milliseconds, received no request");
  await b.get("/oauth2/jwks");
  const late = await assertRejects(() => log.next("token", undefined, { timeoutMs: 1 }), LogError);
  assertEquals(
    late.message,
    "expected a request to token within 1 milliseconds, received:\n  GET jwks, unknown client → 200 done",
  );
  await publicTokens(b);
  assertEquals((await log.next("token", undefined, { timeoutMs: 1000 })).number, 3);
});

test("a call of next that was aborted takes no exchange from other calls", async () => {
  const { b, log } = await logged();
  const control = new AbortController();
  const given = assertRejects(() => log.next("jwks", undefined, { signal: control.signal }));
  const waiting = log.next("jwks");
  control.abort();
  await b.get("/oauth2/jwks");
  assertEquals((await waiting).number, 1);
  await given;
});

test("an expectation reads like a sentence", async () => {
  const { b, log } = await logged();
  await webTokens(b);
  const web = { client_id: "web" };
  log.expect("token").called().called(1).by(web).by("web").with("client_secret_basic").succeeded();
  log.expect("authorize").withParams({ response_type: "code", nonce: undefined, state: /^st/ }).passed("RU-01")
    .succeeded();
  log.expect("userinfo").called(0);
  await b.token({ code: "never-issued" });
  log.expect("token", { client: "spa" }).called(1).with("none").rejected().rejected("invalid_grant").rejected(
    "invalid_grant",
    "TK-16",
  );
  log.expect("token").called(2);
});

test("a failed expectation lists the requests, one redacted line each", async () => {
  const { b, log } = await logged();
  const none = failure(() => log.expect("token").called());
  assertEquals(none.message, "expected token to be called at least once; received no such request, nor any other");
  const code = await b.code({ scope: "read" });
  const absent = failure(() => log.expect("token").called(1));
  assertEquals([absent.expected, absent.actual], [1, 0]);
  assertEquals(
    absent.message,
    "expected token to be called once; received no such request, but:\n" +
      "  GET authorize, spa, response_type=code client_id=spa redirect_uri=https://spa.example/cb scope=read " +
      `state=st4te code_challenge=${challenge} code_challenge_method=S256 → 302 done`,
  );
  await b.token({ code, code_verifier: "w".repeat(43) });
  await b.token({ code });
  const [first, second] = [`www…(43) code=${code.slice(0, 4)}…(43) → 400`, `code=${code.slice(0, 4)}…(43) → 200 done`];
  const twice = failure(() => log.expect("token").called(1));
  assert(
    twice.message.startsWith(
      "expected token to be called once; it was called twice:\n  POST token, spa by none, grant",
    ),
  );
  assert(twice.message.includes(first) && twice.message.endsWith(second), twice.message);
  assertMatch(twice.message, /rejected invalid_grant \[PK-09\] code_verifier does not match/);
  assert(!twice.message.includes(code) && !twice.message.includes(verifier));
});

test("each expectation fails if one exchange differs, and shows the actual value", async () => {
  const { b, log } = await logged();
  await webTokens(b);
  await b.token({ code: "never-issued" });
  const cases: [() => unknown, RegExp, unknown, unknown][] = [
    [() => log.expect("token").called(0), /not to be called; it was called twice/, 0, 2],
    [() => log.expect("token").called(3), /to be called 3 times;/, 3, 2],
    [
      () => log.expect("token").by("web"),
      /by web in every call; it was called twice, ✗ marks what differs:\n {2}POST.*\n✗ POST/,
      "web",
      ["web", "spa"],
    ],
    [() => log.expect("token").with("none"), /to be called with none in every call;/, "none", [
      "client_secret_basic",
      "none",
    ]],
    [() => log.expect("token").succeeded(), /to succeed in every call;[^]*\n✗ POST token, spa/, "done", [
      "done",
      "rejected",
    ]],
    [
      () => log.expect("token").rejected("invalid_grant", "PK-09"),
      /to be rejected with invalid_grant by PK-09 in every call;/,
      "invalid_grant PK-09",
      [
        "done",
        "invalid_grant TK-16",
      ],
    ],
    [
      () => log.expect("authorize").passed("PK-07"),
      /to pass PK-07;/,
      "PK-07",
      log.last("authorize").passed.length,
    ],
    [
      () => log.expect("authorize").withParams({ code_challenge_method: "S256" }),
      /to be called with code_challenge_method=S256; it was called once:/,
      "S256",
      [undefined],
    ],
    [() => log.expect("authorize").withParams({ state: undefined }), /to be called without state;/, undefined, [
      "st4te",
    ]],
    [() => log.expect("authorize").withParams({ state: /^x/ }), /to be called with state=\/\^x\/;/, "/^x/", ["st4te"]],
    [
      () => log.expect("token").withParams({ code: "a-code-of-the-test" }),
      /to be called with code=a-co…\(18\) in every call;/,
      "a-co…(18)",
      [
        `${log.unmasked.filter("token")[0]!.request.form.find(([name]) => name === "code")![1].slice(0, 4)}…(43)`,
        "…(12)",
      ],
    ],
    [() => log.expect("jwks").succeeded(), /received no such request, but:/, "done", []],
    [() => log.last("jwks"), /expected jwks to be called at least once; received no such request, but:/, 1, 0],
  ];
  for (const [expectation, message, expected, actual] of cases) {
    const error = failure(expectation);
    assertMatch(error.message, message);
    assertEquals(error.expected, expected);
    assertEquals(
      typeof actual === "number" && Array.isArray(error.actual) ? (error.actual[0] as []).length : error.actual,
      actual,
    );
  }
});

test("an error of a fault counts as a rejection without a rule", async () => {
  const down: HttpResponse = {
    status: 503,
    headers: { "content-type": "application/json" },
    body: '{"error":"temporarily_unavailable"}',
  };
  const { b, log } = await logged({ handle: () => () => Promise.resolve(down) });
  await b.token({ code: "c" });
  log.expect("token").rejected("temporarily_unavailable");
  failure(() => log.expect("token").rejected("temporarily_unavailable", "CA-12"));
  failure(() => log.expectNoRejections());
});

test("a test can expect no rejections and no warnings at all", async () => {
  const { b, log } = await logged();
  await publicTokens(b);
  await b.get("/.well-known/oauth-protected-resource");
  log.expectNoRejections();
  log.expectNoWarnings();
  await b.authorize();
  const warned = failure(() => log.expectNoWarnings());
  assertMatch(
    warned.message,
    /^expected no warnings, received 1:\n {2}GET authorize, spa, [^\n]*\n {4}warning \[PK-14\] code_challenge repeats/,
  );
  await b.token({ code: "never-issued" });
  await userinfo(b, "never-issued");
  const rejectedResult = failure(() => log.expectNoRejections());
  assertMatch(
    rejectedResult.message,
    /^expected no rejections, received 2:\n {2}POST token, [^\n]*\[TK-16\][^\n]*\n {2}GET userinfo, /,
  );
  assertEquals([rejectedResult.expected, rejectedResult.actual], [0, 2]);
});

test("[AZ-22] internal errors are in the transcript and in every message, without secrets", async () => {
  const secret = `${"s3cret-".repeat(6)}x`;
  rememberIssued(secret);
  const store = wrapStore(memoryStore(), {
    consume: () => Promise.reject(new TypeError(`disk on fire\nat ${secret}`)),
  });
  await using as = await testLatchkey({ store });
  await assertRejects(() => as.logIn(as.client()), LoginError);
  const met = "/oauth2/token: TypeError: disk on fire\\nat ";
  for (const text of [String(as.log.unmasked), failure(() => as.log.expect("token").succeeded()).message]) {
    assert(text.includes(met), text);
    assert(!text.includes(secret));
  }
  const listed = failure(() => as.log.expectNoRejections()).message;
  assertMatch(
    listed,
    /→ 500 rejected server_error \[AZ-22\] [^\n]* \(internal error at \/oauth2\/token: TypeError: disk on fire[^\n]*\)$/,
  );
  const transcript = String(as.log);
  assertMatch(
    transcript,
    /\n {3}failed {2}AZ-22 [^]*\n {3}internal error {2}\/oauth2\/token: TypeError: disk on fire[^\n]*\n {3}← 500/,
  );
  assert(!transcript.includes(secret));
});

test("any thrown value is an internal error in the transcript, with its endpoint", async () => {
  for (const odd of [undefined, null, 0, Object.create(null), Symbol("odd")]) {
    await using as = await testLatchkey({ store: wrapStore(memoryStore(), { put: () => Promise.reject(odd) }) });
    await assertRejects(() => as.logIn(as.client()), LoginError);
    for (const log of [as.log, as.log.unmasked]) {
      assertMatch(String(log), /\n {3}internal error {2}\/oauth2\/authorize: \w+/);
    }
  }
});

test("a message shows the newest exchanges of a long log", async () => {
  const { b, log } = await logged();
  for (let i = 0; i < 25; i++) await b.get("/oauth2/jwks");
  const { message } = failure(() => log.expect("jwks").called(1));
  assertMatch(message, /it was called 25 times:\n {2}… 5 earlier\n/);
  assertEquals(message.match(/→ 200 done/g)!.length, 20);
});

test("the transcript is the same for the same requests, with other random values and times", async () => {
  const transcripts: string[] = [];
  for (const year of [2026, 2031]) {
    const record = recorder();
    const b = await testServer({ ...testClients, plugins: [record], now: () => Date.UTC(year, 3, 1) });
    const log = testLog(record);
    await b.get("/oauth2/jwks");
    log.clear();
    const { refresh_token, access_token } = await publicTokens(b, { state: `s-${year}` });
    await refreshTokens(b, refresh_token);
    await refresh(b, refresh_token);
    await userinfo(b, access_token);
    await b.token({ code: "never-issued" }, { headers: basic("web", `secret ${year}`) });
    transcripts.push(String(log));
  }
  assertEquals(transcripts[0], transcripts[1]);
  const [asked, exchanged] = transcripts[0]!.split("\n\n");
  assertEquals(
    asked,
    `1  GET /oauth2/authorize
   response_type          code
   client_id              spa
   redirect_uri           https://spa.example/cb
   scope                  openid read
   state                  {{state 1}}
   code_challenge         {{code_challenge 1}}
   code_challenge_method  S256
   passed  AZ-02  client_id names a registered client: spa
   passed  RU-01  redirect_uri is registered for the client: https://spa.example/cb
   passed  AZ-07  no parameter is repeated
   passed  AZ-09  response_type is code, and the client is registered for it: code
   passed  AZ-17  the server knows every scope value, and the client may request it: openid read
   passed  PK-07  code_challenge is an S256 challenge: {{code_challenge 1}}
   ← 302 to https://spa.example/cb, done
   set-cookie: __Host-latchkey_session={{cookie __Host-latchkey_session 1}}; Path=/; HttpOnly; SameSite=Lax; Secure
   code   {{code 1}}
   state  {{state 1}}
   iss    https://as.test`,
  );
  assertMatch(exchanged!, /^2 {2}POST \/oauth2\/token\n[^]*\n {3}code {11}\{\{code 1\}\}\n/);
  assertMatch(exchanged!, /passed {2}CI-02 {2}the code has not expired: valid until \{\{time\}\}\n/);
  assertMatch(exchanged!, /\{"access_token":"\{\{access_token 1\}\}","token_type":"Bearer","expires_in":3600,/);
  assertNotMatch(transcripts[0]!, /\b20\d\d-/);
});
