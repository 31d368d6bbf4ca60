/** The form that edits all metadata of a client, by what a browser gets and sends. */

import { assert, assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { clientField } from "../../../src/server/hosting/extensions.ts";
import { type ClientMetadata, metadataOf } from "../../../src/server/config/client_metadata.ts";
import { type Browser, openBrowser } from "../../server/browser.ts";
import { assertCsrfProtected, assertPageWithForms } from "../../server/csrf.ts";
import { assertPage, assertTokenResponse, basic, type Fields, forEachCase, testServer } from "../../kit.ts";
import { findLink, readFields } from "../../server/page.ts";

/** What the form of a page would send unchanged. */
async function readForm(browser: Browser, path: string): Promise<Record<string, string>> {
  return readFields(await assertPageWithForms(await browser.get(path)), path.replace(/\?.*/, ""));
}

async function save(browser: Browser, id: string, changes: Fields): Promise<Response> {
  const path = `/clients/${id}`;
  return await browser.post(path, { ...await readForm(browser, `${path}?edit`), ...changes, action: "save" });
}

const rich: ClientMetadata = {
  client_id: "rich",
  client_name: `"R" & <b>`,
  redirect_uris: ["https://rich.example/cb", "https://rich.example/other"],
  post_logout_redirect_uris: ["https://rich.example/"],
  token_endpoint_auth_method: "private_key_jwt",
  jwks: { keys: [{ kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", kid: "k" }] },
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  scope: "openid read",
  require_pkce: true,
  require_signed_request_object: true,
  default_max_age: 60,
  default_acr_values: ["urn:x:mfa"],
  contacts: ["Team of three", "team@rich.example"],
  id_token_signed_response_alg: "ES256",
};

test("[DI-07] the form has a field for every member of client metadata, and changes nothing if nothing is changed", async () => {
  const made = await testServer({ clients: [rich], alg: "ES256" });
  const browser = openBrowser(made);
  const fields = await readForm(browser, "/clients/rich?edit");
  const html = await (await browser.get("/clients/rich?edit")).text();
  for (const name of Object.keys(clientField.members)) {
    if (name === "client_id" || name === "client_secret") assertNotMatch(html, new RegExp(`name="${name}"`));
    else assertStringIncludes(html, `name="${name}"`);
  }
  assertEquals(fields.redirect_uris, rich.redirect_uris!.join("\n"));
  assertEquals((await save(browser, "rich", {})).status, 303);
  assertEquals(made.as.clients.find("rich")!.metadata, rich);
});

test("[DI-07] a list is separated by spaces, commas or lines, if its values contain no spaces", async () => {
  const made = await testServer({ clients: [rich], alg: "ES256" });
  const browser = openBrowser(made);
  const cases: readonly (readonly [keyof ClientMetadata, string, readonly string[]])[] = [
    ["grant_types", "authorization_code refresh_token", ["authorization_code", "refresh_token"]],
    ["grant_types", "authorization_code,refresh_token", ["authorization_code", "refresh_token"]],
    ["grant_types", "  authorization_code,\r\n refresh_token ,", ["authorization_code", "refresh_token"]],
    ["default_acr_values", "urn:x:mfa,urn:x:pin", ["urn:x:mfa", "urn:x:pin"]],
    ["redirect_uris", "https://a.example/cb, https://b.example/x,y", ["https://a.example/cb", "https://b.example/x,y"]],
    ["redirect_uris", "https://a.example/cb com.example:/cb,", ["https://a.example/cb", "com.example:/cb"]],
    ["contacts", "Team of three\nMia, Tom", ["Team of three", "Mia, Tom"]],
    ["response_types", "code", ["code"]],
  ];
  await forEachCase(cases, async ([name, text, expected]) => {
    const response = await save(browser, "rich", { [name]: text });
    assertEquals(response.status, 303, await response.text());
    assertEquals(metadataOf(made.as.clients.find("rich")!)[name], expected);
  });
  const page = await (await browser.get("/clients/rich?edit")).text();
  assertStringIncludes(page, "Separated by spaces, commas or lines, such as authorization_code.");
  assertStringIncludes(page, "Separated by spaces or lines, such as http://localhost:3000/cb");
});

test("[DI-07] a list that is not changed keeps values with separators, and a proposed redirect URI adds no second one", async () => {
  const odd: ClientMetadata = {
    client_id: "odd",
    redirect_uris: ["https://odd.example/cb?x=1,https://y.example/cb", "https://odd.example/cb?x=1,"],
  };
  const made = await testServer({ clients: [odd] });
  const browser = openBrowser(made);
  assertEquals((await save(browser, "odd", { client_name: "Odd" })).status, 303);
  assertEquals(made.as.clients.find("odd")!.metadata, { ...odd, client_name: "Odd" });
  const redirect_uri = "https://odd.example/cb?next=,https://evil.example/cb";
  const html = await assertPage(await browser.authorize({ client_id: "odd", redirect_uri }));
  const { redirect_uris } = await readForm(browser, findLink(html, "Add the redirect URI to odd")!);
  assertEquals((await save(browser, "odd", { redirect_uris })).status, 303);
  assertEquals(made.as.clients.find("odd")!.metadata.redirect_uris, [...odd.redirect_uris!, redirect_uri]);
});

test("[DI-07] a change counts immediately, and the secret stays valid", async () => {
  const made = await testServer();
  const browser = openBrowser(made);
  const response = await save(browser, "web", {
    client_name: "Renamed",
    grant_types: "authorization_code\nclient_credentials",
    default_max_age: "30",
    require_pkce: "on",
    client_uri: "https://web.example/",
    jwks: "",
  });
  assertEquals([response.status, response.headers.get("location")], [303, "/clients/web"]);
  const { metadata } = made.as.clients.find("web")!;
  assertEquals(metadata.client_name, "Renamed");
  assertEquals([metadata.default_max_age, metadata.require_pkce, metadata.client_uri], [
    30,
    true,
    "https://web.example/",
  ]);
  const fields = { grant_type: "client_credentials", client_id: undefined, scope: "read" };
  assertEquals((await made.token(fields, { headers: basic("web", "web-secret") })).status, 200);
});

test("[DI-07, LO-03] a post-logout redirect URI is added from the page that rejects it", async () => {
  const made = await testServer();
  const browser = openBrowser(made);
  const post_logout_redirect_uri = "https://spa.example/bye";
  const query = new URLSearchParams({ client_id: "spa", post_logout_redirect_uri });
  const html = await assertPage(await browser.get(`/oauth2/logout?${query}`), 400);
  const form = await readForm(browser, findLink(html, "Add the post-logout redirect URI to spa")!);
  assertEquals(form.post_logout_redirect_uris, post_logout_redirect_uri);
  const saved = await save(browser, "spa", { post_logout_redirect_uris: form.post_logout_redirect_uris });
  assertEquals(saved.status, 303);
  assertEquals(made.as.clients.find("spa")!.metadata.post_logout_redirect_uris, [post_logout_redirect_uri]);
  // The form would reject it.
  const odd = new URLSearchParams({ client_id: "spa", post_logout_redirect_uri: "javascript:alert(1)" });
  const page = await assertPage(await browser.get(`/oauth2/logout?${odd}`), 400);
  assertEquals(findLink(page, "Add the post-logout redirect URI to spa"), undefined);
});

test("[DI-07, UI-19] a redirect URI that is known only at run time is added from the page that rejects it", async () => {
  const made = await testServer();
  const browser = openBrowser(made);
  const redirect_uri = "https://spa.example/run/8123";
  const html = await assertPage(await browser.authorize({ redirect_uri }));
  const href = findLink(html, "Add the redirect URI to spa")!;
  assert(href.startsWith("/clients/spa?edit&redirect_uris=https%3A%2F%2Fspa.example%2Frun%2F8123&retry="));
  const { redirect_uris, retry } = await readForm(browser, href);
  assertEquals(redirect_uris!.split("\n").at(-1), redirect_uri);
  const saved = await save(browser, "spa", { redirect_uris, retry });
  const next = await assertPageWithForms(await browser.get(saved.headers.get("location")!));
  const again = await browser.get(findLink(next, "Try the request again")!);
  assertEquals(again.headers.get("location")!.startsWith(`${redirect_uri}?code=`), true);
  // In a program, and in the mock.
  const other = "https://spa.example/run/8124";
  made.as.clients.set({ ...made.as.clients.find("spa")!.metadata, redirect_uris: [other] });
  assertEquals((await browser.authorize({ redirect_uri: other })).status, 302);

  const hasLink = async (server: typeof made, fields: Fields, headers: Record<string, string> = {}) =>
    (await (await server.authorize({ redirect_uri, ...fields }, { headers })).text()).includes(
      "Add the redirect URI to spa",
    );
  assertEquals(await hasLink(made, {}), true);
  assertEquals(await hasLink(made, {}, { host: "rebound.example" }), false);
  assertEquals(await hasLink(made, { client_id: "unknown" }), false);
  for (const directory of ["read", "off"] as const) {
    assertEquals(await hasLink(await testServer({ directory }), {}), false);
  }
});

test("[DI-02, DI-07] a new secret replaces the old one and is shown; a method without secrets ends it", async () => {
  const made = await testServer();
  const browser = openBrowser(made);
  const fields = { grant_type: "client_credentials", client_id: undefined, scope: "read" };
  const grant_types = "client_credentials";
  assertEquals((await save(browser, "web", { grant_types, new_secret: "on" })).status, 303);
  const html = await assertPageWithForms(await browser.get("/clients/web"));
  const secret = /[\w-]{43}(?=<)/.exec(html.slice(html.indexOf("Client secret")))![0];
  await assertTokenResponse(await made.token(fields, { headers: basic("web", secret) }));
  assertEquals((await made.token(fields, { headers: basic("web", "web-secret") })).status, 401);
  assert(!(await (await browser.get("/clients/web?edit")).text()).includes(secret));

  const asPublic = { token_endpoint_auth_method: "none", grant_types: "authorization_code" };
  assertEquals((await save(browser, "web", asPublic)).status, 303);
  assertEquals(made.as.clients.find("web")!.secretDigest, undefined);
  // A method with a secret needs one again.
  assertEquals((await save(browser, "web", { token_endpoint_auth_method: "client_secret_post" })).status, 303);
  assertStringIncludes(await (await browser.get("/clients/web")).text(), "Client secret</dt>");
});

test("[DI-03, DI-07] an error is shown at its field, keeps all input and changes nothing", async () => {
  const made = await testServer();
  const browser = openBrowser(made);
  const before = made.as.clients.find("spa")!.metadata;
  const mistakes: Readonly<Record<string, readonly [field: string, value: string]>> = {
    "a fragment": ["redirect_uris", "https://spa.example/cb\nhttps://spa.example/#x"],
    "no number": ["default_max_age", "many"],
    "no JSON": ["jwks", "{not json"],
    "no key set": ["jwks", "[]"],
    "an unknown grant type": ["grant_types", "magic"],
    "an unknown scope value": ["scope", "openid nonsense"],
    "an unknown choice": ["subject_type", "secret"],
    "no mode": ["response_modes", "pigeon"],
  };
  await forEachCase(Object.keys(mistakes), async (name) => {
    const [field, value] = mistakes[name]!;
    const response = await save(browser, "spa", { [field]: value, client_name: "Typed name" });
    const html = await assertPageWithForms(response, 400);
    assertMatch(html, new RegExp(`<a href="#${field}">${field}</a>: expected `));
    assertStringIncludes(html, `id="${field}-fault"`);
    assertStringIncludes(html, "Typed name");
    if (name === "no JSON") assertStringIncludes(html, "xpected JSON at line 1, column 2");
    if (field !== "subject_type") assertStringIncludes(html, value.split("\n")[0]!.slice(0, 9));
    assertEquals(made.as.clients.find("spa")!.metadata, before, name);
  });
});

test("[DI-01, DI-04, DI-07] the form is protected like the others, and absent where the list is read-only", async () => {
  const made = await testServer();
  const { version } = await readForm(openBrowser(made), "/clients/spa?edit");
  const fields = { action: "save", client_name: "Changed", redirect_uris: "https://spa.example/cb", version };
  await assertCsrfProtected(made, "/clients/spa", fields, () => made.as.clients.find("spa")!.metadata);
  const readOnly = await testServer({ directory: "read" });
  assertNotMatch(await assertPage(await readOnly.get("/clients/spa?edit"), 200), /method="post"/);
  await assertPage(await readOnly.get("/clients/unknown?edit"), 404);
});
