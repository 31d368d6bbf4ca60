/**
 * The recorder: what it remembers of an exchange, how it sorts flows, how much it keeps, and that it changes nothing.
 */

import { assert, assertEquals, assertMatch, assertRejects, assertStrictEquals } from "@std/assert";
import { test } from "node:test";
import type { Plugin } from "../../src/mod.ts";
import type { HttpRequest } from "../../src/server/extension.ts";
import { maxCapturedBodyBytes } from "../../src/platform/http/body_tap.ts";
import type { Exchange } from "../../src/recorder/exchange.ts";
import { recorder } from "../../src/recorder/recorder.ts";
import {
  basicHeader,
  fetchIntrospection,
  publicTokens,
  refresh,
  refreshTokens,
  userinfo,
  webTokens,
} from "../server/client_endpoints.ts";
import { clientKey, tokenProof, userinfoProof } from "../server/client_jwts.ts";
import { assertTokenResponse, basic, getRedirectParams, testServer } from "../kit.ts";
import {
  completeLogin,
  endlessBody,
  form,
  interactiveServer,
  recordedServer,
  recordFault,
  send,
  streamedResponse,
  summarizeExchanges,
  tokenBody,
} from "./recorded_server.ts";

const jwtBearer = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** A plugin that handles a path itself. */
function responding(path: string, result: (request: HttpRequest) => Response | Promise<Response>): Plugin {
  return {
    handle: (next) => async (request, peer) =>
      request.url.includes(path) ? await result(request) : await next(request, peer),
  };
}

test("a login is one flow: request, code, tokens, and every use of them", async () => {
  const { server, recorder } = await recordedServer();
  const tokens = await publicTokens(server);
  await userinfo(server, tokens.access_token);
  const next = await refreshTokens(server, tokens.refresh_token);
  await fetchIntrospection(server, next.access_token);
  await server.post("/oauth2/revoke", { token: next.refresh_token, client_id: "spa" });
  await refresh(server, next.refresh_token);
  await server.get(`/oauth2/logout?id_token_hint=${next.id_token}`);
  const [flow, ...others] = recorder.flows();
  assertEquals(others, []);
  assertEquals(summarizeExchanges(flow!.exchanges), [
    "authorize done",
    "token done",
    "userinfo done",
    "token done",
    "introspect done",
    "revoke done",
    "token rejected",
    "logout done",
  ]);
  assertEquals([flow!.id, flow!.client, flow!.sub, flow!.outcome], ["1", "spa", "alice", "done"]);
  assert(flow!.exchanges.every((exchange) => exchange.flow === "1"));
  const issued = flow!.exchanges[1]!.events.find(({ type }) => type === "tokens_issued");
  assertEquals(flow!.grantId, (issued as { grantId: string }).grantId);
});

test("a linking parameter belongs to its flow with an encoded name too, and in a parameter of its own only", async () => {
  const { server, recorder } = await recordedServer();
  const [first, second] = [await server.code(), await server.code()];
  const body = tokenBody({ code: first });
  await send(server, "/oauth2/token", body.replace("code=", "c%6Fde="), form);
  assertEquals(recorder.flows().map(({ exchanges }) => exchanges.length), [2, 1]);
  for (const joint of ["?", "#", "?x#"]) {
    await send(server, "/oauth2/token", `grant_type=x&redirect_uri=https://a.example/${joint}code=${second}`, form);
    await server.get(`/oauth2/authorize?state=a${joint.replaceAll("#", "?")}code=${second}&client_id=spa`);
  }
  const lengths = recorder.flows().map(({ exchanges }) => exchanges.length);
  assertEquals([lengths.slice(0, 2), Math.max(...lengths.slice(2))], [[2, 1], 1]);
  await server.token({ code: second });
  assertEquals(recorder.flows()[1]!.exchanges.length, 2);
});

