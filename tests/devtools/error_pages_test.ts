/** Error pages of this server: each says how to fix the request (group UI). */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { inspector } from "../../src/devtools/mod.ts";
import type { ClientMetadata, LatchkeyOptions, Plugin } from "../../src/mod.ts";
import { findRule, rules } from "../../src/server/rules.ts";
import { openBrowser } from "../server/browser.ts";
import { findCsrfToken } from "../server/csrf.ts";
import { assertPage, encode, forEachCase, getRejections, goodRequest, realHost, testServer } from "../kit.ts";
import type { Fields, TestServer } from "../kit.ts";
import { postRegistration } from "../server/registering.ts";

/** One request for each rule that a page can name, and its status. */
const ways: Readonly<Record<string, readonly [status: number, ask: (b: TestServer) => Promise<Response>]>> = {
  "AZ-02": [400, (b) => b.authorize({ client_id: undefined })],
  "AZ-06": [400, (b) => b.authorize({ redirect_uri: ["https://spa.example/cb", "https://spa.example/cb"] })],
  "RU-01": [400, (b) => b.authorize({ redirect_uri: "https://spa.example/cb/" })],
  "RU-06": [400, (b) => b.authorize({ client_id: "two", scope: "read", redirect_uri: undefined })],
  "RU-07": [400, (b) => b.authorize({ redirect_uri: undefined })],
  "JR-01": [400, (b) => b.authorize({ request: "x.y.z", redirect_uri: undefined })],
  "LO-01": [403, async (b) => {
    const browser = openBrowser(b);
    await browser.authorize();
    return await browser.post("/oauth2/logout", { confirm: "invalid" });
  }],
  "LO-02": [400, (b) => b.get("/oauth2/logout?id_token_hint=x")],
  "LO-03": [400, (b) => b.get("/oauth2/logout?client_id=spa&post_logout_redirect_uri=https%3A%2F%2Fspa.example")],
  "UI-04": [403, (b) => b.post("/clients", { form_token: "x" })],
  "UI-05": [403, (b) => b.post("/clients", {}, { origin: "https://evil.example.com" })],
  "DI-04": [403, (b) => b.get("/clients", { headers: { host: "rebound.example.com" } })],
  "DM-15": [404, (b) => b.get("/start?client_id=spa")],
  "DM-12": [400, async (b) => {
    const browser = openBrowser(b);
    let page = await browser.get("/start");
    for (let to; (to = page.headers.get("location")) !== null;) page = await browser.get(to.replace(b.as.issuer, ""));
    return await browser.post("/authorized/try", { form_token: findCsrfToken(await page.text()), step: "none" });
  }],
  "FP-04": [
    403,
    (b) => {
      const asked = encode({ ...goodRequest, response_mode: "form_post" });
      return b.get(`/oauth2/authorize?${asked}`, { headers: { host: "rebound.example.com" } });
    },
  ],
  "TK-02": [400, (b) => b.post("/oauth2/authorize", "{}", { "content-type": "application/json" })],
  "HT-01": [404, (b) => b.get("/nowhere")],
  "HT-07": [413, (b) => b.post("/oauth2/authorize", `x=${"a".repeat(70_000)}`)],
  "HT-08": [414, (b) => b.get(`/oauth2/authorize?x=${"a".repeat(20_000)}`)],
  "HT-10": [400, (b) => b.get("/oauth2/authorize?client_id=%ff")],
  "HT-13": [415, (b) => b.post("/oauth2/authorize", "x=1", { "content-encoding": "gzip" })],
  "HT-16": [400, (b) => b.get("/", { headers: { host: "a b" } })],
};

async function ready(): Promise<TestServer> {
  const b = await testServer();
  b.as.clients.set({ client_id: "two", redirect_uris: ["https://a.example/cb", "https://b.example/cb"] });
  b.as.clients.set({ client_id: "demo", redirect_uris: ["https://as.test/authorized"] });
  return b;
}

