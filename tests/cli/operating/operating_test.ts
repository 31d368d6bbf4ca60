/** Plugins for operators: limits, health, logs. */

import { assert, assertEquals, assertMatch, assertNotMatch, assertRejects, assertStrictEquals } from "@std/assert";
import { test } from "node:test";
import { ConfigurationError, memoryStore } from "../../../src/mod.ts";
import type { Latchkey, LatchkeyOptions, Plugin, Store } from "../../../src/mod.ts";
import { formatEvent } from "../../../src/cli/operating/format_event.ts";
import { health, limitConcurrency, logging } from "../../../src/cli/operating/mod.ts";
import { registeredSecrets } from "../../../src/server/redaction/registered_secrets.ts";
import { inspector } from "../../../src/devtools/mod.ts";
import { basic, type Fields, testServer, verifier } from "../../kit.ts";
import { until } from "../../until.ts";

/** A plugin whose requests wait until they are released, except health. */
function gate(): { readonly plugin: Plugin; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return {
    plugin: {
      handle: (next) => async (request, peer) => {
        if (!request.url.endsWith("/healthz")) await promise;
        return await next(request, peer);
      },
    },
    open: resolve,
  };
}

/** A store whose calls end as `act` does, except for keys, which the start reads. */
function storeThat(act: () => Promise<never>): Store {
  const store = memoryStore();
  const get: Store["get"] = (kind, id) => kind === "key" ? store.get(kind, id) : act();
  return new Proxy(store, {
    get: (_, verb: keyof Store) => verb === "close" ? store.close : verb === "get" ? get : act,
  });
}

test("[OP-01] requests beyond the concurrency limit are 503 with Retry-After, and then the server continues", async () => {
  const kept = gate();
  const { get, advance, events } = await testServer({
    plugins: [limitConcurrency({ maxInFlight: 2, retryAfter: 7 }), kept.plugin, health()],
  });
  const posted = { method: "POST", body: "a=b", headers: { "content-type": "application/x-www-form-urlencoded" } };
  const taken = [get("/oauth2/jwks"), get("/oauth2/jwks")];
  const rejected = await get("/oauth2/jwks");
  assertStrictEquals(rejected.status, 503);
  assertStrictEquals(rejected.headers.get("retry-after"), "7");
  assertStrictEquals((await rejected.json()).error, "temporarily_unavailable");
  // What has a body has places of its own.
  const sent = [get("/oauth2/token", posted), get("/oauth2/token", posted)];
  assertStrictEquals((await get("/oauth2/token", posted)).status, 503);
  // Who has much to do is not dead.
  assertStrictEquals((await get("/healthz")).status, 200);
  advance(1);
  assertStrictEquals((await get("/oauth2/jwks")).status, 503);
  const logged = events.map((event) =>
    event.type === "warning" ? `${event.explanation.rule}: ${event.explanation.reason}` : event.type
  );
  assertEquals(logged, [
    "OP-01: 1 request was rejected with 503: 0 with a body and 2 without are in progress",
    "OP-01: 2 requests were rejected with 503: 2 with a body and 2 without are in progress",
  ]);
  kept.open();
  for (const response of await Promise.all(taken)) assertStrictEquals(response.status, 200);
  for (const response of await Promise.all(sent)) assertStrictEquals(response.status, 401);
  assertStrictEquals((await get("/oauth2/jwks")).status, 200);
});

