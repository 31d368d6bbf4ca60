/** The pages as markup: what they say, and that nothing of a request can become more than text in them. */

import { CheckReportPage } from "../../../src/check/pages/check_report.tsx";
import { assert, assertEquals, assertGreaterOrEqual, assertLess, assertMatch, assertStringIncludes } from "@std/assert";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { generateAssets } from "../../../scripts/assets.ts";
import type { CallbackProps } from "../../../src/server/pages/authorized_page.tsx";
import type { ListedClient } from "../../../src/devtools/connect/pages/client_details.tsx";
import type { ErrorPageProps } from "../../../src/server/pages/error_page.tsx";
import type { HomeProps } from "../../../src/devtools/connect/pages/home.tsx";
import type { ListedUser } from "../../../src/devtools/connect/pages/users.tsx";
import { lowerFirst } from "../../../src/server/pages/first_letter.ts";
import { pages } from "../../drawn_pages.ts";
import { renderPage } from "../../../src/core/pages/render_page.ts";
import { assets as devtoolsAssets } from "../../../src/devtools/assets.gen.ts";
import { assets as serverAssets } from "../../../src/server/pages/assets.gen.ts";
import {
  client,
  clientList,
  failure,
  formPost,
  home,
  logout,
  rejected,
  samples,
  success,
  user,
} from "../../browser/samples.ts";
import { nextUnder } from "../../browser/step_samples.ts";

/** The style sheets and scripts of the sample pages, by their paths below `/static/`. */
const assets = {
  ...serverAssets,
  ...Object.fromEntries(Object.entries(devtoolsAssets).map(([name, asset]) => [`devtools/${name}`, asset])),
};

const hostile = [
  `<script>alert(1)</script>`,
  `"><img src=x onerror=alert(1)>`,
  `' onmouseover='alert(1)`,
  `javascript:alert(1)`,
  `</pre></code><a href="https://evil.example">here</a>`,
  `<!-- -->&lt;b&gt;&#60;b&#62;`,
  `\u202Egnp.exe\u0000\r\n\t`,
];