test("concurrent logins are separate flows, each with its own tokens", async () => {
  const { server, recorder } = await recordedServer();
  const codes = await Promise.all([server.code(), server.code(), server.code()]);
  await Promise.all([...codes].reverse().map((code) => server.token({ code })));
  await webTokens(server);
  const flows = recorder.flows();
  assertEquals(flows.map(({ client }) => client), ["spa", "spa", "spa", "web"]);
  for (const [index, { exchanges }] of flows.entries()) {
    const [asked, exchanged] = exchanges;
    assertEquals(summarizeExchanges(exchanges), ["authorize done", "token done"]);
    const code = asked!.response!.authorizationResponse!.params.find(([name]) => name === "code")![1];
    assertEquals(new Map(exchanged!.request.form).get("code"), code);
    if (index < 3) assertEquals(code, codes[index]);
  }
});

test("[DO-09] the proof of a token's key is a passed check, and a bearer token has none", async () => {
  const { server, recorder } = await recordedServer();
  const key = await clientKey();
  const bound = await assertTokenResponse(
    await server.token({ code: await server.code() }, { headers: await tokenProof(key) }),
  );
  const bearer = await publicTokens(server);
  const requests: Readonly<Record<string, Record<string, string>>> = {
    DPoP: await userinfoProof(key, bound.access_token),
    Bearer: { authorization: `Bearer ${bearer.access_token}` },
  };
  for (const [scheme, headers] of Object.entries(requests)) {
    assertEquals((await server.get("/oauth2/userinfo", { headers })).status, 200);
    const { passed } = recorder.flows().flatMap(({ exchanges }) => exchanges).findLast(({ request }) =>
      request.path.endsWith("/userinfo")
    )!;
    assertEquals(passed.some(({ rule }) => rule === "DO-09"), scheme === "DPoP");
  }
});

test("a failed token request belongs to the flow of its code, which is marked failed until it succeeds", async () => {
  const { server, recorder } = await recordedServer();
  const code = await server.code();
  assertEquals(recorder.flow("1")!.outcome, "pending", "the code waits to be exchanged");
  await server.token({ code, code_verifier: "A".repeat(43) });
  await server.token({ code, redirect_uri: "https://spa.example/other" });
  const { exchanges, outcome } = recorder.flow("1")!;
  assertEquals(outcome, "rejected");
  assertEquals(exchanges.map(({ rejection }) => rejection?.explanation.rule), [undefined, "PK-09", "TK-15"]);
  assertEquals(exchanges[1]!.rejection!.error, "invalid_grant");
  const kept = exchanges[1]!.passed.map(({ rule }) => rule);
  assert(kept.includes("TK-15") && !kept.includes("PK-09"), `passed: ${kept}`);
  await server.token({ code });
  assertEquals(recorder.flow("1")!.outcome, "done");
});

test("a request without a login is its own flow; metadata, keys and HEAD are no flow", async () => {
  const { server, recorder } = await recordedServer();
  await server.post("/oauth2/token", { grant_type: "client_credentials" }, basicHeader("machine"));
  await server.token({ code: "never-issued" });
  await server.post("/oauth2/introspect", { token: "never-issued" }, basicHeader("api"));
  await server.get("/.well-known/openid-configuration");
  await server.get("/oauth2/jwks");
  await server.get("/oauth2/authorize", { method: "HEAD" });
  assertEquals(recorder.exchanges().map(({ endpoint, flow }) => [endpoint, flow]), [
    ["token", "1"],
    ["token", "2"],
    ["introspect", "3"],
    ["discovery", undefined],
    ["jwks", undefined],
    ["authorize", undefined],
  ]);
  assertEquals(recorder.flows().map(({ client, outcome }) => [client, outcome]), [
    ["machine", "done"],
    ["spa", "rejected"],
    ["api", "done"],
  ]);
});

