/** The pages of users, by what a browser gets and sends (group DI). */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { memoryStore } from "../../../src/mod.ts";
import { formatPasswordDigest, getPasswordDigest } from "../../../src/server/config/password_digest.ts";
import { type Browser, openBrowser } from "../../server/browser.ts";
import { assertCsrfProtected, assertPageWithForms, fetchCsrfToken } from "../../server/csrf.ts";
import { assertPage, decodeClaims, type Fields, forEachCase, type TestServer, testServer } from "../../kit.ts";

async function post(browser: Browser, path: string, fields: Fields): Promise<Response> {
  // The form of a client is on a page of its own.
  const html = await (await browser.get(path.startsWith("/clients/") ? `${path}?edit` : path)).text();
  const version = / name="version" value="([^"]+)"/.exec(html)?.[1];
  return await browser.post(path, { form_token: await fetchCsrfToken(browser, path), version, ...fields });
}

/** Who `login: "auto"` logs in. */
async function whoIsFirst(b: TestServer): Promise<unknown> {
  return decodeClaims((await (await b.token({ code: await b.code() })).json()).id_token).sub;
}

test("[DI-02, DI-06] the list shows the users with every claim, and which user is first", async () => {
  const b = await testServer();
  const html = await assertPageWithForms(await b.get("/users"));
  for (const text of ["Alice Adams", "alice@example.com", "email_verified", "true", "Bob Brown"]) {
    assertStringIncludes(html, text);
  }
  assertEquals(html.match(/Default user/g)?.length, 1);
  assert(html.indexOf("Default user") < html.indexOf("Bob Brown"));
  assertStringIncludes(await (await b.get("/users/alice")).text(), "Default user");
  assert(!(await (await b.get("/users/bob")).text()).includes("Default user"));
  for (const path of ["/users/unknown", "/users/%ff", "/users/constructor"]) await assertPage(await b.get(path), 404);
});

test("[DI-03] an added user can log in immediately, with these claims", async () => {
  const b = await testServer();
  const browser = openBrowser(b);
  const carol = { name: "Carol Clark", email: "carol@example.com" };
  const response = await post(browser, "/users", { sub: "carol", ...carol, claims: `{"groups":["a"]}` });
  assertEquals([response.status, response.headers.get("location")], [303, "/users"]);
  assertEquals(b.as.users.find("carol"), { sub: "carol", ...carol, email_verified: true, groups: ["a"] });
  assertStringIncludes(await (await browser.get("/users/carol")).text(), "Carol Clark");
  const code = await b.code({ login_hint: "carol" });
  assertEquals(decodeClaims((await (await b.token({ code })).json()).id_token).sub, "carol");
  assertMatch(await (await browser.get("/users")).text(), /The server keeps the user in memory until it stops\./);
});

