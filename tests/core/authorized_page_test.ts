/** The page /authorized of the minimal server, and the login that GET /start starts. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { type Approver, type ClientMetadata, core } from "../../src/core/mod.ts";
import { basic, issuer } from "./kit.ts";

interface Setup {
  readonly clients: readonly ClientMetadata[];
  readonly issuer?: string;
  readonly approver?: Approver;
}

const redirect_uris = [`${issuer}/authorized`];
const publicClient: ClientMetadata = { client_id: "demo-public", redirect_uris };
const secretClient: ClientMetadata = { client_id: "demo-secret", client_secret: "s3cret", redirect_uris };
const both = [secretClient, publicClient];

/** Clients that a server may have, with the ids in its two examples; `undefined` for a placeholder. */
const configurations: Readonly<Record<string, Setup & { readonly ids: readonly [string?, string?] }>> = {
  "no client": { clients: [], ids: [] },
  "a public client": { clients: [publicClient], ids: ["demo-public"] },
  "a confidential client": { clients: [secretClient], ids: [undefined, "demo-secret"] },
  "both": { clients: both, ids: ["demo-public", "demo-secret"] },
  "a client with its secret in the body": {
    clients: [{ ...secretClient, token_endpoint_auth_method: "client_secret_post" }],
    ids: [],
  },
  "a client with another redirect URI": {
    clients: [{ client_id: "spa", redirect_uris: ["https://spa.example/cb"] }],
    ids: [],
  },
  "an issuer with a path": {
    issuer: `${issuer}/tenant`,
    clients: both.map((client) => ({ ...client, redirect_uris: [`${issuer}/tenant/authorized`] })),
    ids: ["demo-public", "demo-secret"],
  },
};

/** A server, as one browser requests it. */
async function openBrowser({ clients, issuer: own = issuer, approver }: Setup) {
  const server = await core({ issuer: own, clients, approver, users: [{ sub: "alice" }], policy: { alg: "EdDSA" } });
  let cookie = "";
  const get = async (path: string, headers: HeadersInit = {}) => {
    const url = path.startsWith("http") ? path : `${new URL(own).origin}${path}`;
    const response = await server.fetch(new Request(url, { headers: { cookie, ...headers } }));
    const set = response.headers.getSetCookie().map((text) => text.split(";")[0]!);
    cookie = [...cookie === "" ? [] : [cookie], ...set].join("; ");
    const location = response.headers.get("location");
    return { status: response.status, headers: response.headers, location, html: await response.text() };
  };
  return {
    get,
    base: new URL(own).pathname.replace(/\/$/, ""),
    /** Follows redirects to the page `/authorized`. */
    async follow(path: string) {
      let page = await get(path);
      while (page.location !== null) page = await get(page.location);
      return page;
    },
    /** Sends a command of the page as curl would. */
    send(command: string) {
      const [, url] = /^curl '([^']*)'/.exec(command)!;
      const fields = [...command.matchAll(/-d '([^']*)'/g)].map(([, field]) => field);
      const [, user] = /-u '([^']*)'/.exec(command) ?? [];
      const headers = {
        "content-type": "application/x-www-form-urlencoded",
        ...user !== undefined && basic(...user.split(":") as [string, string]),
      };
      return server.fetch(new Request(url!, { method: "POST", body: fields.join("&"), headers }));
    },
  };
}

const entities: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&amp;": "&" };

/** The texts of all elements of a name, without tags. */
function texts(html: string, name: string): string[] {
  return [...html.matchAll(new RegExp(`<${name}(?: [^>]*)?>([^]*?)</${name}>`, "g"))].map(([, text]) =>
    readable(text!)
  );
}

function readable(html: string): string {
  return html.replaceAll(/<[^>]*>/g, "").replaceAll(/&\w+;/g, (entity) => entities[entity]!);
}

function links(html: string): Record<string, string> {
  return Object.fromEntries(
    [...html.matchAll(/<a [^>]*href="([^"]*)"[^>]*>([^]*?)<\/a>/g)].map(([, href, text]) => [text!, readable(href!)]),
  );
}