test("[OP-01] a network with many requests leaves capacity to others, and stalled bodies block no GET", async () => {
  const kept = gate();
  const { as } = await testServer({ plugins: [limitConcurrency({ maxInFlight: 20 }), kept.plugin] });
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const post = (address?: string) =>
    as.fetch(new Request(`${as.issuer}/oauth2/token`, { method: "POST", body: "a=b", headers: form }), { address });
  const status = async (result: Promise<Response>) =>
    await Promise.race([result.then(({ status }) => status), new Promise((resolve) => setImmediate(resolve, "waits"))]);
  // Any address of one site counts as the same network.
  const slow = await Promise.all(Array.from({ length: 40 }, (_, i) => status(post(`2001:db8:7:${i}::1`))));
  assertEquals(slow.filter((found) => found === "waits").length, 15);
  const others = ["192.0.2.1", "192.0.2.2", "2001:db8:8::1", undefined];
  assertEquals(await Promise.all(others.map((address) => status(post(address)))), others.map(() => "waits"));
  assertEquals(await status(post("2001:db8:7::2")), 503);
  const looked = Array.from(
    { length: 15 },
    () => status(as.fetch(new Request(`${as.issuer}/oauth2/jwks`), { address: "2001:db8:7::1" })),
  );
  assertEquals(new Set(await Promise.all(looked)), new Set(["waits"]));
  kept.open();
  await until(async () => (await post("2001:db8:7::2")).status === 401);
});

test("a failed request releases its slot", async () => {
  let fail = true;
  const broken: Plugin = {
    handle: (next) => (request, peer) => fail ? Promise.reject(new Error("dropped")) : next(request, peer),
  };
  const { get } = await testServer({ plugins: [limitConcurrency({ maxInFlight: 1 }), broken] });
  await get("/oauth2/jwks").catch(() => {});
  fail = false;
  assertStrictEquals((await get("/oauth2/jwks")).status, 200);
});

test("[OP-02] readiness follows the store and the shutdown; liveness does not", async () => {
  const statuses = async (store: Store) => {
    const plugin = health({ storeTimeoutMs: 20 });
    const { get } = await testServer({ plugins: [plugin], store });
    const both = async () => [(await get("/healthz")).status, (await get("/readyz")).status];
    const before = await both();
    plugin.drain();
    return [before, await both()];
  };
  assertEquals(await statuses(memoryStore()), [[200, 200], [200, 503]]);
  assertEquals(await statuses(storeThat(() => Promise.reject(new Error("gone")))), [[200, 503], [200, 503]]);
  assertEquals(await statuses(storeThat(() => new Promise<never>(() => {}))), [[200, 503], [200, 503]]);
  const full = { ...memoryStore(), put: () => Promise.reject(new Error("can be read and not written")) };
  assertEquals(await statuses(full), [[200, 503], [200, 503]]);
});

test("health checks respond at the root too if the issuer has a path", async () => {
  const { as } = await testServer({ issuer: "https://as.test/sso", plugins: [health()] });
  for (const path of ["/sso/healthz", "/sso/readyz", "/healthz", "/readyz"]) {
    assertStrictEquals((await as.fetch(new Request(`https://as.test${path}`))).status, 200, path);
  }
});

test("[HT-15] a JSON log has every request with its id, and never a secret", async () => {
  const lines: string[] = [];
  const log = logging({ write: (line) => lines.push(line), format: "json", verbose: true });
  const { authorize, code, token } = await testServer({ plugins: [log] });
  const given = await code();
  const result = await token({ code: given });
  const { access_token, id_token } = await result.json();
  await token({ code: given });
  await authorize({ redirect_uri: `https://evil.example/?x=${given}` });
  const records = lines.map((line) => JSON.parse(line));
  const last = records.filter(({ event }) => event === "rejected").map(({ error, rule }) => [error, rule]);
  assertEquals(last, [["invalid_grant", "CI-06"], ["invalid_request", "RU-01"]]);
  for (const record of records.filter(({ event }) => event !== "key_created")) {
    assertMatch(record.time, /^2026-01-01T00:00:00\.\d{3}Z$/);
    assertMatch(record.request, /^[0-9a-f]{16}$/);
  }
  const requests = records.filter(({ event }) => event === "request");
  assertEquals(requests.map(({ endpoint, status }) => [endpoint, status]), [
    ["authorize", 302],
    ["token", 200],
    ["token", 400],
    ["authorize", 400],
  ]);
  assertStrictEquals(new Set(requests.map(({ request }) => request)).size, 4);
  assertStrictEquals(result.headers.get("x-request-id"), requests[1].request);
  for (const secret of [given, verifier, access_token, id_token]) assert(!lines.join("\n").includes(secret));
});