test("login and consent belong to the flow of their page, even if the page arrived in chunks", async () => {
  const asking = await interactiveServer();
  const { server, recorder } = asking;
  const [first, second] = await Promise.all([completeLogin(asking), completeLogin(asking)]);
  for (const callback of [second!, first!]) await server.token({ code: callback.searchParams.get("code")! });
  const flows = recorder.flows();
  assertEquals(flows.length, 2);
  for (const { exchanges, client, outcome } of flows) {
    assertEquals(summarizeExchanges(exchanges), [
      "authorize interaction",
      "login interaction",
      "login interaction",
      "consent done",
      "authorize done",
      "token done",
    ]);
    assertEquals([client, outcome], ["spa", "done"]);
    assert(exchanges.every((exchange) => exchange.client === "spa"), "the pages were shown for this client");
  }
});

test("an authorization request always starts a flow", async () => {
  const { server, recorder } = await recordedServer();
  const { id_token } = await publicTokens(server);
  await server.authorize({ prompt: "none", id_token_hint: id_token });
  assertEquals(recorder.flows().map(({ outcome }) => outcome), ["done", "rejected"]);
});

test("the response to the client is recorded from a redirect, an error, a form, and a private-use scheme", async () => {
  const custom = { client_id: "app", redirect_uris: ["com.example.app:/cb"], application_type: "native" as const };
  const record = recorder();
  const b = await testServer({
    clients: [custom, { client_id: "spa", redirect_uris: ["https://spa.example/cb"] }],
    plugins: [record],
  });
  await b.authorize();
  await b.authorize({ scope: "nonsense" });
  await b.authorize({ response_mode: "form_post", state: '"><b>&amp;' });
  await b.authorize({ client_id: "app", redirect_uri: "com.example.app:/cb" });
  const [redirect, error, formPost, app] = record.exchanges().map(({ response, outcome }) => ({
    ...response!.authorizationResponse!,
    outcome,
  }));
  assertEquals(redirect!.uri, "https://spa.example/cb");
  assertEquals(redirect!.params.map(([name]) => name), ["code", "state", "iss"]);
  assertEquals([error!.outcome, error!.params[0]], ["rejected", ["error", "invalid_scope"]]);
  assertEquals(formPost!.uri, "https://spa.example/cb");
  assertEquals([formPost!.outcome, new Map(formPost!.params).get("state")], ["done", '"><b>&amp;']);
  assertEquals([app!.uri, app!.params.length], ["com.example.app:/cb", 3]);
});

test("client and authentication method are read from the request, valid or not", async () => {
  const { server, recorder } = await recordedServer();
  const encoded = (value: unknown) => btoa(JSON.stringify(value)).replace(/=+$/, "");
  const assertion = (alg: string) => `${encoded({ alg })}.${encoded({ sub: "web" })}.c2lnbmF0dXJl`;
  const cases: [Record<string, string>, Record<string, string>, string | undefined, string | undefined][] = [
    [{ client_id: "spa" }, {}, "spa", "none"],
    [{}, basic("web", "web-secret"), "web", "client_secret_basic"],
    [{}, basic("a%2Fb", "wrong"), "a/b", "client_secret_basic"],
    [{}, { authorization: "Basic !" }, undefined, "client_secret_basic"],
    [{ client_id: "poster", client_secret: "poster-secret" }, {}, "poster", "client_secret_post"],
    [{ client_assertion_type: jwtBearer, client_assertion: assertion("HS256") }, {}, "web", "client_secret_jwt"],
    [{ client_assertion_type: jwtBearer, client_assertion: assertion("ES256") }, {}, "web", "private_key_jwt"],
    [{ client_assertion_type: jwtBearer, client_assertion: "no jwt" }, {}, undefined, "private_key_jwt"],
    [{}, {}, undefined, undefined],
  ];
  for (const [fields, headers] of cases) await server.post("/oauth2/token", { grant_type: "x", ...fields }, headers);
  assertEquals(
    recorder.exchanges().map(({ client, auth }) => [client, auth]),
    cases.map(([, , ...expected]) => expected),
  );
});

