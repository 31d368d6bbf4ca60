/** Recorded requests, edited and sent again: what is sent where, and what stays secret (FL-10 to FL-12). */

import { assert, assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { inspector } from "../../../src/devtools/mod.ts";
import type { Inspector } from "../../../src/devtools/mod.ts";
import type { LatchkeyOptions } from "../../../src/mod.ts";
import { until } from "../../until.ts";
import { openBrowser, parseAttributes } from "../../server/browser.ts";
import type { Browser } from "../../server/browser.ts";
import { assertPageWithForms, fetchCsrfToken } from "../../server/csrf.ts";
import { assertPage, basic, encode, forEachCase, getRedirectParams, testServer, verifier } from "../../kit.ts";
import type { Fields, TestServer } from "../../kit.ts";

interface EditBench extends TestServer {
  readonly browser: Browser;
  readonly inspected: Inspector;
  /** The fields of the form that edits an exchange. */
  open(number: number): Promise<Record<string, string>>;
  /** Sends the form with changes. */
  send(number: number, changes?: Fields): Promise<Response>;
}

async function editBench(options: LatchkeyOptions = {}): Promise<EditBench> {
  const inspected = inspector();
  const server = await testServer({ ...options, plugins: [inspected, ...options.plugins ?? []] });
  const browser = openBrowser(server);
  const open = async (number: number) => {
    const html = await assertPageWithForms(await browser.get(`/flows/edit/${number}`));
    return fieldsOf(html);
  };
  const send = async (number: number, changes: Fields = {}) =>
    await browser.post(`/flows/edit/${number}`, { ...await open(number), ...changes });
  return { ...server, inspected, browser, open, send };
}

/** The fields of the form on a page, as a browser would send them. */
function fieldsOf(html: string): Record<string, string> {
  const inputs = [...html.matchAll(/<input\b[^>]*>/g)].map(([tag]) => parseAttributes(tag))
    .filter((attributes) => attributes.get("type") !== "checkbox")
    .map((attributes) => [attributes.get("name")!, attributes.get("value") ?? ""]);
  const areas = [...html.matchAll(/<textarea\b([^>]*)>([^<]*)<\/textarea>/g)].map(([, tag, text]) => [
    parseAttributes(`<textarea ${tag}>`).get("name")!,
    text!.replaceAll("&lt;", "<").replaceAll("&quot;", '"').replaceAll("&amp;", "&"),
  ]);
  return Object.fromEntries([...inputs, ...areas]);
}

/** The ID of the field of a parameter. */
function fieldOf(fields: Record<string, string>, name: string): string {
  return Object.entries(fields).find(([field, value]) => field.endsWith("_name") && value === name)![0].slice(0, -5);
}

/** The exchange that a redirect of the form leads to. */
async function experimentOf({ inspected, browser }: EditBench, response: Response) {
  assertEquals(response.status, 303);
  const step = response.headers.get("location")!;
  const [, number] = /^\/flows\/of\/(\d+)$/.exec(step)!;
  assertMatch((await browser.get(step)).headers.get("location")!, /^\/flows\/\d+(\?step=\d+)?#step-\d+$/);
  return inspected.recorder.exchanges().find((exchange) => exchange.number === Number(number))!;
}

test("[FL-10] a rejected code exchange is corrected and sent again: it joins the flow as an experiment", async () => {
  const bench = await editBench();
  const code = await bench.code();
  await bench.token({ code, redirect_uri: "https://spa.example/cb/" });
  const flow = bench.inspected.recorder.flows().at(-1)!;
  const failed = flow.exchanges.at(-1)!;
  const page = await (await bench.browser.get(`/flows/${flow.id}`)).text();
  assertStringIncludes(page, `href="/flows/edit/${failed.number}"`);

  const fields = await bench.open(failed.number);
  const sent = await experimentOf(
    bench,
    await bench.send(failed.number, { [fieldOf(fields, "redirect_uri")]: "https://spa.example/cb" }),
  );
  assertEquals([sent.outcome, sent.flow, sent.experimentOf, sent.request.path], [
    "done",
    flow.id,
    failed.number,
    "/oauth2/token",
  ]);
  // The redacted code and verifier are the recorded ones.
  const form = Object.fromEntries(sent.request.form);
  assertEquals([form.code, form.code_verifier, form.redirect_uri], [code, verifier, "https://spa.example/cb"]);
  const after = await (await bench.browser.get(`/flows/${flow.id}`)).text();
  assertStringIncludes(after, "Experiment: Code exchange");
  assertMatch(after, /This request is an experiment: a request of this flow that was edited and sent again\./);
  // The client has not become better by it.
  assertMatch(after, /<h1><bdi>redirect_uri does not match/);
  assertNotMatch(after, /the flow continued/);
  assertEquals(bench.inspected.recorder.flow(flow.id)!.outcome, "rejected");
});

test("[FL-10] parameters are changed, added, repeated and left out, and headers too", async () => {
  const bench = await editBench();
  await bench.token({ code: await bench.code() });
  const exchange = bench.inspected.recorder.exchanges().at(-1)!;
  const fields = await bench.open(exchange.number);
  const count = exchange.request.form.length;
  const changed = await experimentOf(
    bench,
    await bench.send(exchange.number, {
      [`${fieldOf(fields, "code_verifier")}_omit`]: "yes",
      [fieldOf(fields, "client_id")]: "web",
      [`form_${count}_name`]: "resource",
      [`form_${count}`]: "https://a.example/?x=1&y=2 +%",
      [`form_${count + 1}_name`]: "resource",
      [`form_${count + 1}`]: "https://b.example",
      query_0_name: "q",
      query_0: "1",
      [`headers_${Object.keys(fields).filter((name) => /^headers_\d+$/.test(name)).length - 1}_name`]: "Authorization",
      [`headers_${Object.keys(fields).filter((name) => /^headers_\d+$/.test(name)).length - 1}`]:
        "Basic web:web-secret",
    }),
  );
  const form = changed.request.form;
  assert(!form.some(([name]) => name === "code_verifier"));
  assertEquals(form.filter(([name]) => name === "resource").map(([, value]) => value), [
    "https://a.example/?x=1&y=2 +%",
    "https://b.example",
  ]);
  assertEquals(changed.request.query, [["q", "1"]]);
  assertEquals(changed.request.headers.authorization, basic("web", "web-secret").authorization);
  assertEquals(changed.auth, "client_secret_basic");
  assertEquals(changed.flow, exchange.flow);
  assertEquals(changed.outcome, "rejected");
  assertEquals(bench.inspected.recorder.flow(exchange.flow!)!.outcome, "done");
});

test("[FL-10] an authorization request is opened in the browser, and its login joins the flow", async () => {
  const bench = await editBench();
  await bench.authorize({ scope: "openid nonsense", state: "a b+c" });
  const exchange = bench.inspected.recorder.exchanges().at(-1)!;
  const fields = await bench.open(exchange.number);
  const response = await bench.send(exchange.number, {
    [fieldOf(fields, "scope")]: "openid read",
    [`query_${exchange.request.query.length}_name`]: "nonce",
    [`query_${exchange.request.query.length}`]: "n'1&2",
  });
  assertEquals(response.status, 303);
  const target = response.headers.get("location")!;
  assertMatch(target, /^\/oauth2\/authorize\?response_type=code&/);
  const redirect = await bench.browser.get(target);
  assertEquals(getRedirectParams(redirect).get("state"), "a b+c");
  const sent = bench.inspected.recorder.exchanges().at(-1)!;
  assertEquals([sent.flow, sent.experimentOf, sent.outcome], [exchange.flow, exchange.number, "done"]);
  assertEquals(sent.request.query.at(-1), ["nonce", "n'1&2"]);
  // What the client does with the code is a step of the same flow, and its own.
  await bench.token({ code: getRedirectParams(redirect).get("code")! });
  const next = bench.inspected.recorder.exchanges().at(-1)!;
  assertEquals([next.flow, next.experimentOf], [exchange.flow, undefined]);
  // The same request once more is none of the experiment.
  await bench.browser.get(target);
  assertEquals(bench.inspected.recorder.exchanges().at(-1)!.experimentOf, undefined);
});

test("[FL-10] userinfo, introspection, revocation and a JSON body are sent again, too", async () => {
  const bench = await editBench({ registration: { mode: "open" } });
  const response = await (await bench.token({ code: await bench.code() })).json();
  await bench.get("/oauth2/userinfo", { headers: { authorization: `Bearer ${response.access_token}` } });
  const userinfo = bench.inspected.recorder.exchanges().at(-1)!;
  assertEquals((await experimentOf(bench, await bench.send(userinfo.number))).response!.status, 200);
  const shown = (await bench.open(userinfo.number)).headers_0!;
  assertMatch(shown, /^Bearer eyJ…/);
  const wrong = await experimentOf(bench, await bench.send(userinfo.number, { headers_0: "Bearer nonsense" }));
  assertEquals([wrong.response!.status, wrong.flow], [401, userinfo.flow]);

  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ redirect_uris: ["https://new.example/cb"], client_name: "New" });
  await bench.get("/oauth2/register", { method: "POST", headers, body });
  const registered = bench.inspected.recorder.exchanges().at(-1)!;
  const edited = JSON.stringify({ redirect_uris: ["nonsense"] });
  const again = await experimentOf(bench, await bench.send(registered.number, { body: edited }));
  assertEquals([again.request.body, again.outcome], [edited, "rejected"]);
});

