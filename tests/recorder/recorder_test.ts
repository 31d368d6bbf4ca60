/** The recorder: what it remembers of an exchange, how it sorts flows, how much it keeps, and that it changes nothing. */

import { assert, assertEquals, assertMatch, assertRejects, assertStrictEquals } from "@std/assert";
import { test } from "node:test";
import type { Incoming, Layer } from "../../src/mod.ts";
import { recordedBody } from "../../src/recorder/exchange.ts";
import type { Exchange } from "../../src/recorder/exchange.ts";
import { recorder } from "../../src/recorder/recorder.ts";
import {
  as,
  introspected,
  post,
  publicTokens,
  refresh,
  refreshed,
  userinfo,
  webTokens,
} from "../flows/client_endpoints.ts";
import { basic, bench, redirected } from "../flows/harness.ts";
import { askingScene, endless, form, inParts, outline, scene, send, tokenBody, walkPages } from "./scenes.ts";

const jwtBearer = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** A layer that answers some path by itself. */
function answering(path: string, answer: (request: Incoming) => Response | Promise<Response>): Layer {
  return {
    around: (next) => async (request, peer) =>
      request.url.includes(path) ? await answer(request) : await next(request, peer),
  };
}

test("a login is one flow: request, code, tokens, and all that they are used for", async () => {
  const { b, record } = await scene();
  const tokens = await publicTokens(b);
  await userinfo(b, tokens.access_token);
  const next = await refreshed(b, tokens.refresh_token);
  await introspected(b, next.access_token);
  await post(b, "/oauth2/revoke", { token: next.refresh_token, client_id: "spa" });
  await refresh(b, next.refresh_token);
  await b.get(`/oauth2/logout?id_token_hint=${next.id_token}`);
  const [flow, ...others] = record.flows();
  assertEquals(others, []);
  assertEquals(outline(flow!.exchanges), [
    "authorize done",
    "token done",
    "userinfo done",
    "token done",
    "introspect done",
    "revoke done",
    "token refused",
    "logout done",
  ]);
  assertEquals([flow!.id, flow!.client, flow!.sub, flow!.outcome], ["1", "spa", "alice", "done"]);
  assert(flow!.exchanges.every((exchange) => exchange.flow === "1"));
  const issued = flow!.exchanges[1]!.events.find(({ type }) => type === "tokens_issued");
  assertEquals(flow!.family, (issued as { family: string }).family);
});

test("logins side by side are told apart, and each keeps its own tokens", async () => {
  const { b, record } = await scene();
  const codes = await Promise.all([b.code(), b.code(), b.code()]);
  await Promise.all([...codes].reverse().map((code) => b.token({ code })));
  await webTokens(b);
  const flows = record.flows();
  assertEquals(flows.map(({ client }) => client), ["spa", "spa", "spa", "web"]);
  for (const [index, { exchanges }] of flows.entries()) {
    const [asked, redeemed] = exchanges;
    assertEquals(outline(exchanges), ["authorize done", "token done"]);
    const code = asked!.answer!.handover!.params.find(([name]) => name === "code")![1];
    assertEquals(new Map(redeemed!.request.form).get("code"), code);
    if (index < 3) assertEquals(code, codes[index]);
  }
});

test("a token request that fails belongs to the flow of its code, and the flow says so until it succeeds", async () => {
  const { b, record } = await scene();
  const code = await b.code();
  assertEquals(record.flow("1")!.outcome, "under way", "the code waits to be redeemed");
  await b.token({ code, code_verifier: "A".repeat(43) });
  await b.token({ code, redirect_uri: "https://spa.example/other" });
  const { exchanges, outcome } = record.flow("1")!;
  assertEquals(outcome, "refused");
  assertEquals(exchanges.map(({ refusal }) => refusal?.why.rule), [undefined, "PK-09", "TK-15"]);
  assertEquals(exchanges[1]!.refusal!.error, "invalid_grant");
  const held = exchanges[1]!.held.map(({ rule }) => rule);
  assert(held.includes("TK-15") && !held.includes("PK-09"), `held ${held}`);
  await b.token({ code });
  assertEquals(record.flow("1")!.outcome, "done");
});