test("[UI-13, UI-19] every rejection on a page explains the error and how to fix it", async () => {
  await forEachCase(Object.entries(ways), async ([rule, [status, ask]]) => {
    const b = await ready();
    const html = await assertPage(await ask(b), status);
    assertEquals(getRejections(b.events).at(-1)?.explanation.rule, rule);
    assertStringIncludes(html, `<strong>How to fix it:</strong> <bdi>`);
    assertStringIncludes(html, `<code class="wire">${rule}</code>`);
    assertMatch(html, /role="alert"><p><bdi>[A-Za-z_]/);
    // A missing page is no error of a client.
    assertStringIncludes(html, status === 404 ? `class="notice warn"` : `class="notice bad"`);
    const { fix } = findRule(rule)!;
    assert(html.includes(fix!.replaceAll("&", "&amp;")), fix);
  });
});

test("[UI-04] the rejection of a form that no client sent names no client", () => {
  assertEquals(findRule("UI-04")!.fix, "Go back, reload the page and send the form again.");
});

test("[AZ-02, DI-01] a page of a real host names no registered client; the trace does, the nearest first, and no client that registered itself", async () => {
  for (const options of [{}, realHost]) {
    const b = await testServer({
      ...options,
      registration: { mode: "open" },
      insecure: ["auto-login", "open-registration"],
    });
    const registered = await postRegistration(b, { redirect_uris: ["https://unlisted.example/cb"] });
    const { client_id: unlisted } = await registered.json();
    const html = await assertPage(await b.authorize({ client_id: "postr" }), 400);
    assertEquals(html.includes("poster"), options !== realHost);
    const { reason, expected } = getRejections(b.events).at(-1)!.explanation;
    assertEquals([reason, expected], ["client_id is not registered. Did you mean poster?", "poster or spa or web"]);
    assert(!html.includes(unlisted));
  }
});

test("[CA-07] on a real host the rejection of an unknown client at the token endpoint does not depend on the others", async () => {
  const b = await testServer(realHost);
  await b.token({ client_id: "postr" });
  const { reason, expected } = getRejections(b.events).at(-1)!.explanation;
  assertEquals([reason, expected], ["the client is unknown", "the client_id of a registered client"]);
});

test("[UI-13] each of these rejections is JSON for a program, which accepts JSON and no page", async () => {
  await forEachCase(Object.entries(ways), async ([rule, [status, ask]]) => {
    const b = await ready();
    const send = (accept: string) =>
      ask({
        ...b,
        get: (path, init) =>
          b.get(path, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), accept } }),
        authorize: (fields) =>
          b.get(`/oauth2/authorize?${encode({ ...goodRequest, ...fields })}`, { headers: { accept } }),
      });
    for (const accept of ["application/json", "application/problem+json, */*;q=0.1"]) {
      const response = await send(accept);
      assertEquals([response.status, response.headers.get("content-type")], [status, "application/json"], accept);
      const { error, error_description } = await response.json();
      assertMatch(error, /^[a-z_]+$/);
      assertStringIncludes(error_description, `[${rule}]`);
    }
    for (const accept of ["text/html,application/json;q=0.9,*/*;q=0.8", "text/html"]) {
      await assertPage(await send(accept), status);
    }
  });
});

test("[UI-13] the JSON of a rejected authorization request leads to its flow", async () => {
  const b = await testServer({ plugins: [inspector()] });
  const response = await b.get("/oauth2/authorize?client_id=unknown", { headers: { accept: "application/json" } });
  assertEquals(await response.json(), {
    error: "invalid_request",
    error_description: "client_id is not registered [AZ-02]",
    error_uri: `${b.as.issuer}/flows/of/1`,
  });
});

test("[UI-19] every rule with rejections has a fix in complete sentences", () => {
  for (const [id, { fix, passes }] of Object.entries(rules)) {
    if (fix !== undefined) assertMatch(fix, /^[A-Z].*[.]$/, id);
    if (passes !== undefined) assertMatch(passes, /^[A-Za-z].*[^.]$/, id);
  }
});

