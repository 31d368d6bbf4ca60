/** The tour: each step of a real flow on a page of its own, two mistakes, and servers without a fitting client. */

import { assert, assertEquals, assertLess, assertMatch, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { inspector } from "../../../src/devtools/requests/mod.ts";
import type { LatchkeyOptions } from "../../../src/mod.ts";
import { extractText, findAttributes, parseForms } from "../../../src/testing/browser/html_form.ts";
import { type Browser, openBrowser } from "../../server/browser.ts";
import { findLink, readFields } from "../../server/page.ts";
import { assertPage, encode, forEachCase, getRejections, testServer } from "../../server/harness.ts";

const issuer = "https://as.test";

/** The demo clients, whose redirect URI is the callback page. */
const demo: LatchkeyOptions = { issuer, clients: undefined };

interface Page {
  readonly path: string;
  readonly html: string;
  readonly heading: string;
  readonly text: string;
}

async function read(path: string, response: Response): Promise<Page> {
  const html = (await response.text()).replaceAll("<wbr/>", "");
  await assertPage(new Response(html.replace(/<(?:form|input)\b(?:"[^"]*"|[^>"])*>/g, ""), response), 200);
  return { path, html, heading: /<h1>([^<]*)</.exec(html)![1]!, text: extractText(html) };
}

/** Opens a path, following redirects within this server. */
async function open(browser: Browser, path: string): Promise<Page> {
  const response = await browser.get(path);
  const location = response.headers.get("location");
  return location === null ? await read(path, response) : await open(browser, location.replace(issuer, ""));
}

/** Presses the main button of a page, a link or a form. */
async function next(browser: Browser, { html, path }: Page): Promise<Page> {
  const nav = html.slice(html.indexOf('<nav class="next"'));
  const [form] = parseForms(nav, issuer + path);
  if (form === undefined) return await open(browser, findAttributes(nav, "a", "href")[0]!.replaceAll("&amp;", "&"));
  const fields = Object.fromEntries(form.controls.map(({ name, value }) => [name, value]));
  assertEquals(form.action, `${issuer}/tour`);
  return await read("/tour", await browser.post("/tour", fields));
}

/** The pages of a walk, the first one included. */
async function walk(browser: Browser, path: string, count: number): Promise<Page[]> {
  const pages = [await open(browser, path)];
  while (pages.length < count) pages.push(await next(browser, pages.at(-1)!));
  return pages;
}

/** The parameters of a walk's request, from the link that sends it. */
function authorizationRequest({ html }: Page): URLSearchParams {
  const [href] = findAttributes(html.slice(html.indexOf('<nav class="next"')), "a", "href");
  return new URL(href!.replaceAll("&amp;", "&"), issuer).searchParams;
}

test("[DM-18] six pages show a real flow with its values, one step each", async () => {
  const browser = openBrowser(await testServer(demo));
  const pages = await walk(browser, "/tour", 6);
  assertEquals(pages.map(({ heading }) => heading), [
    "The client sends you to the server",
    "The server sends you back with a code",
    "The client checks the response",
    "The client exchanges the code",
    "The client gets the tokens",
    "The client calls an API",
  ]);
  const [request, response, check, exchange, tokens, userinfo] = pages as [Page, Page, Page, Page, Page, Page];
  const sent = authorizationRequest(request);
  for (const [name, value] of sent) assertStringIncludes(request.text, `${name} ${value}`);
  const back = new URL(response.path, issuer);
  assertEquals([back.pathname, back.searchParams.get("state")], ["/authorized", sent.get("state")]);
  assertStringIncludes(response.text, back.searchParams.get("code")!);
  assertMatch(check.text, /2 of 2 checks passed/);
  assertStringIncludes(exchange.text, sent.get("code_challenge")!);
  assertMatch(tokens.text, /200 OK.*6 of 6 checks passed/);
  assertStringIncludes(tokens.text, sent.get("nonce")!);
  assertMatch(userinfo.text, /name Alice Adams.*sub alice/);
  for (const { text } of pages) assertMatch(text, / (?:Why|Without)/);
});