for (const [name, setup] of Object.entries(configurations)) {
  const own = setup.issuer ?? issuer;

  test(`[DM-02, DM-04, DM-06, DM-07] with ${name}, a success has code, state, next steps, notes and links`, async () => {
    const { get, base } = await openBrowser(setup);
    const { status, headers, html } = await get(`${base}/authorized?code=the-code&state=the-state`);
    assertEquals([status, headers.get("set-cookie")], [200, null]);
    assertEquals(texts(html, "h1"), ["Authorization Successful!"]);
    assertEquals(texts(html, "dt").slice(0, 2), ["Authorization code", "State"]);
    assertEquals(texts(html, "dd").slice(0, 2), ["the-code", "the-state"]);
    assertEquals(texts(html, "h2"), ["Next steps", "Notes", "Example token requests"]);
    const [steps] = /<ol[^]*<\/ol>/.exec(html)!;
    assertEquals(texts(steps, "h3"), [
      "Copy the authorization code",
      "Use the PKCE code verifier",
      "Send a POST request to the token endpoint",
    ]);
    assertStringIncludes(steps, `${own}/oauth2/token`);
    const [notes] = /<ul>[^]*?<\/ul>/.exec(html)!;
    const expected = [/used once/, /typically in 5–10 minutes; here, 5 minutes/, /redirect_uri must be the same/];
    for (const [i, note] of [...expected, /code_verifier is mandatory for public clients/].entries()) {
      assertMatch(texts(notes, "li")[i]!, note);
    }
    const shown = links(html);
    assertMatch(shown["Start New Authorization"]!, new RegExp(`^${base}/start`));
    assertEquals(shown["Back to Home"], `${base}/`);
    assertEquals((await get(`${base}/`)).status, 200);
    assert(!html.includes("<script"), "no script");
  });

  test(`[DM-05] with ${name}, a success has a token request of each kind of client, and says which would fit`, async () => {
    const { get, base } = await openBrowser(setup);
    const { html } = await get(`${base}/authorized?code=the-code&state=the-state`);
    const [ofPublic, ofConfidential, ...others] = texts(html, "pre");
    assertEquals(others, []);
    for (const command of [ofPublic!, ofConfidential!]) {
      assertStringIncludes(command, `curl '${own}/oauth2/token'`);
      assertStringIncludes(command, "-d 'grant_type=authorization_code'");
      assertStringIncludes(command, "-d 'code=the-code'");
      assertStringIncludes(command, `-d 'redirect_uri=${encodeURIComponent(`${own}/authorized`)}'`);
      assertStringIncludes(command, "-d 'code_verifier=YOUR_CODE_VERIFIER'");
    }
    const [publicId, secretId] = setup.ids;
    assertStringIncludes(ofPublic!, `-d 'client_id=${publicId ?? "YOUR_CLIENT_ID"}'`);
    assert(!ofPublic!.includes("-u "));
    const user = `${secretId ?? "YOUR_CLIENT_ID"}:YOUR_CLIENT_SECRET`;
    assertStringIncludes(ofConfidential!, `-u '${user}'`);
    assertStringIncludes(readable(html), `Authorization: Basic BASE64(${user})`);
    assert(!ofConfidential!.includes("client_id="));
    const [asPublic, asConfidential] = texts(html, "figcaption");
    const fitting = (kind: string, method: string) =>
      `No ${kind} client fits: a client that fits has the redirect URI ${own}/authorized and ` +
      `token_endpoint_auth_method=${method}.`;
    assertEquals(asPublic!.includes(fitting("public", "none")), publicId === undefined);
    assertEquals(asConfidential!.includes(fitting("confidential", "client_secret_basic")), secretId === undefined);
  });

  test(`[DM-01, DM-07] with ${name}, a failure has error, description and the way home`, async () => {
    const { get, base } = await openBrowser(setup);
    const { status, html } = await get(`${base}/authorized?error=access_denied&error_description=No+way&code=c`);
    assertEquals([status, texts(html, "h1")], [200, ["Authorization Failed"]]);
    assertEquals(texts(html, "dd"), ["access_denied", "No way"]);
    assertEquals([texts(html, "pre"), texts(html, "h2")], [[], []]);
    const shown = links(html);
    assertEquals(shown["Back to Home"], `${base}/`);
    assertMatch(shown["Start New Authorization"]!, new RegExp(`^${base}/start`));
  });

  test(`[DM-07, DM-15] with ${name}, "Start New Authorization" starts a login whose token request works`, async () => {
    const browser = await openBrowser(setup);
    const { base } = browser;
    const home = links((await browser.get(`${base}/`)).html);
    const arrived = links((await browser.get(`${base}/authorized?error=access_denied`)).html);
    const fitting = setup.clients.filter(({ redirect_uris = [] }) => redirect_uris.includes(`${own}/authorized`));
    for (
      const start of [
        home["Start New Authorization"]!,
        ...Object.values(arrived).filter((href) => /start/.test(href)),
      ]
    ) {
      const { status, html } = await browser.follow(start);
      if (fitting.length === 0) {
        assertEquals(status, 404);
        assertStringIncludes(readable(html), `No client has the redirect URI ${own}/authorized`);
        continue;
      }
      assertEquals(texts(html, "h1"), ["Authorization Successful!"]);
      const commands = texts(html, "pre");
      for (const command of commands) assert(!command.includes("YOUR_CODE_VERIFIER"), "the verifier is in the request");
      const index = texts(html, "figcaption").findIndex((text) => /works once/.test(text));
      if (index < 0) {
        assertStringIncludes(readable(html), "demo-secret, which authenticates by client_secret_post.");
        continue;
      }
      const response = await browser.send(commands[index]!.replace("YOUR_CLIENT_SECRET", "s3cret"));
      assertEquals(response.status, 200);
      assertEquals(typeof (await response.json()).id_token, "string");
    }
  });
}

