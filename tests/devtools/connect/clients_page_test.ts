/** The pages of clients, by what a browser gets and sends (group DI). */

import {
  assert,
  assertEquals,
  assertMatch,
  assertNotMatch,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { test } from "node:test";
import { type ClientMetadata, ConfigurationError, type LatchkeyOptions } from "../../../src/mod.ts";
import { type Browser, openBrowser } from "../../server/browser.ts";
import { assertCsrfProtected, assertPageWithForms, fetchCsrfToken } from "../../server/csrf.ts";
import { inspector } from "../../../src/devtools/mod.ts";
import { readFields } from "../../server/page.ts";
import { assertPage, basic, forEachCase, getRedirectParams, testServer } from "../../kit.ts";
import type { Fields, TestServer } from "../../kit.ts";
import { register } from "../../server/registering.ts";
import { latchkey } from "../../secret_leak_check.ts";

const wanted: Fields = {
  client_id: "new",
  client_name: "The new one",
  redirect_uris: "http://localhost:3000/cb\nhttps://new.example/cb",
  token_endpoint_auth_method: "none",
};

async function add(browser: Browser, fields: Fields = {}): Promise<Response> {
  return await browser.post("/clients", {
    form_token: await fetchCsrfToken(browser, "/"),
    ...wanted,
    ...fields,
  });
}

test("[DI-02] the list shows the registered clients without secrets", async () => {
  const b = await testServer();
  const html = await assertPageWithForms(await b.get("/clients"));
  for (const text of ["spa", "web", "poster", "https://web.example/cb", "client_secret_post", "authorization_code"]) {
    assertStringIncludes(html, text);
  }
  for (const id of ["spa", "web", "poster"]) assertStringIncludes(html, `href="/clients/${id}"`);
  assert(!html.includes("-secret"));
  assertStringIncludes(html, `<a href="/clients" aria-current="page">Clients</a>`);
});

test("[DI-02, DI-05] a client has its own page, with settings that contain a secret only if it is public", async () => {
  const b = await testServer();
  const html = await assertPageWithForms(await b.get("/clients/web"));
  assertStringIncludes(html, "THE_CLIENT_SECRET");
  assertStringIncludes(html, "Replace THE_CLIENT_SECRET with the secret that you registered");
  assert(!html.includes("web-secret"));
  assertStringIncludes(html, `<a href="/" aria-current="true">Connect</a>`);
  const demo = await testServer({ clients: undefined });
  assertStringIncludes(await (await demo.get("/clients/demo-confidential")).text(), "demo-secret");
  assert(!(await (await demo.get("/clients/demo-public")).text()).includes('secret"'));
  for (const path of ["/clients/unknown", "/clients/%ff", "/clients/__proto__", "/clients/spa%00", "/clients/SPA"]) {
    await assertPage(await b.get(path), 404);
  }
  await assertPage(await b.get("/clients/", { method: "GET" }), 404);
});

test("[DI-05] the page of a client says what its requests need besides the settings, and shows its defaults", async () => {
  const spa = { client_id: "spa", redirect_uris: ["https://spa.example/cb"] };
  const strict = {
    ...spa,
    require_pushed_authorization_requests: true,
    dpop_bound_access_tokens: true,
    default_acr_values: ["urn:x:mfa", "urn:x:key"],
    default_max_age: 0,
    require_auth_time: false,
    access_token_format: "opaque" as const,
    subject_type: "pairwise" as const,
  };
  const pageOf = async (client: ClientMetadata) =>
    await (await (await testServer({ clients: [client] })).get("/clients/spa")).text();
  assertNotMatch(await pageOf(spa), /are not enough for this client/);
  const html = await pageOf(strict);
  assertMatch(
    html,
    /are not enough for this client: Push each authorization request to https:\/\/as\.test\/oauth2\/par/,
  );
  assertMatch(html, /Send a DPoP proof with each token request/);
  assertMatch(html, /default_acr_values: urn:x:mfa urn:x:key/);
  assertMatch(html, /default_max_age: 0/);
  assertMatch(html, /access_token_format: opaque/);
  assertMatch(html, /subject_type: pairwise/);
  assertNotMatch(html, /require_auth_time: |Sign each authorization request/);
});

test("[DI-03] an added public client works immediately, until the server stops", async () => {
  const b = await testServer();
  const browser = openBrowser(b);
  const response = await add(browser);
  assertEquals([response.status, response.headers.get("location")], [303, "/clients/new"]);
  const html = await (await browser.get("/clients/new?connect=openid-client")).text();
  for (const text of ["The new one", "http://localhost:3000/cb", "https://new.example/cb"]) {
    assertStringIncludes(html, text);
  }
  const code = getRedirectParams(await b.authorize({ client_id: "new", redirect_uri: "https://new.example/cb" })).get(
    "code",
  );
  assertEquals((await b.token({ client_id: "new", redirect_uri: "https://new.example/cb", code: code! })).status, 200);
  assertMatch(html, /a restart forgets what was added or changed on a page/);
  assertEquals((await testServer()).as.clients.find("new"), undefined);
});

test("[DI-03] the form registers where the browser returns after a logout; an empty field registers nothing", async () => {
  const b = await testServer();
  const browser = openBrowser(b);
  const added = async (post_logout_redirect_uris: string) => {
    await add(browser, { client_id: `new${post_logout_redirect_uris.length}`, post_logout_redirect_uris });
    return b.as.clients.find(`new${post_logout_redirect_uris.length}`)!.metadata.post_logout_redirect_uris;
  };
  assertEquals(await added("http://localhost:3000/"), ["http://localhost:3000/"]);
  assertEquals(await added(""), undefined);
});

/** The secret that the page of a client shows. */
const shownSecret = (html: string) =>
  /Client secret<\/dt><dd class="box"><code class="wire">([A-Za-z0-9_-]{43})</.exec(html)?.[1];

/** Whether the client gets a token by each method with this secret. */
async function acceptedMethods(b: TestServer, id: string, secret: string): Promise<string[]> {
  const grant = { grant_type: "client_credentials", scope: "read" };
  const send = (fields: Record<string, string>, headers: HeadersInit) =>
    b.get("/oauth2/token", { method: "POST", body: new URLSearchParams({ ...grant, ...fields }), headers });
  const statuses = {
    client_secret_basic: (await send({}, basic(id, secret))).status,
    client_secret_post: (await send({ client_id: id, client_secret: secret }, {})).status,
  };
  return Object.entries(statuses).flatMap(([method, status]) => status === 200 ? [method] : []);
}

/** What the library needs, which names no method. */
const either = "";

test("[DI-02, DI-03, CA-16] a confidential client gets a 256-bit secret and the methods that were chosen, by default both", async () => {
  const b = await testServer();
  const browser = openBrowser(b);
  const secrets: string[] = [];
  for (const method of [either, "client_secret_basic", "client_secret_post"]) {
    const id = method || "either";
    const response = await add(browser, { client_id: id, token_endpoint_auth_method: method });
    assertEquals([response.status, response.headers.get("location")], [303, `/clients/${id}`]);
    const html = await assertPageWithForms(await browser.get(`/clients/${id}`));
    const secret = shownSecret(html)!;
    secrets.push(secret);
    for (const library of ["curl", "openid-client", "python", "env"]) {
      const tab = await (await browser.get(`/clients/${id}?connect=${library}`)).text();
      assertEquals(tab.split(secret).length - 1, 3, "the value, the settings and the lines for the file hold it");
    }
    assert(!(await (await browser.get("/clients")).text()).includes(secret));
    const home = await (await browser.get("/")).text();
    assertEquals(home.split(secret).length - 1, 1, "the lines for the file alone hold it");
    assertEquals(
      await acceptedMethods(b, id, secret),
      method === either ? ["client_secret_basic", "client_secret_post"] : [method],
    );
  }
  assertEquals(new Set(secrets).size, 3);
});

test("[DI-02, DI-03] on a test host the page shows a generated secret for as long as the client has it", async () => {
  const b = await testServer();
  const browser = openBrowser(b);
  await add(browser, { token_endpoint_auth_method: either });
  const page = async () => shownSecret(await (await browser.get("/clients/new")).text());
  const secret = await page();
  assertEquals(await page(), secret);
  assertStringIncludes(await (await browser.get("/")).text(), secret!);
  b.as.clients.set({ client_id: "new", client_secret: "another-secret", redirect_uris: ["https://new.example/cb"] });
  assertEquals(await page(), undefined);
  assert(!(await (await browser.get("/")).text()).includes(secret!));
});

test("[DI-03] a form that a double click sends again adds one client, whose page keeps the secret; a changed form is an error", async () => {
  const b = await testServer();
  const browser = openBrowser(b);
  for (const token_endpoint_auth_method of ["none", "client_secret_post", either]) {
    const fields = { client_id: token_endpoint_auth_method || "either", token_endpoint_auth_method };
    const form = { ...wanted, ...fields, form_token: await fetchCsrfToken(browser, "/") };
    const responses = await Promise.all([1, 2].map(() => browser.post("/clients", form)));
    assertEquals(responses.map(({ status }) => status), [303, 303], token_endpoint_auth_method);
    const href = `/clients/${fields.client_id}`;
    const secret = shownSecret(await (await browser.get(href)).text());
    assertEquals(secret === undefined, token_endpoint_auth_method === "none");
    assertEquals((await add(browser, fields)).headers.get("location"), href);
    assertEquals(shownSecret(await (await browser.get(href)).text()), secret);
    for (
      const changed of [
        { client_name: "x" },
        { redirect_uris: "http://localhost:1/cb" },
        { token_endpoint_auth_method: "client_secret_basic" },
      ]
    ) {
      const response = await add(browser, { ...fields, ...changed });
      assertEquals(response.status, 400);
      assertStringIncludes(await response.text(), "Choose another ID");
    }
  }
});

test("[DI-02, DI-03] on a real host a generated secret is part of one response alone", async () => {
  const b = await testServer({ ...real, directory: "edit", insecure: ["auto-login", "directory"] });
  const browser = openBrowser(b);
  const response = await add(browser, { token_endpoint_auth_method: either });
  const secret = shownSecret(await assertPageWithForms(response, 201))!;
  assertEquals(await acceptedMethods(b, "new", secret), ["client_secret_basic", "client_secret_post"]);
  assert(!(await (await browser.get("/clients/new")).text()).includes(secret));
});

test("[DI-03] an error is shown at its field with a fix, keeps all input and adds nothing", async () => {
  const b = await testServer();
  const browser = openBrowser(b);
  const before = b.as.clients.list().map(({ id }) => id);
  await forEachCase<[Fields, string, RegExp]>([
    [{ client_id: "" }, "client_id", /1 to 256 printable ASCII characters.*Choose a short identifier/],
    [{ client_id: "ü" }, "client_id", /1 to 256 printable ASCII characters/],
    [{ client_id: "spa" }, "client_id", /an ID that no other client has.*remove that client first/],
    [{ redirect_uris: "" }, "redirect_uris", /at least one redirect URI.*Add the URI/],
    [{ redirect_uris: "http://evil.example.com/cb" }, "redirect_uris", /https, or http on a test host/],
    [
      { redirect_uris: "https://a.example/cb\nhttps://a.example/#x" },
      "redirect_uris",
      /without a fragment.*Remove the #/,
    ],
    [{ redirect_uris: "javascript:alert(1)" }, "redirect_uris", /a scheme that leads to the client/],
    [{ redirect_uris: "https://*.example/cb" }, "redirect_uris", /without wildcards/],
    [{ token_endpoint_auth_method: "nothing" }, "token_endpoint_auth_method", /one of .*&quot;none&quot;/],
    [{ token_endpoint_auth_method: "private_key_jwt" }, "token_endpoint_auth_method", /one of .*&quot;none&quot;/],
  ], async ([fields, field, fault]) => {
    const html = await assertPageWithForms(await add(browser, { client_name: "Kept <b>", ...fields }), 400, "Kept <b>");
    const [, stated] = new RegExp(`<div id="${field}-fault">([^]*?)</div>`).exec(html) ?? [];
    assertMatch(stated ?? "nothing", fault);
    assertStringIncludes(html, `<a href="#${field}">`);
    assertStringIncludes(html, `role="alert"`);
    assertStringIncludes(html, `value="Kept &lt;b`);
    if (field !== "token_endpoint_auth_method") {
      assertMatch(
        html,
        new RegExp(`id="${field}" name="${field}"[^>]*aria-describedby="(?:${field}-hint )?${field}-fault"`),
      );
      assertMatch(html, new RegExp(`id="${field}" name="${field}"[^>]*aria-invalid="true"`));
    }
    assertEquals(b.as.clients.list().map(({ id }) => id), before);
  });
  // The list above the form says the same.
  const html = await (await add(browser, { redirect_uris: "/cb" })).text();
  const stated = ["an absolute URI", "/cb", "Begin it with https:// or, on a loopback host, http://."];
  const [, list] = /role="alert"[^]*?<ul>([^]*?)<\/ul>/.exec(html) ?? [];
  for (const text of stated) assertStringIncludes(list ?? "", text);
});

test("[JA-03] a client cannot be added with the audience of access tokens as its id", async () => {
  for (const options of [{}, { audience: "https://api.example" }]) {
    const b = await testServer(options);
    const client_id = options.audience ?? "https://as.test";
    const html = await (await add(openBrowser(b), { client_id })).text();
    assertMatch(html, /<div id="client_id-fault">[^]*?an id that is not the audience of access tokens/);
    assertThrows(() => b.as.clients.set({ client_id, redirect_uris: ["https://a.example/cb"] }), ConfigurationError);
    assertEquals(b.as.clients.find(client_id), undefined);
  }
});

test("[DI-03] a removed client is unknown immediately", async () => {
  const b = await testServer();
  const browser = openBrowser(b);
  const form_token = await fetchCsrfToken(browser, "/clients/spa");
  const response = await browser.post("/clients/spa", { form_token, action: "remove" });
  assertEquals([response.status, response.headers.get("location")], [303, "/clients"]);
  assertEquals(b.as.clients.find("spa"), undefined);
  assert(!(await (await browser.get("/clients")).text()).includes("spa.example"));
  await assertPage(await b.authorize(), 400);
  await assertPage(await browser.post("/clients/spa", { form_token, action: "remove" }), 404);
});

test("[DI-04, UI-04, UI-05] a form from another site or without this browser's CSRF token changes nothing", async () => {
  const added = await testServer();
  await assertCsrfProtected(added, "/clients", wanted, () => added.as.clients.list().map(({ id }) => id));
  const removed = await testServer();
  const listed = (b: TestServer) => () => b.as.clients.list().map(({ id }) => id);
  const browser = openBrowser(removed);
  assertEquals(
    (await browser.post(
      "/clients/spa",
      { action: "remove", form_token: await fetchCsrfToken(browser, "/") },
      "elsewhere",
    )).status,
    403,
  );
  assertEquals(listed(removed)().length, 3);
});

test("[DI-04] the pages are 403 for an untrusted host name", async () => {
  const b = await testServer();
  for (const path of ["/clients", "/clients/spa", "/users", "/users/alice"]) {
    // The last ones are no URLs to some runtimes, and names to some browsers.
    for (
      const host of [
        ...[
          "rebound.example.com",
          "localhost.evil.com",
          "xn--a.evil.com",
          "xn--0.evil.com:9000",
          "[evil.com]",
          "evil.com:x",
          "other.test",
        ],
        ...[
          "mypc.corp.internal:9000",
          "mypc:9000",
          "host.docker.internal",
          "192.0.2.7:9000",
          "[2001:db8::1]",
          "as.test.",
        ],
      ]
    ) {
      assertStringIncludes(
        await assertPage(await b.get(path, { headers: { host } }), 403),
        "served only under as.test or a",
      );
    }
    for (const host of ["as.test", "localhost:9000", "127.0.0.1:9000", "[::1]:9000", "a.localhost", "127.9.9.9"]) {
      assertEquals((await b.get(path, { headers: { host } })).status, 200, host);
    }
  }
});

const real = {
  issuer: "https://auth.example.com",
  insecure: ["auto-login"],
  users: [{ sub: "zoe", name: "Zoe Zimmer" }],
} as const;

test("[DI-01] on a real host these pages are 404, and home names neither clients nor users", async () => {
  const b = await testServer(real);
  for (const path of ["/clients", "/clients/spa", "/users", "/users/zoe"]) {
    await assertPage(await b.get(path), 404);
    await assertPage(await b.get(path, { method: "POST" }), 404);
  }
  const home = await assertPage(await b.get("/"), 200, "Zoe", "zoe", "spa.example", "poster", "/clients", "/users");
  assertStringIncludes(home, "https://auth.example.com");
  const open = await testServer();
  const shown = await (await open.get("/")).text();
  for (const href of ["/clients", "/users", "/clients/spa", "/users/alice"]) {
    assertStringIncludes(shown, `href="${href}"`);
  }
});

test("[DI-01] on a real host they need two settings, and on any host they can be read-only", async () => {
  for (const directory of ["edit", "read"] as const) {
    let fault: unknown;
    await latchkey({ ...real, clients: [], directory }).catch((error) => fault = error);
    assert(fault instanceof ConfigurationError);
    assertEquals(fault.issues.map(({ path }) => path), ["directory"]);
    assertMatch(fault.issues[0]!.hint, /add "directory" to insecure/);
  }
  const asked = await testServer({ ...real, directory: "edit", insecure: ["auto-login", "directory"] });
  assertEquals((await add(openBrowser(asked))).status, 303);
  for (
    const b of [
      await testServer({ directory: "read" }),
      await testServer({ ...real, directory: "read", insecure: ["auto-login", "directory"] }),
    ]
  ) {
    for (const path of ["/clients", "/clients/spa", "/users", `/users/${b.as.users.list()[0]!.sub}`]) {
      const html = await assertPage(await b.get(path), 200);
      assert(!html.includes('method="post"'), path);
      const posted = await b.get(path, { method: "POST", body: new URLSearchParams({ ...wanted as object }) });
      assertEquals([posted.status, posted.headers.get("allow")], [405, "GET, HEAD"]);
    }
  }
  const off = await testServer({ directory: "off" });
  await assertPage(await off.get("/clients"), 404);
});

test("[DI-03] the pages and their forms are below the path of the issuer", async () => {
  const b = await testServer({ issuer: "https://as.test/tenant" });
  const browser = openBrowser(b);
  const html = await assertPageWithForms(await browser.get("/clients"));
  for (const [, target] of html.matchAll(/(?:href|src|action)="([^"]*)"/g)) assertMatch(target!, /^(?:#|\/tenant\/)/);
  assertEquals((await add(browser)).headers.get("location"), "/tenant/clients/new");
  const form_token = await fetchCsrfToken(browser, "/clients/new");
  assertEquals(
    (await browser.post("/clients/new", { form_token, action: "remove" })).headers.get("location"),
    "/tenant/clients",
  );
  for (const path of ["/users", "/users/bob"]) {
    const users = await assertPageWithForms(await b.get(path));
    for (const [, target] of users.matchAll(/(?:href|action)="([^"]*)"/g)) assertMatch(target!, /^(?:#|\/tenant\/)/);
  }
});

test("[UI-03] hostile metadata is shown as text on these pages and in the settings", async () => {
  const b = await testServer();
  const hostile: ClientMetadata = {
    client_id: `"><img src=x onerror=alert(1)>'; id; \`id\` \${7*7} </pre><script>alert(1)</script>`,
    client_name: `</h1><script>alert(1)</script><a href="https://evil.example">here</a>\u202E`,
    redirect_uris: ["https://a.example/cb'?x=&y=$(id);z=%22%3E%3Cscript%3E"],
  };
  b.as.clients.set(hostile);
  const path = `/clients/${encodeURIComponent(hostile.client_id)}`;
  for (const at of ["/", "/clients", path]) {
    await assertPageWithForms(await b.get(at), 200, "<img src=x", "<script>", `<a href="https:`);
  }
  const browser = openBrowser(b);
  const typed = { client_id: "</textarea><script>", redirect_uris: "</textarea><script>alert(1)</script>" };
  await assertPageWithForms(await add(browser, typed), 400, "<script>", "</textarea><script");
});

test("home is the form: a library and a redirect URI make a client, and the next page has its settings", async () => {
  const b = await testServer({ plugins: [inspector()] });
  const browser = openBrowser(b);
  const html = await assertPageWithForms(await browser.get("/"));
  const form = readFields(html, "/clients");
  assertEquals(form.client_id, "app");
  assertEquals(html.match(/<a class="button[^"]*" href="[^"]*">/g), null, "no demo client, so no demo login");
  await forEachCase<[library: string, name: string, methods: readonly string[]]>([
    ["Auth.js", "auth.js", ["client_secret_basic", "client_secret_post"]],
    ["oidc-client-ts", "oidc-client-ts", ["none"]],
  ], async ([library, name, methods]) => {
    const redirect_uris = "http://localhost:3000/api/auth/callback/latchkey";
    const client_id = `new-${name}`;
    const added = await browser.post("/clients", { ...form, library, redirect_uris, client_id });
    assertEquals(added.headers.get("location"), `/clients/${client_id}?connect=${name}`);
    assertEquals(b.as.clients.find(client_id)!.authMethods, methods);
    const page = await assertPageWithForms(await browser.get(added.headers.get("location")!));
    assertMatch(page, new RegExp(`<option value="[^"]*" selected>${library}<`));
    assertStringIncludes(page, redirect_uris);
  });
  b.as.clients.set({ client_id: "app", redirect_uris: ["http://localhost:3000/cb"] });
  assertEquals(readFields(await (await browser.get("/")).text(), "/clients").client_id, "app-2");
});

test("the page of a client waits for its first login, and then leads to the flow", async () => {
  const b = await testServer({ plugins: [inspector()] });
  const page = async () => await (await b.get("/clients/spa")).text();
  await b.authorize({ client_id: "web", redirect_uri: "https://web.example/cb" });
  const waiting = await page();
  assertStringIncludes(waiting, "Waiting for the first login");
  assertMatch(waiting, /data-waiting[^]*?<a href="\/clients\/spa">Look again<\/a>/);
  await b.authorize();
  const found = await page();
  assert(!found.includes("Waiting for the first login") && !found.includes("data-waiting"));
  assertMatch(found, /Last flows of this client[^]*?<a href="\/flows\/2">/);
  // A server that records nothing cannot wait.
  assert(!(await (await (await testServer()).get("/clients/spa")).text()).includes("Waiting"));
});

test("the page of a client has its lines for the configuration file, which make the same client", async () => {
  const b = await testServer();
  const browser = openBrowser(b);
  const linesOf = async (path: string) => {
    const text = /<pre class="wire">(\{[^]*?)<\/pre>/.exec(await (await browser.get(path)).text())![1]!;
    return JSON.parse(text.replaceAll(/<[^>]*>/g, "").replaceAll("&quot;", '"').replaceAll("&amp;", "&"));
  };
  await add(browser, { token_endpoint_auth_method: "client_secret_post" });
  const { clients } = await linesOf("/clients/new?connect=env");
  const again = await testServer({ clients });
  assertEquals(await acceptedMethods(again, "new", clients[0].client_secret), ["client_secret_post"]);
  assertEquals(again.as.clients.find("new")!.metadata, b.as.clients.find("new")!.metadata);
  const file = await linesOf("/");
  assertEquals(file.clients.map(({ client_id }: ClientMetadata) => client_id), ["spa", "web", "poster", "new"]);
  assertEquals(file.users, [...b.as.users.list()]);
  assertEquals(file.clients.at(-1).client_secret, clients[0].client_secret, "home has what the page of the client has");
  const sentence = /Replace <code class="wire">THE_CLIENT_SECRET<\/code>: the server knows only the digest/;
  assertMatch(await (await browser.get("/")).text(), sentence);
  const { message } = await assertRejects(() => testServer({ clients: file.clients }), Error);
  assertEquals(message.split("Replace THE_CLIENT_SECRET.").length, 3, message);
  const page = await (await browser.get("/clients/new")).text();
  assertMatch(page, /A server with this file has only this one/);
  assert(!sentence.test(page), "the page shows the generated secret");
  assertEquals((await linesOf("/users/bob")).users, [b.as.users.find("bob")]);
  const readOnly = await (await (await testServer({ directory: "read" })).get("/clients/spa")).text();
  assert(!readOnly.includes("latchkey.json"));
});

test("home under an untrusted host has neither the form nor its token (DNS rebinding)", async () => {
  const b = await testServer();
  const html = await (await b.get("/", { headers: { host: "rebound.example.com" } })).text();
  for (const absent of ["<form", "form_token", "spa.example", "latchkey.json"]) assert(!html.includes(absent), absent);
});

test("[DI-05] the page of a client starts a login at its initiate_login_uri, with iss, login_hint and target_link_uri", async () => {
  const initiate_login_uri = "https://rp.example/login?tenant=1";
  const hrefOf = async (more: Partial<ClientMetadata>, options: LatchkeyOptions = {}) => {
    const client = { client_id: "rp", redirect_uris: ["https://rp.example/cb"], ...more };
    const b = await testServer({ clients: [client], users: [{ sub: "alice" }, { sub: "bob" }], ...options });
    const page = await (await b.get("/clients/rp")).text();
    const href = /<a href="([^"]*)" rel="noreferrer">Log in at the client</.exec(page)?.[1];
    return href && [...new URL(href.replaceAll("&amp;", "&")).searchParams].map((pair) => pair.join("="));
  };
  assertEquals(await hrefOf({}), undefined);
  const iss = "iss=https://as.test";
  assertEquals(await hrefOf({ initiate_login_uri }), ["tenant=1", iss, "login_hint=alice"]);
  assertEquals(await hrefOf({ initiate_login_uri, client_uri: "https://rp.example/shop" }), [
    ...["tenant=1", iss, "login_hint=alice", "target_link_uri=https://rp.example/shop"],
  ]);
  // A page of another origin is no target, a pairwise client does not learn the sub, and a login page asks who it is.
  assertEquals(await hrefOf({ initiate_login_uri, client_uri: "https://other.example/" }, { login: "interactive" }), [
    ...["tenant=1", iss],
  ]);
  assertEquals(await hrefOf({ initiate_login_uri, subject_type: "pairwise" }), ["tenant=1", iss]);
  // The user of the operator is nothing for a client that registered itself.
  const b = await testServer();
  const { client_id } = await register(b, { redirect_uris: ["https://evil.example/cb"], initiate_login_uri });
  const page = await (await b.get(`/clients/${client_id}`)).text();
  assertMatch(
    page,
    /<a href="https:\/\/rp\.example\/login\?tenant=1&amp;iss=https%3A%2F%2Fas\.test" rel="noreferrer">/,
  );
});