test("[DM-18] a confidential client with the demo secret can be shown, too, under an issuer with a path", async () => {
  const base = "https://as.test/tenant";
  const self = await testServer({
    issuer: base,
    clients: [{
      client_id: "demo-confidential",
      client_secret: "demo-secret",
      redirect_uris: [`${base}/authorized`],
    }],
  });
  const page = await read("/tour", await self.get("/tour"));
  assertStringIncludes(page.text, "client_id demo-confidential");
  assertMatch(page.html, /class="button" href="\/tenant\/oauth2\/authorize\?/);
});

for (const [mistake, rule] of [["redirect_uri", "TK-15"], ["code_verifier", "PK-09"]] as const) {
  test(`[DM-18] a wrong ${mistake} is sent, its rejection shown, and the correct request still works`, async () => {
    const self = await testServer({ ...demo, plugins: [inspector()] });
    const browser = openBrowser(self);
    const choice = await open(browser, "/tour?step=mistakes");
    const href = findAttributes(choice.html, "a", "href").map((text) => text.replaceAll("&amp;", "&"))
      .filter((text) => text.startsWith("/oauth2/authorize?"))[mistake === "redirect_uri" ? 1 : 0]!;
    const request = await open(browser, href);
    assertMatch(request.heading, /^The client is about to send a wrong/);
    assertMatch(request.text, /Expected .*Received/);
    assertEquals(getRejections(self.events), []);
    const rejection = await next(browser, request);
    assertEquals(getRejections(self.events).map(({ explanation }) => explanation.rule), [rule]);
    assertMatch(rejection.text, /400 Bad Request.*error invalid_grant/);
    assertStringIncludes(rejection.text, `[${rule}]`);
    const links = findAttributes(rejection.html, "a", "href");
    const link = links.find((text) => text.startsWith("/flows/of/"))!;
    assertMatch((await browser.get(link)).headers.get("location")!, /^\/flows\/\d+$/);

    const correct = parseForms(rejection.html, issuer)[0]!;
    const fields = Object.fromEntries(correct.controls.map(({ name, value }) => [name, value]));
    const tokens = await read("/tour", await browser.post("/tour", fields));
    assertEquals(tokens.heading, "The client gets the tokens");
  });
}

test("[DM-18] without a fitting client the page says which one would fit", async () => {
  const redirect_uris = [`${issuer}/authorized`];
  const cases: LatchkeyOptions["clients"][] = [
    [],
    [{ client_id: "elsewhere", redirect_uris: ["https://app.example/cb"] }],
    [{ client_id: "secret", client_secret: "another secret", redirect_uris }],
    [{ client_id: "plain", redirect_uris, scope: "read" }],
    [{ client_id: "pushing", redirect_uris, require_pushed_authorization_requests: true }],
  ];
  await forEachCase(cases, async (clients) => {
    const browser = openBrowser(await testServer({ issuer, clients }));
    for (const path of ["/tour", "/tour?step=mistakes", "/tour?step=check&code=x&state=y"]) {
      const { heading, text } = await open(browser, path);
      assertEquals(heading, "The tour needs a client");
      assertStringIncludes(text, `${issuer}/authorized`);
    }
  });
});

test("[DM-18, DI-09] without a fitting client the page links to the form that adds one, filled in", async () => {
  const clients = [{ client_id: "elsewhere", redirect_uris: ["https://app.example/cb"] }];
  const browser = openBrowser(await testServer({ issuer, clients }));
  const href = findLink((await open(browser, "/tour")).html, "Add a client that fits")!;
  const form = readFields(await (await browser.get(href)).text(), "/clients");
  assertEquals(form.redirect_uris, `${issuer}/authorized`);
  assertEquals((await browser.post("/clients", form)).status, 303);
  assertEquals((await open(browser, "/tour")).heading, "The client sends you to the server");
  const readOnly = openBrowser(await testServer({ issuer, clients, directory: "read" }));
  assertEquals(findLink((await open(readOnly, "/tour")).html, "Add a client that fits"), undefined);
  assertEquals(findLink((await open(readOnly, "/tour")).html, "Clients"), "/clients");
});

test("[DM-18] the home page links to the tour; on a real host without a client of the callback page there is none", async () => {
  const browser = openBrowser(await testServer(demo));
  assert(findAttributes((await open(browser, "/")).html, "a", "href").includes("/tour"));
  const real = openBrowser(await testServer({ issuer: "https://login.example.com", insecureAllowAutoLogin: true }));
  assertEquals((await real.get("/tour")).status, 404);
  assert(!(await (await real.get("/")).text()).includes("/tour"));
});

test("[DM-18] a step of another browser, of another flow, or without a code leads to the first step", async () => {
  const self = await testServer(demo);
  const [browser, other] = [openBrowser(self), openBrowser(self)];
  const pages = await walk(browser, "/tour", 4);
  const { path } = pages.at(-1)!;
  const foreign = new URL(path, issuer).searchParams.get("state")!.replace(/.$/, "x");
  const start = (await browser.get("/start")).headers.get("location")!;
  const paths = [
    "/tour?step=exchange",
    path.replace(/code=[^&]*/, "code=<b>"),
    `/tour?step=check&code=x&state=${foreign}`,
  ];
  for (const changed of [...paths, `/tour?step=exchange${start.slice(start.indexOf("?")).replace("?", "&")}`]) {
    const { heading, html } = await open(browser, changed);
    assertEquals(heading, "The client sends you to the server");
    assert(!html.includes("<b>"));
  }
  assertEquals((await open(other, path)).heading, "The client sends you to the server");
});

test("[DM-18, UI-04, UI-05] a form of the tour needs the CSRF token of this browser, and no other site can send it", async () => {
  const self = await testServer(demo);
  const browser = openBrowser(self);
  const [, , , exchange] = await walk(browser, "/tour", 4);
  const [form] = parseForms(exchange!.html, `${issuer}/tour`);
  const fields = Object.fromEntries(form!.controls.map(({ name, value }) => [name, value]));
  assertEquals((await browser.post("/tour", { ...fields, form_token: "guess" })).status, 403);
  const cookie = [...browser.cookies].map((pair) => pair.join("=")).join("; ");
  const headers = { cookie, origin: "https://evil.example", "content-type": "application/x-www-form-urlencoded" };
  assertEquals((await self.get("/tour", { method: "POST", headers, body: encode(fields) })).status, 403);
  const lost = await browser.post("/tour", { ...fields, code: "unknown" });
  assertEquals([lost.status, lost.headers.get("location")], [303, "/tour"]);
  assertEquals((await read("/tour", await browser.post("/tour", fields))).heading, "The client gets the tokens");
  assertEquals((await read("/tour", await browser.post("/tour", fields))).heading, "The server rejects the code");
});

test("[DM-18, UI-18] every page of the tour has less than 30 kB with everything it loads", async () => {
  const self = await testServer({ ...demo, alg: "RS256", plugins: [inspector()] });
  const browser = openBrowser(self);
  for (const page of [...await walk(browser, "/tour", 6), ...await walk(browser, "/tour?step=mistakes", 3)]) {
    let size = new TextEncoder().encode(page.html).length;
    for (const path of new Set([...page.html.matchAll(/(?:src|href)="(\/static\/[^"]*)"/g)].map(([, path]) => path!))) {
      size += new TextEncoder().encode(await (await self.get(path)).text()).length;
    }
    assertLess(size, 30_000, page.heading);
  }
});