test("warnings and all traced events are recorded with their exchange", async () => {
  const { server, recorder } = await recordedServer();
  await Promise.all([server.authorize(), server.authorize(), server.get("/oauth2/jwks")]);
  const [first, second] = recorder.exchanges();
  assertEquals([first!.warnings, second!.warnings.map(({ rule }) => rule)], [[], ["PK-14"]]);
  assertEquals(second!.events.map(({ type }) => type).sort(), ["code_issued", "warning"]);
  assertEquals(
    server.events.filter(({ type }) => type === "code_issued").length,
    2,
    "other listeners receive events as before",
  );
});

test("a rejection is recorded with its operator details, in any response format", async () => {
  const { server, recorder } = await recordedServer();
  await server.authorize({ redirect_uri: "https://evil.example/cb" });
  await server.authorize({ scope: "nonsense" });
  await userinfo(server, "no-token");
  await server.get("/oauth2/token");
  assertEquals(
    recorder.exchanges().map(({ outcome, rejection }) => [outcome, rejection?.error, rejection?.explanation.rule]),
    [
      ["rejected", "invalid_request", "RU-01"],
      ["rejected", "invalid_scope", "AZ-17"],
      ["rejected", "invalid_token", "BR-02"],
      ["rejected", "invalid_request", "HT-01"],
    ],
  );
});

test("an exchange is immutable: a later one has the later state", async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const { server, recorder } = await recordedServer({}, {
    handle: (next) => async (request, peer) => {
      await gate;
      return await next(request, peer);
    },
  });
  const logged: Exchange[] = [];
  const stop = recorder.subscribe(() => logged.push(recorder.exchanges()[0]!));
  recorder.subscribe(() => {
    throw new Error("a listener's own fault");
  });
  const result = server.authorize();
  await Promise.resolve();
  const [before] = recorder.exchanges();
  assertEquals([before!.outcome, before!.response, before!.respondedAt, before!.flow], [
    "pending",
    undefined,
    undefined,
    "1",
  ]);
  server.advance(2);
  open();
  await result;
  const [after] = recorder.exchanges();
  assertEquals([before!.outcome, after!.outcome, after!.respondedAt! - after!.at], ["pending", "done", 2000]);
  assertStrictEquals(recorder.exchanges()[0], after, "nothing happened in between");
  assertEquals(logged.map(({ number, outcome }) => [number, outcome]), [[1, "pending"], [1, "done"]]);
  stop();
  await server.authorize();
  assertEquals(logged.length, 2);
});

test("a body is recorded as far as it is read, and never read for recording", async () => {
  const { server, recorder } = await recordedServer();
  const unread = endlessBody("a");
  assertEquals((await send(server, "/oauth2/token", unread.body, "text/plain")).status, 400);
  const long = endlessBody(`x=${"a".repeat(5000)}&`);
  assertEquals((await send(server, "/oauth2/token", long.body, form)).status, 413);
  const code = await server.code();
  await send(server, "/oauth2/token", tokenBody({ code }), form);
  const [ignored, tooLong, , exchanged] = recorder.exchanges().map(({ request }) => request);
  assertEquals([ignored!.body, ignored!.form, unread.pulled()], [undefined, [], 0]);
  assertEquals([tooLong!.body!.length, tooLong!.form], [maxCapturedBodyBytes, []]);
  assert(long.pulled() <= 14, `${long.pulled()} parts were read, and 14 are too many already`);
  assertEquals(exchanged!.body, tokenBody({ code }));
  assertEquals(exchanged!.form, [["grant_type", "authorization_code"], ["client_id", "spa"], ["code", code]]);
});

test("a body with a length is recorded, and one that cannot be decoded is text without fields", async () => {
  const { server, recorder } = await recordedServer();
  const body = tokenBody({ code: "c" });
  await server.post("/oauth2/token", body, { "content-length": `${body.length}` });
  await send(server, "/oauth2/token", "code=%zz", form);
  await send(server, "/oauth2/token", new Uint8Array([0x61, 0xff, 0x62]), form);
  const [known, broken, bytes] = recorder.exchanges().map(({ request }) => request);
  assertEquals([known!.body, known!.form.length], [body, 3]);
  assertEquals([broken!.body, broken!.form], ["code=%zz", []]);
  assertEquals(bytes!.body, "a\uFFFDb");
});