test("[HT-15] a registered secret in the wrong parameter is in no log and no trace event, however short", async () => {
  const lines: string[] = [];
  const secret = "s3cret+with%sign";
  const clients = [
    { client_id: "web", client_secret: secret, redirect_uris: ["https://web.example/cb"] },
    { client_id: "plain", client_secret: "a-plain-secret", redirect_uris: ["https://web.example/cb"] },
  ];
  const log = logging({ write: (line) => lines.push(line), format: "text", verbose: true });
  const json = logging({ write: (line) => lines.push(line), format: "json" });
  const server = await testServer({ clients, plugins: [log, json] });
  const { authorize, get, events } = server;
  const web = { client_id: "web", redirect_uri: "https://web.example/cb" };
  const token = (fields: Fields, headers: Record<string, string> = {}) => server.post("/oauth2/token", fields, headers);
  await token({}, basic(secret, "web"));
  await token({}, basic("username", "x"));
  await token({ client_id: secret });
  await token({ client_id: secret, client_secret: "web" });
  await token({ ...web, grant_type: secret, client_secret: undefined }, basic("web", encodeURIComponent(secret)));
  await token({ grant_type: `x\nclient_secret=hunter2` }, basic("web", encodeURIComponent(secret)));
  await authorize({ client_id: secret });
  for (const name of ["max_age", "prompt", "response_mode", "response_type", "scope", "resource", "acr_values"]) {
    await authorize({ ...web, [name]: secret });
    await authorize({ ...web, [name]: `openid ${secret} x` });
  }
  await authorize({ ...web, max_age: "hunter2hunter2" });
  await authorize({ ...web, redirect_uri: "https://web:hunter2@web.example/" });
  await authorize({ ...web, redirect_uri: `https://web.example/cb/client_secret=hunter2` });
  await get("/oauth2/a-plain-secret");
  const logged = lines.join("\n") + JSON.stringify(events);
  for (const text of [secret, "a-plain-secret", "hunter2", "username"]) {
    assert(!logged.includes(text), logged.split("\n").find((line) => line.includes(text)));
  }
  assertMatch(
    lines.find((line) => !line.startsWith("{"))!,
    /CA-07\n +the client is unknown\n[^]*received {2}the client_id instead of the secret/,
  );
  assert(lines.some((line) => /received {2}a user name of 8 characters/.test(line)));
});

test("[HT-15] a secret is redacted while its digest is still computed", () => {
  const clients = {
    known: () => new Map([["a", { secretDigest: new Promise(() => {}), pendingSecret: "open sesame" }], ["b", {}]]),
  } as unknown as Latchkey["clients"];
  const { redact, addClients } = registeredSecrets();
  addClients(clients);
  assertStrictEquals(redact("open sesame", () => "…"), "…");
  assertStrictEquals(redact("open, sesame", () => "…"), "open, sesame");
});

test("a request id is accepted only from a trusted sender", async () => {
  const named = async (trusted: boolean, id: string) => {
    const log = logging({ write() {}, format: "text" });
    const { as } = await testServer({ plugins: [log], trustProxy: trusted ? ["10.0.0.0/8"] : [] });
    const request = new Request(`${as.issuer}/oauth2/jwks`, { headers: { "x-request-id": id } });
    return (await as.fetch(request, { address: "10.1.2.3" })).headers.get("x-request-id");
  };
  assertStrictEquals(await named(true, "from-the-proxy.1"), "from-the-proxy.1");
  assertMatch(await named(false, "from-a-client") ?? "", /^[0-9a-f]{16}$/);
  assertMatch(await named(true, "<script>alert(1)</script>") ?? "", /^[0-9a-f]{16}$/);
});