test("[DI-03] changed claims apply immediately; omitted ones are removed", async () => {
  const b = await testServer();
  const browser = openBrowser(b);
  assertMatch(
    await (await browser.get("/users/bob")).text(),
    /name="name"[^>]* value="Bob Brown"[^]*<textarea[^>]*>{\n {2}&quot;email_verified&quot;/,
  );
  const response = await post(browser, "/users/bob", { action: "save", claims: `{"name": "Robert Brown"}` });
  assertEquals(response.status, 303);
  assertEquals(b.as.users.find("bob"), { sub: "bob", name: "Robert Brown" });
  assertEquals(b.as.users.list().map(({ sub }) => sub), ["alice", "bob"]);
});

test("[DI-03, CL-06] which tokens have a claim is chosen once for all users, and applies to the next tokens of every user", async () => {
  const b = await testServer({ users: [{ sub: "alice", groups: ["a"] }] });
  const browser = openBrowser(b);
  /** Whether userinfo, the ID token and the access token have the claim; what the page says about it. */
  async function received() {
    const { id_token, access_token } = await (await b.token({ code: await b.code() })).json();
    const userinfo = await b.get("/oauth2/userinfo", { headers: { authorization: `Bearer ${access_token}` } });
    const claims = [await userinfo.json(), decodeClaims(id_token), decodeClaims(access_token)];
    const [, text] = /with scope .*?<\/\w+>([^<]*)<\/i>/.exec(await (await browser.get("/users/alice")).text()) ?? [];
    return [...claims.map(({ groups }) => groups !== undefined), text];
  }
  const choose = (id_token_claims: string, access_token_claims: string) =>
    post(browser, "/users", { action: "places", id_token_claims, access_token_claims });
  assertEquals(await received(), [true, false, false, ", from userinfo"]);
  assertEquals((await choose("like-userinfo", "")).headers.get("location"), "/users");
  assertEquals(await received(), [true, true, false, ", from userinfo and in ID tokens"]);
  assertEquals((await choose("minimal", "groups, roles")).status, 303);
  assertEquals(await received(), [true, false, true, ", from userinfo, also in access tokens"]);
  for (const path of ["/users/alice", "/"]) {
    const html = (await (await browser.get(path)).text()).replace(/<\/?span[^>]*>/g, "");
    assertStringIncludes(html, "&quot;accessTokenClaims&quot;: [\n    &quot;groups&quot;,\n    &quot;roles&quot;\n  ]");
  }
  const rejected = await choose("like-userinfo", "groups sub");
  assertMatch(await rejected.text(), /Expected names of claims about a user, received &quot;sub&quot;\. Remove it/);
  assertEquals(await received(), [true, false, true, ", from userinfo, also in access tokens"]);
  assertEquals(b.events.filter(({ type }) => type === "changed_by_hand").length, 2);
  const readOnly = await testServer({ issuer: "https://login.widgets.com", insecure: ["auto-login"] });
  assert(!(await (await readOnly.get("/users")).text()).includes('value="places"'));
});

test("[DI-03, DI-06] a user can be moved to the first place, which automatic login uses", async () => {
  const b = await testServer({ users: [{ sub: "alice" }, { sub: "bob" }, { sub: "carol" }] });
  assertEquals(await whoIsFirst(b), "alice");
  await post(openBrowser(b), "/users/bob", { action: "first" });
  assertEquals(b.as.users.list().map(({ sub }) => sub), ["bob", "alice", "carol"]);
  assertEquals(await whoIsFirst(b), "bob");
});

test("[DI-08] the page after a form and the log say once what changed, and no URL or foreign cookie puts a text there", async () => {
  const b = await testServer();
  const browser = openBrowser(b);
  const confirmation = async (path: string) =>
    /role="status"><p>.*?<bdi>(.*?)<\/bdi>/.exec(await (await browser.get(path)).text())?.[1];
  const client = { client_id: "new", redirect_uris: "https://new.example/cb", token_endpoint_auth_method: "none" };
  await forEachCase<[path: string, fields: Fields, text: string]>([
    ["/users", { sub: "<b>carol", claims: "{}" }, "Added &lt;b>carol"],
    ["/users/bob", { action: "save", claims: "{}" }, "Saved bob"],
    ["/users", { action: "places", access_token_claims: "groups" }, "ID tokens: minimal; access tokens: groups"],
    ["/users/bob", { action: "first" }, "bob is the default user now"],
    ["/users/bob", { action: "remove" }, "Removed bob"],
    ["/clients", client, "Added new"],
    ["/clients/new", { action: "save", metadata: `{"redirect_uris":["${client.redirect_uris}"]}` }, "Saved new"],
    ["/clients/new", { action: "remove" }, "Removed new"],
  ], async ([path, fields, text]) => {
    const response = await post(browser, path, fields);
    assertEquals(response.status, 303);
    const location = response.headers.get("location")!;
    assert(!location.includes("?"));
    if (text.startsWith("Saved")) assertEquals(location, path);
    assertEquals(await confirmation(location), text);
    assertEquals(await confirmation(location), undefined);
  });
  assertEquals(b.events.flatMap((event) => event.type === "changed_by_hand" ? [event.change] : []), [
    ...["added user <b>carol", "changed user bob"],
    "changed which tokens have claims of users: ID tokens: minimal; access tokens: groups",
    ...["bob is the default user now", "removed user bob"],
    ...["added client new", "changed client new", "removed client new"],
  ]);
  await post(browser, "/users/alice", { action: "save", claims: "{}" });
  const name = [...browser.cookies.keys()].find((name) => name.includes("confirmation"))!;
  const [content, mac] = browser.cookies.get(name)!.split(".");
  const demo = browser.cookies.get("__Host-latchkey_demo")!;
  await forEachCase(
    [`${btoa('"evil"').replaceAll("=", "")}.${mac}`, `${content}.${mac}x`, `${content}`, demo],
    async (value) => {
      browser.cookies.set(name, value);
      assertEquals(await confirmation("/users"), undefined);
      assert(!browser.cookies.has(name));
    },
  );
});

test("[DI-03] a form whose action no button sends is rejected and changes nothing", async () => {
  const b = await testServer();
  const browser = openBrowser(b);
  const listed = () => JSON.stringify([b.as.users.list(), b.as.clients.list().map(({ metadata }) => metadata)]);
  const before = listed();
  for (const page of [`/clients/${b.as.clients.list()[0]!.id}`, "/users/bob"]) {
    for (const action of [{}, { action: "Save" }]) {
      assertEquals([page, (await post(browser, page, action)).status, listed()], [page, 400, before]);
    }
  }
});

test("[DI-03] a removed user can no longer log in, and their sessions end", async () => {
  const b = await testServer();
  const browser = openBrowser(b);
  assertEquals(await browser.authorizeSilently(), "login_required");
  await browser.login();
  assertEquals(await browser.authorizeSilently(), "code");
  await post(browser, "/users/alice", { action: "remove" });
  assertEquals(b.as.users.find("alice"), undefined);
  assertEquals(await browser.authorizeSilently(), "login_required");
});

test("[DI-03] an error is shown at its field with a fix, keeps all input and changes nothing", async () => {
  const b = await testServer();
  const browser = openBrowser(b);
  const before = JSON.stringify(b.as.users.list());
  await forEachCase<[string, Fields, string, RegExp]>([
    ["/users", { sub: "", claims: "{}" }, "sub", /1 to 255 printable ASCII/],
    ["/users", { sub: "a b", claims: "{}" }, "sub", /1 to 255 printable ASCII/],
    ["/users", { sub: "alice", claims: "{}" }, "sub", /a subject that no other user has/],
    [
      "/users",
      { sub: "dora", claims: "{" },
      "claims",
      /a closing brace at line 1, column 2, received the end of the text\. Close/,
    ],
    ["/users", { sub: "dora", claims: "[]" }, "claims", /a JSON object/],
    ["/users", { sub: "dora", claims: "null" }, "claims", /a JSON object, received null/],
    [
      "/users",
      { sub: "dora", claims: `{"sub":"eve"}` },
      "claims",
      /without sub and password.*never changes/,
    ],
    ["/users", { sub: "dora", claims: `{"password":"x"}` }, "claims", /without sub and password.*configuration file/],
    ["/users", { sub: "dora", claims: `{"__proto__":{"x":1}}` }, "claims", /another name.*__proto__/],
    ["/users/bob", { action: "save", claims: `{"__proto__":null}` }, "claims", /another name.*__proto__/],
    ["/users/bob", { action: "save", claims: `{"sub":"alice"}` }, "claims", /and never changes/],
    ["/users/bob", { action: "save", claims: `"<b>"` }, "claims", /a JSON object/],
  ], async ([path, fields, field, fault]) => {
    const html = await assertPageWithForms(await post(browser, path, fields), 400, "<b>");
    const [, stated] = new RegExp(`<div id="${field}-fault">([^]*?)</div>`).exec(html) ?? [];
    assertMatch(stated ?? "nothing", fault);
    assertStringIncludes(html, `role="alert"`);
    assertMatch(html, new RegExp(`id="${field}" name="${field}"[^>]*aria-invalid="true"`));
    assertEquals(JSON.stringify(b.as.users.list()), before);
  });
});

test("[DI-02] a password is neither shown nor lost by any change of its user", async () => {
  const bytes = (length: number) => new Uint8Array(length).fill(7);
  const password = formatPasswordDigest({ ln: 10, r: 8, p: 1, salt: bytes(16), hash: bytes(32) });
  const b = await testServer({
    login: "interactive",
    users: [{ sub: "alice", name: "Alice" }, { sub: "bob", name: "Bob", password }],
  });
  const browser = openBrowser(b);
  const asked = () => getPasswordDigest(b.as.users.find("bob")!)?.hash.length;
  assertEquals(asked(), 32);
  for (
    const fields of [{ action: "save", claims: `{"name":"Robert"}` }, { action: "first" }, {
      action: "save",
      claims: `{"password":"$scrypt$ln=10,r=8,p=1$AAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAA"}`,
    }]
  ) {
    await post(browser, "/users/bob", fields);
    assertEquals(asked(), 32);
    for (const path of ["/", "/users", "/users/bob"]) {
      const html = await (await browser.get(path)).text();
      assert(!/scrypt|BwcHBw/.test(html), path);
    }
  }
});

test("[DI-04, UI-04, UI-05] a form from another site or without this browser's CSRF token changes nothing", async () => {
  const b = await testServer();
  const listed = () => JSON.stringify(b.as.users.list());
  await assertCsrfProtected(b, "/users", { sub: "eve", claims: "{}" }, listed);
  const browser = openBrowser(b);
  for (const action of ["save", "first", "remove"]) {
    const before = listed();
    const response = await browser.post("/users/bob", { action, claims: "{}" });
    assertEquals([response.status, listed()], [403, before]);
  }
});

test("[UI-03] hostile claims are shown as text on these pages", async () => {
  const b = await testServer();
  const evil = `</textarea><script>alert(1)</script>"><img src=x onerror=alert(1)>`;
  b.as.users.set({ sub: `"><script>`, name: evil, [evil]: evil });
  for (const at of ["/", "/users", `/users/${encodeURIComponent(`"><script>`)}`]) {
    await assertPageWithForms(await b.get(at), 200, "<script>", "<img src=x", "</textarea><s");
  }
});

test("a long list has pages of 50, each with a link to the next one", async () => {
  const memory = memoryStore();
  for (const store of [memory, { ...memory, persistent: true }]) {
    const b = await testServer({ store });
    for (let i = 100; i < 220; i++) {
      await b.as.users.set({ sub: `user/${i}` });
      await b.as.clients.set({ client_id: `client ${i}`, redirect_uris: ["https://app.example/cb"] });
    }
    for (const [path, total] of [["/users", 122], ["/clients", 123]] as const) {
      const hrefs = new Set<string>();
      let pages = 0;
      for (let next: string | undefined = path; next !== undefined; pages++) {
        const html: string = await (await b.get(next)).text();
        for (const [, href] of html.matchAll(/<h3><a href="([^"]+)"/g)) hrefs.add(href!);
        assertStringIncludes(html, `${total} ${path.slice(1)} in all.`);
        next = /<a href="([^"]+)" rel="next">/.exec(html)?.[1];
      }
      assertEquals([hrefs.size, pages], [total, 3]);
    }
  }
});