test("an aborted body is recorded as far as it arrived, and rejected as without a recorder", async () => {
  const { server, recorder } = await recordedServer();
  let pulled = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (pulled++ > 0) controller.error(new Error("the connection is gone"));
      else controller.enqueue(new TextEncoder().encode("grant_type=x&co"));
    },
  }, { highWaterMark: 0 });
  const response = await send(server, "/oauth2/token", body, form);
  assertEquals([response.status, (await response.json()).error], [400, "invalid_request"]);
  assertEquals(recorder.exchanges()[0]!.request.body, "grant_type=x&co");
});

test("an inner plugin may read a form early, and the body is recorded once", async () => {
  const { peekForm } = await import("../../src/platform/http/changed_request.ts");
  const early: string[] = [];
  const { server, recorder } = await recordedServer({}, {
    handle: (next) => async (request, peer) => {
      if (request.method === "POST") early.push(...(await peekForm(request)).map(([name]) => name));
      return await next(request, peer);
    },
  });
  await publicTokens(server);
  const [, exchanged] = recorder.exchanges();
  assertEquals([exchanged!.outcome, exchanged!.request.form.map(([name]) => name)], ["done", early]);
});

test("a response that is an event stream, or no text, is passed on as the same value", async () => {
  const responses = [
    new Response(new ReadableStream({}), { headers: { "content-type": "text/event-stream" } }),
    new Response(new ReadableStream({}), { headers: { "content-type": "image/png" } }),
    new Response(null, { status: 204 }),
  ];
  const passed: unknown[] = [];
  const { server, recorder } = await recordedServer(
    {},
    responding("/oauth2/userinfo", () => responses[passed.push(undefined) - 1]!),
  );
  for (const result of responses) assertStrictEquals(await server.get("/oauth2/userinfo"), result);
  assertEquals(
    recorder.exchanges().map(({ outcome, response }) => [outcome, response!.body]),
    Array(3).fill(["done", undefined]),
  );
});

test("a chunked response reaches the client chunk by chunk, and is recorded when the client has all of it", async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  let parts = 0;
  const body = () =>
    new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (parts++ > 0) await gate;
        if (parts > 2) return controller.close();
        controller.enqueue(new TextEncoder().encode(`{"part":${parts}}\n`));
      },
    }, { highWaterMark: 0 });
  const { server, recorder } = await recordedServer(
    {},
    responding("/oauth2/userinfo", () => new Response(body(), { headers: { "content-type": "application/json" } })),
  );
  const response = await server.get("/oauth2/userinfo");
  assertEquals([recorder.exchanges()[0]!.outcome, parts], ["done", 0]);
  const reader = response.body!.getReader();
  assertEquals(new TextDecoder().decode((await reader.read()).value), '{"part":1}\n');
  open();
  while (!(await reader.read()).done);
  assertEquals(recorder.exchanges()[0]!.response!.body, '{"part":1}\n{"part":2}\n');
});

test("tokens in another program's response are known when the client has read them", async () => {
  const { server, recorder } = await recordedServer({}, {
    handle: (next) => async (request, peer) => {
      const result = await next(request, peer);
      if (result instanceof Response || !request.url.endsWith("/token")) return result;
      return new Response(streamedResponse(result.body!, "application/json").body, result);
    },
  });
  const { access_token } = await publicTokens(server);
  await userinfo(server, access_token);
  assertEquals(summarizeExchanges(recorder.flow("1")!.exchanges), ["authorize done", "token done", "userinfo done"]);
});