test("[DV-03] a poll before the decision of the user is information in a log, and one that comes too early a warning", async () => {
  const open = async (format: "json" | "text", verbose: boolean) => {
    const lines: string[] = [];
    const server = await testServer({
      login: "interactive",
      plugins: [logging({ write: (line) => lines.push(line), format, verbose })],
      clients: [{ client_id: "tv", grant_types: ["urn:ietf:params:oauth:grant-type:device_code"] }],
    });
    const post = (path: string, fields: Record<string, string>) =>
      server.get(path, { method: "POST", body: new URLSearchParams({ client_id: "tv", ...fields }) });
    const { device_code } = await (await post("/oauth2/device_authorization", { scope: "read" })).json();
    const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
    for (let i = 0; i < 2; i++) await post("/oauth2/token", { grant_type, device_code });
    return lines;
  };
  const records = (await open("json", false)).map((line) => JSON.parse(line));
  const rejections = records.filter(({ event }) => event === "rejected").map(({ error, level }) => [error, level]);
  assertEquals(rejections, [["authorization_pending", "info"], ["slow_down", "warn"]]);
  const [quiet, verbose] = [await open("text", false), await open("text", true)].map((lines) => lines.join("\n"));
  assertEquals([quiet!.includes("poll of tv"), quiet!.includes("slow_down")], [false, true]);
  assertMatch(verbose!, /poll of tv: the user has not decided yet\n[^]*slow_down/);
  assert(!verbose!.includes("authorization_pending"));
});

test("[FL-14] a missing page that a browser opens is one line of a text log, and information in a JSON log", async () => {
  const lines: Record<"json" | "text", string[]> = { json: [], text: [] };
  const { get } = await testServer({
    directory: "off",
    plugins: [
      logging({ write: (line) => lines.text.push(line), format: "text" }),
      logging({ write: (line) => lines.json.push(line), format: "json" }),
    ],
  });
  await get("/nowhere", { headers: { accept: "text/html,application/xhtml+xml" } });
  // A missing entry of a page that is on.
  await get("/static/none.css?v=1", { headers: { "sec-fetch-dest": "style" } });
  assertEquals(lines.text.map((line) => line.replace(/^\S+Z /, "")), [
    "no page at /nowhere (404): This address does not exist",
    "no page at /static/none.css (404): This address does not exist",
  ]);
  const records = lines.json.map((line) => JSON.parse(line)).filter(({ event }) => event === "page_missing");
  assertEquals(records.map(({ level, fix }) => [level, fix]), [["info", undefined], ["info", undefined]]);
  await get("/nowhere", { headers: { accept: "*/*" } });
  assertMatch(lines.text[2]!, /HT-01\n[^]*fix {7}/);
});

test("a text log has rejections with their fix and their request id, in the order of the events", async () => {
  const lines: string[] = [];
  const log = logging({ write: (line) => lines.push(line), format: "text", verbose: true });
  const { code, token } = await testServer({ plugins: [log] });
  const codes = [await code(), await code()] as const;
  lines.length = 1;
  const [result] = await Promise.all([
    token({ code: codes[0], redirect_uri: "https://spa.example/other" }),
    token({ code: codes[1], redirect_uri: "https://spa.example/another" }),
  ]);
  await code();
  assertStrictEquals(lines.length, 5, lines.join("\n"));
  const rejection = lines[1]!.split("\n");
  assertMatch(rejection[0]!, /^\S+Z ✗ POST \/oauth2\/token {2}400 invalid_grant {2}spa {2}TK-15$/);
  assertEquals(rejection.slice(1).map((line) => line.trim().split(/ +/)[0]), [
    "redirect_uri",
    "expected",
    "received",
    "earlier",
    "note",
    "fix",
    "request",
  ]);
  assert(lines[1]!.includes(" received  https://spa.example/other\n"));
  assert(lines[1]!.endsWith(` request   ${result.headers.get("x-request-id")}`));
  assertMatch(lines[2]!, /received {2}https:\/\/spa.example\/another\n/);
  assertMatch(lines[3]!, / ! warning .*\n(.*\n)* +fix {7}/);
  assertMatch(lines[4]!, /^\S+Z ✓ GET \/oauth2\/authorize {2}302 {2}spa {2}alice$/);
});

