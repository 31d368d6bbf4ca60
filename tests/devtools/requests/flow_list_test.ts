/** The list of flows: requests for documents, search, filters and pages. */

import { assertEquals, assertMatch, assertNotMatch, assertRejects } from "@std/assert";
import { test } from "node:test";
import { ConfigurationError } from "../../../src/mod.ts";
import { latchkey } from "../../secret_leak_check.ts";
import { inspector } from "../../../src/devtools/mod.ts";
import { clients, forEachCase, type TestServer, testServer } from "../../kit.ts";

const discovery = "/.well-known/openid-configuration";

/** A server with an inspector. */
async function inspected(
  options: Parameters<typeof testServer>[0] = {},
): Promise<TestServer & { rows(query?: string): Promise<string[]> }> {
  const server = await testServer({ clients, plugins: [inspector()], ...options });
  const rows = async (query = "") => {
    const html = await (await server.get(`/flows${query}`)).text();
    return [...html.matchAll(/<li id="flow-[^"]*"><a[^]*?<\/a>/g)].map(([row]) =>
      row.replaceAll("<wbr/>", "").replace(/<[^>]*>/g, " ").replace(/\s+/g, " ").trim()
    );
  };
  return { ...server, rows };
}

test("[FL-13] requests for one document are one row, which counts them and leads to the newest", async () => {
  const { get, rows, code, advance } = await inspected();
  for (let i = 0; i < 15; i++) await (await get(discovery)).text();
  await code();
  advance(60);
  await (await get("/oauth2/jwks")).text();
  await (await get(discovery)).text();
  assertEquals(await rows(), [
    `Requests 00:01:00 ✓ ${discovery} Metadata , 16 times`,
    "Requests 00:01:00 ✓ /oauth2/jwks Keys",
    "Flow 1 00:00:00 – spa alice Authorization request , code not exchanged yet",
  ]);
  assertEquals((await rows("?outcome=documents")).length, 2);
  for (const outcome of ["done", "rejected"]) assertEquals(await rows(`?outcome=${outcome}`), []);

  const [, href] = /href="([^"]*\/flows\/d\d+)"/.exec(await (await get("/flows")).text())!;
  const page = await (await get(href!)).text();
  assertMatch(page, /<h1><bdi>Requests for \/\.well-known\/openid-configuration<\/bdi><\/h1>/);
  assertMatch(page, />16 requests</);
  assertEquals(page.match(/<details class="step"/g)!.length, 1);
  assertNotMatch(page, /Delete this flow/);
  for (const format of ["md", "sh"]) assertEquals((await get(`${href}.${format}`)).status, 200);
  assertEquals((await get("/flows/of/18")).headers.get("location"), `${href}#step-1`);
  assertEquals((await get("/flows/d999")).status, 404);
});

test("[FL-13] metadata that is requested by another host name is a row of its own, with the issuer to use", async () => {
  const { get, rows } = await inspected();
  await (await get(discovery)).text();
  await (await get(discovery, { headers: { host: "127.0.0.1:9666" } })).text();
  const [other, own] = await rows();
  assertMatch(
    other!,
    / ! .* A client requested the metadata from 127\.0\.0\.1:9666, but the issuer is https:\/\/as\.test\. /,
  );
  assertMatch(own!, / ✓ /);
});

test("[FL-13] metadata under another host name: the pages of a flow, its client and /authorized warn, until it is requested from the issuer", async () => {
  const { get, code } = await inspected();
  await code();
  const warned = () =>
    Promise.all(["/flows/1", "/clients/spa", "/authorized?code=c"].map(async (path) => {
      const html = (await (await get(path)).text()).replaceAll("<wbr/>", "");
      return html.includes("from 127.0.0.1:9666, but the issuer is https://as.test. Clients reject");
    }));
  assertEquals(await warned(), [false, false, false]);
  await (await get(discovery, { headers: { host: "127.0.0.1:9666" } })).text();
  assertEquals(await warned(), [true, true, true]);
  await (await get(discovery)).text();
  assertEquals(await warned(), [false, false, false]);
});

const navigation = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

