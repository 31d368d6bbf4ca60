/** The documentation: every page, every link, every rule and every setting (group DC). */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { rejectedExample } from "../../src/docs/examples.ts";
import { mistakes } from "../../src/docs/mistakes.ts";
import { documentation } from "../../src/docs/mod.ts";
import { habits } from "../../src/habits/mod.ts";
import { inspector } from "../../src/inspector/mod.ts";
import { rules } from "../../src/oauth/rules/mod.ts";
import { attacks } from "../../src/check/attacks/mod.ts";
import { faultDefinitions } from "../../src/testing/faults/mod.ts";
import { checkReportPage } from "../../src/ui/check_report.tsx";
import schema from "../../static/config.schema.json" with { type: "json" };
import { assertPage, forEachCase, type TestServer, testServer } from "../flows/harness.ts";

/** Pages that are longer, and the bytes that each may have. */
const longPages: Readonly<Record<string, number>> = {
  "/docs/attacks": 54_000,
  "/docs/attacks/id-token": 44_000,
  "/docs/guides/check": 55_000,
  "/docs/guides/cli/the-configuration-file": 33_000,
  "/docs/guides/oauth/troubleshooting": 35_000,
  "/docs/rules": 50_000,
  "/docs/settings": 33_000,
  "/docs/settings/clients": 40_000,
};

const readText = (path: string) => readFile(path, "utf8");

const docsServer = (base = "") =>
  testServer({ issuer: `http://localhost:9666${base}`, plugins: [inspector(), documentation(readText)] });

/** The attribute values of a page. */
const attributes = (html: string, name: string) =>
  [...html.matchAll(new RegExp(` ${name}="([^"]*)"`, "g"))].map(([, value]) => value!.replaceAll("&amp;", "&"));

/** A base that every link must begin with. */
const base = "/tenant";