test("[UI-19] the page of a rejection links to its flow, if there is one", async () => {
  const recorder: Plugin = {
    setup({ developerPages }) {
      developerPages.flowLink = (request) => request.url.includes("spa") ? "/flows/7" : undefined;
    },
  };
  const b = await testServer({ plugins: [recorder] });
  const link = (style: string) => `<a class="${style}" href="/flows/7">See the whole flow</a>`;
  const rejected = await assertPage(await b.authorize({ redirect_uri: "http://localhost:3000/callback" }), 400);
  // The button that changes the client comes first.
  assertMatch(
    rejected,
    /<a class="button" href="[^"]*"><bdi>Correct the redirect URI, or add it to spa<.bdi><.a><a class="button plain"/,
  );
  assertStringIncludes(rejected, "You can review the change on the next page before saving.");
  assertStringIncludes(rejected, link("button plain"));
  const fixed = await testServer({ plugins: [recorder], directory: "off" });
  const page = await assertPage(await fixed.authorize({ redirect_uri: "https://a.example" }), 400);
  assertStringIncludes(page, link("button"));
  assert(!(await assertPage(await b.get("/nowhere"), 404)).includes("See the whole flow"));
});

test("[UI-13] expected and received values are listed one below the other, and a 404 names the URL", async () => {
  const b = await ready();
  const html = await assertPage(await b.authorize({ redirect_uri: "https://spa.example/cd<b>" }), 400, "<b>");
  assertMatch(html, /<dt>Expected<\/dt><dd><code class="wire">https:\/\/spa\.example\/c<mark>b<\/mark><\/code>/);
  assertMatch(html, /<dt>Received<\/dt><dd><code class="wire">https:\/\/spa\.example\/c<mark>d&lt;b><\/mark>/);
  const missing = await assertPage(await b.get("/oauth2/authorise"), 404);
  assertStringIncludes(missing, '<code class="wire">https://as.test/oauth2/authori<mark>s</mark>e</code>');
});

/** The links off this origin. */
function linksAway(html: string): string[] {
  return [...html.matchAll(/<a href="(https?:[^"]*)"/g)].map(([, href]) => href!);
}

test("[UI-13] an endpoint for programs that is opened in a browser shows the command that calls it", async () => {
  const server = await testServer();
  await forEachCase([
    ["token", "grant_type code redirect_uri code_verifier client_id"],
    ["introspect", "token client_id"],
    ["par", "client_id response_type redirect_uri code_challenge code_challenge_method"],
  ], async ([path, names]) => {
    const html = await assertPage(await server.get(`/oauth2/${path}`, { headers: { accept: "text/html" } }), 405);
    const fields = names!.split(" ").map((name) => `-d ${name}=…`).join(" ");
    assertStringIncludes(html, `curl ${fields} https://as.test/oauth2/${path}`);
  });
});

test("[UI-13] a page that takes GET, too, shows no command to a request of another method", async () => {
  const server = await testServer();
  const put = { method: "PUT", headers: { accept: "text/html" } };
  await forEachCase(["/oauth2/authorize", "/authorized"], async (path) => {
    const html = await assertPage(await server.get(path, put), 405);
    assertStringIncludes(html, "Method not allowed</h1>");
    assert(!html.includes("curl"));
  });
});

test("[UI-02, UI-13] the sections cited by a rejection are links, unless the URL contains a code or a state", async () => {
  const b = await ready();
  const sections = [
    "https://datatracker.ietf.org/doc/html/draft-ietf-oauth-v2-1-16#section-4.1.1",
    "https://www.rfc-editor.org/rfc/rfc9700.html#section-4.1.3",
    "https://www.rfc-editor.org/rfc/rfc3986.html#section-6.2.1",
  ];
  const off = { redirect_uri: "https://spa.example/cb/" };
  const posted = { response_type: "code", client_id: "spa", ...off, state: "s" };
  for (
    const response of [await b.authorize({ ...off, state: undefined }), await b.post("/oauth2/authorize", posted)]
  ) {
    const html = await assertPage(response, 400);
    assertEquals(linksAway(html), sections);
    for (const href of sections) assertStringIncludes(html, `<a href="${href}" rel="noreferrer">`);
  }
  await forEachCase(["?state=s", "?st%61te=s", "?x&state", "?code=c", "?%63ode"], async (query) => {
    const html = await assertPage(await b.get(`/oauth2/authorize${query}&client_id=spa&redirect_uri=x`), 400);
    assertStringIncludes(html, "OAuth 2.1 §4.1.1, RFC 9700 §4.1.3, RFC 3986 §6.2.1");
    assertEquals(linksAway(html), []);
  });
});