test("[FL-14] missing pages that a browser opens are neutral rows outside of flows, and no errors on the home page", async () => {
  const { get, rows, code, events } = await inspected({ directory: "off" });
  await code();
  for (let i = 0; i < 2; i++) assertEquals((await get("/clients", { headers: navigation })).status, 404);
  assertEquals((await get("/oauth2/token", { headers: navigation })).status, 405);
  const icon = { accept: "image/avif,*/*", "sec-fetch-dest": "image" };
  const link = (await get("/apple-touch-icon.png", { headers: icon })).headers.get("link");
  assertEquals((await rows()).map((row) => row.replace(" 00:00:00", "")), [
    "Requests – /apple-touch-icon.png Unknown address",
    "Requests – /oauth2/token Token request",
    "Requests – /clients Unknown address , 2 times",
    "Flow 1 – spa alice Authorization request , code not exchanged yet",
  ]);
  assertEquals([(await rows("?outcome=rejected")).length, (await rows("?outcome=documents")).length], [0, 3]);
  const home = await (await get("/")).text();
  assertEquals(home.match(/href="\/flows\/\d+"/g), ['href="/flows/1"']);
  assertEquals(events.filter(({ type }) => type === "rejected"), []);
  assertMatch(link!, /\/flows\/of\/5>/);
  assertEquals((await get("/flows/of/5")).headers.get("location"), "/flows/d5#step-1");
  assertMatch(await (await get("/flows/d5")).text(), /<h1><bdi>Requests for \/apple-touch-icon/);
});

test("[FL-14] programs, scripts and clients that send a browser to a wrong path remain rejections", async () => {
  await forEachCase<[path: string, init: RequestInit]>([
    ["/clients", {}],
    ["/clients", { headers: { accept: "*/*" } }],
    ["/clients", { headers: { accept: "application/json" } }],
    ["/clients", { headers: { ...navigation, "sec-fetch-dest": "empty" } }],
    ["/clients", { headers: { accept: "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2" } }],
    ["/clients", { headers: navigation, method: "POST" }],
    ["/authorize?client_id=spa", { headers: { ...navigation, "sec-fetch-dest": "document" } }],
    ["/oauth2/token?code=x", { headers: navigation }],
  ], async ([path, init]) => {
    const { get, rows, events } = await inspected({ directory: "off" });
    await get(path, init);
    assertEquals((await rows("?outcome=rejected")).length, 1);
    assertEquals(events.filter(({ type }) => type === "rejected").length, 1);
  });
});

test("[FL-01] the search finds the rows that contain each word, and never a secret", async () => {
  const { code, token, get, rows } = await inspected();
  const issued = await code();
  await (await token({ code: issued, redirect_uri: "https://spa.example/cb/" })).text();
  await code({ client_id: "web", redirect_uri: "https://web.example/cb" });
  await (await get(discovery)).text();
  const expected: Readonly<Record<string, number>> = {
    "": 3,
    "invalid_grant": 1,
    "TK-15 SPA": 1,
    "alice": 2,
    "redirect_uri web": 0,
    "/oauth2/authorize": 2,
    "well-known": 1,
    [issued]: 0,
    "<script>alert(1)</script>": 0,
    [`${"x".repeat(5000)}`]: 0,
  };
  await forEachCase(Object.keys(expected), async (q) => {
    assertEquals((await rows(`?${new URLSearchParams({ q })}`)).length, expected[q], q);
  });
  const html = await (await get(`/flows?${new URLSearchParams({ q: '"><img>' })}`)).text();
  assertMatch(html, /name="q" value="&quot;>&lt;img>"|value="&quot;&gt;&lt;img&gt;"/);
  assertMatch(html, /No flow matches the filter/);
});

test("[FL-01] a pasted error of a client library is explained above all flows, and its markup is text", async () => {
  const { get, rows, code } = await inspected();
  const search = async (q: string) => await (await get(`/flows?q=${encodeURIComponent(q)}`)).text();
  // Before the first flow, too.
  assertMatch(await search(""), /<input type="search"[^]*No requests yet/);
  assertMatch(await search("jwt expired"), /<section class="known">[^]*No requests yet/);
  const unknownText = /The text matches no known error either\. Paste the whole message/;
  assertMatch(await search("the cat is on the table"), unknownText);
  await code();
  assertMatch(await search("the cat is on the table"), unknownText);
  assertNotMatch(await (await get("/flows?client=web")).text(), unknownText);
  const page = await search("Error: No matching state found in storage <b>x</b>");
  assertMatch(page, /<section class="known"><h2><bdi>No matching state found in storage<\/bdi>/);
  assertMatch(page, /React StrictMode/);
  assertNotMatch(page, /<b>x/);
  assertEquals((await rows("?q=jwt%20expired")).length, 1);
  assertMatch(await search("invalid_client"), /<section class="known">[^]*<p>invalid_client: the client is unknown/);
  for (const unknown of ["the cat is on the table", "alice"]) assertNotMatch(await search(unknown), /class="known"/);
});