test("[FL-10] a response without end is cancelled, and the form leads to its step", async () => {
  const chunk = new TextEncoder().encode(`data: ${"x".repeat(1000)}\n\n`);
  for (const type of ["text/event-stream", "Text/Event-Stream; charset=utf-8", "text/plain"]) {
    let cancelled = 0;
    const endless = () =>
      new Response(
        new ReadableStream<Uint8Array>({
          pull: (controller) => controller.enqueue(chunk),
          cancel: () => void cancelled++,
        }),
        { headers: { "content-type": type } },
      );
    const bench = await editBench({
      plugins: [{
        handle: (next) => async (request, peer) =>
          request.url.includes("/oauth2/userinfo") ? endless() : await next(request, peer),
      }],
    });
    await (await bench.get("/oauth2/userinfo", { headers: { authorization: "Bearer x" } })).body!.cancel();
    await until(() => cancelled === 1);
    const { number } = bench.inspected.recorder.exchanges().at(-1)!;
    const sent = await experimentOf(bench, await bench.send(number));
    assertEquals([sent.response!.status, sent.experimentOf], [200, number], type);
    await until(() => cancelled === 2);
  }
});

test("[FL-12] a redacted value stays hidden: kept only unchanged in its place, and never in a URL", async () => {
  const bench = await editBench();
  const code = await bench.code();
  await bench.token({ code, client_id: undefined }, { headers: basic("web", "web-secret") });
  const exchange = bench.inspected.recorder.exchanges().at(-1)!;
  const html = await assertPageWithForms(await bench.browser.get(`/flows/edit/${exchange.number}`));
  const secrets = [code, verifier, "web-secret", btoa("web:web-secret")];
  for (const secret of secrets) assert(!html.includes(secret));
  const fields = fieldsOf(html);
  const field = fieldOf(fields, "code");
  const before = bench.inspected.recorder.exchanges().length;
  await forEachCase<Fields>([
    { [`${field}_name`]: "state" },
    { [field]: `${fields[field]}x` },
    { query_0_name: "state", query_0: fields[field]! },
    { [fieldOf(fields, "redirect_uri")]: fields[field]! },
    { [`${fieldOf(fields, "redirect_uri")}_name`]: "code", [fieldOf(fields, "redirect_uri")]: fields[field]! },
    { headers_0: `${fields.headers_0} `, headers_0_name: "accept" },
  ], async (changes) => {
    const rejected = await bench.send(exchange.number, changes);
    const page = await assertPageWithForms(rejected, 400);
    assertMatch(page, /Nothing was sent\..*Type the value again/s);
    for (const secret of secrets) assert(!page.includes(secret));
  });
  assertEquals(bench.inspected.recorder.exchanges().length, before);
  // Unchanged, it is sent as it was recorded, also beside another change.
  const sent = await experimentOf(bench, await bench.send(exchange.number, { query_0_name: "a", query_0: "b" }));
  assertEquals(sent.request.headers.authorization, basic("web", "web-secret").authorization);
  const flowPage = await (await bench.browser.get(`/flows/${sent.flow}`)).text();
  for (const secret of secrets) assert(!flowPage.includes(secret));
});