test("[UI-19, FL-15] the page of a rejection, its flow and the pane of the list explain it alike, and lead to the step", async () => {
  const b = await testServer({ plugins: [inspector()] });
  b.as.clients.set({ client_id: "two", redirect_uris: ["https://a.example/cb", "https://b.example/cb"] });
  const explain = (html: string) => {
    const [, text] = /(<dl class="comparison">.*?<strong>How to fix it:.*?<\/bdi><\/p>)/s.exec(html)!;
    return text!.replaceAll("<wbr/>", "");
  };
  const rejected: readonly (readonly [Fields, label: string])[] = [
    [{ client_id: "sqa" }, "Nearest"],
    [{ client_id: "unlike any other" }, "Expected"],
    [{ redirect_uri: "https://spa.example/cb/" }, "Expected"],
    [{ redirect_uri: "https://spa.example/elsewhere" }, "Expected"],
    [{ client_id: "two", redirect_uri: "https://a.example/cb/" }, "Did you mean"],
  ];
  for (const [i, [fields, label]] of rejected.entries()) {
    const page = explain(await assertPage(await b.authorize(fields), 400));
    assertStringIncludes(page, `<dt>${label}</dt>`);
    const flow = await (await b.get(`/flows/${i + 1}`)).text();
    const list = await (await b.get("/flows")).text();
    assertEquals([explain(flow), explain(list)], [page, page]);
    assertStringIncludes(flow, '<section class="step" id="step-1"');
    assertMatch(list, new RegExp(`<a class="button[^"]*" href="/flows/${i + 1}#step-1">See step 1<`));
  }
});

/** The suggestion on the page of a rejection. */
function meantIn(html: string): string | undefined {
  return /<dt>(?:Did you mean|Nearest)<\/dt><dd>(.*?)<\/dd>/.exec(html)?.[1]?.replaceAll(/<[^>]*>/g, "");
}

function named(client_id: string): ClientMetadata {
  return { client_id, redirect_uris: ["https://spa.example/cb"] };
}

test("[UI-19] a client_id that is nearly correct gets a suggestion", async () => {
  const b = await testServer({ clients: ["demo-public", "demo-confidential", "web", "Web_Shop"].map(named) });
  const meant = async (client_id: string) => meantIn(await assertPage(await b.authorize({ client_id }), 400));
  const near: Readonly<Record<string, string>> = {
    "demo-pubic": "demo-public",
    "demo-pubilc": "demo-public",
    "Demo_Public": "demo-public",
    "demopublic": "demo-public",
    "demo-public ": "demo-public",
    " demo-confidential": "demo-confidential",
    "web-shop": "Web_Shop",
    "wep": "web",
  };
  await forEachCase(Object.entries(near), async ([sent, expected]) => assertEquals(await meant(sent), expected));
  const far = ["", "w", "public", "demo-private", "wxyz", "-", "x".repeat(5000), "\u{1F511}", "no client_id"];
  await forEachCase(far, async (sent) => assertEquals(await meant(sent), undefined));
});

test("[DI-01, DI-04] a rejection suggests no client if the visitor may not see the list", async () => {
  const listed = await testServer();
  const meant = async (b: TestServer, headers: Record<string, string>) =>
    meantIn(await assertPage(await b.authorize({ client_id: "sqa" }, { headers }), 400));
  assertEquals(await meant(listed, { host: "as.test" }), "spa");
  assertEquals(await meant(listed, { host: "rebound.example.com" }), undefined);
  assertEquals(await meant(await testServer({ directory: "off" }), {}), undefined);
});