test("the login starts as the client that the link names", async () => {
  const browser = await openBrowser({ clients: both });
  const { html } = await browser.follow("/start?client_id=demo-secret");
  assertStringIncludes(readable(html), "This code was issued to demo-secret: the request below works once, with your");
  assertEquals(links(html)["Start as demo-secret"], "/start?client_id=demo-secret");
  assertEquals((await browser.get("/start?client_id=spa")).status, 404);
});

test("[DM-05] the code verifier is shown only in the browser that started the login", async () => {
  const browser = await openBrowser({ clients: both });
  const { location } = await browser.get((await browser.get("/start")).location!);
  assert(!(await browser.get(location!)).html.includes("YOUR_CODE_VERIFIER"));
  assertStringIncludes((await browser.get(location!, { cookie: "" })).html, "YOUR_CODE_VERIFIER");
  const otherState = location!.replace(/state=[^&]*/, "state=other");
  assertStringIncludes((await browser.get(otherState)).html, "YOUR_CODE_VERIFIER");
});

test("an exchanged code is shown as used", async () => {
  const browser = await openBrowser({ clients: both });
  const { location } = await browser.get((await browser.get("/start")).location!);
  const [command] = texts((await browser.get(location!)).html, "pre");
  assertEquals((await browser.send(command!)).status, 200);
  const { html } = await browser.get(location!);
  assertStringIncludes(readable(html), "This code is used up: it has been exchanged, and works only once.");
  assertStringIncludes(readable(html), "has been exchanged: a second use is rejected");
});

test("[DM-08] values are escaped in the page, and quoted for a shell in the requests", async () => {
  const { get } = await openBrowser({ clients: both });
  const hostile = `"'><script>alert(1)</script>$(id)`;
  const success =
    (await get(`/authorized?${new URLSearchParams({ code: hostile, state: hostile, iss: hostile })}`)).html;
  assertEquals([success.includes("<script>"), texts(success, "dd")[0]], [false, hostile]);
  for (const command of texts(success, "pre")) {
    assertStringIncludes(command, `-d '${new URLSearchParams({ code: hostile })}'`);
  }
  const failure = new URLSearchParams({
    error: hostile,
    error_description: hostile,
    error_uri: hostile,
    state: hostile,
  });
  const { html } = await get(`/authorized?${failure}`);
  assertEquals([html.includes("<script>"), texts(html, "dd")], [false, Array(4).fill(hostile)]);
});

test("[DM-08] a code that the page cuts is not in a request, and a repeated parameter is not shown", async () => {
  const { get } = await openBrowser({ clients: both });
  assertEquals(texts((await get(`/authorized?code=${"c".repeat(1024)}`)).html, "pre").length, 2);
  const cut = (await get(`/authorized?code=${"c".repeat(1025)}`)).html;
  assertStringIncludes(cut, "only the first 1024 are shown");
  assertEquals(texts(cut, "pre"), []);
  const { html } = await get("/authorized?state=a&state=b&error=e");
  assertEquals(texts(html, "h1"), ["Authorization Failed"]);
  assertStringIncludes(html, "state is repeated, so none of its values can be trusted and none is shown.");
});

test("[DM-03] the page without a response says so, and shows no token that its address contains", async () => {
  const { get } = await openBrowser({ clients: both });
  for (const query of ["", "?access_token=the-token&id_token=the-token"]) {
    const { status, html } = await get(`/authorized${query}`);
    assertEquals([status, texts(html, "h1")], [200, ["No authorization response"]]);
    assert(!html.includes("the-token"));
    assertEquals(links(html)["Back to Home"], "/");
  }
  assertStringIncludes((await get("/authorized?code=")).html, "no readable code and no error");
});

test("[DI-04] the page and the start of a login reject a foreign host", async () => {
  const { get } = await openBrowser({ clients: both });
  for (const path of ["/authorized?code=c", "/start"]) {
    assertEquals((await get(path, { host: "rebound.example" })).status, 403);
  }
});

test("[DM-15] a real host has the page only while a client has it as its redirect URI", async () => {
  const own = "https://login.shop.com";
  const approver: Approver = () => {
    throw new Error("no user logs in");
  };
  const at = async (clients: readonly ClientMetadata[]) =>
    (await (await openBrowser({ clients, issuer: own, approver })).get("/authorized?code=c")).status;
  assertEquals(await at([]), 404);
  assertEquals(await at([{ client_id: "app", redirect_uris: [`${own}/authorized`] }]), 200);
});