test("what belongs to no login is a flow of its own; metadata, keys and HEAD are no flow", async () => {
  const { b, record } = await scene();
  await post(b, "/oauth2/token", { grant_type: "client_credentials" }, as("machine"));
  await b.token({ code: "never-issued" });
  await post(b, "/oauth2/introspect", { token: "never-issued" }, as("api"));
  await b.get("/.well-known/openid-configuration");
  await b.get("/oauth2/jwks");
  await b.get("/oauth2/authorize", { method: "HEAD" });
  assertEquals(record.exchanges().map(({ endpoint, flow }) => [endpoint, flow]), [
    ["token", "1"],
    ["token", "2"],
    ["introspect", "3"],
    ["discovery", undefined],
    ["jwks", undefined],
    ["authorize", undefined],
  ]);
  assertEquals(record.flows().map(({ client, outcome }) => [client, outcome]), [
    ["machine", "done"],
    ["spa", "refused"],
    ["api", "done"],
  ]);
});

test("login and consent belong to the flow whose page they came from, though the page came in parts", async () => {
  const asking = await askingScene();
  const { b, record } = asking;
  const [first, second] = await Promise.all([walkPages(asking), walkPages(asking)]);
  for (const callback of [second!, first!]) await b.token({ code: callback.searchParams.get("code")! });
  const flows = record.flows();
  assertEquals(flows.length, 2);
  for (const { exchanges, client, outcome } of flows) {
    assertEquals(outline(exchanges), [
      "authorize asked",
      "login asked",
      "consent done",
      "authorize done",
      "token done",
    ]);
    assertEquals([client, outcome], ["spa", "done"]);
    assert(exchanges.every((exchange) => exchange.client === "spa"), "the pages were shown for this client");
  }
});

test("an authorization request begins a flow, whatever it knows of earlier ones", async () => {
  const { b, record } = await scene();
  const { id_token } = await publicTokens(b);
  await b.authorize({ prompt: "none", id_token_hint: id_token });
  assertEquals(record.flows().map(({ outcome }) => outcome), ["done", "refused"]);
});

test("what goes on to the client is remembered from a redirect, an error, a form, and a scheme of its own", async () => {
  const custom = { client_id: "app", redirect_uris: ["com.example.app:/cb"], application_type: "native" as const };
  const record = recorder();
  const b = await bench({
    clients: [custom, { client_id: "spa", redirect_uris: ["https://spa.example/cb"] }],
    layers: [record],
  });
  await b.authorize();
  await b.authorize({ scope: "nonsense" });
  await b.authorize({ response_mode: "form_post", state: '"><b>&amp;' });
  await b.authorize({ client_id: "app", redirect_uri: "com.example.app:/cb" });
  const [redirect, error, formPost, app] = record.exchanges().map(({ answer, outcome }) => ({
    ...answer!.handover!,
    outcome,
  }));
  assertEquals(redirect!.uri, "https://spa.example/cb");
  assertEquals(redirect!.params.map(([name]) => name), ["code", "state", "iss"]);
  assertEquals([error!.outcome, error!.params[0]], ["refused", ["error", "invalid_scope"]]);
  assertEquals(formPost!.uri, "https://spa.example/cb");
  assertEquals([formPost!.outcome, new Map(formPost!.params).get("state")], ["done", '"><b>&amp;']);
  assertEquals([app!.uri, app!.params.length], ["com.example.app:/cb", 3]);
});

test("the client and its way to authenticate are read off the request, right or wrong", async () => {
  const { b, record } = await scene();
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
  for (const [fields, headers] of cases) await post(b, "/oauth2/token", { grant_type: "x", ...fields }, headers);
  assertEquals(
    record.exchanges().map(({ client, auth }) => [client, auth]),
    cases.map(([, , ...expected]) => expected),
  );
});