test("[FL-01] a search that a page of another site links to is not run, and the page says so and offers it", async () => {
  const { get, code, rows } = await inspected();
  await code();
  for (const [name, value] of [["sec-fetch-site", "cross-site"], ["origin", "https://evil.example"]] as const) {
    const headers = { [name]: value };
    const html = await (await get("/flows?q=no+such&outcome=pending", { headers })).text();
    assertMatch(html, /<li id="flow-1">/);
    const [, link] = /its search has not run\. <a href="\/flows([^"]*)">Search now/.exec(html)!;
    const query = link!.replaceAll("&amp;", "&");
    assertEquals(query, "?outcome=pending&q=no+such");
    assertEquals((await rows(query)).length, 0);
    assertNotMatch(await (await get("/flows?outcome=pending", { headers })).text(), /was left out/);
  }
  assertNotMatch(await (await get("/flows?q=no+such")).text(), /was left out/);
});

test("[FL-01] equal neighbours are one row, which says how many they are and has the others folded", async () => {
  const { authorize, code, get } = await inspected();
  const folds = async (query = "") => {
    const [, html] = /<ol class="flows"([^]*)/.exec(await (await get(`/flows${query}`)).text())!;
    return [...html!.matchAll(/<li id="flow-(\w+)">|<(details)( open)?>|<summary>([^<]*)|<\/(details)>/g)].map((
      [, id, details, open, summary, end],
    ) => id ?? summary ?? (details && (open ? "open" : "folded")) ?? end).join(" ");
  };
  for (let i = 0; i < 3; i++) await code();
  await code({ login_hint: "bob" });
  for (const redirect_uri of ["https://spa.example/a", "https://spa.example/b", "https://spa.example/b"]) {
    await (await authorize({ redirect_uri })).text();
  }
  // Two received values differ, although the reason is the same. A repeated code_challenge is a warning.
  const list = "folded 2 times 6 details 5 4 3 folded 2 times 2 details 1";
  assertEquals(await folds(), `7 ${list}`);
  assertEquals(await folds("?flow=2"), `7 ${list.replace("3 folded", "3 open")}`);
  for (const path of [discovery, "/oauth2/jwks", discovery]) await (await get(path)).text();
  assertEquals(await folds(), `d8 folded and 1 more d9 details 7 ${list}`, "documents");
  // One with a warning stays outside.
  await (await get("/oauth2/jwks", { headers: { host: "127.0.0.1:9666" } })).text();
  assertEquals(await folds(), `d11 d8 folded and 1 more d9 details 7 ${list}`);
});

test("[FL-01] a page has at most 60 flows, folded or not", async () => {
  const { code, get, rows } = await inspected();
  for (let i = 0; i < 70; i++) await code();
  assertEquals((await rows()).length, 60);
  const [, older] = /href="\/flows(\?before=[^"]*)"/.exec(await (await get("/flows")).text())!;
  assertEquals((await rows(older)).map((row) => row.split(" ")[1]), [
    "10",
    "9",
    "8",
    "7",
    "6",
    "5",
    "4",
    "3",
    "2",
    "1",
  ]);
});

/** The flows of `/flows.json` and the rest of the response. */
async function readJson({ get }: TestServer, query = "", headers: Record<string, string> = {}) {
  const response = await get(`/flows.json${query}`, { headers });
  assertEquals([response.status, response.headers.get("content-type")], [200, "application/json"]);
  assertEquals(response.headers.get("access-control-allow-origin"), null);
  assertEquals(response.headers.get("cross-origin-resource-policy"), "same-origin");
  assertEquals(response.headers.get("cache-control"), "no-store");
  return await response.json();
}