test("[FL-12] an authorization request never carries a recorded secret into the URL of the browser", async () => {
  const bench = await editBench();
  const { id_token: hint } = await (await bench.token({ code: await bench.code() })).json();
  await bench.authorize({ id_token_hint: hint });
  const exchange = bench.inspected.recorder.exchanges().at(-1)!;
  const fields = await bench.open(exchange.number);
  const field = fieldOf(fields, "id_token_hint");
  assertEquals(fields[field], "");
  const empty = await bench.send(exchange.number);
  assert(!empty.headers.get("location")!.includes(hint.slice(-20)));
  const page = await assertPageWithForms(await bench.send(exchange.number, { [field]: "eyJ…abcd…(800)" }), 400);
  assertStringIncludes(page, "The URL would show it".replace("The", "the"));
  const typed = await bench.send(exchange.number, { [field]: hint });
  assertStringIncludes(typed.headers.get("location")!, hint);
});

test("[FL-11] the request goes to the recorded path of this server, whatever the form contains", async () => {
  const fetched: unknown[] = [];
  const bench = await editBench({
    outbound: (url) => {
      fetched.push(url);
      return Promise.reject(new Error("no network"));
    },
  });
  await bench.token({ code: await bench.code() });
  const exchange = bench.inspected.recorder.exchanges().at(-1)!;
  for (
    const changes of [{ path: "/flows", method: "GET", url: "https://evil.example" }, {
      query_0_name: "@evil.example/",
    }]
  ) {
    const sent = await experimentOf(bench, await bench.send(exchange.number, changes));
    assertEquals([sent.request.method, sent.request.path], ["POST", "/oauth2/token"]);
  }
  const headers = ["Host", "cookie", "X-Forwarded-For", "Forwarded", "content-length", "transfer-encoding", "a b", "é"];
  await forEachCase(headers, async (name) => {
    const response = await bench.send(exchange.number, { headers_1_name: name, headers_1: "x" });
    await assertPageWithForms(response, 400);
  });
  for (const value of ["a\r\nb: c", "\u0000", "ü"]) {
    await assertPageWithForms(await bench.send(exchange.number, { headers_1_name: "x-a", headers_1: value }), 400);
  }
  for (const value of ["Basic 名:x", "Basic ü:x", "Basic …:x", "Basic x:名"]) {
    const changes = { headers_0_name: "authorization", headers_0: value };
    await assertPageWithForms(await bench.send(exchange.number, changes), 400);
  }
  assertEquals(fetched, []);
});