test("warnings and everything traced are kept with the exchange they belong to", async () => {
  const { b, record } = await scene();
  await Promise.all([b.authorize(), b.authorize(), b.get("/oauth2/jwks")]);
  const [first, second] = record.exchanges();
  assertEquals([first!.warnings, second!.warnings.map(({ rule }) => rule)], [[], ["PK-14"]]);
  assertEquals(second!.events.map(({ type }) => type).sort(), ["code_issued", "warning"]);
  assertEquals(b.events.filter(({ type }) => type === "code_issued").length, 2, "who traces is told as before");
});

test("a refusal is remembered as the operator may know it, whichever form it leaves in", async () => {
  const { b, record } = await scene();
  await b.authorize({ redirect_uri: "https://evil.example/cb" });
  await b.authorize({ scope: "nonsense" });
  await userinfo(b, "no-token");
  await b.get("/oauth2/token");
  assertEquals(record.exchanges().map(({ outcome, refusal }) => [outcome, refusal?.error, refusal?.why.rule]), [
    ["refused", "invalid_request", "RU-01"],
    ["refused", "invalid_scope", "AZ-17"],
    ["refused", "invalid_token", "BR-02"],
    ["refused", "invalid_request", "HT-01"],
  ]);
});

test("an exchange is a value: it does not change while the request is answered, and a later look shows more", async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const { b, record } = await scene({}, {
    around: (next) => async (request, peer) => {
      await gate;
      return await next(request, peer);
    },
  });
  const told: Exchange[] = [];
  const stop = record.listen((exchange) => told.push(exchange));
  record.listen(() => {
    throw new Error("a listener's own fault");
  });
  const answer = b.authorize();
  await Promise.resolve();
  const [before] = record.exchanges();
  assertEquals([before!.outcome, before!.answer, before!.answeredAt, before!.flow], [
    "under way",
    undefined,
    undefined,
    "1",
  ]);
  b.advance(2);
  open();
  await answer;
  const [after] = record.exchanges();
  assertEquals([before!.outcome, after!.outcome, after!.answeredAt! - after!.at], ["under way", "done", 2000]);
  assertStrictEquals(record.exchanges()[0], after, "nothing happened in between");
  assertEquals(told.map(({ number, outcome }) => [number, outcome]), [[1, "under way"], [1, "done"]]);
  stop();
  await b.authorize();
  assertEquals(told.length, 2);
});

test("a body is remembered as far as somebody reads it, and never read for its own sake", async () => {
  const { b, record } = await scene();
  const unread = endless("a");
  assertEquals((await send(b, "/oauth2/token", unread.body, "text/plain")).status, 400);
  const long = endless(`x=${"a".repeat(5000)}&`);
  assertEquals((await send(b, "/oauth2/token", long.body, form)).status, 413);
  const code = await b.code();
  await send(b, "/oauth2/token", tokenBody({ code }), form);
  const [ignored, tooLong, , redeemed] = record.exchanges().map(({ request }) => request);
  assertEquals([ignored!.body, ignored!.form, unread.pulled()], [undefined, [], 0]);
  assertEquals([tooLong!.body!.length, tooLong!.form], [recordedBody, []]);
  assert(long.pulled() <= 14, `${long.pulled()} parts were read, and 14 are too many already`);
  assertEquals(redeemed!.body, tokenBody({ code }));
  assertEquals(redeemed!.form, [["grant_type", "authorization_code"], ["client_id", "spa"], ["code", code]]);
});

test("a body of known length is remembered, and one that cannot be decoded is text without fields", async () => {
  const { b, record } = await scene();
  const body = tokenBody({ code: "c" });
  await b.get("/oauth2/token", {
    method: "POST",
    body,
    headers: { "content-type": form, "content-length": `${body.length}` },
  });
  await send(b, "/oauth2/token", "code=%zz", form);
  await send(b, "/oauth2/token", new Uint8Array([0x61, 0xff, 0x62]), form);
  const [known, broken, bytes] = record.exchanges().map(({ request }) => request);
  assertEquals([known!.body, known!.form.length], [body, 3]);
  assertEquals([broken!.body, broken!.form], ["code=%zz", []]);
  assertEquals(bytes!.body, "a\uFFFDb");
});