test("a dropped connection and an aborted response are recorded as dropped, and the error passes unchanged", async () => {
  const dropped = new TypeError("the connection was reset");
  const { server, recorder } = await recordedServer(
    {},
    responding("/oauth2/jwks", () => Promise.reject(dropped)),
    responding("/oauth2/introspect", () => Response.error()),
    responding("/oauth2/userinfo", () =>
      new Response(
        new ReadableStream({ pull: (controller) => controller.error(dropped) }, { highWaterMark: 0 }),
        { headers: { "content-type": "application/json" } },
      )),
  );
  assertStrictEquals(await assertRejects(() => server.get("/oauth2/jwks")), dropped);
  await assertRejects(() => server.get("/oauth2/introspect"), TypeError);
  assertStrictEquals(await assertRejects(async () => await (await server.get("/oauth2/userinfo")).text()), dropped);
  assertEquals(recorder.exchanges().map(({ outcome, response }) => [outcome, response?.status]), [[
    "dropped",
    undefined,
  ], [
    "dropped",
    undefined,
  ], ["dropped", 200]]);
});

test("a client that cancels a body does not count as a dropped response, and the sender is notified", async () => {
  let cancelled: unknown;
  const { server, recorder } = await recordedServer(
    {},
    responding(
      "/oauth2/jwks",
      () =>
        new Response(new ReadableStream({ cancel: (reason) => void (cancelled = reason) }), {
          headers: { "content-type": "text/plain" },
        }),
    ),
  );
  await (await server.get("/oauth2/jwks")).body!.cancel("enough");
  assertEquals([cancelled, recorder.exchanges()[0]!.outcome], ["enough", "done"]);
});

test("an injected fault is recorded with its exchange, and its error counts as a rejection without a rule", async () => {
  const record: ReturnType<typeof recorder> = recorder();
  const faulty: Plugin = {
    handle: (next) => async (request, peer) => {
      if (!request.url.endsWith("/token")) return await next(request, peer);
      recordFault(record, request, "slow down");
      return {
        status: 429,
        headers: { "content-type": "application/json" },
        body: '{"error":"temporarily_unavailable"}',
      };
    },
  };
  const b = await testServer({ plugins: [record, faulty] });
  await b.token({ code: "c" });
  const [exchange] = record.exchanges();
  assertEquals([exchange!.faults, exchange!.outcome, exchange!.rejection], [["slow down"], "rejected", undefined]);
  recordFault(record, new Request("https://as.test/"), "unknown's");
});

test("an inner plugin can get the exchange of its request", async () => {
  const seen: (Exchange | undefined)[] = [];
  const record = recorder();
  const b = await testServer({
    plugins: [record, {
      handle: (next) => (request, peer) => {
        seen.push(record.findExchange(request), record.findExchange(new Request("https://as.test/")));
        return next(request, peer);
      },
    }],
  });
  await b.authorize();
  assertEquals(seen.map((exchange) => exchange && [exchange.number, exchange.flow]), [[1, "1"], undefined]);
});

test("while recording is off, the request passes as the same value", async () => {
  const seen: HttpRequest[] = [];
  const { server, recorder } = await recordedServer({}, {
    handle: (next) => (request, peer) => {
      seen.push(request);
      return next(request, peer);
    },
  });
  recorder.recording = false;
  const request = new Request("https://as.test/oauth2/jwks");
  await server.as.fetch(request);
  assertStrictEquals(seen[0], request);
  assertEquals(recorder.exchanges(), []);
  recorder.recording = true;
  await server.get("/oauth2/jwks");
  recorder.recording = false;
  assertEquals(summarizeExchanges(recorder.exchanges()), ["jwks done"]);
});

test("pages, static files and preflights are not recorded by default; unknown URLs are, as flows", async () => {
  const paths = ["/", "/static/style.css", "/favicon.ico", "/oauth2/tokens", "/.well-known/nothing"];
  for (const [pages, expected] of [[false, 2], [true, 5]] as const) {
    const { server, recorder } = await recordedServer({ pages });
    for (const path of paths) await server.get(path);
    await server.get("/oauth2/token", { method: "OPTIONS" });
    assertEquals(recorder.exchanges().length, expected);
    assert(recorder.exchanges().every(({ request }) => request.method === "GET"));
    assertEquals(recorder.flows().map(({ exchanges }) => exchanges.map(({ request }) => request.path)), [
      ["/oauth2/tokens"],
      ["/.well-known/nothing"],
    ]);
  }
});

