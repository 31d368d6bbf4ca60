/** The form that edits the metadata of a client as JSON, by what a browser gets and sends. */

import { assert, assertEquals, assertNotMatch, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { extendedClientField, extensions } from "../../../src/server/hosting/extensions.ts";
import type { ClientMetadata } from "../../../src/server/config/client_metadata.ts";
import { type Browser, openBrowser } from "../../server/browser.ts";
import { assertCsrfProtected, assertPageWithForms } from "../../server/csrf.ts";
import { assertPage, assertTokenResponse, basic, type Fields, forEachCase, testServer } from "../../kit.ts";
import { findLink, readFields } from "../../server/page.ts";

/** What the form of a page would send unchanged. */
async function readForm(browser: Browser, path: string): Promise<Record<string, string>> {
  return readFields(await assertPageWithForms(await browser.get(path)), path.replace(/\?.*/, ""));
}

/** Saves the metadata with these members; one that is `undefined` is removed. */
async function save(browser: Browser, id: string, members: object, fields: Fields = {}): Promise<Response> {
  const path = `/clients/${id}`;
  const form = await readForm(browser, `${path}?edit`);
  const metadata = JSON.stringify({ ...JSON.parse(form.metadata!), ...members });
  return await browser.post(path, { ...form, metadata, ...fields, action: "save" });
}

/** The metadata of the form at a path. */
async function readMetadata(browser: Browser, path: string): Promise<ClientMetadata> {
  return JSON.parse((await readForm(browser, path)).metadata!);
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

test("a member that an extension of the program adds is in the form, and is saved", async () => {
  const tiers = {
    name: "tiers",
    clientMetadata: { fields: { tier: { type: "string", expected: "a tier", examples: ["gold"] } } },
  } as const;
  const made = await testServer({
    extensions: [...extensions, tiers],
    clients: [{ client_id: "web", redirect_uris: ["https://web.example/cb"] }],
  });
  const browser = openBrowser(made);
  assertStringIncludes(await (await browser.get("/clients/web?edit")).text(), '<dt><code class="wire">tier</code>');
  assertEquals((await save(browser, "web", { tier: "silver" })).status, 303);
  assertEquals((made.as.clients.find("web")!.metadata as { tier?: string }).tier, "silver");
});

test("[DI-07] the form has the metadata and an example of every member, and changes nothing if nothing is changed", async () => {
  const made = await testServer({ clients: [rich], alg: "ES256" });
  const browser = openBrowser(made);
  const { client_id, ...members } = rich;
  assertEquals(await readMetadata(browser, "/clients/rich?edit"), members as ClientMetadata);
  const html = await (await browser.get("/clients/rich?edit")).text();
  for (const name of Object.keys(extendedClientField.members)) {
    assertEquals(html.includes(`<dt><code class="wire">${name}</code>`), !/^client_(?:id|secret)$/.test(name), name);
  }
  assertEquals((await save(browser, client_id, {})).status, 303);
  assertEquals(made.as.clients.find("rich")!.metadata, rich);
});

test("[DI-07] a proposed redirect URI with a separator adds no second one", async () => {
  const odd: ClientMetadata = { client_id: "odd", redirect_uris: ["https://odd.example/cb?x=1,"] };
  const made = await testServer({ clients: [odd] });
  const browser = openBrowser(made);
  const redirect_uri = "https://odd.example/cb?next=,https://evil.example/cb";
  const html = await assertPage(await browser.authorize({ client_id: "odd", redirect_uri }));
  const proposed = await readMetadata(browser, findLink(html, "Correct the redirect URI, or add it to odd")!);
  assertEquals((await save(browser, "odd", proposed)).status, 303);
  assertEquals(made.as.clients.find("odd")!.metadata.redirect_uris, [...odd.redirect_uris!, redirect_uri]);
});

test("[DI-07] a change counts immediately, and the secret stays valid", async () => {
  const made = await testServer();
  const browser = openBrowser(made);
  const response = await save(browser, "web", {
    client_name: "Renamed",
    grant_types: ["authorization_code", "client_credentials"],
    default_max_age: 30,
    require_pkce: true,
    client_uri: "https://web.example/",
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
  const proposed = await readMetadata(
    browser,
    findLink(html, "Correct the post-logout redirect URI, or add it to spa")!,
  );
  assertEquals((await save(browser, "spa", proposed)).status, 303);
  assertEquals(made.as.clients.find("spa")!.metadata.post_logout_redirect_uris, [post_logout_redirect_uri]);
  // The form would reject it.
  const odd = new URLSearchParams({ client_id: "spa", post_logout_redirect_uri: "javascript:alert(1)" });
  const page = await assertPage(await browser.get(`/oauth2/logout?${odd}`), 400);
  assertEquals(findLink(page, "Correct the post-logout redirect URI, or add it to spa"), undefined);
});

test("[DI-07, UI-19] a redirect URI that is known only at run time is added from the page that rejects it", async () => {
  const made = await testServer();
  const browser = openBrowser(made);
  const redirect_uri = "https://spa.example/run/8123";
  const html = await assertPage(await browser.authorize({ redirect_uri }));
  const href = findLink(html, "Correct the redirect URI, or add it to spa")!;
  assert(href.startsWith("/clients/spa?edit&redirect_uris=https%3A%2F%2Fspa.example%2Frun%2F8123&retry="));
  const { metadata, retry } = await readForm(browser, href);
  assertEquals(JSON.parse(metadata!).redirect_uris.at(-1), redirect_uri);
  const saved = await save(browser, "spa", {}, { metadata, retry });
  const next = await assertPageWithForms(await browser.get(saved.headers.get("location")!));
  const again = await browser.get(findLink(next, "Try the request again")!);
  assertEquals(again.headers.get("location")!.startsWith(`${redirect_uri}?code=`), true);
  // In a program, and in the mock.
  const other = "https://spa.example/run/8124";
  made.as.clients.set({ ...made.as.clients.find("spa")!.metadata, redirect_uris: [other] });
  assertEquals((await browser.authorize({ redirect_uri: other })).status, 302);

  const hasLink = async (server: typeof made, fields: Fields, headers: Record<string, string> = {}) =>
    (await (await server.authorize({ redirect_uri, ...fields }, { headers })).text()).includes(
      "Correct the redirect URI, or add it to spa",
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
  const grant_types = ["client_credentials"];
  assertEquals((await save(browser, "web", { grant_types }, { new_secret: "on" })).status, 303);
  const html = await assertPageWithForms(await browser.get("/clients/web"));
  const secret = /[\w-]{43}(?=<)/.exec(html.slice(html.indexOf("Client secret")))![0];
  await assertTokenResponse(await made.token(fields, { headers: basic("web", secret) }));
  assertEquals((await made.token(fields, { headers: basic("web", "web-secret") })).status, 401);
  assert(!(await (await browser.get("/clients/web?edit")).text()).includes(secret));

  const asPublic = { token_endpoint_auth_method: "none", grant_types: ["authorization_code"] };
  assertEquals((await save(browser, "web", asPublic)).status, 303);
  assertEquals(made.as.clients.find("web")!.secretDigest, undefined);
  // A method with a secret needs one again.
  assertEquals((await save(browser, "web", { token_endpoint_auth_method: "client_secret_post" })).status, 303);
  assertStringIncludes(await (await browser.get("/clients/web")).text(), "Client secret</dt>");
});

test("[DI-03, DI-07] an error names its member, keeps all input and changes nothing", async () => {
  const made = await testServer();
  const browser = openBrowser(made);
  const before = made.as.clients.find("spa")!.metadata;
  const uris = ["https://spa.example/cb", "https://spa.example/#x"];
  await forEachCase<[member: string, value: unknown]>([
    ["redirect_uris[1]", uris],
    ["default_max_age", "many"],
    ["jwks", "no object"],
    ["jwks", []],
    ["grant_types[0]", ["magic"]],
    ["scope", "openid nonsense"],
    ["subject_type", "secret"],
    ["response_modes[0]", ["pigeon"]],
    ["redirect_uri", "https://spa.example/cb"],
    ["client_id", "other"],
    ["client_secret", "typed-client-secret"],
  ], async ([member, value]) => {
    const name = member.replace(/\[.*/, "");
    const response = await save(browser, "spa", { [name]: value, client_name: "Typed name" });
    const html = await assertPageWithForms(response, 400);
    const [, error = ""] = /<div id="metadata-fault">([^]*?)<\/div>/.exec(html) ?? [];
    assertStringIncludes(error, member);
    assertStringIncludes(html, `<a href="#metadata">metadata</a>: expected `);
    assertStringIncludes(html, "Typed name");
    assertEquals(made.as.clients.find("spa")!.metadata, before);
  });
  for (
    const [metadata, fault] of [["{not json", "xpected JSON at line 1, column 2"], ["[]", "xpected a JSON object"]]
  ) {
    const html = await assertPageWithForms(await save(browser, "spa", {}, { metadata }), 400);
    assertStringIncludes(html, fault!);
    assertStringIncludes(html, metadata!);
  }
});

test("[DI-01, DI-04, DI-07] the form is protected like the others, and absent where the list is read-only", async () => {
  const made = await testServer();
  const { version } = await readForm(openBrowser(made), "/clients/spa?edit");
  const metadata = JSON.stringify({ client_name: "Changed", redirect_uris: ["https://spa.example/cb"] });
  const fields = { action: "save", metadata, version };
  await assertCsrfProtected(made, "/clients/spa", fields, () => made.as.clients.find("spa")!.metadata);
  const readOnly = await testServer({ directory: "read" });
  assertNotMatch(await assertPage(await readOnly.get("/clients/spa?edit"), 200), /method="post"/);
  await assertPage(await readOnly.get("/clients/unknown?edit"), 404);
});