test("a body that breaks off is remembered as far as it came, and refused as without a recorder", async () => {
  const { b, record } = await scene();
  let pulled = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (pulled++ > 0) controller.error(new Error("the connection is gone"));
      else controller.enqueue(new TextEncoder().encode("grant_type=x&co"));
    },
  }, { highWaterMark: 0 });
  const response = await send(b, "/oauth2/token", body, form);
  assertEquals([response.status, (await response.json()).error], [400, "invalid_request"]);
  assertEquals(record.exchanges()[0]!.request.body, "grant_type=x&co");
});

test("a layer further in may read a form early, and the body is remembered once", async () => {
  const { peekForm } = await import("../../src/http/form.ts");
  const early: string[] = [];
  const { b, record } = await scene({}, {
    around: (next) => async (request, peer) => {
      if (request.method === "POST") early.push(...(await peekForm(request)).map(([name]) => name));
      return await next(request, peer);
    },
  });
  await publicTokens(b);
  const [, redeemed] = record.exchanges();
  assertEquals([redeemed!.outcome, redeemed!.request.form.map(([name]) => name)], ["done", early]);
});

test("an answer that is a stream of events, or no text, is passed on as the very value it is", async () => {
  const answers = [
    new Response(new ReadableStream({}), { headers: { "content-type": "text/event-stream" } }),
    new Response(new ReadableStream({}), { headers: { "content-type": "image/png" } }),
    new Response(null, { status: 204 }),
  ];
  const passed: unknown[] = [];
  const { b, record } = await scene(
    {},
    answering("/oauth2/userinfo", () => answers[passed.push(undefined) - 1]!),
  );
  for (const answer of answers) assertStrictEquals(await b.get("/oauth2/userinfo"), answer);
  assertEquals(
    record.exchanges().map(({ outcome, answer }) => [outcome, answer!.body]),
    Array(3).fill(["done", undefined]),
  );
});

test("an answer in parts reaches the client part by part, and is remembered once the client has it all", async () => {
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
  const { b, record } = await scene(
    {},
    answering("/oauth2/userinfo", () => new Response(body(), { headers: { "content-type": "application/json" } })),
  );
  const response = await b.get("/oauth2/userinfo");
  assertEquals([record.exchanges()[0]!.outcome, parts], ["done", 0]);
  const reader = response.body!.getReader();
  assertEquals(new TextDecoder().decode((await reader.read()).value), '{"part":1}\n');
  open();
  while (!(await reader.read()).done);
  assertEquals(record.exchanges()[0]!.answer!.body, '{"part":1}\n{"part":2}\n');
});

test("tokens in an answer that another program made are known by the time the client has read them", async () => {
  const { b, record } = await scene({}, {
    around: (next) => async (request, peer) => {
      const answer = await next(request, peer);
      if (answer instanceof Response || !request.url.endsWith("/token")) return answer;
      return new Response(inParts(answer.body!, "application/json").body, answer);
    },
  });
  const { access_token } = await publicTokens(b);
  await userinfo(b, access_token);
  assertEquals(outline(record.flow("1")!.exchanges), ["authorize done", "token done", "userinfo done"]);
});

test("a dropped connection is lost, an answer that breaks off too, and the error goes on as it was", async () => {
  const dropped = new TypeError("the connection was reset");
  const { b, record } = await scene(
    {},
    answering("/oauth2/jwks", () => Promise.reject(dropped)),
    answering("/oauth2/introspect", () => Response.error()),
    answering("/oauth2/userinfo", () =>
      new Response(
        new ReadableStream({ pull: (controller) => controller.error(dropped) }, { highWaterMark: 0 }),
        { headers: { "content-type": "application/json" } },
      )),
  );
  assertStrictEquals(await assertRejects(() => b.get("/oauth2/jwks")), dropped);
  await assertRejects(() => b.get("/oauth2/introspect"), TypeError);
  assertStrictEquals(await assertRejects(async () => await (await b.get("/oauth2/userinfo")).text()), dropped);
  assertEquals(record.exchanges().map(({ outcome, answer }) => [outcome, answer?.status]), [["lost", undefined], [
    "lost",
    undefined,
  ], ["lost", 200]]);
});