test("[FL-01, FL-03] /flows.json has the flows of the list, filtered like it, with every secret masked", async () => {
  const server = await inspected();
  const code = await server.code();
  const tokens = await (await server.token({ code })).json();
  await (await server.authorize({ client_id: "web", redirect_uri: "https://web.example/cb", scope: "bogus" })).text();
  const { flows, older } = await readJson(server);
  assertEquals(older, undefined);
  assertEquals(flows.map(({ id, client, outcome }: Record<string, string>) => [id, client, outcome]), [
    ["2", "web", "rejected"],
    ["1", "spa", "done"],
  ]);
  const { error, rule, received, fix } = flows[0].exchanges[0].rejection;
  assertEquals([error, rule, received, typeof fix], ["invalid_scope", "AZ-17", "bogus", "string"]);
  const [authorize, token] = flows[1].exchanges;
  assertEquals([authorize.endpoint, authorize.request.query.client_id, flows[1].user], ["authorize", "spa", "alice"]);
  assertEquals(token.request.form.code, authorize.response.authorizationResponse.params.code);
  assertMatch(token.request.form.code, /^.{4}…\(43\)$/);
  const text = JSON.stringify(flows);
  for (const secret of [code, tokens.access_token, tokens.id_token]) assertEquals(text.includes(secret), false);
  const ids = async (query: string) =>
    (await readJson(server, query)).flows.map(({ id }: Record<string, string>) => id);
  assertEquals([await ids("?client=spa"), await ids("?outcome=rejected"), await ids("?q=bogus+nothing")], [
    ["1"],
    ["2"],
    [],
  ]);
  const misspelt = await server.get("/flows.json?outcome=rejectd", { headers: { accept: "application/json" } });
  assertEquals(misspelt.status, 400);
  assertMatch(await misspelt.text(), /outcome is unknown.*FL-01/);
  for (let i = 0; i < 20; i++) await server.code();
  const first = await readJson(server);
  const rest = await readJson(server, `?before=${first.older}`);
  assertEquals([first.flows.length, rest.flows.length], [20, 2]);
});

test("[FL-03] real values in /flows.json need a setting, and the issuer on a test host", async () => {
  const masked = await inspected();
  const rejected = await masked.get("/flows.json?show=secrets", { headers: { accept: "application/json" } });
  assertEquals(rejected.status, 403);
  assertMatch(await rejected.text(), /show-secrets/);

  const server = await testServer({ clients, insecure: ["show-secrets"], plugins: [inspector()] });
  const code = await server.code();
  const { access_token } = await (await server.token({ code })).json();
  assertEquals(JSON.stringify(await readJson(server)).includes(code), false);
  const { flows: [{ exchanges: [authorize, token] }] } = await readJson(server, "?show=secrets");
  assertEquals(authorize.response.authorizationResponse.params.code, code);
  assertEquals([token.request.form.code, token.response.body.access_token], [code, access_token]);
  assertEquals((await (await server.get("/flows/1.md?show=secrets")).text()).includes(code), false);

  const real = {
    issuer: "https://auth.company.com",
    clients: [],
    insecure: ["auto-login", "inspector", "show-secrets"],
  } as const;
  const plugins = [inspector()];
  await assertRejects(() => latchkey({ ...real, plugins }), ConfigurationError, "show-secrets");
});

test("[FL-05, FL-06] pages of other sites and untrusted hosts get no list of flows", async () => {
  const server = await testServer({ clients, insecure: ["show-secrets"], plugins: [inspector()] });
  await server.code();
  await forEachCase<Record<string, string>>([
    { host: "rebound.example" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { origin: "https://evil.example", host: "as.test" },
    { origin: "null", host: "as.test" },
  ], async (headers) => {
    for (const query of ["", "?show=secrets"]) {
      const response = await server.get(`/flows.json${query}`, { headers });
      assertEquals([response.status, response.headers.get("access-control-allow-origin")], [403, null]);
      assertEquals((await response.text()).includes("authorize"), false);
    }
  });
  const preflight = await server.get("/flows.json", { method: "OPTIONS", headers: { origin: "https://evil.example" } });
  assertEquals(preflight.headers.get("access-control-allow-origin"), null);
  await readJson(server, "?show=secrets", { "sec-fetch-site": "same-origin" });
});