test("[FL-11] the form is protected like others, and exists for recorded requests that a client or its user sends", async () => {
  const bench = await editBench();
  await bench.token({ code: await bench.code() });
  const exchange = bench.inspected.recorder.exchanges().at(-1)!;
  const path = `/flows/edit/${exchange.number}`;
  const fields = await bench.open(exchange.number);
  const cookie = [...bench.browser.cookies].map((pair) => pair.join("=")).join("; ");
  const stolen = await fetchCsrfToken(openBrowser(bench), path);
  const before = bench.inspected.recorder.exchanges().length;
  await forEachCase<[Record<string, string>, Fields]>([
    [{ cookie }, { form_token: undefined }],
    [{ cookie }, { form_token: stolen }],
    [{}, {}],
    [{ cookie, origin: "https://evil.example.com" }, {}],
    [{ cookie, origin: "null" }, {}],
    [{ cookie, "sec-fetch-site": "cross-site" }, {}],
    [{ cookie, host: "rebound.example.com" }, {}],
  ], async ([headers, changes]) => {
    const body = encode({ ...fields, ...changes });
    const type = { "content-type": "application/x-www-form-urlencoded" };
    await assertPage(await bench.get(path, { method: "POST", body, headers: { ...type, ...headers } }), 403);
  });
  await assertPage(await bench.get(path, { headers: { host: "rebound.example.com" } }), 403);
  for (const unknown of ["999", "0", "x", "__proto__", "%ff", "1.5"]) {
    await assertPage(await bench.browser.get(`/flows/edit/${unknown}`), 404);
  }
  assertEquals(bench.inspected.recorder.exchanges().length, before);
  await bench.get("/oauth2/jwks");
  const jwks = bench.inspected.recorder.exchanges().at(-1)!;
  await assertPage(await bench.browser.get(`/flows/edit/${jwks.number}`), 404);

  const inspected = inspector();
  const real = await testServer({
    issuer: "https://as.example.com",
    plugins: [inspected],
    login: "interactive",
    insecure: ["inspector", "open-login"],
  });
  await real.token({ code: "x" });
  const [recorded] = inspected.recorder.exchanges();
  await assertPage(await real.get(`/flows/edit/${recorded!.number}`), 404);
  assertNotMatch(await (await real.get(`/flows/${recorded!.flow}`)).text(), /flows\/edit/);
});