test("a client that wants no more of a body is not a lost answer, and who sends it is told", async () => {
  let cancelled: unknown;
  const { b, record } = await scene(
    {},
    answering(
      "/oauth2/jwks",
      () =>
        new Response(new ReadableStream({ cancel: (reason) => void (cancelled = reason) }), {
          headers: { "content-type": "text/plain" },
        }),
    ),
  );
  await (await b.get("/oauth2/jwks")).body!.cancel("enough");
  assertEquals([cancelled, record.exchanges()[0]!.outcome], ["enough", "done"]);
});

test("a fault is remembered with the exchange it had a hand in, and its error counts as a refusal by no rule", async () => {
  const record: ReturnType<typeof recorder> = recorder();
  const faulty: Layer = {
    around: (next) => async (request, peer) => {
      if (!request.url.endsWith("/token")) return await next(request, peer);
      record.blame(request, "slow down");
      return {
        status: 429,
        headers: { "content-type": "application/json" },
        body: '{"error":"temporarily_unavailable"}',
      };
    },
  };
  const b = await bench({ layers: [record, faulty] });
  await b.token({ code: "c" });
  const [exchange] = record.exchanges();
  assertEquals([exchange!.faults, exchange!.outcome, exchange!.refusal], [["slow down"], "refused", undefined]);
  record.blame(new Request("https://as.test/"), "nobody's");
});

test("a layer further in can ask which exchange its request is part of", async () => {
  const seen: (Exchange | undefined)[] = [];
  const record = recorder();
  const b = await bench({
    layers: [record, {
      around: (next) => (request, peer) => {
        seen.push(record.exchangeOf(request), record.exchangeOf(new Request("https://as.test/")));
        return next(request, peer);
      },
    }],
  });
  await b.authorize();
  assertEquals(seen.map((exchange) => exchange && [exchange.number, exchange.flow]), [[1, "1"], undefined]);
});

test("while it does not record, the request goes on as the very value it is", async () => {
  const seen: Incoming[] = [];
  const { b, record } = await scene({}, {
    around: (next) => (request, peer) => {
      seen.push(request);
      return next(request, peer);
    },
  });
  record.recording = false;
  const request = new Request("https://as.test/oauth2/jwks");
  await b.as.fetch(request);
  assertStrictEquals(seen[0], request);
  assertEquals(record.exchanges(), []);
  record.recording = true;
  await b.get("/oauth2/jwks");
  record.recording = false;
  assertEquals(outline(record.exchanges()), ["jwks done"]);
});

test("pages, static files and preflights are left out unless they are asked for; wrong addresses are kept", async () => {
  const paths = ["/", "/static/style.css", "/favicon.ico", "/oauth2/tokens", "/.well-known/nothing"];
  for (const [pages, expected] of [[false, 2], [true, 5]] as const) {
    const { b, record } = await scene({ pages });
    for (const path of paths) await b.get(path);
    await b.get("/oauth2/token", { method: "OPTIONS" });
    assertEquals(record.exchanges().length, expected);
    assert(record.exchanges().every(({ flow, request }) => flow === undefined && request.method === "GET"));
  }
});

test("below an issuer with a path the endpoints are known all the same", async () => {
  const record = recorder();
  const b = await bench({ issuer: "https://as.test/tenant", layers: [record] });
  await publicTokens(b);
  assertEquals(outline(record.exchanges()), ["authorize done", "token done"]);
});