test("a text log ends each rejection with the link to the flow, and has colours if the terminal shows them", async () => {
  const lines: string[] = [];
  const log = logging({ write: (line) => lines.push(line), format: "text", terminal: () => ({ colors: true }) });
  const { as, code, token } = await testServer({ plugins: [log, inspector()], issuer: "http://localhost:9666" });
  await token({ code: await code(), redirect_uri: "https://spa.example/other" });
  const link = lines[0]!.split("\n").at(-1)!.trim();
  assertMatch(link, /^→ http:\/\/localhost:9666\/flows\/of\/\d+$/);
  const { headers } = await as.fetch(new Request(link.slice(2)));
  assertMatch(headers.get("location")!, /^\/flows\/\d+$/);
  assert(lines[0]!.includes("\u001b[31m✗\u001b[0m POST"), lines[0]);
});

test("a verbose text log has one line for each success: method, path, status, client, user, link", async () => {
  const lines: string[] = [];
  const log = logging({ write: (line) => lines.push(line), format: "text", verbose: true });
  const { as, code, token, get } = await testServer({
    plugins: [log, inspector()],
    issuer: "http://localhost:9666",
    registration: { mode: "open" },
  });
  assertStrictEquals((await token({ code: await code() })).status, 200);
  const web = { grant_type: "client_credentials", scope: "read", client_id: undefined };
  as.clients.set({ client_id: "web", client_secret: "web-secret", grant_types: ["client_credentials"] });
  assertStrictEquals((await token(web, { headers: basic("web", "web-secret") })).status, 200);
  const body = JSON.stringify({ redirect_uris: ["https://new.example/cb"] });
  const registered = await get("/oauth2/register", {
    method: "POST",
    body,
    headers: { "content-type": "application/json" },
  });
  const { client_id } = await registered.json();
  const shown = lines.join("\n").split("\n").filter((line) => !line.includes("key_created"));
  const flow = "→ http://localhost:9666/flows/of";
  assertEquals(shown.map((line) => line.replace(/^\S+Z /, "")), [
    `✓ GET /oauth2/authorize  302  spa  alice  ${flow}/1`,
    `✓ POST /oauth2/token  200  spa  alice  ${flow}/2`,
    `✓ POST /oauth2/token  200  web  ${flow}/3`,
    `✓ POST /oauth2/register  201  ${client_id}  client registered  ${flow}/4`,
  ]);
});

test("in a terminal, text continues below its first word, and times are local, to the second", async () => {
  const lines: string[] = [];
  const width = 60;
  const log = logging({
    write: (line) => lines.push(line),
    format: "text",
    terminal: () => ({ width, localTime: true }),
  });
  log.onEvent({ type: "configuration_warning", at: 0, path: "scopes", message: "word ".repeat(30).trim() });
  const { code, token } = await testServer({ plugins: [log] });
  const redirect_uri = `https://spa.example/${"long/".repeat(12)}`;
  await token({ code: await code(), redirect_uri });
  const [warning, rejection] = lines.map((line) => line.split("\n"));
  const at = new Date(Date.UTC(2026, 0, 1));
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, "0")).join(":");
  assertMatch(warning![0]!, /^\d\d:\d\d:\d\d ! warning {2}scopes: word/);
  assertMatch(rejection![0]!, new RegExp(`^${time} ✗ POST /oauth2/token {2}400 invalid_grant {2}spa {2}TK-15$`));
  assertMatch(warning!.map((line) => line.trim()).join(" "), /scopes: (?:word ){29}word$/);
  for (const line of warning!.slice(1)) assertMatch(line, /^ {11}word/);
  const fix = rejection!.findIndex((line) => line.includes(" fix  "));
  assertMatch(rejection![fix]!, /^ {9}fix {7}\S/);
  for (const line of rejection!.slice(fix + 1)) assertMatch(line, /^ {19}\S|^ {9}request {3}\S/);
  assert(rejection!.length > fix + 2, "the fix is one line");
  const tooLong = [...warning!, ...rejection!].filter((line) => line.length > width);
  // A value without spaces stays whole, so that it can be copied.
  assertEquals(tooLong.map((line) => line.trim()), [`received  ${redirect_uri}`]);
});

