/** The list of flows: requests for documents, search, filters and pages. */

import { assertEquals, assertMatch, assertNotMatch } from "@std/assert";
import { test } from "node:test";
import { inspector } from "../../src/inspector/mod.ts";
import { clients, forEachCase, type TestServer, testServer } from "./harness.ts";

const discovery = "/.well-known/openid-configuration";

/** A server with an inspector. */
async function inspected(): Promise<TestServer & { rows(query?: string): Promise<string[]> }> {
  const server = await testServer({ clients, plugins: [inspector()] });
  const rows = async (query = "") => {
    const html = await (await server.get(`/flows${query}`)).text();
    return [...html.matchAll(/<li id="flow-[^]*?<\/li>/g)].map(([row]) =>
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
    `Requests ×16 ${discovery} Metadata 200 ✓ success 0 ms 00:01:00`,
    "Requests ×1 /oauth2/jwks Keys 200 ✓ success 0 ms 00:01:00",
    "Flow 1 spa as alice Authorization request , code not redeemed yet 302 – pending 0 ms 00:00:00",
  ]);
  assertEquals((await rows("?outcome=documents")).length, 2);
  for (const outcome of ["done", "rejected"]) assertEquals(await rows(`?outcome=${outcome}`), []);

  const [, href] = /href="([^"]*\/flows\/d\d+)"/.exec(await (await get("/flows")).text())!;
  const page = await (await get(href!)).text();
  assertMatch(page, /<h1><bdi>Requests for \/\.well-known\/openid-configuration<\/bdi><\/h1>/);
  assertMatch(page, />16 requests</);
  assertEquals(page.match(/<details class="step"/g)!.length, 1);
  assertNotMatch(page, /Delete this flow|id="habits"/);
  for (const format of ["txt", "har", "json"]) assertEquals((await get(`${href}.${format}`)).status, 200);
  assertEquals((await get("/flows/of/18")).headers.get("location"), `${href}#step-1`);
  assertEquals((await get("/flows/d999")).status, 404);
});

test("[FL-13] metadata that is requested by another host name is a row of its own, with the issuer to use", async () => {
  const { get, rows } = await inspected();
  await (await get(discovery)).text();
  await (await get(discovery, { headers: { host: "127.0.0.1:9666" } })).text();
  const [other, own] = await rows();
  assertMatch(other!, /! warning .* Requested from 127\.0\.0\.1:9666, but the issuer is https:\/\/as\.test: /);
  assertMatch(own!, /✓ success/);
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

test("[FL-01] the pages of a long list leave out and repeat no row", async () => {
  const { code, get, rows } = await inspected();
  for (let i = 0; i < 30; i++) await code();
  await (await get(discovery)).text();
  const html = await (await get("/flows?q=spa")).text();
  const [, older] = /href="\/flows(\?[^"]*before=[^"]*)"/.exec(html)!;
  const all = [...await rows("?q=spa"), ...await rows(older!.replaceAll("&amp;", "&"))];
  assertEquals(all.map((row) => Number(row.split(" ")[1])), Array.from({ length: 30 }, (_, i) => 30 - i));
});