test("[UI-19] the most similar redirect URI is suggested, with the difference", async () => {
  const b = await testServer();
  const redirect_uris = ["https://shop.example/oauth/callback?tenant=1", "https://localhost:5173/callback"];
  b.as.clients.set({ client_id: "two", redirect_uris });
  const [shop, local] = redirect_uris as [string, string];
  const near: readonly (readonly [sent: string, meant: string, words: string])[] = [
    ["http://localhost:5173/callback", local, "differ only in the scheme"],
    ["https://127.0.0.1:5173/callback", local, "differ only in the host"],
    [
      "https://shop.example:1/oauth/callback?tenant=1",
      shop,
      "differ only in the port. The port may vary for 127.0.0.1 and",
    ],
    ["https://localhost:5173/calback", local, "is missing after"],
    ["https://localhost:5173/callback/", local, "There is one extra slash at the end."],
    ["https://shop.example/oauth/callback", shop, "9 characters are missing at the end"],
    ["https://127.0.0.1:5173/callback/", local, "There is one extra slash at the end."],
    ["HTTPS://shop.example/oauth/callback?tenant=1", shop, "compares URIs character by character"],
    ["https://shop.example:443/oauth/callback?tenant=1", shop, "compares URIs character by character"],
  ];
  await forEachCase(near, async ([redirect_uri, meant, words]) => {
    const html = await assertPage(await b.authorize({ client_id: "two", redirect_uri }), 400);
    assertEquals(meantIn(html), meant);
    assertStringIncludes(html, words);
  });
  const far = ["https://evil.example/", "x", "", "https://a@localhost:5173/callback#x", `https://${"x".repeat(9000)}`];
  await forEachCase(far, async (redirect_uri) => {
    const html = await assertPage(await b.authorize({ client_id: "two", redirect_uri }), 400);
    assertEquals(meantIn(html), undefined);
  });
  // Where there is one alone, it stands there as expected.
  const html = await assertPage(await b.authorize({ redirect_uri: "https://spa.example/cb/" }), 400);
  assertEquals(meantIn(html), undefined);
  assertStringIncludes(html, "There is one extra slash at the end.");
});

test("[UI-21] registered redirect URIs are shown only to visitors who may see the directory", async () => {
  const secret = "https://staging.spa.example/cb";
  const options = {
    clients: [{
      client_id: "spa",
      redirect_uris: ["https://spa.example/cb", secret],
      post_logout_redirect_uris: ["https://spa.example/bye", secret],
    }],
  };
  const asks: readonly (readonly [rule: string, path: string])[] = [
    ["RU-01", `/oauth2/authorize?${encode({ ...goodRequest, redirect_uri: `${secret}/` })}`],
    ["RU-06", `/oauth2/authorize?${encode({ ...goodRequest, redirect_uri: undefined, scope: "read" })}`],
    ["RU-07", `/oauth2/authorize?${encode({ ...goodRequest, redirect_uri: undefined })}`],
    ["LO-03", `/oauth2/logout?${encode({ client_id: "spa", post_logout_redirect_uri: `${secret}/` })}`],
  ];
  const hidden: readonly (readonly [LatchkeyOptions, RequestInit])[] = [
    [{ issuer: "https://auth.corp.com", insecure: ["auto-login"] }, {}],
    [{ directory: "off" }, {}],
    [{}, { headers: { host: "rebound.example.com" } }],
  ];
  for (const [more, init] of [[{}, {}] as const, ...hidden]) {
    const b = await testServer({ ...options, ...more });
    await forEachCase(asks, async ([rule, path]) => {
      const html = await assertPage(await b.get(path, init), 400);
      const expected = /<dt>Expected<\/dt><dd>(.*?)<\/dd>/.exec(html)![1]!;
      const isShown = Object.keys(more).length + Object.keys(init).length === 0;
      assertEquals(expected.includes(secret), isShown, html);
      assertEquals(/redirect URI of this client.*log lists them/.test(expected), !isShown);
      assert(isShown || meantIn(html) === undefined);
      const { explanation } = getRejections(b.events).at(-1)!;
      assertEquals([explanation.rule, explanation.expected?.includes(secret)], [rule, true]);
    });
  }
});

test("[UI-03, UI-13] hostile values in every parameter of a rejected request stay text", async () => {
  const b = await ready();
  const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>`;
  const names = [
    "client_id",
    "redirect_uri",
    "state",
    "scope",
    "response_type",
    "nonce",
    "login_hint",
    "prompt",
    hostile,
  ];
  for (const name of names) {
    const response = await b.authorize({ redirect_uri: "https://a.example", [name]: hostile });
    await assertPage(response, 400, "<script>alert", "<img src=x");
  }
  await assertPage(
    await b.get(`/oauth2/logout?id_token_hint=${encodeURIComponent(`hint${hostile}`)}`),
    400,
    "<script>alert",
  );
  await assertPage(await b.get(`/${encodeURIComponent(hostile)}`), 404, "<script>alert");
  await assertPage(await b.get(`/static/${encodeURIComponent(hostile)}`), 404, "<script>alert");
});
