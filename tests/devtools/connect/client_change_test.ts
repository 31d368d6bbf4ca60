/** The links of a rejection to the form that changes the clients so that the server accepts the request. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { inspector } from "../../../src/devtools/mod.ts";
import { logging } from "../../../src/cli/operating/mod.ts";
import { openBrowser } from "../../server/browser.ts";
import { assertPageWithForms } from "../../server/csrf.ts";
import { assertPage, basic, clients, type Fields, forEachCase, goodRequest, testServer } from "../../kit.ts";
import { findLink, readFields } from "../../server/page.ts";

const redirect_uri = "http://localhost:3000/callback";
const unknown = { client_id: "my-app", redirect_uri };
const registerLabel = `Register my-app with ${redirect_uri}`;

test("[DI-09] an unknown client is registered from the page that rejects it, and the same request then succeeds", async () => {
  const made = await testServer();
  const browser = openBrowser(made);
  const href = findLink(await assertPage(await browser.authorize(unknown)), registerLabel)!;
  const form = readFields(await assertPageWithForms(await browser.get(href)), "/clients");
  assertEquals(form.client_id, "my-app");
  assertEquals([form.redirect_uris, form.token_endpoint_auth_method], [redirect_uri, undefined]);
  const added = await browser.post("/clients", { ...form, token_endpoint_auth_method: "none" });
  assertEquals(added.status, 303);
  const page = await assertPageWithForms(await browser.get(added.headers.get("location")!));
  const again = await browser.get(findLink(page, "Try the request again")!);
  const code = new URL(again.headers.get("location")!).searchParams.get("code")!;
  const tokens = await made.token({ ...unknown, code });
  assertEquals(tokens.status, 200);
  assertEquals(made.as.clients.find("my-app")!.standing, "configured");
});

test("[DI-09] an authorization request does not say whether the client has a secret: the form asks, with PKCE and without", async () => {
  const requests = [unknown, { ...unknown, code_challenge: undefined, code_challenge_method: undefined }];
  for (const request of requests) {
    for (const [choice, isConfidential] of [["", true], ["none", false]] as const) {
      const made = await testServer();
      const browser = openBrowser(made);
      const href = findLink(await assertPage(await browser.authorize(request)), registerLabel)!;
      const page = await assertPageWithForms(await browser.get(href));
      assertStringIncludes(page, "Does the application have a secret?");
      const radios = [...page.matchAll(/<input type="radio" name="token_endpoint_auth_method"[^>]*>/g)];
      assertEquals(radios.map(([tag]) => [/ required/.test(tag), /checked/.test(tag)]), [[true, false], [true, false]]);
      await browser.post("/clients", { ...readFields(page, "/clients"), token_endpoint_auth_method: choice });
      assertEquals(made.as.clients.find("my-app")!.confidential, isConfidential);
    }
  }
});

test("[DI-09] the form registers the type of client that the rejected request shows", async () => {
  const made = await testServer({ plugins: [inspector()] });
  const browser = openBrowser(made);
  const open = async (href: string) => {
    const page = await assertPageWithForms(await browser.get(href));
    return [
      readFields(page, "/clients").token_endpoint_auth_method ?? "asks",
      page.includes("those of the rejected request"),
    ];
  };
  const label = registerLabel;
  const authorize = async (fields: Fields) => findLink(await assertPage(await browser.authorize(fields)), label)!;
  assertEquals(await open(await authorize(unknown)), ["asks", true]);
  const withoutChallenge = { ...unknown, code_challenge: undefined, code_challenge_method: undefined };
  assertEquals(await open(await authorize(withoutChallenge)), ["asks", true]);
  const fields = { grant_type: "client_credentials", client_id: "my-app", client_secret: "s" };
  assertEquals((await made.token(fields)).status, 401);
  const list = await (await browser.get("/flows")).text();
  assertEquals(await open(findLink(list, "Register my-app")!), ["client_secret_post", true]);
  assertEquals(await open("/"), ["", false]);
  assertEquals((await open("/?client_id=my-app&token_endpoint_auth_method=private_key_jwt"))[0], "");
});

test("[DI-09] the form takes the secret that the application already has, which then works by Basic and in the body", async () => {
  const made = await testServer();
  const browser = openBrowser(made);
  const withoutChallenge = { ...unknown, code_challenge: undefined, code_challenge_method: undefined };
  const href = findLink(await assertPage(await browser.authorize(withoutChallenge)), registerLabel)!;
  const html = await assertPageWithForms(await browser.get(href));
  assertMatch(html, /<details open><summary>Secret[^]*Secret \(empty: generated\)/);
  const form = { ...readFields(html, "/clients"), client_secret: "a-secret-that-it-has" };
  assertEquals((await browser.post("/clients", form)).status, 303);
  const grant = { grant_type: "client_credentials", scope: "read", client_id: undefined };
  for (const secret of ["a-secret-that-it-has", "another"]) {
    const status = secret === "another" ? 401 : 200;
    assertEquals((await made.token(grant, { headers: basic("my-app", secret) })).status, status);
    assertEquals((await made.token({ ...grant, client_id: "my-app", client_secret: secret })).status, status);
  }
  // The same form with another secret is no double click.
  assertEquals((await browser.post("/clients", { ...form, client_secret: "another" })).status, 400);
});

test("[UI-19] where a similar client_id is registered, the page says what to send before it offers a registration", async () => {
  const made = await testServer({ plugins: [inspector()] });
  const browser = openBrowser(made);
  const typo = await assertPage(await browser.authorize({ client_id: "sqa" }));
  const fix = "Send client_id=spa. If sqa is another application, register it.";
  for (const html of [typo, await (await browser.get("/flows/1")).text(), await (await browser.get("/flows")).text()]) {
    assertStringIncludes(html, `<bdi>${fix}</bdi>`);
    assertMatch(html, /<a class="button plain" href="\/\?client_id=sqa[^"]*"><bdi>Register sqa/);
  }
  assertMatch(typo, /<nav class="ways"[^>]*><a class="button" href="[^"]*">See the whole flow/);
  assertMatch(
    await assertPage(await browser.authorize(unknown)),
    /<a class="button" href="\/\?[^"]*"><bdi>Register/,
  );
});

test("[DI-09, CA-16] the form at the link sets the method of the request, which is then accepted without a warning", async () => {
  const warnings: string[] = [];
  const made = await testServer({
    plugins: [inspector()],
    trace: (event) => event.type === "warning" && warnings.push(event.explanation.rule ?? ""),
  });
  const browser = openBrowser(made);
  const fields = { grant_type: "client_credentials", client_id: undefined };
  made.as.clients.set({ ...clients[2], grant_types: ["client_credentials"], scope: "read" });
  const send = () => made.token(fields, { headers: basic("poster", "poster-secret") });
  assertEquals((await send()).status, 401);
  const list = await (await browser.get("/flows")).text();
  const href = findLink(list, "Let poster use client_secret_basic")!;
  assert(href.startsWith("/clients/poster?edit&"));
  assertEquals(
    findLink(await (await browser.get("/flows/1")).text(), "Let poster use client_secret_basic"),
    href,
  );
  const page = await assertPageWithForms(await browser.get(href));
  const form = readFields(page, "/clients/poster");
  assertEquals(JSON.parse(form.metadata!).token_endpoint_auth_method, "client_secret_basic");
  assertEquals((await browser.post("/clients/poster", { ...form, action: "save" })).status, 303);
  assertEquals((await send()).status, 200);
  assertEquals(warnings, []);
});

test("[DI-09] the page behind a fix shows what was sent, what differs, the line to correct, and the line that is added", async () => {
  const made = await testServer();
  const browser = openBrowser(made);
  made.as.clients.set({ ...clients[0]!, redirect_uris: ["http://localhost:3000/callback"], scope: "openid" });
  const open = async (query: Fields) =>
    await assertPageWithForms(
      await browser.get(`/clients/spa?edit&${new URLSearchParams(query as Record<string, string>)}`),
    );
  const sent = "http://127.0.0.1:3000/callback/";
  const bye = "http://localhost:3000/bye";
  await forEachCase(
    [
      [{ redirect_uris: sent }, "http://<mark>127.0.0.1</mark>:3000/callback<mark>/</mark>", sent, true],
      [{ redirect_uris: "https://other.example/" }, "https://other.example/", "https://other.example/", true],
      [{ post_logout_redirect_uris: bye }, bye.replace("3000/", "3000/<wbr/>"), bye, false],
      [{ scope: "read" }, "read", "&quot;scope&quot;: &quot;openid read", true],
      [{ grant_types: "refresh_token" }, "refresh_token", "refresh_token", false],
    ] as const,
    async ([query, received, added, hasLine]) => {
      const html = await open({ ...query, connect: "openid-client" });
      assertStringIncludes(html, `<dt>Received</dt><dd><code class="wire">${received}</code>`);
      const lines = [...html.matchAll(/<ins>([^<]*)<\/ins>/g)].map(([, line]) => line!);
      assert(lines.some((line) => line.includes(added)), lines.join(""));
      assertEquals(/aria-label="Settings for openid-client">.*(?:redirect_uri|scope):/.test(html), hasLine);
      // The button is not the main one where the application probably meant a registered value.
      const style = "redirect_uris" in query && query.redirect_uris === sent ? "button plain" : "button";
      assertStringIncludes(html, `<button type="submit" class="${style}" name="action" value="add">Add</button>`);
    },
  );
  // The choice of a library keeps the rest of the page.
  assertMatch(
    await open({ redirect_uris: sent }),
    new RegExp(`<input type="hidden" name="redirect_uris" value="${sent}"/>`),
  );
});

test("[DI-09] one button adds what a login needs, and repeats the login", async () => {
  const made = await testServer();
  const browser = openBrowser(made);
  const href = findLink(
    await assertPage(await browser.authorize({ redirect_uri })),
    "Correct the redirect URI, or add it to spa",
  )!;
  const page = await assertPageWithForms(await browser.get(href));
  assertStringIncludes(page, 'value="add">Add and try again</button>');
  const form = readFields(page, "/clients/spa");
  const added = await browser.post("/clients/spa", { ...form, action: "add" });
  assertEquals(added.status, 303);
  const location = (await browser.get(added.headers.get("location")!)).headers.get("location")!;
  assert(location.startsWith(`${redirect_uri}?code=`), location);
  // Another text than that of the server leads to the page of the client.
  const forged = { ...form, metadata: '{"redirect_uris":["https://spa.example/cb"]}', retry: "https://evil.example/" };
  const version = readFields(await (await browser.get("/clients/spa?edit")).text(), "/clients/spa").version!;
  const other = await browser.post("/clients/spa", { ...forged, version, action: "add" });
  assertMatch(other.headers.get("location")!, /^\/clients\/spa\?retry=/);
});

test("[DI-09] a link proposes only a method that sends the same secret", async () => {
  const made = await testServer();
  const browser = openBrowser(made);
  for (const method of ["none", "private_key_jwt", "bogus", "client_secret_post"]) {
    const path = `/clients/poster?edit&token_endpoint_auth_method=${method}`;
    const page = await assertPageWithForms(await browser.get(path));
    const { token_endpoint_auth_method } = JSON.parse(readFields(page, "/clients/poster").metadata!);
    assertEquals(token_endpoint_auth_method, "client_secret_post", method);
    assert(!page.includes("<ins>"), method);
  }
});

test("[DI-09] a scope value that the client may not request is allowed after the form at the link is saved", async () => {
  const made = await testServer({ plugins: [inspector()], scopes: ["openid", "read", "write"] });
  const browser = openBrowser(made);
  made.as.clients.set({ ...clients[0]!, scope: "openid" });
  const send = async () => new URL((await browser.authorize({ scope: "openid read" })).headers.get("location")!);
  assertEquals((await send()).searchParams.get("error"), "invalid_scope");
  const href = findLink(await (await browser.get("/flows")).text(), "Allow spa to request read")!;
  const form = readFields(await assertPageWithForms(await browser.get(href)), "/clients/spa");
  assertEquals(JSON.parse(form.metadata!).scope, "openid read");
  assertEquals((await browser.post("/clients/spa", { ...form, action: "save" })).status, 303);
  assert((await send()).searchParams.has("code"));
});

test("[DI-09] a grant type that the client is not registered for is allowed after the form at the link is saved", async () => {
  const made = await testServer({ plugins: [inspector()], tokenExchange: {} });
  const browser = openBrowser(made);
  const exchange = "urn:ietf:params:oauth:grant-type:token-exchange";
  const headers = basic("web", "web-secret");
  await forEachCase(
    [
      ["refresh_token", "spa", { refresh_token: "x" }, {}],
      ["client_credentials", "web", { client_id: undefined, scope: "read" }, { headers }],
      [exchange, "web", { client_id: undefined }, { headers }],
    ] as const,
    async ([grant_type, id, fields, init]) => {
      const send = async () => await (await made.token({ grant_type, ...fields }, init)).json();
      assertMatch((await send()).error_description, /\[TK-06\]$/);
      const href = findLink(await (await browser.get("/flows")).text(), `Allow ${id} to use ${grant_type}`)!;
      assertStringIncludes(href, `/clients/${id}?edit&grant_types=`);
      const page = await assertPageWithForms(await browser.get(href));
      assertStringIncludes(page, `<ins>    &quot;${grant_type}&quot;\n</ins>`);
      const form = readFields(page, `/clients/${id}`);
      const before = made.as.clients.find(id)!.grantTypes;
      assertEquals((await browser.post(`/clients/${id}`, { ...form, action: "save" })).status, 303);
      assertEquals(made.as.clients.find(id)!.grantTypes, [...before, grant_type]);
      assert((await send()).error !== "unauthorized_client");
    },
  );
});

test("[DI-09] a device that is not registered for its grant type has a link; a public client has none to act for itself", async () => {
  const grant_types = ["authorization_code"];
  const device = "urn:ietf:params:oauth:grant-type:device_code";
  const others = [{ client_id: "other-tv", grant_types: [device] }];
  const clients = [{ client_id: "tv", redirect_uris: [redirect_uri], grant_types }, ...others];
  const made = await testServer({ plugins: [inspector()], clients });
  const browser = openBrowser(made);
  const labels = async () =>
    [...(await (await browser.get("/flows")).text()).matchAll(/Allow tv to use [\w:-]+/g)].map(([text]) => text);
  await made.token({ grant_type: "client_credentials", client_id: "tv" });
  assertEquals(await labels(), []);
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  await made.get("/oauth2/device_authorization", { method: "POST", body: "client_id=tv", headers });
  assertEquals([...new Set(await labels())], [`Allow tv to use ${device}`]);
});

test("[DI-09] there is no link where the visitor may not change clients, or no configured client would change", async () => {
  const label = async (fields: Fields, options = {}, headers = {}) => {
    const made = await testServer(options);
    const page = await (await made.authorize(fields, { headers })).text();
    return /(?:Register [^<]*localhost:3000|Correct the redirect URI, or add it to)[^<]*(?=<\/bdi><\/a>)/.exec(page)
      ?.[0];
  };
  const uri = { redirect_uri };
  assertEquals(await label(unknown), registerLabel);
  assertEquals(await label(uri), "Correct the redirect URI, or add it to spa");
  for (const fields of [unknown, uri]) {
    assertEquals(await label(fields, {}, { host: "rebound.example" }), undefined);
    for (const directory of ["read", "off"] as const) assertEquals(await label(fields, { directory }), undefined);
  }
  const made = await testServer({ registration: { mode: "open" } });
  const response = await made.get("/oauth2/register", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ redirect_uris: ["https://self.example/cb"], token_endpoint_auth_method: "none" }),
  });
  const { client_id } = await response.json();
  const page = await (await made.authorize({ client_id, redirect_uri })).text();
  assert(!page.includes("/clients/"));
});

test("[DI-09] there is no link to a form that rejects the redirect URI", async () => {
  const made = await testServer();
  for (
    const uri of [
      ...[
        "javascript:alert(1)",
        "data:text/html,x",
        "http://localhost:3000/cb#x",
        "http://app.example.com/cb",
        "//x",
        "/cb",
      ],
      ...[
        "http://localhost:3000/<b>",
        "http://localhost:3000/*",
        "http://a:b@localhost/cb",
        "http://localhost/cb?code=x",
      ],
      ...["http://localhost/\u202e", `http://localhost/${"x".repeat(2000)}`],
    ]
  ) {
    for (const client_id of ["spa", "my-app", "<b>"]) {
      const page = await (await made.authorize({ client_id, redirect_uri: uri })).text();
      assert(!page.includes("/clients?client_id") && !page.includes("?edit&"), `${client_id} ${uri}`);
      assert(!page.includes("<b>my-app") && !page.includes("3000/<b>"), uri);
    }
  }
});

test("[DI-09] a page of another site fills in no form, and no form leads to another site", async () => {
  const made = await testServer();
  const browser = openBrowser(made);
  const uri = "http://localhost:3000/filled-in";
  const query = new URLSearchParams({ client_id: "my-app", redirect_uris: uri });
  for (const path of [`/?${query}`, `/clients/spa?edit&${query}`]) {
    const page = async (site: string) =>
      await (await browser.get(path, { headers: { "sec-fetch-site": site } })).text();
    const isFilled = (text: string) => text.includes(uri);
    assertEquals([isFilled(await page("same-origin")), isFilled(await page("cross-site"))], [true, false], path);
  }
  for (
    const retry of ["https://evil.example/", "//evil.example/oauth2/authorize?", "/logout?x", "javascript:alert(1)"]
  ) {
    const page = await (await browser.get(`/clients/spa?${new URLSearchParams({ retry })}`)).text();
    assertEquals(findLink(page, "Try the request again"), undefined, retry);
  }
});

test("[DI-09] terminal and log have the link; it names no value that they hide", async () => {
  const lines: string[] = [];
  const records: string[] = [];
  const plugins = [
    logging({ write: (line) => lines.push(line), format: "text" }),
    logging({ write: (line) => records.push(line), format: "json" }),
  ];
  const made = await testServer({ plugins });
  const query = `client_id=my-app&redirect_uris=${encodeURIComponent(redirect_uri)}`;
  const path = `/?${query}#connect`;
  await made.authorize(unknown);
  assertStringIncludes(lines.join("\n"), `→ ${registerLabel}: ${made.as.issuer}${path}`);
  assertStringIncludes(records.join("\n"), `"change":"${made.as.issuer}${path}"`);
  const secret = await made.code();
  await made.authorize({ ...goodRequest, client_id: secret });
  await made.authorize({ ...unknown, redirect_uri: `${redirect_uri}?code=${secret}` });
  assert(!lines.join("\n").includes(secret) && !records.join("\n").includes(secret));
});

test("[DI-09, CA-16] with the secret of the application, the form that a rejection proposes adds a client that may send it", async () => {
  for (const way of ["basic", "body"] as const) {
    const made = await testServer({ plugins: [inspector()] });
    const browser = openBrowser(made);
    const href = findLink(await assertPage(await browser.authorize(unknown)), registerLabel)!;
    const form = readFields(await assertPageWithForms(await browser.get(href)), "/clients");
    assertEquals([form.token_endpoint_auth_method, form.client_secret], [undefined, ""]);
    const token_endpoint_auth_method = way === "basic" ? "" : "none";
    const secret = { client_secret: "secret-of-the-app", token_endpoint_auth_method };
    const added = await browser.post("/clients", { ...form, ...secret });
    const page = await assertPageWithForms(await browser.get(added.headers.get("location")!));
    assert(!page.includes("secret-of-the-app"), "the visitor has the secret");
    const again = await browser.get(findLink(page, "Try the request again")!);
    const code = new URL(again.headers.get("location")!).searchParams.get("code")!;
    const wrong = await made.token({ ...unknown, code, client_secret: "guess" });
    assertEquals([wrong.status, (await wrong.json()).error], [401, "invalid_client"]);
    const tokens = way === "basic"
      ? await made.token({ ...unknown, code }, { headers: basic("my-app", "secret-of-the-app") })
      : await made.token({ ...unknown, code, client_secret: "secret-of-the-app" });
    assertEquals(tokens.status, 200);
  }
});

test("[DI-09] a public client that sends a secret has a link that makes it confidential", async () => {
  const made = await testServer({ plugins: [inspector()] });
  const browser = openBrowser(made);
  for (const method of ["client_secret_basic", "client_secret_post"]) {
    made.as.clients.set(clients[0]!);
    const init = method === "client_secret_basic" ? { headers: basic("spa", "guess") } : {};
    await made.token({ code: "x", ...method === "client_secret_post" && { client_secret: "guess" } }, init);
    const href = findLink(await (await browser.get("/flows")).text(), `Let spa use ${method}`)!;
    const form = readFields(await assertPageWithForms(await browser.get(href)), "/clients/spa");
    assertEquals(JSON.parse(form.metadata!).token_endpoint_auth_method, method);
    assertEquals((await browser.post("/clients/spa", { ...form, action: "save" })).status, 303);
    assertEquals(made.as.clients.find("spa")!.confidential, true);
  }
});

test("[DI-09] a wrong secret and none at all lead to the page of the client, whose method is not changed by a link", async () => {
  await forEachCase([{ client_secret: "guess" }, {}], async (fields) => {
    const made = await testServer({ plugins: [inspector()] });
    await made.token({ client_id: "web", code: "x", ...fields });
    const list = await (await openBrowser(made).get("/flows")).text();
    assertEquals(findLink(list, "Compare with the client web"), "/clients/web");
  });
});