/** Every page that links from `/docs` lead to, by path, and the links with fragments. */
async function walk(
  { as }: TestServer,
): Promise<{ pages: Map<string, string>; anchors: [from: string, to: string][] }> {
  const pages = new Map<string, string>();
  const anchors: [string, string][] = [];
  const { origin } = new URL(as.issuer);
  const start = `${as.issuer}/docs`;
  const waiting = [start];
  for (let url; (url = waiting.pop()) !== undefined;) {
    const path = url.slice(origin.length);
    if (pages.has(path)) continue;
    const response = await as.fetch(new Request(url, { headers: { accept: "text/html" } }));
    assertEquals(response.status, 200, url);
    const isPage = response.headers.get("content-type")!.startsWith("text/html");
    const html = isPage && url.startsWith(start) ? await response.text() : "";
    pages.set(path, html);
    if (html === "") continue;
    // The READMEs link to other sites, too.
    await assertPage(new Response(html.replaceAll(/<a href="https:[^>]* rel="noreferrer">/g, "<a>"), response), 200);
    for (const href of [...attributes(html, "href"), ...attributes(html, "src")]) {
      const target = new URL(href, url);
      if (target.origin !== origin) continue;
      if (target.hash !== "") anchors.push([path, target.href.slice(origin.length)]);
      // A search of flows is one page, whatever it is for.
      waiting.push(target.origin + target.pathname);
    }
  }
  return { pages, anchors };
}

const server = await docsServer(base);
const { pages, anchors } = await walk(server);

test("[DC-01] every link of the documentation leads to a page and a heading; every rule, setting and README has a page", () => {
  for (const [from, to] of anchors) {
    const [path, id] = to.split("#");
    assert(attributes(pages.get(path!)!, "id").includes(decodeURIComponent(id!)), `${from} links to ${to}`);
  }
  const names = globSync("src/**/README.md").map((path) => path.split("/").at(-2)!.replaceAll("_", "-"));
  const ids = [...attacks, ...faultDefinitions, ...habits].map(({ id }) => id);
  for (const id of ids) assert([...pages.values()].some((html) => html.includes(` id="${id}"`)), id);
  const expected = [
    ...names.map((name) => `guides/${name === "src" ? "program" : name}`),
    ...Object.keys(rules).map((id) => `rules/${id}`),
    ...Object.keys(schema.properties).filter((name) => name !== "$schema").map((name) => `settings/${name}`),
  ];
  for (const path of expected) {
    assert(pages.has(`${base}/docs/${path}`), `No page ${path}. The READMEs with a page are in src/docs/guides.ts.`);
  }
});

test("[DC-01] the start says what each group of guides is for, and counts its entries and those of each list", () => {
  const start = pages.get(`${base}/docs`)!;
  const groups = [...start.matchAll(/<section id="group-\d+".*?<\/section>/gs)].map(([html]) => html);
  assertEquals(groups.length, 4);
  for (const html of groups) {
    const [, count] = /<p>[A-Z][^<]*\. <span class="aside">(\d+) guides\.<\/span><\/p>/.exec(html)!;
    assertEquals(html.match(/<li>/g)!.length, Number(count));
  }
  const counted = [
    ...start.matchAll(/<a href="\/tenant\/docs\/(\w+)">[^<]*<\/a><\/dt><dd>[^<]* <span[^>]*>\((\d+)\)</g),
  ];
  assertEquals(Object.fromEntries(counted.map(([, name, count]) => [name, Number(count)])), {
    rules: [...pages.keys()].filter((path) => /\/docs\/rules\/[A-Z]+-\d/.test(path)).length,
    settings: Object.keys(schema.properties).length - 1,
    ...{ faults: faultDefinitions.length, attacks: attacks.length, habits: habits.length },
  });
});

test("[DC-01] each list of the reference folds its groups, counts their entries, and has each with its title", () => {
  for (const [list, definitions] of Object.entries({ faults: faultDefinitions, attacks, habits })) {
    const groups = [...pages.get(`${base}/docs/${list}`)!.matchAll(/<details><summary>.*?<\/details>/gs)];
    const entries = groups.flatMap(([html]) => {
      const links = [...html.matchAll(/<li><a href="[^"]*#([^"]+)">\1<\/a> (.+?)<\/li>/g)];
      assertStringIncludes(html, `(${links.length})</span></summary>`);
      return links.map(([, id, title]) => [id!, title!]);
    });
    const expected = definitions.map(({ id, title }) => [id, title.replaceAll('"', "&quot;")]);
    assertEquals(Object.fromEntries(entries), Object.fromEntries(expected), list);
  }
});

test("[DC-02, UI-15, UI-18] every page has one heading, no ID twice, and less than 30 kB with its style", async () => {
  const sizes = new Map<string, number>();
  const sizeOf = async (href: string) => {
    const response = await server.as.fetch(new Request(new URL(href, server.as.issuer)));
    return (await response.arrayBuffer()).byteLength;
  };
  const tooLong: Record<string, number> = {};
  for (const [path, html] of pages) {
    if (html === "") continue;
    assertEquals([html.match(/<h1\b/g)?.length, html.match(/<main\b/g)?.length], [1, 1], path);
    const ids = attributes(html, "id");
    assertEquals(ids.filter((id, i) => ids.indexOf(id) !== i), [], path);
    let size = new TextEncoder().encode(html).length;
    for (const [, href] of html.matchAll(/(?:<link rel="(?:icon|stylesheet)"[^>]* href|<script[^>]* src)="([^"]*)"/g)) {
      if (!sizes.has(href!)) sizes.set(href!, await sizeOf(href!));
      size += sizes.get(href!)!;
    }
    if (size >= (longPages[path.slice(base.length)] ?? 30_000)) tooLong[path] = size;
  }
  assertEquals(tooLong, {});
});

test("[DC-06] the search has every page, and each of its entries is one that the links lead to", async () => {
  const response = await server.get("/docs/search.json");
  const entries: { path: string }[] = await response.json();
  for (const { path } of entries) {
    const [page, id] = `${base}/docs${path}`.split("#");
    assert(pages.has(page!) && (id === undefined || attributes(pages.get(page!)!, "id").includes(id)), path);
  }
  const found = new Set(entries.map(({ path }) => `${base}/docs${path.split("#")[0]}`));
  const lists = /\/docs(?:\/(?:rules(?:\/[A-Z]{2})?|settings|faults|attacks|habits))?$/;
  const missing = [...pages].filter(([path, html]) => html !== "" && !found.has(path) && !lists.test(path));
  assertEquals(missing.map(([path]) => path), []);
});

test("[DC-06] the list of pages is made once, and the server handles other requests meanwhile", async () => {
  let texts = 0;
  const readCounted = (path: string) => {
    texts++;
    return readText(path);
  };
  const { get } = await testServer({ plugins: [documentation(readCounted)] });
  let [requests, isListed] = [0, false];
  const listing = get("/docs/search.json").then((response) => {
    isListed = true;
    return response.text();
  });
  for (; !isListed; requests++) await (await get("/docs/rules/PK")).text();
  assert(requests > Object.keys(mistakes).length / 4, `${requests} requests`);
  const [list, read] = [await listing, texts];
  assertEquals(await (await get("/docs/search.json")).text(), list);
  assertEquals(texts, read);
});

test("[DC-06] the search has the words of the rule, its fix, its rejection and its settings, and each member of a setting", async () => {
  const entries: { path: string; title: string; detail: string; words: string }[] =
    await (await server.get("/docs/search.json")).json();
  const find = (path: string) => entries.find((entry) => entry.path === path)!;
  for (const word of ["reuse", "twice", "invalid_grant", "react"]) {
    assertMatch(find("/rules/CI-06").words, RegExp(word));
  }
  assertMatch(find("/rules/CI-02").words, /\bexpire\b.*\blifetimes\.code\b/);
  assertMatch(find("/settings/clients#clients.grant_types").detail, /grant types/);
  assertMatch(find("/settings/pkce#pkce.requireForConfidential").title, /^pkce\./);
  assertMatch(find("/guides/testing/the-log").words, /\blog\b/);
  assertMatch(find("/faults/idToken#idToken.expired").words, /\brejects\b/);
});

test("[DC-02] the short text of a rule has each name as on the wire", async () => {
  const pk = (await (await server.get("/docs/rules/PK")).text()).replaceAll("<wbr/>", "");
  assertStringIncludes(pk, ">code_verifier matches the code_challenge<");
  const openId = (await (await server.get("/docs/rules/MC")).text()).replaceAll("<wbr/>", "");
  assertStringIncludes(openId, ">client_id is the URL of a valid metadata document<");
  assertStringIncludes(await (await server.get("/docs/rules/CI")).text(), ">The code has not expired<");
});

test("[DC-02] the list of rules has the short text of each rule, in the fold of its group", async () => {
  const html = await (await server.get("/docs/rules")).text();
  assertStringIncludes(html, '<a href="/tenant/docs/rules/CI-02">CI-02</a> The code has not expired<');
  assertStringIncludes(html, '<a href="/tenant/docs/rules/PK-09">PK-09</a> code_verifier matches the code_challenge<');
  assertEquals(html.match(/<li><a href="[^"]*">[A-Z]{2}-\d{2}<\/a> \S/g)?.length, Object.keys(rules).length);
  assertMatch(html, /<summary>PK: proof key for code exchange <span class="aside">\(\d+\)<\/span><\/summary>/);
});

test("[DC-03] the page of a rule has its fix, its sections, and what the table of rules demands", async () => {
  const { get } = server;
  const decode = (html: string) =>
    html.replace(/<wbr\/?>/g, "").replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&amp;", "&");
  for (const [id, { fix, passes, cites }] of Object.entries(rules)) {
    const html = decode(await (await get(`/docs/rules/${id}`)).text());
    for (const text of [fix, passes]) assertStringIncludes(html, text ?? "");
    assert(cites.length === 0 || attributes(html, "rel").includes("noreferrer") || html.includes(cites[0]!), id);
  }
  const challenge = decode(await (await get("/docs/rules/PK-02")).text());
  assertStringIncludes(challenge, 'href="/tenant/docs/settings/pkce#pkce.requireForConfidential"');
});

test("[DC-03] each example is a request that a server rejects by the rule of its page", async () => {
  await forEachCase(Object.keys(mistakes), async (id) => {
    const { rule, reason } = (await rejectedExample(id))!;
    assertEquals(rule, id);
    const html = await (await server.get(`/docs/rules/${id}`)).text();
    assertStringIncludes(html.replace(/<wbr\/?>/g, ""), `<bdi>${reason}</bdi>`);
  });
});

test("[DC-04] an unknown page is 404 and names the most similar one", async () => {
  const { as } = server;
  const cases = {
    "/docs/rules/PK-9": "/docs/rules/PK-09",
    "/docs/rules/pk-09": "/docs/rules/PK-09",
    "/docs/settings/pkc": "/docs/settings/pkce",
    "/docs/setings": "/docs/settings",
    "/docs/rules/%3Cb%3E": undefined,
    "/docs/rules/PK-09/x": undefined,
  };
  await forEachCase(Object.entries(cases), async ([path, nearest]) => {
    const response = await as.fetch(new Request(as.issuer + path, { headers: { accept: "text/html" } }));
    await assertPage(response.clone(), 404);
    const html = (await response.text()).replaceAll(/<wbr\/?>/g, "");
    if (nearest !== undefined) assertStringIncludes(html, `Did you mean ${as.issuer}${nearest}?`);
    else assertMatch(html, /Choose a page of the list at|Did you mean/);
  });
});

test("[DC-05] each rule that a page of the documentation names outside of code and headings is a link", () => {
  const bare: Record<string, string[]> = {};
  for (const [path, html] of pages) {
    // The lists of rules have demands in short, beside the link to the page with the whole text.
    if (/\/rules(?:\/[A-Z]{2})?$/.test(path)) continue;
    const text = html.replaceAll(/<(head|nav|h1|h2|h3|pre|code|a|dt)\b[^]*?<\/\1>/g, "").replaceAll(/<[^>]*>/g, "");
    const ids = (text.match(/(?<![\w-])[A-Z]{2}-\d{2}(?![\w-])/g) ?? []).filter((id) => id in rules);
    if (ids.length > 0) bare[path] = ids;
  }
  assertEquals(bare, {});
});

test("[DC-05] each rule that an error page, a flow or the report of a check names links to its page, if there is one", async () => {
  const request = { redirect_uri: "https://spa.example/cb/" };
  const withDocs = await docsServer();
  const page = await (await withDocs.authorize(request)).text();
  assertStringIncludes(page, '<a href="/docs/rules/RU-01">RU-01</a>');
  const flow = await (await withDocs.get("/flows/1")).text();
  assertStringIncludes(flow, '<a href="/docs/rules/RU-01">RU-01</a>');
  const callback = "/authorized?error=invalid_scope&error_description=unknown+scope%3A+raed+%5BAZ-17%5D";
  assertStringIncludes(await (await withDocs.get(callback)).text(), '<a href="/docs/rules/AZ-17">AZ-17</a>');
  const report = checkReportPage({
    ...{ issuer: "http://localhost:9666", base: "", rulesPath: "/docs/rules", client: "shop", passed: false },
    ...{ summary: "0 attacks", outdatedBaseline: [], score: [], verdicts: [] },
    controlFailure: ["The server rejected POST /oauth2/token with invalid_grant by TK-15: redirect_uri does not match"],
  });
  assertStringIncludes(report, 'invalid_grant by <a href="/docs/rules/TK-15">TK-15</a>: redirect_uri');
  const without = await testServer({ issuer: "http://localhost:9666", plugins: [inspector()] });
  for (
    const response of [await without.authorize(request), await without.get("/flows/1"), await without.get(callback)]
  ) {
    assertEquals(attributes(await response.text(), "href").filter((href) => href.includes("/docs")), []);
  }
});