test("[FL-10] hostile values are escaped, and nothing causes an error of the server", async () => {
  const bench = await editBench();
  const hostile = `"><script>alert(1)</script>`;
  await bench.token({ code: hostile, [hostile]: hostile, scope: "\u0000\u202e", redirect_uri: "x".repeat(20_000) });
  await bench.authorize({ state: hostile, scope: `${hostile}\r\n`, [hostile]: "" });
  const numbers = bench.inspected.recorder.exchanges().map(({ number }) => number);
  for (const number of numbers) {
    await assertPageWithForms(await bench.browser.get(`/flows/edit/${number}`), 200, hostile);
    const rejected = await bench.send(number, { query_0: "…(5)", query_0_name: hostile });
    await assertPageWithForms(rejected, 400, hostile);
    await bench.send(number);
  }
  const form_token = await fetchCsrfToken(bench.browser, `/flows/edit/${numbers[0]}`);
  await assertPage(await bench.browser.post(`/flows/edit/${numbers[0]}`, { form_token, a: "x".repeat(70_000) }), 413);
  assert(!bench.events.some(({ type }) => type === "internal_error"));
});

/** Characters that act on a terminal or change the direction of text. */
// deno-lint-ignore no-control-regex
const acting = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;

test("[FL-02, FL-10] control characters of a request are escapes on every page, and are sent again as they were", async () => {
  const bench = await editBench({ registration: { mode: "open" } });
  const text = "\u0000a\u001b[31mred\u202e\u0007\u009b";
  await bench.authorize({ state: text, [text]: text, scope: `openid ${text}`, redirect_uri: text });
  await bench.token({ code: "x", resource: text, [text]: text });
  const headers = { "content-type": "application/json" };
  await bench.get("/oauth2/register", { method: "POST", body: `${text}\r\n${text}`, headers });
  const paths = [
    "/flows",
    ...[1, 2, 3].flatMap((id) => [`/flows/${id}`, `/flows/${id}?show=secrets`, `/flows/edit/${id}`]),
  ];
  for (const path of paths) {
    const html = await (await bench.browser.get(path)).text();
    assert(!acting.test(html), path);
    // Of a body that is neither a form nor JSON, the length is shown.
    if (path !== "/flows" && !path.endsWith("/3")) assertStringIncludes(html, "\\u001b[31mred\\u202e", path);
  }
  const exchanges = () => bench.inspected.recorder.exchanges().map(({ request }) => request);
  const { form } = await experimentOf(bench, await bench.send(2)).then(({ request }) => request);
  assertEquals(form, exchanges()[1]!.form);
  const { body } = await experimentOf(bench, await bench.send(3)).then(({ request }) => request);
  assertEquals(body?.replaceAll("\r", ""), exchanges()[2]!.body?.replaceAll("\r", ""));
});