test("a JSON log has the fix of every rejection and warning, and the link to its flow", async () => {
  const lines: string[] = [];
  const log = logging({ write: (line) => lines.push(line), format: "json" });
  const { code, token, authorize } = await testServer({
    plugins: [log, inspector()],
    issuer: "http://localhost:9666",
  });
  await token({ code: await code(), redirect_uri: "https://spa.example/other" });
  await authorize({ scope: "openid raed", code_challenge_method: undefined });
  await authorize({ client_id: "unknown" });
  const records = lines.map((line) => JSON.parse(line));
  const explained = records.filter(({ event }) => ["rejected", "warning", "note"].includes(event));
  assert(explained.length >= 4, JSON.stringify(explained));
  for (const { fix, flow, request } of explained) {
    assertMatch(fix, /^[A-Z].*\.$/);
    assertMatch(flow, /^http:\/\/localhost:9666\/flows\/of\/\d+$/);
    assertMatch(request, /^[0-9a-f]{16}$/);
  }
  // The events of a request come before its line.
  const requests = records.flatMap(({ event }, i) => event === "request" ? [i] : []);
  for (const { request } of explained) {
    const end = requests.find((i) => records[i].request === request)!;
    assert(records.findLastIndex((record) => record.request === request) === end);
  }
});

test("each format of the log has a note about a client once", async () => {
  for (const format of ["text", "json"] as const) {
    const lines: string[] = [];
    const log = logging({ write: (line) => lines.push(line), format });
    const { code } = await testServer({ plugins: [log], issuer: "http://localhost:9666" });
    for (let login = 0; login < 3; login++) await code({ scope: "read", audience: "https://api.example" });
    const notes = lines.filter((line) => line.includes("audience is a parameter"));
    assertStrictEquals(notes.length, 1, lines.join("\n"));
  }
});

test("every event reaches each listener once, in any plugin order, within a request and outside", async () => {
  for (const order of [[0, 1], [1, 0]] as const) {
    const lines: string[] = [];
    const observed: string[] = [];
    const log = logging({ write: (line) => lines.push(JSON.parse(line).event), format: "json" });
    const counted: string[] = [];
    const loggers: Plugin[] = [log, { onEvent: ({ type }) => void counted.push(type) }];
    const { as, token } = await testServer({
      plugins: order.map((i) => loggers[i]!),
      trace: (event) => observed.push(event.type),
    });
    await token({ code: "guess" });
    await as.rotateKeys();
    assertEquals(observed, ["rejected", "key_created", "key_created"]);
    assertEquals(lines, ["rejected", "request", "key_created", "key_created"]);
    assertEquals(counted, observed);
  }
});

test("a log that cannot be written affects no request", async () => {
  const { code, token } = await testServer({
    plugins: [logging({
      write() {
        throw new Error("the disk is full");
      },
      format: "text",
      verbose: true,
    })],
  });
  assertStrictEquals((await token({ code: await code() })).status, 200);
});