test("endpoints are recognised below an issuer with a path", async () => {
  const record = recorder();
  const b = await testServer({ issuer: "https://as.test/tenant", plugins: [record] });
  await publicTokens(b);
  assertEquals(summarizeExchanges(record.exchanges()), ["authorize done", "token done"]);
});

test("the limit drops whole flows, the least recently active first", async () => {
  const { server, recorder } = await recordedServer({ limit: 20 });
  const old = await publicTokens(server);
  for (let i = 0; i < 12; i++) {
    await publicTokens(server);
    // The first flow is the oldest, but in use.
    if (i % 4 === 0) await userinfo(server, old.access_token);
  }
  assert(recorder.exchanges().length <= 20);
  const [first, ...others] = recorder.flows();
  assertEquals([first!.id, first!.exchanges.length], ["1", 5]);
  assertEquals(
    others.map(({ exchanges }) => summarizeExchanges(exchanges).join()),
    Array(7).fill("authorize done,token done"),
  );
  assertEquals(others.at(-1)!.id, "13");
  assertEquals(recorder.flow("2"), undefined);
});

test("after hundreds of flows only the last ones remain, and no dropped token is known", async () => {
  const { server, recorder } = await recordedServer({ limit: 10 });
  const tokens: string[] = [];
  for (let i = 0; i < 300; i++) {
    const response = await server.post("/oauth2/token", { grant_type: "client_credentials" }, basicHeader("machine"));
    tokens.push((await response.json()).access_token);
  }
  assertEquals(recorder.flows().map(({ id }) => id), Array.from({ length: 10 }, (_, i) => `${291 + i}`));
  for (const token of tokens.slice(0, 290)) await fetchIntrospection(server, token);
  assertEquals(recorder.exchanges().length, 10);
  assert(recorder.flows().every(({ exchanges }) => summarizeExchanges(exchanges).join() === "introspect done"));
});

test("an endless flow keeps its newest exchanges, and stays one flow", async () => {
  const { server, recorder } = await recordedServer({ limit: 10 });
  let { refresh_token, access_token } = await publicTokens(server);
  for (let i = 0; i < 30; i++) ({ refresh_token, access_token } = await refreshTokens(server, refresh_token));
  for (let i = 0; i < 30; i++) await userinfo(server, access_token);
  assertEquals(
    recorder.flows().map(({ id, client, exchanges }) => [id, client, summarizeExchanges(exchanges).join()]),
    [
      ["1", "spa", Array(10).fill("userinfo done").join()],
    ],
  );
});

test("an exchange of a long flow knows its client, found once and not by parsing all others", async () => {
  // At this size, searching all exchanges for each one takes far longer than everything else here.
  const limit = 4000;
  const { server, recorder } = await recordedServer(
    { limit },
    responding("/userinfo", () => new Response(null, { status: 204 })),
  );
  const { access_token } = await publicTokens(server);
  for (let i = 0; i < limit + 500; i++) await userinfo(server, access_token);
  const [flow, ...others] = recorder.flows();
  assertEquals([flow!.id, flow!.client, flow!.exchanges.length, others.length], ["1", "spa", limit, 0]);
  const flows: (string | undefined)[] = [];
  recorder.subscribe((id) => flows.push(id));
  for (let i = 0; i < 500; i++) await userinfo(server, access_token);
  assertEquals([flows, recorder.flow("1")!.client], [Array(1000).fill("1"), "spa"]);
});