interface Tag {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

const tagPattern = /<(\/?[a-z][a-z0-9]*)((?: [a-z-]+(?:="[^"]*")?)*)\/?>/g;

/** What a browser reads from an attribute or a text. */
function unescapeHtml(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}

/** Without the places where a line may break, which are no text. */
function withoutBreaks(html: string): string {
  return html.replaceAll("<wbr/>", "");
}

/** Every tag in order. Fails on any `<` that is no tag, so that nothing can hide from it. */
function tagsOf(html: string): Tag[] {
  const body = withoutBreaks(html).replace(/^<!DOCTYPE html>\n/, "");
  assertStringIncludes(html, "<!DOCTYPE html>", "no doctype");
  assertEquals(body.replace(tagPattern, "").match(/<.*/)?.[0], undefined);
  return [...body.matchAll(tagPattern)].map(([, name, attributes]) => ({
    name: name!,
    attributes: Object.fromEntries(
      [...attributes!.matchAll(/ ([a-z-]+)(?:="([^"]*)")?/g)].map(([, key, value]) => [key, value ?? ""]),
    ),
  }));
}

/** What a reader sees, white space made even. */
function textOf(html: string): string {
  return unescapeHtml(withoutBreaks(html).replace(/^[^]*<body>/, "").replace(tagPattern, " ")).replace(/\s+/g, " ");
}

/** The texts of all elements of one name. */
function textsOf(html: string, name: string): string[] {
  return [...html.matchAll(new RegExp(`<${name}[ >][^]*?</${name}>`, "g"))].map(([whole]) => textOf(whole!).trim());
}

/** Where the links of the main part lead, by their words. */
function linksOf(html: string): Record<string, string> {
  return Object.fromEntries(
    [...html.replace(/^[^]*<main/, "").matchAll(/<a [^>]*?href="([^"]*)"[^>]*>([^]*?)<\/a>/g)]
      .map(([, href, text]) => [textOf(text!).trim(), href!]),
  );
}

/** What the only form of a page sends where: its attributes, and names and values of its inputs in order. */
function formOf(html: string): { readonly attributes: Tag["attributes"]; readonly fields: [string, string][] } {
  const tags = tagsOf(html);
  const [form, ...others] = tags.filter(({ name }) => name === "form");
  assertEquals(others, []);
  const fields = tags.filter(({ name }) => name === "input").map(({ attributes }): [string, string] => {
    assertEquals(Object.keys(attributes).sort(), ["name", "type", "value"]);
    assertEquals(attributes.type, "hidden");
    return [unescapeHtml(attributes.name!), unescapeHtml(attributes.value!)];
  });
  return { attributes: { ...form!.attributes, action: unescapeHtml(form!.attributes.action!) }, fields };
}

const drawn = Object.entries(samples).map(([path, { draw }]) => [path, draw(pages)] as const);

test("[UI-02] no page has an inline script or style, or refers to another origin except a redirect URI", () => {
  const paths = [
    "/static/((devtools/)?\\w+.css|(script|continue|devtools/connect).js|icon.svg)",
    "/authorize-[a-z]+",
    "/oauth2/(jwks|logout|login|consent)",
    "/oauth2/logout\\?client_id=demo-public",
    "/oauth2/login\\?interaction=[a-z0-9]+(&amp;as=[a-z]+)?",
    "/account",
    "/device(\\?user_code=BCDF-GHJK)?",
    "/backchannel\\?request_id=x",
    "/authorized/try",
    "/start(\\?client_id=[a-z-]+)?",
    '/(clients|users)(/[^/"]*|#add|#tokens)?',
    "/#connect",
    "/flows(/[0-9]+)?",
    "/connect-account/mcp\\?[a-z_]+=[\\w-]+",
    "#[a-z_]+",
  ];
  const allowed = new RegExp(`^(/|${paths.join("|")}|/.well-known/.*)$`);
  const specification = /^https:\/\/(datatracker\.ietf\.org|www\.rfc-editor\.org|openid\.net)\//;
  for (const [path, html] of drawn) {
    for (const { name, attributes } of tagsOf(html)) {
      // The logout page loads the logout URIs of clients.
      const isLogoutFrame = path.startsWith("/logging-out") && name === "iframe";
      assert(isLogoutFrame || !/^(style|iframe|object|embed|base)$/.test(name), `${path}: ${name}`);
      if (isLogoutFrame) continue;
      if (name === "form" && path.startsWith("/form-post")) continue;
      const leadsAway = name === "a" && specification.test(attributes.href!);
      if (leadsAway) assertEquals(attributes.rel, "noreferrer", path);
      for (const [key, value] of Object.entries(attributes)) {
        assert(!/^(on.*|style|srcdoc|http-equiv|target|formaction)$/.test(key), `${path}: ${key}="${value}"`);
        if (/^(href|src|action|srcset)$/.test(key) && !leadsAway) assertMatch(value, allowed, path);
      }
    }
    const script = path.startsWith("/form-post") || path.startsWith("/logging-out") ? "continue" : "script";
    const scripts = html.match(/<script[^>]*>/g)!.filter((tag) => !tag.includes("/static/devtools/connect.js"));
    assertEquals(scripts, [`<script type="module" src="/static/${script}.js">`], path);
    assertStringIncludes(html, "></script>", path);
  }
});

const hostileClient = (value: string): ListedClient => ({
  id: value,
  name: value,
  href: "/clients/x",
  authMethods: [value],
  redirectUris: [value],
  postLogoutRedirectUris: [value],
  grantTypes: [value],
  scope: [value],
});

const hostileUser = (value: string): ListedUser => ({
  sub: value,
  name: value,
  href: "/users/x",
  claims: [{ name: value, json: value, releasedBy: [value], inAccessTokens: true }],
  inIdTokens: true,
  warnings: [value],
});

test("[UI-03] hostile metadata does not change the markup of the home page", () => {
  const page = (value: string): string =>
    pages.home({
      ...home,
      directory: {
        clients: [hostileClient(value)],
        users: [hostileUser(value)],
        lines: { text: "{}", placeholder: undefined },
      },
      scopes: [value],
    });
  for (const value of hostile) assertEquals(tagsOf(page(value)), tagsOf(page("tame")), value);
});

test("[UI-03, FP-03] hostile values do not change the markup of a form_post response, and are sent unchanged", () => {
  const page = (value: string): string =>
    pages.formPost({
      ...formPost,
      action: `https://app.example/?a=${value}`,
      client: value,
      fields: [["error_description", value], ["state", value]],
    });
  const markup = (value: string) => tagsOf(page(value).replace(/ (value|action)="[^"]*"/g, ""));
  for (const value of hostile) {
    assertEquals(markup(value), markup("tame"), value);
    const { attributes, fields } = formOf(page(value));
    assertEquals(fields, [["error_description", value], ["state", value]]);
    assertEquals(attributes.action, `https://app.example/?a=${value}`);
  }
});

test("[FP-01] a form_post response is one form that posts every parameter to the exact redirect URI", () => {
  const html = pages.formPost(formPost);
  const { attributes, fields } = formOf(html);
  assertEquals(attributes, { class: "ways", method: "post", action: formPost.action, "data-submit": "" });
  assertEquals(fields, formPost.fields);
  assertEquals(textsOf(html, "h1"), ["Returning to the client"]);
  assertStringIncludes(
    textOf(html),
    "Client Demo, public Sent to https://app.example/callback?tenant=1&area=east",
  );

  const empty = pages.formPost({ ...formPost, fields: [["error", "login_required"], ["error_description", ""]] });
  assertEquals(formOf(empty).fields, [["error", "login_required"], ["error_description", ""]]);
});

test("[FP-01] a form_post response has a button for browsers without script, which adds no parameter", () => {
  const html = pages.formPost(formPost);
  assertEquals(textsOf(html, "button"), ["Continue"]);
  const [button] = tagsOf(html).filter(({ name }) => name === "button");
  assertEquals(button!.attributes, { type: "submit", class: "button" });
  assertStringIncludes(assets["continue.js"]!.body, "form[data-submit]");
});

test("[LO-01] the logout confirmation shows the user, the client, one submit button, and a way back", () => {
  const html = pages.logout(logout);
  assertEquals(textsOf(html, "h1"), ["Log out?"]);
  assertStringIncludes(textOf(html), "Logged in Alice Adams , alice Requested by Demo, public");
  assertEquals(textsOf(html, "button"), ["Log out"]);
  const { attributes, fields } = formOf(html);
  // Only a user may send this one.
  assertEquals(attributes, { class: "ways", method: "post", action: "/oauth2/logout" });
  assertEquals(fields, logout.fields);
  assertEquals(linksOf(html), { "Back to Home": "/" });

  const text = textOf(pages.logout({ ...logout, user: { sub: "bob" }, client: undefined }));
  assertStringIncludes(text, "Logged in bob");
  assert(!text.includes("Requested by"));
});

test("[LO-01] the page after logout confirms it, with a link home", () => {
  const html = pages.loggedOut({ issuer: "http://localhost:9000", base: "" });
  assertEquals(textsOf(html, "h1"), ["You are logged out"]);
  assertStringIncludes(textOf(html), "This browser no longer has a session with this server");
  assertEquals(linksOf(html), { "Back to Home": "/" });
  assertEquals(textsOf(html, "button"), []);
});

test("[UI-03] a difference is marked between characters, never within one, and stays text", () => {
  const mark = (expected: string, received: string): string | undefined =>
    textsOf(pages.error({ ...rejected, expected, received, suggestion: undefined }), "mark")[1];
  assertEquals(mark("http://localhost/authorized", "http://localhost/authorised"), "s");
  assertEquals(mark("https://a.example/<b>", "https://a.example/<i>"), "i");
  assertEquals(mark("clé-\u{1F511}", "clé-\u{1F512}"), "\u{1F512}");
  assertEquals(mark("https://a.example/", "https://a.example/"), undefined);
  assertEquals(mark("https://a.example/", "myapp:/callback"), undefined);
  assertEquals(mark("https://a.example/callback", "https://a.example/"), "");
});

test("[UI-13] a rejection shows the sentence, the OAuth code, the rule, expected and received, and does not redirect", () => {
  const html = pages.error(rejected);
  const text = textOf(html);
  for (const value of [rejected.message, "invalid_request", "RU-02", rejected.fix!]) assertStringIncludes(text, value);
  assertStringIncludes(
    text,
    "Expected http://localhost:9000/authori z ed Received http://localhost:9000/authori s ed ",
  );
  assertEquals(linksOf(html)["Back to Home"], "/");
  assert(!/refresh/i.test(html));
});

test("[UI-13] the received value is compared with the suggestion; the details have what was expected", () => {
  const expected = "https://shop.example/oauth/callback or http://localhost:9000/authorized";
  const near = { text: "http://localhost:9000/authorized", difference: "The two URIs differ only in the path." };
  const html = pages.error({ ...rejected, expected, suggestion: near });
  assertStringIncludes(
    textOf(html),
    "Did you mean http://localhost:9000/authori z ed Received http://localhost:9000/authori s ed " +
      `Difference Expected "z", received "s" after "…/authori". The two URIs differ only in the path.`,
  );
  assertMatch(textOf(html), new RegExp(`Details .* Expected ${expected}`));
  const text = textOf(pages.error({ ...rejected, suggestion: { text: rejected.expected! } }));
  for (const absent of ["Did you mean", "The two"]) assert(!text.includes(absent), absent);
});

test("[UI-02, UI-13] the sections of a rejection's rule are links without a referrer, or names only", () => {
  const section = "https://www.rfc-editor.org/rfc/rfc9700.html#section-4.1.3";
  const draw = (cites: string[], linksAway: boolean) =>
    pages.error({ ...rejected, cites, allowsExternalLinks: linksAway });
  const cites = ["RFC 9700 §4.1.3", "RFC 3986 §6.2.1"];
  assertStringIncludes(draw(cites, true), `, <a href="${section}" rel="noreferrer">RFC 9700 §4.1.3</a>`);
  assertStringIncludes(draw(cites, false), ", RFC 9700 §4.1.3, RFC 3986 §6.2.1");
  // What has no known address is no link.
  for (const cited of ["product", "https://evil.example", "constructor"]) {
    assert(!draw([cited], true).includes("noreferrer"), cited);
  }
});

test("[UI-15] a removal takes two steps without script: the first explains it, the second submits the form", () => {
  for (
    const [html, what, id] of [[pages.client(client), "client", "demo-public"], [pages.user(user), "user", "alice"]]
  ) {
    const [, summary, asked, form] =
      /<details class="quiet"><summary class="button plain">([^<]*)<\/summary><p>([^]*?)<\/p>(<form[^]*?<\/form>)<\/details>/
        .exec(html!)!;
    assertEquals(summary, `Remove this ${what}`);
    assertMatch(asked!, new RegExp(`^Remove <code class="wire">${id}</code>\\? `));
    assertMatch(form!, /^<form class="ways" method="post" action="\/(clients|users)\/[a-z-]+">/);
    assertMatch(
      form!,
      /<button type="submit" [^>]*name="action" value="remove">Yes, remove this (?:client|user)<\/button>/,
    );
    // Nowhere else.
    assertEquals(html!.split('value="remove"').length, 2);
  }
});

test("[UI-03] code in colours is the same text, and has no other markup than its colours", () => {
  const colours = (text: string) => {
    const snippets = [{ name: "curl", library: "curl", placement: "", text, notes: [] }];
    const html = /<pre class="wire code"[^>]*>([^]*?)<\/pre>/.exec(pages.client({ ...client, snippets }))![1]!;
    for (const [tag] of html.matchAll(tagPattern)) {
      assertMatch(tag, /^<(?:span class="(?:string|comment|keyword|kept)"|\/span)>$/);
    }
    assertEquals(unescapeHtml(html.replaceAll(tagPattern, "")), text);
    return [...html.matchAll(/<span class="(string|comment|keyword)">([^<]*)/g)].map(([, kind, part]) =>
      `${kind} ${unescapeHtml(part!)}`
    );
  };
  for (const value of hostile) colours(value);
  assertEquals(colours(`import x from "a//b"; // 'c'\n# new\n  url: http://a/#b $new x.new "\\"" /* y\n*/ 'it'`), [
    ...["keyword import", "keyword from", `string "a//b"`, "comment // 'c'", "comment # new", `string "\\""`],
    ...["comment /* y\n*/", "string 'it'"],
  ]);
  for (const { text = "" } of client.snippets) colours(text);
});

test("a URL breaks after its slashes and between its parameters, and stays complete", () => {
  const pieces = (text: string): string[] => {
    const html = pages.home({ ...home, scopes: [text] });
    return /<p id="scopes">[^<]*<code class="wire">([^]*?)<\/code>/.exec(html)![1]!.split("<wbr/>");
  };
  const broken: readonly (readonly string[])[] = [
    ["http://localhost:9000/", "oauth2/", "authorize"],
    ["https://a.example/", ".well-known/", "openid-configuration"],
    ["https://a.example/", "cb?", "tenant=", "1&amp;", "area=", "east//x="],
    ["com.example.app:/oauth/", "callback"],
    ["openid profile email read write"],
    ["/a/short/one"],
    ["https://a.example/", "callback/"],
  ];
  for (const expected of broken) assertEquals(pieces(expected.join("").replaceAll("&amp;", "&")), expected);
});

test("a long value in a table breaks anywhere, unless it is several words", () => {
  const state = "-xBhUBYxuQ2mJ9kLr4WvZcTn7pSdFgHyAbEqUoIi1X";
  const request = [["state", state], ["scope", "openid profile email read"]] as const;
  const html = pages.callback({ ...success, request });
  assertStringIncludes(html, `<dd><code class="wire whole">${state}</code>`);
  assertStringIncludes(html, `<dd><code class="wire">openid profile email read</code>`);
});

test("[UI-13] the heading of a rejection follows its status", () => {
  const heading = (status: number): string[] =>
    textsOf(pages.error({ issuer: "http://localhost:9000", base: "", status, message: "No." }), "h1");
  assertEquals(heading(400), ["Request rejected"]);
  assertEquals(heading(403), ["Request rejected"]);
  assertEquals(heading(404), ["Not found"]);
  assertEquals(heading(405), ["Method not allowed"]);
  assertEquals(heading(500), ["The server failed"]);
});

test("[UI-15] every page has one h1, one main, a language, a title, and no button without a function", () => {
  for (const [path, html] of drawn) {
    const tags = tagsOf(html);
    for (const name of ["html", "main", "h1", "title"]) {
      assertEquals(tags.filter((tag) => tag.name === name).length, 1, `${path}: ${name}`);
    }
    assertEquals(tags[0], { name: "html", attributes: { lang: "en" } }, path);
    assertMatch(html, /<title>[^<]+ · Latchkey<\/title>/, path);
    assertStringIncludes(html, '<meta name="color-scheme" content="light dark"/>', path);
    for (const { name, attributes } of tags) {
      if (name === "button" && attributes.type !== "submit") {
        assertEquals([attributes.type, attributes.hidden], ["button", ""], path);
      }
      if (name === "img") assertEquals(attributes.alt, "", path);
    }
    const ids = tags.flatMap(({ attributes }) => attributes.id ?? []);
    assertEquals(new Set(ids).size, ids.length, path);
    for (const { attributes } of tags) {
      if (attributes["aria-labelledby"]) assert(ids.includes(attributes["aria-labelledby"]), path);
    }
    // Open and close in order: no element is left open or closed twice.
    const open: string[] = [];
    for (const { name, attributes } of tags) {
      if (/^(meta|link|img|input)$/.test(name)) continue;
      if (name.startsWith("/")) assertEquals(open.pop(), name.slice(1), path);
      else open.push(name);
      if (attributes.type === "submit") assert(open.includes("form"), path);
    }
    assertEquals(open, [], path);
  }
});

test("an abbreviation keeps its capitals inside a sentence, also in hidden text", () => {
  assertEquals(["ID token", "DPoP proof", "Access token", "JWT", "x"].map(lowerFirst), [
    ...["ID token", "DPoP proof", "access token", "JWT", "x"],
  ]);
});

test("a rejection is announced to screen readers", () => {
  for (const html of [pages.error(rejected), pages.callback(failure)]) assertStringIncludes(html, ' role="alert"');
});

test("[DM-05] each token request says whether it fits this code, and what to replace", () => {
  const words = (fits: boolean | undefined, usesPkce = true, ...missing: string[]): string =>
    textOf(
      pages.callback({
        ...success,
        examples: [{ ...success.examples[0]!, codeBelongsToClient: fits, usesPkce, missing }],
      }),
    );
  const issued = "This code was issued to demo-public : the request below works";
  assertStringIncludes(words(true), `✓ ${issued} once, as it is.`);
  assertStringIncludes(words(true, true, "code verifier"), `${issued} once, with your code verifier inserted.`);
  assertStringIncludes(words(true, false), "carried no code challenge, so the token request carries no code_verifier");
  assertStringIncludes(words(false), "– This code was issued to a client other than");
  assertStringIncludes(words(undefined), "– This server does not know the code");
});

test("[DM-09] the scripts neither read the URL nor write markup", () => {
  const body = assets["script.js"]!.body + assets["continue.js"]!.body;
  for (const word of ["location", "URL", "referrer", "search", "innerHTML", "outerHTML", "insertAdjacent", "write("]) {
    assert(!body.replaceAll(/navigator\.clipboard\.writeText\(|location\.replace\(/g, "").includes(word), word);
  }
});

test("the home page names the issuer, the discovery document, clients, users, endpoints and scopes", () => {
  const html = pages.home(home);
  const text = textOf(html);
  assertStringIncludes(text, "Issuer http://localhost:9000 ( discovery document )");
  assertStringIncludes(text, "store: memory, until the server stops · login: automatic, as alice");
  assertStringIncludes(text, "Demo, public demo-public");
  assertStringIncludes(text, "Alice Adams alice");
  assertStringIncludes(text, "token_endpoint http://localhost:9000/oauth2/token");
  assertStringIncludes(text, "openid profile email read write offline_access");
  const links = linksOf(html);
  assertEquals(links["Start the demo flow"], "/start");
  assertEquals(links["discovery document"], "/.well-known/openid-configuration");
  assertEquals([...html.matchAll(/ class="button( plain)?"/g)].map(([, plain]) => plain === undefined), [
    ...[true, false, false],
  ]);
  assertMatch(text, /Last flows .*error redirect_uri does not match [^.]* demo-public/);
  assertEquals(links["Tokens issued"], "/flows/1");
  assertEquals(links["http://localhost:9000/oauth2/jwks"], "/oauth2/jwks");
  assertEquals(textsOf(html, "h1").length, 1);
});

test("the header links to the available pages, marks the current one, and can be skipped", () => {
  const header = (html: string) => /<header[^]*?<\/header>/.exec(html)![0];
  const shown = header(pages.clients(clientList));
  assertStringIncludes(shown, `<a href="/clients" aria-current="page">Clients</a>`);
  assertMatch(shown, /<a href="\/">Connect<\/a><a href="\/flows">Requests<\/a><details><summary>More<\/summary>/);
  assertStringIncludes(shown, `<a href="/users">Users</a>`);
  // The page of a client belongs to Connect: nothing behind "More" is current.
  assertEquals(header(pages.client(client)).match(/<a href="[^"]*" aria-current[^<]*/g), [
    `<a href="/" aria-current="true">Connect`,
  ]);
  // Of a page and one below it, which both have a link, one alone is current.
  const links = [{ label: "Flows", path: "/flows" }, { label: "Check", path: "/flows/check" }];
  const check = {
    ...{ client: "shop", kind: "client" as const, passed: true, summary: "1 attack", outdatedBaseline: [] },
    ...{ score: [], observed: [], sections: [] },
  };
  assertStringIncludes(
    header(renderPage(CheckReportPage, { ...home, ...check, links })),
    `<a href="/flows">Flows</a><a href="/flows/check" aria-current="page">Check</a>`,
  );
  assert(!header(pages.home({ ...home, links: [] })).includes("<nav"));
  for (const [path, html] of drawn) {
    assertMatch(html, /<body(?: class="card")?><a class="skip" href="#main">[^]*<main id="main" tabindex="-1">/, path);
  }
});

test("[UI-10] pages for users are cards without links to pages of the operator, and Allow is the primary button", () => {
  const forUsers =
    /^\/(?:login|consent|account|logout|logging-out|logged-out|device|backchannel|connect-account)(?:\/|$)/;
  for (const [path, html] of drawn) {
    assertEquals([path, html.includes('<body class="card">')], [path, forUsers.test(path)]);
    if (forUsers.test(path)) assert(!html.includes('<nav class="pages"'), path);
  }
  for (const path of ["/consent", "/consent/device", "/device/confirm"]) {
    const buttons = tagsOf(samples[path]!.draw(pages)).filter(({ name }) => name === "button");
    assertEquals(buttons.map(({ attributes }) => [attributes.class, attributes.value]), [
      ["button", "allow"],
      ["button plain", "deny"],
    ]);
  }
});

test("a home page without demo clients, clients or users says so", () => {
  const text = textOf(
    pages.home({
      ...home,
      form: undefined,
      hasDemo: false,
      directory: { clients: [], users: [] },
      endpoints: [],
      scopes: ["read"],
    }),
  );
  assertStringIncludes(text, "Write the client into the configuration file, and restart the server");
  assertStringIncludes(text, "No client is registered");
  assertStringIncludes(text, "No user is configured");
  for (const absent of ["OpenID Connect", "discovery document", "Start"]) assert(!text.includes(absent), absent);
  const closed = textOf(pages.home({ ...home, links: [], directory: undefined, form: undefined }));
  for (const absent of ["Clients", "Users", "alice"]) assert(!closed.includes(absent), absent);
});

test("every link and asset starts with the path of the issuer", () => {
  const site = { issuer: "https://as.example/tenant", base: "/tenant" };
  const startLinks = success.startLinks!.map((link) => ({ ...link, href: `/tenant${link.href}` }));
  const endpoints = [{ name: "jwks_uri", url: "https://as.example/tenant/oauth2/jwks" }];
  const props: HomeProps & CallbackProps & ErrorPageProps = {
    ...home,
    ...success,
    ...rejected,
    ...site,
    allowsExternalLinks: false,
    next: nextUnder("/tenant"),
    startLinks,
    endpoints,
  };
  const below = <T extends { readonly href: string }>(item: T): T => ({ ...item, href: `/tenant${item.href}` });
  const directory = { clients: home.directory!.clients.map(below), users: home.directory!.users.map(below) };
  const others = [pages.logout({ ...logout, ...site, action: `${site.base}/oauth2/logout` }), pages.loggedOut(site)];
  for (
    const html of [pages.home({ ...props, directory }), pages.callback(props), pages.error(props), ...others]
  ) {
    for (const { attributes } of tagsOf(html)) {
      for (const link of [attributes.href, attributes.src, attributes.action]) {
        assertMatch(link ?? "/tenant/", /^(?:#|\/tenant\/)/);
      }
    }
  }
});

test("[UI-18] a page with everything it refers to has less than 32 kB, as sent: without compression", () => {
  for (const [path, html] of drawn) {
    const loaded = new Set([...html.matchAll(/(?:href|src)="\/static\/([^"]*)"/g)].map(([, name]) => name!));
    assertGreaterOrEqual(loaded.size, 3);
    const styles = [...loaded].reduce((sum, name) => sum + assets[name]!.body.length, 0);
    assertLess(new TextEncoder().encode(html).length + styles, 32_000, path);
  }
});

test("assets.gen.ts matches static/; if not: deno task assets", async () => {
  for (const { path, text } of await generateAssets()) assertEquals(await readFile(path, "utf8"), text, path);
});

test("every asset has the type of its name, and a unique strong ETag", () => {
  const types = { css: "text/css", js: "text/javascript", svg: "image/svg+xml" };
  for (const [name, { type, etag }] of Object.entries(assets)) {
    assertEquals(type.split(";")[0], types[name.split(".")[1] as keyof typeof types], name);
    assertMatch(etag, /^"[A-Za-z0-9_-]{43}"$/);
  }
  assertEquals(new Set(Object.values(assets).map(({ etag }) => etag)).size, Object.keys(assets).length);
});

test("the colours have enough contrast, light and dark (WCAG 2.2, 1.4.3 and 1.4.11)", async () => {
  const css = await readFile("static/style.css", "utf8");
  const luminance = (color: string): number => {
    const [r, g, b] = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16) / 255)
      .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4) as [number, number, number];
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a: string, b: string): number => {
    const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
    return (light + 0.05) / (dark + 0.05);
  };
  const [day, night] = [...css.matchAll(/:root \{([^}]*)\}/g)].map(([, block]) =>
    Object.fromEntries([...block!.matchAll(/--(\w+): (#[0-9a-f]{6});/g)].map(([, name, color]) => [name!, color!]))
  );
  for (const tokens of [day!, night!]) {
    for (const ground of ["paper", "panel"]) {
      for (const text of ["ink", "soft", "brass", "good", "bad", "warn"]) {
        assertGreaterOrEqual(contrast(tokens[text]!, tokens[ground]!), 4.5, `${text} on ${ground}`);
      }
      assertGreaterOrEqual(contrast(tokens.line!, tokens[ground]!), 3, `line on ${ground}`);
    }
  }
});

test("the style sheets load nothing, move nothing where motion is reduced, and keep the focus outline", async () => {
  const sheets = ["style", "authorized", "exchange", "form", "people"].map((name) =>
    readFile(`static/${name}.css`, "utf8")
  );
  const css = (await Promise.all(sheets)).join("\n");
  const motion = /@media \(prefers-reduced-motion: no-preference\) \{[^]*?\n\}\n/g;
  assert(!/url\(|animation|transition|outline:\s*(none|0)/.test(css.replace(motion, "")));
});