test("[OP-03, CA-12] behind a trusted proxy each sender is rate-limited separately, and others are not believed", async () => {
  const guess = (as: Latchkey, via: string, forwarded: string) =>
    as.fetch(
      new Request(`${as.issuer}/oauth2/token`, {
        method: "POST",
        body: "grant_type=authorization_code&code=x",
        headers: {
          "content-type": "application/x-www-form-urlencoded",
          "x-forwarded-for": forwarded,
          ...basic("web", "a-wrong-secret"),
        },
      }),
      { address: via },
    );
  const statuses = async (trustProxy: readonly string[]) => {
    const { as } = await testServer({ throttle: true, trustProxy });
    for (let i = 0; i < 10; i++) await guess(as, "10.0.0.1", "192.0.2.1");
    return [
      (await guess(as, "10.0.0.1", "192.0.2.1")).status,
      (await guess(as, "10.0.0.1", "192.0.2.2")).status,
      (await guess(as, "10.0.0.1", "192.0.2.2, 192.0.2.1")).status,
      (await guess(as, "192.0.2.3", "192.0.2.1")).status,
    ];
  };
  assertEquals(await statuses(["10.0.0.0/8"]), [429, 401, 429, 401]);
  assertEquals(await statuses([]), [429, 429, 429, 401]);
});

test("[HT-16, OP-03] host and scheme of a trusted proxy change neither issuer nor links", async () => {
  const { as } = await testServer({ trustProxy: ["10.0.0.1"] });
  const headers = {
    "x-forwarded-for": "192.0.2.1",
    "x-forwarded-host": "evil.example",
    "x-forwarded-proto": "http",
    forwarded: "for=192.0.2.1;host=evil.example;proto=http",
  };
  for (const path of ["/.well-known/openid-configuration", "/", "/start"]) {
    const result = await as.fetch(new Request(as.issuer + path, { headers, redirect: "manual" }), {
      address: "10.0.0.1",
    });
    assertNotMatch(JSON.stringify([...result.headers]) + await result.text(), /evil\.example|http:\/\/as\.test/);
  }
});

test("[OP-03] a header that the proxy does not write does not multiply attempts, and the log has its value", async () => {
  const lines: string[] = [];
  const log = logging({ write: (line) => lines.push(line), format: "json" });
  const options = { throttle: true, trustProxy: ["10.0.0.1"], plugins: [log] };
  const guesses = async (proxyHeader?: "x-forwarded-for") => {
    lines.length = 0;
    const { as } = await testServer({ ...options, proxyHeader });
    const statuses: number[] = [];
    for (let i = 0; i < 11; i++) {
      const headers = {
        ...basic("web", "wrong"),
        "content-type": "application/x-www-form-urlencoded",
        "x-forwarded-for": "192.0.2.1",
        ...i === 10 && { forwarded: "for=198.51.100.1" },
      };
      const request = new Request(`${as.issuer}/oauth2/token`, { method: "POST", body: "a=b", headers });
      statuses.push((await as.fetch(request, { address: "10.0.0.1" })).status);
    }
    const logged = lines.map((line) => JSON.parse(line)).filter(({ event }) => event === "request").at(-1);
    return [statuses.at(-1), logged.address, logged.named];
  };
  assertEquals(await guesses("x-forwarded-for"), [429, "192.0.2.1", undefined]);
  assertEquals(await guesses(), [401, "10.0.0.1", ["192.0.2.1", "198.51.100.1"]]);
});

test("an invalid proxy address or header name is rejected in a sentence", async () => {
  const proxyHeader = "x-real-ip" as "forwarded";
  const other = await assertRejects(() => testServer({ proxyHeader }), ConfigurationError);
  assertEquals(other.issues.map(({ path, received }) => [path, received]), [["proxyHeader", `"x-real-ip"`]]);
  const error = await assertRejects(() => testServer({ trustProxy: ["::1", "proxy.test"] }), ConfigurationError);
  assertEquals(error.issues.map(({ path, received }) => [path, received]), [["trustProxy[1]", `"proxy.test"`]]);
});