test("large bodies are limited together: the least recently active flows are dropped, and the newest exchange stays", async () => {
  const maxBytes = 1024 * 1024;
  const body = `x=${"a".repeat(60_000)}`;
  const respond = responding(
    "/oauth2/jwks",
    () => new Response("b".repeat(60_000), { headers: { "content-type": "text/plain" } }),
  );
  const { server, recorder } = await recordedServer({ maxBytes }, respond);
  const tokens = await publicTokens(server);
  for (let i = 0; i < 30; i++) {
    await Promise.all([
      send(server, "/oauth2/token", body, form),
      server.get("/oauth2/jwks").then((sent) => sent.text()),
    ]);
    if (i === 5) await userinfo(server, tokens.access_token);
  }
  const kept = recorder.exchanges();
  const chars = kept.reduce(
    (sum, { request, response }) => sum + (request.body?.length ?? 0) + (response?.body?.length ?? 0),
    0,
  );
  assert(2 * chars <= maxBytes && 2 * chars >= maxBytes / 2, `${chars} characters in ${kept.length} exchanges`);
  assertEquals(kept.at(-1)!.number, 63);
  assertEquals(recorder.flow("1"), undefined, "the flow of the login, although it was used again");

  recorder.clear();
  await publicTokens(server);
  for (let i = 0; i < 5; i++) await send(server, "/oauth2/token", body, form);
  assertEquals(recorder.exchanges().length, 7, "what was deleted does not count");

  const small = await recordedServer({ maxBytes: 1000 });
  await send(small.server, "/oauth2/token", body, form);
  await send(small.server, "/oauth2/token", body, form);
  assertEquals(small.recorder.exchanges().map(({ number, request }) => [number, request.body!.length]), [[2, 60_002]]);
});

test("bodies are truncated at their limit, in both directions", async () => {
  const { server, recorder } = await recordedServer(
    {},
    responding(
      "/oauth2/jwks",
      () => new Response("a".repeat(maxCapturedBodyBytes * 3), { headers: { "content-type": "text/plain" } }),
    ),
  );
  const response = await server.get("/oauth2/jwks");
  assertEquals((await response.text()).length, maxCapturedBodyBytes * 3, "the client gets all of it");
  assertEquals(recorder.exchanges()[0]!.response!.body!.length, maxCapturedBodyBytes);
});

test("clearing drops one flow or all, and numbers are not reused", async () => {
  const { server, recorder } = await recordedServer();
  const { access_token } = await publicTokens(server);
  await webTokens(server);
  recorder.clear("1");
  assertEquals(recorder.flows().map(({ id }) => id), ["2"]);
  await userinfo(server, access_token);
  assertEquals(recorder.flows().map(({ id, exchanges }) => [id, exchanges.length]), [["2", 2], ["3", 1]]);
  recorder.clear("1");
  recorder.clear();
  assertEquals([recorder.exchanges(), recorder.flows()], [[], []]);
  await server.authorize();
  assertEquals(recorder.exchanges().map(({ number, flow }) => [number, flow]), [[6, "4"]]);
});

test("exchanges cleared while pending do not return", async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const { server, recorder } = await recordedServer({}, {
    handle: (next) => async (request, peer) => {
      await gate;
      return await next(request, peer);
    },
  });
  const result = server.token({ code: "c" });
  await Promise.resolve();
  recorder.clear();
  open();
  assertEquals((await result).status, 400);
  assertEquals([recorder.exchanges(), recorder.flows()], [[], []]);
});

test("responses are the same with and without a recorder", async () => {
  const plain = await testServer();
  const { server } = await recordedServer();
  for (const one of [plain, server]) {
    const response = await one.authorize({ state: "s" });
    assertEquals([response.status, getRedirectParams(response).get("state")], [302, "s"]);
    assertMatch(response.headers.get("set-cookie")!, /^__Host-latchkey_session=/);
    const rejected = await one.token({ code: "c" });
    assertEquals([rejected.status, (await rejected.json()).error], [400, "invalid_grant"]);
    assertEquals((await one.get("/", { method: "HEAD" })).status, 200);
  }
});