test("no more is kept than the limit: the flows that were quiet for longest go, whole", async () => {
  const { b, record } = await scene({ limit: 20 });
  const old = await publicTokens(b);
  for (let i = 0; i < 12; i++) {
    await publicTokens(b);
    // The first flow is the oldest, but in use.
    if (i % 4 === 0) await userinfo(b, old.access_token);
  }
  assert(record.exchanges().length <= 20);
  const [first, ...others] = record.flows();
  assertEquals([first!.id, first!.exchanges.length], ["1", 5]);
  assertEquals(others.map(({ exchanges }) => outline(exchanges).join()), Array(7).fill("authorize done,token done"));
  assertEquals(others.at(-1)!.id, "13");
  assertEquals(record.flow("2"), undefined);
});

test("hundreds of flows leave nothing behind but the last ones: not one forgotten token is still known", async () => {
  const { b, record } = await scene({ limit: 10 });
  const tokens: string[] = [];
  for (let i = 0; i < 300; i++) {
    const response = await post(b, "/oauth2/token", { grant_type: "client_credentials" }, as("machine"));
    tokens.push((await response.json()).access_token);
  }
  assertEquals(record.flows().map(({ id }) => id), Array.from({ length: 10 }, (_, i) => `${291 + i}`));
  for (const token of tokens.slice(0, 290)) await introspected(b, token);
  assertEquals(record.exchanges().length, 10);
  assert(record.flows().every(({ exchanges }) => outline(exchanges).join() === "introspect done"));
});

test("one flow without an end keeps its newest exchanges, and is still one", async () => {
  const { b, record } = await scene({ limit: 10 });
  let { refresh_token, access_token } = await publicTokens(b);
  for (let i = 0; i < 30; i++) ({ refresh_token, access_token } = await refreshed(b, refresh_token));
  for (let i = 0; i < 30; i++) await userinfo(b, access_token);
  assertEquals(record.flows().map(({ id, exchanges }) => [id, outline(exchanges).join()]), [
    ["1", Array(10).fill("userinfo done").join()],
  ]);
});

test("bodies are cut at their limit, in both directions", async () => {
  const { b, record } = await scene(
    {},
    answering(
      "/oauth2/jwks",
      () => new Response("a".repeat(recordedBody * 3), { headers: { "content-type": "text/plain" } }),
    ),
  );
  const response = await b.get("/oauth2/jwks");
  assertEquals((await response.text()).length, recordedBody * 3, "the client gets all of it");
  assertEquals(record.exchanges()[0]!.answer!.body!.length, recordedBody);
});

test("clearing forgets one flow or everything, and no number is given twice", async () => {
  const { b, record } = await scene();
  const { access_token } = await publicTokens(b);
  await webTokens(b);
  record.clear("1");
  assertEquals(record.flows().map(({ id }) => id), ["2"]);
  await userinfo(b, access_token);
  assertEquals(record.flows().map(({ id, exchanges }) => [id, exchanges.length]), [["2", 2], ["3", 1]]);
  record.clear("1");
  record.clear();
  assertEquals([record.exchanges(), record.flows()], [[], []]);
  await b.authorize();
  assertEquals(record.exchanges().map(({ number, flow }) => [number, flow]), [[6, "4"]]);
});

test("what is cleared while it is under way does not come back", async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const { b, record } = await scene({}, {
    around: (next) => async (request, peer) => {
      await gate;
      return await next(request, peer);
    },
  });
  const answer = b.token({ code: "c" });
  await Promise.resolve();
  record.clear();
  open();
  assertEquals((await answer).status, 400);
  assertEquals([record.exchanges(), record.flows()], [[], []]);
});

test("answers are the same with a recorder and without", async () => {
  const plain = await bench();
  const { b } = await scene();
  for (const one of [plain, b]) {
    const response = await one.authorize({ state: "s" });
    assertEquals([response.status, redirected(response).get("state")], [302, "s"]);
    assertMatch(response.headers.get("set-cookie")!, /^__Host-latchkey_session=/);
    const refused = await one.token({ code: "c" });
    assertEquals([refused.status, (await refused.json()).error], [400, "invalid_grant"]);
    assertEquals((await one.get("/", { method: "HEAD" })).status, 200);
  }
});