test("[OP-07, AZ-16] scopes without a default scope cause a warning at startup, which an empty defaultScope confirms", async () => {
  const warnings = async (options: LatchkeyOptions) =>
    (await testServer(options)).events.filter((event) => event.type === "configuration_warning");
  const [warning, ...others] = await warnings({ scopes: ["openid", "orders"] });
  assertEquals([warning?.path, others], ["scopes", []]);
  assertMatch(
    warning!.message,
    /request without scope is rejected .* Set defaultScope to values of scopes \(openid orders\)/,
  );
  const meant = [{}, { scopes: ["read", "a"] }, { scopes: ["a"], defaultScope: "a" }, {
    scopes: ["a"],
    defaultScope: "",
  }];
  for (const options of meant) assertEquals(await warnings(options), []);
});

test("[OP-07] a configuration warning has the same text in every log", () => {
  const event = { type: "configuration_warning", at: 0, path: "scopes", message: "Set \u001b[2J it." } as const;
  assertStrictEquals(formatEvent(event), "00:00:00.000Z ! warning  scopes: Set \\u001b[2J it.");
  const lines: string[] = [];
  logging({ write: (line) => lines.push(line), format: "json" }).onEvent(event);
  assertEquals(JSON.parse(lines[0]!), {
    time: "1970-01-01T00:00:00.000Z",
    level: "warn",
    event: "configuration_warning",
    path: "scopes",
    message: event.message,
  });
});

test("a store failure is one log line, and any other internal error has its stack", () => {
  const cause = Object.assign(new Error("redis://cache: expected a response, found none; start it."), {
    name: "StoreError",
  });
  const report = (cause: Error) => formatEvent({ type: "internal_error", at: 0, endpoint: "/oauth2/token", cause })!;
  assertStrictEquals(report(cause), `00:00:00.000Z the store failed at /oauth2/token: ${cause.message}`);
  assertMatch(report(new Error("what")), /internal error at \/oauth2\/token: Error: what\n +at /);
});

test("[HT-15] message and stack of an internal error are redacted in the log; the error of the event is not changed", () => {
  class ReadError extends Error {
    override readonly name = "ReadError";
  }
  const changed = new Error("client_secret=hunter2");
  changed.stack;
  changed.message = "password=hunter2";
  for (const cause of [new ReadError("read client_secret=hunter2&x=1"), changed, { toString: null }]) {
    const event = { type: "internal_error", at: 0, endpoint: "/oauth2/token", cause } as const;
    for (const format of ["text", "json"] as const) {
      const lines: string[] = [];
      logging({ write: (line) => lines.push(line), format }).onEvent(event);
      assertStrictEquals(lines.length, 1);
      assert(!lines[0]!.includes("hunter2"), lines[0]);
      if (cause instanceof ReadError) {
        assertMatch(lines[0]!, /ReadError: read client_secret=…\(7\)&x=1.*operating_test/s);
      }
    }
    if (cause instanceof Error) assertMatch(cause.message, /hunter2/);
  }
});

test("[OP-10] the log has an event as soon as it happens", () => {
  const lines: string[] = [];
  const log = logging({ write: (line) => lines.push(line), format: "json" });
  log.onEvent({ type: "warning", at: 0, explanation: { rule: "OP-10", reason: "a client remains in the store" } });
  log.logEvent("stopping");
  const [warning, stopping] = lines.map((line) => JSON.parse(line));
  assertEquals([warning.rule, stopping.event], ["OP-10", "stopping"]);
});

test("[UI-19] the terminal says how a rejected redirect URI differs", async () => {
  const lines: string[] = [];
  const server = await testServer({ plugins: [logging({ write: (line) => lines.push(line), format: "text" })] });
  await server.authorize({ redirect_uri: "https://spa.example/cb/" });
  assertMatch(lines.join("\n"), /note {6}There is one extra slash at the end\./);
});
