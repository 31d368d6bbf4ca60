/** The pages of the real server: what the callback page says and offers to paste, and what every page may not do. */

import { assert, assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { promisify } from "node:util";
import { memoryStore } from "../../../src/mod.ts";
import type { ClientMetadata, Latchkey, LatchkeyOptions } from "../../../src/mod.ts";
import {
  assertPage,
  assertTokenResponse,
  challenge,
  encode,
  forEachCase,
  getOutcome,
  getRedirectParams,
  observedStore,
  testServer,
  verifier,
} from "../../kit.ts";
import type { Fields, TestServer } from "../../kit.ts";
import { latchkey } from "../../secret_leak_check.ts";

/** The demo clients, whose redirect URI is the callback page. */
const demo: LatchkeyOptions = { clients: undefined };

/** Text as a reader sees it, from markup. */
function readable(html: string): string {
  const entities: Record<string, string> = { lt: "<", gt: ">", quot: '"', amp: "&", "#39": "'" };
  return html.replace(/<[^>]*>/g, "").replace(/&(lt|gt|quot|amp|#39);/g, (_, name) => entities[name]!);
}

/** The texts of all elements of one name. */
function texts(html: string, name: string): string[] {
  return [...html.matchAll(new RegExp(`<${name}(?: [^>]*)?>([^]*?)</${name}>`, "g"))].map(([, inside]) =>
    readable(inside!).trim()
  );
}

/** Where links lead, by their words. */
function links(html: string): Record<string, string> {
  return Object.fromEntries(
    [...html.matchAll(/<a [^>]*?href="([^"]*)"[^>]*>([^]*?)<\/a>/g)].map(([, href, words]) => [
      readable(words!).trim(),
      readable(href!),
    ]),
  );
}

/** What a heading stands over, up to the next one of its kind. */
function section(html: string, heading: string): string {
  const [, rest] = html.split(new RegExp(`<h2[^>]*>${heading}</h2>`));
  assert(rest !== undefined, `there is no section ${heading}`);
  return rest.split("<h2")[0]!;
}

/** The two commands of a page: the public client's, then the confidential one's. */
function commands(html: string): [string, string] {
  const [first, second, ...more] = texts(html, "pre");
  assert(first !== undefined && second !== undefined && more.length === 0, "there are not two examples");
  return [first, second];
}

/**
 * The words of a command as a POSIX shell would read it. Throws on everything that a shell takes for more than a part
 * of a word, so that a command that passes does nothing but call one program with these words.
 */
function shellWords(command: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let at = 0;
  while (at < command.length) {
    const rest = command.slice(at);
    const part = /^'([^']*)'/.exec(rest) ?? /^\\\n/.exec(rest) ?? /^\\([^\n])/.exec(rest) ??
      /^[ \t]+/.exec(rest) ?? /^([\w./:@%+,-]+)/.exec(rest);
    if (part === null) throw new Error(`the shell would act on ${JSON.stringify(rest.slice(0, 20))} in ${command}`);
    at += part[0].length;
    if (part[1] !== undefined) word = (word ?? "") + part[1];
    else if (part[0] !== "\\\n" && word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  return word === undefined ? words : [...words, word];
}

/** What `curl` would send for a command: nothing but a POST to a URL, with Basic credentials or without. */
interface Pasted {
  readonly url: string;
  readonly user?: string;
  readonly body: string;
  readonly form: URLSearchParams;
}

/** Reads a command as the shell and then `curl` do. */
function read(command: string): Pasted {
  const [program, url, ...options] = shellWords(command);
  assertEquals(program, "curl");
  const pairs: string[] = [];
  let user: string | undefined;
  for (let i = 0; i < options.length; i += 2) {
    const [flag, value] = [options[i], options[i + 1]];
    assert(value !== undefined && (flag === "-d" || flag === "-u"), `${flag} is neither -d nor -u`);
    // Of a value that begins with @, curl would send the file of that name.
    assert(!value.startsWith("@"));
    if (flag === "-d") pairs.push(value);
    else user = value;
  }
  return { url: url!, user, body: pairs.join("&"), form: new URLSearchParams(pairs.join("&")) };
}

/** Sends what `curl` would. */
function paste(as: Latchkey, command: string): Promise<Response> {
  const { url, user, body } = read(command);
  return as.fetch(
    new Request(url, {
      method: "POST",
      body,
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        ...user !== undefined && { authorization: `Basic ${btoa(user)}` },
      },
    }),
  );
}

/** Asserts a page of this server whose only form, if any, sends a step; returns its HTML. */
async function shownCallback(response: Response): Promise<string> {
  const html = await response.text();
  for (const [, action] of html.matchAll(/<form [^>]*action="([^"]*)"/g)) {
    assertMatch(action!, /^(\/t1)?\/authorized\/try$/);
  }
  await assertPage(new Response(html.replace(/<form\b(?:"[^"]*"|[^>"])*>/g, ""), response), 200);
  return html;
}

/** A minimal browser for these pages: it keeps one cookie and follows a redirect on request. */
function browser(as: Latchkey) {
  const cookies = new Map<string, string>();
  return {
    async open(address: string): Promise<Response> {
      const url = new URL(address, as.issuer);
      const response = await as.fetch(
        new Request(url, { redirect: "manual", headers: { cookie: [...cookies.values()].join("; ") } }),
      );
      for (const line of response.headers.getSetCookie()) cookies.set(line.split("=")[0]!, line.split(";")[0]!);
      return response;
    },
    /** Opens an address and follows the redirects from it, to the page at their end. */
    async arrive(address: string): Promise<{ readonly url: URL; readonly html: string }> {
      let url = new URL(address, as.issuer);
      let response = await this.open(url.href);
      while (response.headers.has("location")) {
        url = new URL(response.headers.get("location")!, url);
        response = await this.open(url.href);
      }
      return { url, html: await shownCallback(response) };
    },
  };
}

/** The callback page of a server for this query. */
async function callback({ get }: Pick<TestServer, "get">, query: string | Fields): Promise<string> {
  return await assertPage(await get(`/authorized?${typeof query === "string" ? query : encode(query)}`), 200);
}

const hostile = [
  ...[
    "';id;'",
    "$(id)",
    "`id`",
    '"; id; "',
    "\\'; id",
    "x\nid\n",
    "x\r\nid",
    "& id",
    "| id",
    "> /tmp/x",
    "$HOME",
    "!!",
  ],
  ...[
    "<script>alert(1)</script>",
    "'\"><img src=x onerror=alert(1)>",
    "</pre><a href=//evil.example>x</a>",
    "#",
    "~",
    "*",
  ],
  ...["-d", "--output=/tmp/x", "@/etc/passwd", "\u202e';id;'", "\0';id", "é", "%27;id;%27", "+", "a&code=b", "'\\''"],
];

test("[DM-01] an error is shown as a failure: code, description, a link home and no examples", async () => {
  const self = await testServer(demo);
  for (const description of ["Alice denied it", undefined]) {
    const html = await callback(self, { error: "access_denied", error_description: description, state: "st4te" });
    assertEquals(texts(html, "h1"), ["Authorization Failed"]);
    assertStringIncludes(readable(html), "access_denied");
    assertEquals(readable(html).includes("Alice denied it"), description !== undefined);
    assertEquals(links(html)["Back to Home"], "/");
    assertEquals([texts(html, "pre"), /curl|authorization code<|grant_type/.test(html)], [[], false]);
  }
});

test("[DM-01] a failed authorization request ends there with its error", async () => {
  const { as, get } = await testServer(demo);
  const { url, html } = await browser(as).arrive(
    `/oauth2/authorize?${
      encode({
        response_type: "code",
        client_id: "demo-public",
        redirect_uri: "https://as.test/authorized",
        state: "s",
      })
    }`,
  );
  assertEquals([url.pathname, url.searchParams.get("error")], ["/authorized", "invalid_request"]);
  assertEquals(texts(html, "h1"), ["Authorization Failed"]);
  assertStringIncludes(readable(html), "[PK-01]");
  assertEquals((await get(links(html)["Back to Home"]!)).status, 200);
});

test("[DM-02] a code is shown as a success: the code, and the state if present", async () => {
  const self = await testServer(demo);
  const html = await callback(self, { code: "a-code", state: "a-state" });
  assertEquals(texts(html, "h1"), ["Authorization Successful!"]);
  assertEquals(texts(html, "dt").slice(0, 2), ["Authorization code", "State"]);
  assertEquals(texts(html.split("<h2")[0]!, "code").slice(1), ["a-code", "a-state"]);
  assert(!texts(await callback(self, { code: "a-code" }), "dt").includes("State"));
  assert(!texts(await callback(self, { code: "a-code", state: "" }), "dt").includes("State"));
});

test("[DM-03] a code with an error is a failure; without both the page shows a neutral sentence", async () => {
  const self = await testServer(demo);
  for (const query of ["code=a-code&error=an-error", "error=an-error&code=a-code"]) {
    const html = await callback(self, query);
    assertEquals(texts(html, "h1"), ["Authorization Failed"]);
    assert(html.includes("an-error") && !html.includes("a-code"));
  }
  for (const query of ["state=x", "code=", "code=&error=", "iss=x&foo=bar"]) {
    const html = await callback(self, query);
    assertEquals(texts(html, "h1"), ["Authorization Failed"]);
    assertStringIncludes(readable(html), "no readable code and no error");
    assertEquals([html.includes('role="alert"'), texts(html, "pre")], [false, []]);
  }
  assertEquals(texts(await callback(self, "code=a-code&error="), "h1"), ["Authorization Successful!"]);
});

test("[DM-03, HY-05] an ID token without a code is explained, and so is a response in the fragment", async () => {
  const self = await testServer(demo);
  const html = await callback(self, "id_token=a.b.c&state=x");
  assertEquals(texts(html, "h1"), ["ID token received"]);
  assertStringIncludes(readable(html), "there is nothing to exchange");
  assertEquals(html.includes('role="alert"'), false);
  assertEquals(texts(await callback(self, "id_token=a.b.c&error=access_denied"), "h1"), ["Authorization Failed"]);
  assertEquals(texts(await callback(self, "id_token=a.b.c&code=a-code"), "h1"), ["Authorization Successful!"]);
  assertStringIncludes(readable(await callback(self, "")), "A response in the fragment");
});

test("[DM-03, DM-07] the page opened without a response says so, and starts a login", async () => {
  const self = await testServer(demo);
  for (const query of ["", "foo=bar"]) {
    const html = await callback(self, query);
    assertEquals(texts(html, "h1"), ["No authorization response"]);
    assertMatch(
      readable(html),
      /This address is the redirect URI of the demo client\.[^]*no authorization response has/,
    );
    assertEquals(html.includes('role="alert"'), false);
    assertEquals(html.match(/class="button"/g), ['class="button"']);
    const { as } = self;
    const start = links(html)["Start New Authorization"]!;
    assertEquals(texts((await browser(as).arrive(start)).html, "h1"), ["Authorization Successful!"]);
    assertEquals(links(html)["Back to Home"], "/");
  }
});

test("[DM-04] a success shows the next steps as a numbered list", async () => {
  const html = await callback(await testServer(demo), { code: "a-code" });
  const [list] = /<ol[ >][^]*?<\/ol>/.exec(section(html, "Next steps"))!;
  const [copy, prove, send, ...more] = texts(list, "h3");
  assertMatch(copy!, /copy the authorization code/i);
  assertMatch(prove!, /PKCE code verifier/);
  assertMatch(send!, /POST request to the token endpoint/);
  assertEquals([more, texts(list, "li").length], [[], 3]);
  assertStringIncludes(list, "https://as.test/oauth2/token");
});

test("[DM-05] a success shows a public and a confidential token request for the configured issuer, with any URL", async () => {
  for (const issuer of ["https://as.test", "https://as.test/", "https://as.test/t1", "http://localhost:9000"]) {
    const { as } = await testServer({ ...demo, issuer });
    const base = issuer.replace(/\/$/, "");
    const path = new URL(`${base}/authorized?code=a-code`);
    const evil = new Request(`http://evil.example${path.pathname}?code=a-code`, { headers: { host: "localhost" } });
    for (const request of [new Request(path), evil]) {
      const [open, secret] = commands(await assertPage(await as.fetch(request), 200)).map(read);
      assertEquals([open!.url, secret!.url], [`${base}/oauth2/token`, `${base}/oauth2/token`]);
      assertEquals([open!.user, open!.form.get("client_id")], [undefined, "demo-public"]);
      assertEquals([secret!.user, secret!.form.get("client_id")], ["demo-confidential:demo-secret", null]);
      for (const { form } of [open!, secret!]) {
        assertEquals([form.get("grant_type"), form.get("code")], ["authorization_code", "a-code"]);
        assertEquals(form.get("redirect_uri"), `${base}/authorized`);
      }
    }
  }
});

test("[DM-05] the start link of the home page: the public example exchanges the code unchanged, once", async () => {
  const { as } = await testServer(demo);
  const visitor = browser(as);
  const home = await assertPage(await visitor.open("/"), 200);
  const { url, html } = await visitor.arrive(links(home)["Start the demo flow"]!);
  const [open, secret] = commands(html);
  assertEquals(read(open).form.get("code"), url.searchParams.get("code"));
  assertStringIncludes(readable(html), "issued to demo-public: the request below works once, as it is");
  assertEquals(await getOutcome(await paste(as, secret)), "400 invalid_grant");
  assertEquals((await assertTokenResponse(await paste(as, open))).scope, "openid profile read");
  assertEquals(await getOutcome(await paste(as, open)), "400 invalid_grant");
});

test("[DM-05] the start link with another client: the confidential example exchanges the code by Basic", async () => {
  const { as } = await testServer(demo);
  const visitor = browser(as);
  const { html } = await visitor.arrive("/start?client_id=demo-confidential");
  const [open, secret] = commands(html);
  assertStringIncludes(readable(html), "issued to demo-confidential: the request below works once, as it is");
  assertEquals(await getOutcome(await paste(as, open)), "400 invalid_grant");
  assertEquals([read(secret).user, read(secret).form.has("client_id")], ["demo-confidential:demo-secret", false]);
  assertEquals((await paste(as, secret)).status, 200);
});

test("[DM-05] the link printed in the terminal starts the same flow, in several tabs at the same time", async () => {
  const { as } = await testServer(demo);
  const visitor = browser(as);
  const tabs = [await visitor.arrive("/start"), await visitor.arrive("/start"), await visitor.arrive("/start")];
  assertEquals(new Set(tabs.map(({ url }) => url.searchParams.get("state"))).size, 3);
  await forEachCase(tabs.reverse(), async ({ html }) => assertEquals((await paste(as, commands(html)[0])).status, 200));
});

test("[DM-05] in another browser the verifier is unknown and replaced by a placeholder", async () => {
  const { as } = await testServer(demo);
  const { url } = await browser(as).arrive("/start");
  const { html } = await browser(as).arrive(url.href);
  const [open] = commands(html);
  assertEquals(read(open).form.get("code_verifier"), "YOUR_CODE_VERIFIER");
  assertStringIncludes(readable(html), "with your code verifier inserted");
  assertMatch(await getOutcome(await paste(as, open)), /^400 invalid_/);
});

test("[DM-05] the example for a confidential client without a challenge has no verifier, and exchanges the code", async () => {
  const { as } = await testServer(demo);
  const request = { response_type: "code", client_id: "demo-confidential", scope: "read" };
  const { html } = await browser(as).arrive(`/oauth2/authorize?${encode(request)}`);
  const [, secret] = commands(html);
  assert(!read(secret).form.has("code_verifier"));
  assertStringIncludes(readable(html), "carried no code challenge");
  assertEquals((await paste(as, secret)).status, 200);
});

test("[DM-05] the example for a configured client has that client and its registered redirect URI", async () => {
  const own = "https://as.test/authorized";
  const clients: ClientMetadata[] = [
    {
      client_id: "it's $HOME & `id`: 100%",
      client_name: "Odd & <b>",
      redirect_uris: [own, "https://c.example/c'b"],
    },
    { client_id: "a:b+c d%41'", client_secret: "correct horse", redirect_uris: [own] },
  ];
  const self = await testServer({ clients });
  const visitor = browser(self.as);
  const home = await assertPage(await visitor.open("/"), 200, "Odd & <b>");
  const started = await visitor.arrive(links(home)["Start the demo flow"]!);
  assertEquals((await paste(self.as, commands(started.html)[0])).status, 200);

  const confidential = await visitor.arrive(`/start?${encode({ client_id: "a:b+c d%41'" })}`);
  const [, secret] = commands(confidential.html);
  assertEquals((await paste(self.as, secret.replace("YOUR_CLIENT_SECRET", "correct horse"))).status, 200);

  const request = { client_id: clients[0]!.client_id, redirect_uri: "https://c.example/c'b" };
  const [open] = commands(await callback(self, { code: await self.code(request) }));
  assertEquals(read(open).form.get("redirect_uri"), "https://c.example/c'b");
  assertEquals((await paste(self.as, open.replace("YOUR_CODE_VERIFIER", verifier))).status, 200);
});

test("[DM-06] a success explains what the code is for", async () => {
  const html = await callback(await testServer({ ...demo, lifetimes: { code: 60 } }), { code: "a-code" });
  const [once, expires, redirect, proof] = texts(section(html, "Notes"), "li");
  assertMatch(once!, /used once/);
  assertMatch(expires!, /expires, typically in 5–10 minutes; here, (1|one) minute/);
  assertMatch(redirect!, /redirect_uri must be the same/);
  assertMatch(proof!, /code_verifier is mandatory for public clients/);
});

test("[DM-07] a success links home and to a new authorization, both on this origin, and both links work", async () => {
  for (const issuer of ["https://as.test", "https://as.test/t1"]) {
    const { as } = await testServer({ ...demo, issuer });
    const base = new URL(issuer).pathname.replace(/\/$/, "");
    const visitor = browser(as);
    const first = await visitor.arrive(`${base}/start`);
    const { "Back to Home": home, "Start New Authorization": renewed } = links(first.html);
    assertEquals(home, `${base}/`);
    assertEquals(renewed, `${base}/start?client_id=demo-public`);
    assertEquals((await visitor.open(home!)).status, 200);
    const second = await visitor.arrive(renewed!);
    assertEquals(texts(second.html, "h1"), ["Authorization Successful!"]);
    assertNotEquals(second.url.searchParams.get("code"), first.url.searchParams.get("code"));
    assertEquals((await paste(as, commands(second.html)[0])).status, 200);
  }
});

test("[DM-08] control characters are replaced on every page", async () => {
  const self = await testServer(demo);
  const controls = ["\0", "\x01", "\b", "\x1B[31m", "\x7F", "\x80", "\x9F", "\n", "\r", "\t", "\v"];
  await forEachCase(controls, async (control) => {
    const sent = `a${control}b`;
    const shown = sent.replace(/\p{Cc}/u, "\uFFFD");
    const success = await callback(self, { code: sent, state: sent, iss: sent, [sent]: "x" });
    const failure = await callback(self, { error: sent, error_description: sent, error_uri: sent, state: sent });
    for (const html of [success, failure]) {
      assertEquals(/[^\P{Cc}\n]/u.exec(html), null);
      assert(!html.includes(sent));
      assertStringIncludes(html, "contains control characters, shown as \uFFFD");
    }
    assertEquals(texts(success, "h1"), ["Authorization Successful!"]);
    assertEquals(texts(success.split("<h2")[0]!, "code").slice(1), [shown, shown]);
    assertStringIncludes(readable(failure), `Description${shown}`);
    for (const command of commands(success)) assertEquals(read(command).form.get("code"), sent);
    // Error pages show received values.
    const rejected = await (await self.authorize({ client_id: `unknown${control}` })).text();
    assertEquals(/[^\P{Cc}\n\r\t]/u.exec(rejected), null);
  });
});

test("[DM-05, DM-07] both requests and both links are shown for every set of clients", async () => {
  const own = "https://as.test/authorized";
  const everywhere: readonly (readonly ClientMetadata[])[] = [
    [],
    [{ client_id: "spa", redirect_uris: ["https://spa.example/cb"] }],
    [{ client_id: "spa", redirect_uris: [own] }],
    [{ client_id: "web", client_secret: "web-secret", redirect_uris: [own] }],
  ];
  await forEachCase(everywhere, async (clients) => {
    const self = await testServer({ clients });
    const html = await callback(self, { code: "a-code", state: "a-state" });
    const [open, secret] = commands(html).map(read);
    const isOwn = (id: string) => clients[0]?.client_id === id && clients[0].redirect_uris?.[0] === own;
    assertEquals(open!.form.get("client_id"), isOwn("spa") ? "spa" : "YOUR_CLIENT_ID");
    assertEquals(secret!.user?.split(":")[0], isOwn("web") ? "web" : "YOUR_CLIENT_ID");
    assertEquals([secret!.form.get("client_id"), secret!.form.get("code")], [null, "a-code"]);
    for (const page of [html, await callback(self, { error: "access_denied" })]) {
      const { "Back to Home": home, "Start New Authorization": renewed } = links(page);
      assertEquals(home, "/");
      const started = await self.get(renewed!);
      if (isOwn("spa") || isOwn("web")) assertEquals(started.status, 302);
      else assertStringIncludes(await assertPage(started, 404), `has the redirect URI ${own}`);
    }
  });
});

test("[DM-15] a real host has a callback page only while a client has it as redirect URI", async () => {
  const issuer = "https://auth.corp.com";
  const spa = { client_id: "spa", redirect_uris: ["https://spa.example/cb"] };
  const self = await testServer({ issuer, insecure: ["auto-login"], clients: [spa] });
  const lie = "Your account is locked. Call +1 555 0100";
  const ask = (init?: RequestInit) =>
    self.get(`/authorized?${encode({ error: "account_locked", error_description: lie, code: undefined })}`, init);
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const form = { method: "POST", headers, body: encode({ error: "account_locked", error_description: lie }) };
  for (const response of [await ask(), await self.get("/authorized", form), await self.get("/authorized/try", form)]) {
    await assertPage(response, 404, "locked", "555");
  }
  self.as.clients.set({ ...spa, redirect_uris: [...spa.redirect_uris, `${issuer}/authorized`] });
  assertStringIncludes(await assertPage(await ask(), 200), "Your account is locked");
  self.as.clients.set(spa);
  await assertPage(await ask(), 404, "locked");
});

test("[DM-08, UI-03] hostile codes and states are shown as text, in the page and in both examples", async () => {
  const self = await testServer(demo);
  const tagsOf = (html: string) => html.match(/<[a-z]+/g);
  const plain = tagsOf(await callback(self, { code: "a-code", state: "a-state" }));
  const withNotes = tagsOf(await callback(self, { code: "a\0code", state: "a\0state" }));
  await forEachCase(hostile, async (value) => {
    const html = await callback(self, { code: value, state: value });
    if (/[<"&]/.test(value)) assert(!html.includes(value), "it stands there as it was sent");
    assertEquals(tagsOf(html), /\p{Cc}/u.test(value) ? withNotes : plain);
    assert(texts(html, "code").some((shown) => shown === value.replace(/\p{Cc}/gu, "\uFFFD")));
    for (const command of commands(html)) assertEquals(read(command).form.get("code"), value);
  });
  await forEachCase(hostile, async (value) => {
    const html = await callback(self, { error: value, error_description: value, state: value });
    if (/[<"&]/.test(value)) assert(!html.includes(value), "it stands there as it was sent");
    assertEquals(texts(html, "pre"), []);
  });
});

test("[DM-08] a value that is too long is truncated, and a repeated one is replaced by a note", async () => {
  const self = await testServer(demo);
  const long = "x".repeat(5_000);
  await forEachCase(["state", "error", "error_description"], async (name) => {
    const html = await callback(self, { [name === "state" ? "code" : "error"]: "value", [name]: long });
    assert(!html.includes(long) && html.includes("x".repeat(500)));
    assertMatch(readable(html), new RegExp(`${name} is 5000 characters long`));
  });
  const html = await callback(self, { code: long });
  assert(!html.includes("x".repeat(500)));
  assertEquals([texts(html, "h1"), texts(html, "pre")], [["Authorization Failed"], []]);
  for (const name of ["code", "state", "error", "error_description"]) {
    const other: Fields = name === "code" ? {} : name === "state" ? { code: "a-code" } : { error: "an-error" };
    const twice = await callback(self, { ...other, [name]: ["one-value", "another-value"] });
    assert(!/one-value|another-value/.test(twice), `${name} is shown`);
    assertStringIncludes(readable(twice), `${name} is repeated`);
  }
  const broken = await callback(self, "code=%ff&state=%zz");
  assertEquals([texts(broken, "h1"), texts(broken, "pre")], [["Authorization Failed"], []]);
  assertStringIncludes(readable(broken), "could not be parsed");
});

test("[DM-10] the callback page exchanges and stores nothing, and accepts GET, HEAD and POST", async () => {
  const calls: string[] = [];
  const self = await testServer({ ...demo, store: observedStore(memoryStore(), (verb) => calls.push(verb)) });
  const issued = getRedirectParams(
    await self.authorize({ client_id: "demo-public", redirect_uri: "https://as.test/authorized" }),
  );
  calls.length = 0;
  for (let visit = 0; visit < 3; visit++) await callback(self, issued.toString());
  await self.get(`/authorized?${issued}`, { method: "HEAD" });
  const posted = await self.get("/authorized", { method: "POST", body: issued });
  assertStringIncludes(await assertPage(posted, 200), "Authorization Successful!");
  assertStringIncludes(await assertPage(await self.get("/authorized", { method: "POST", body: "x" }), 200), "Failed");
  for (const method of ["PUT", "DELETE", "PATCH", "OPTIONS"]) {
    const response = await self.get(`/authorized?${issued}`, { method });
    assertEquals([response.status, response.headers.get("allow")], [405, "GET, HEAD, POST"]);
    await assertPage(response, 405);
  }
  assertEquals(new Set(calls), new Set(["get"]));
  const form = { client_id: "demo-public", redirect_uri: "https://as.test/authorized", code: issued.get("code")! };
  assertEquals((await self.token(form)).status, 200);
});

/** Every kind of page there is, by what makes the server show it. */
const pages: Readonly<Record<string, readonly [status: number, path: string, init?: RequestInit]>> = {
  "home": [200, "/"],
  "success": [200, "/authorized?code=a-code&state=a-state"],
  "failure": [200, "/authorized?error=access_denied&error_description=no"],
  "nothing": [200, "/authorized"],
  "an unknown client": [400, "/oauth2/authorize?client_id=unknown&state=a-state"],
  "no client": [400, "/oauth2/authorize"],
  "a foreign redirect URI": [400, "/oauth2/authorize?client_id=demo-public&redirect_uri=https://evil.example/cb"],
  "a repeated parameter": [400, "/oauth2/authorize?client_id=demo-public&client_id=demo-public"],
  "a broken encoding": [400, "/oauth2/authorize?client_id=%ff"],
  "a wrong media type": [400, "/oauth2/authorize", { method: "POST", body: "{}" }],
  "no such page": [404, "/nowhere?code=a-code"],
  "no such asset": [404, "/static/nothing"],
  "a wrong method": [405, "/oauth2/authorize", { method: "DELETE" }],
  "a wrong method for the callback": [405, "/authorized", { method: "PUT" }],
  "a long address": [414, `/oauth2/authorize?${"a".repeat(20_000)}`],
};

/** The directives of a policy, by name. */
function policyOf(response: Response): Record<string, string> {
  const directives = response.headers.get("content-security-policy")!.split(";").map((text) => text.trim());
  return Object.fromEntries(directives.map((text) => [text.split(" ", 1)[0], text.slice(text.indexOf(" ") + 1)]));
}

test("[UI-01, DM-09] no page can be framed", async () => {
  const { get } = await testServer(demo);
  await forEachCase(Object.entries(pages), async ([, [status, path, init]]) => {
    const response = await get(path, init);
    assertEquals(response.status, status);
    assertEquals(response.headers.get("x-frame-options"), "DENY");
    assertEquals(policyOf(response)["frame-ancestors"], "'none'");
  });
});

test("[UI-02, DM-09] no page is cached, sends a referrer, or loads or runs anything from another origin", async () => {
  const { get } = await testServer(demo);
  const specification = /^https:\/\/(?:www\.rfc-editor\.org|datatracker\.ietf\.org|openid\.net)\//;
  await forEachCase(Object.entries(pages), async ([, [status, path, init]]) => {
    const response = await get(path, init);
    const { headers } = response;
    // A form must name its origin, and names it to this server alone.
    assertEquals(headers.get("referrer-policy"), path === "/" ? "same-origin" : "no-referrer");
    assertEquals(headers.get("cache-control"), "no-store");
    assertEquals(headers.get("x-content-type-options"), "nosniff");
    const policy = policyOf(response);
    assertMatch(policy["default-src"]!, /^'(none|self)'$/);
    for (const sources of Object.values(policy)) assertMatch(sources, /^'(none|self)'$/);
    const html = await assertPage(response, status);
    const loaded = [...html.matchAll(/<(?:script|link|img)[^>]*(?:src|href)="([^"]*)"/g)].map(([, url]) => url!);
    assert(loaded.length > 0 && loaded.every((url) => url.startsWith("/static/")));
    assertEquals(texts(html, "script").join(""), "");
    assert(!/<style|style="/.test(html));
    const containsResponse = /[?&](?:code|state)=/.test(path);
    for (const href of Object.values(links(html))) {
      if (containsResponse || !specification.test(href)) assertMatch(href, /^(?:\/(?!\/)|#)/);
    }
  });
});

test("[UI-02] files loaded by pages have their type, nosniff and an ETag", async () => {
  const { get } = await testServer({ ...demo, issuer: "https://as.test/t1" });
  const html = await assertPage(await get("/"), 200);
  const loaded = new Set([...html.matchAll(/(?:src|href)="(\/t1\/static\/[^"]*)"/g)].map(([, url]) => url!.slice(3)));
  assertEquals(loaded.size, 6);
  await forEachCase([...loaded], async (path) => {
    const { status, headers } = await get(path);
    const type = path.endsWith(".js") ? "text/javascript" : path.endsWith(".css") ? "text/css" : "image/svg+xml";
    assertEquals([status, headers.get("content-type")!.split(";")[0]], [200, type]);
    assertEquals(headers.get("x-content-type-options"), "nosniff");
    const again = await get(path, { headers: { "if-none-match": headers.get("etag")! } });
    assertEquals([again.status, again.body], [304, null]);
  });
});

test("[DM-09] the script of the pages neither reads the URL nor writes markup", async () => {
  const { get } = await testServer(demo);
  const script = await (await get("/static/script.js")).text();
  assert(script.length > 0);
  assertEquals(
    script.match(
      /location(?!\.replace\()|URLSearchParams|documentURI|referrer|innerHTML|outerHTML|insertAdjacent|write\(|eval|Function\(/g,
    ),
    null,
  );
});

test("[UI-03] markup in the request or the configuration is inert on every page", async () => {
  const markup = [
    ...["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "' onmouseover='alert(1)", "<!--", "]]>"],
    ...["</code></pre></main><h1>x</h1>", "javascript:alert(1)", '<a href="https://evil.example">here</a>'],
  ];
  const clients: ClientMetadata[] = [
    ...markup.map((text, i) => ({
      client_id: text,
      client_name: text,
      redirect_uris: [`https://c.example/${i}`, "https://as.test/authorized"],
    })),
  ];
  const users = markup.map((text, i) => ({ sub: `user-${i}`, name: text }));
  const self = await testServer({ clients, users });
  const { get, authorize } = self;
  const inert = async (response: Response, status: number, text: string) => {
    const html = await assertPage(response, status, ...text.includes("<") ? [text] : []);
    assertEquals([texts(html, "h1").length, texts(html, "main").length], [1, 1]);
    return html;
  };
  await forEachCase(markup, async (text) => {
    const home = await inert(await get("/"), 200, text);
    assertStringIncludes(readable(home), text);
    await inert(await authorize({ client_id: `${text}?` }), 400, text);
    await inert(await authorize({ client_id: text, redirect_uri: text }), 400, text);
    await inert(await authorize({ client_id: text, redirect_uri: undefined, scope: text, state: text }), 400, text);
    await inert(
      await get(`/authorized?${encode({ error: text, error_description: text, error_uri: text })}`),
      200,
      text,
    );
    await inert(await get(`/authorized?${encode({ code: text, state: text, iss: text })}`), 200, text);
    await inert(await get(`/${encodeURI(text)}`), 404, text);
    const result = await authorize({
      client_id: text,
      redirect_uri: "https://as.test/authorized",
      scope: `read ${text}`,
      state: text,
    });
    const logged = getRedirectParams(result);
    assertEquals([logged.get("error"), logged.get("state")], ["invalid_scope", text]);
    await inert(await get(`/authorized?${logged}`), 200, text);
    const request = { client_id: text, redirect_uri: "https://as.test/authorized", login_hint: text, state: text };
    await inert(await get(`/authorized?${getRedirectParams(await authorize(request))}`), 200, text);
  });
});

test("[UI-09] no page has a form-action policy", async () => {
  const { get } = await testServer(demo);
  await forEachCase(Object.entries(pages), async ([, [, path, init]]) => {
    assertEquals(policyOf(await get(path, init))["form-action"], undefined);
  });
});

test("[UI-13] an error page has the correct status, a plain sentence and the error code, and does not redirect", async () => {
  const { get } = await testServer(demo);
  await forEachCase(
    Object.entries(pages).filter(([, [status]]) => status !== 200),
    async ([, [status, path, init]]) => {
      const html = await assertPage(await get(path, init), status);
      const sentence = readable(/role="alert"[^]*?<\/div>/.exec(html)![0].replace(/^[^>]*>/, ""));
      // It may begin with the name of a parameter, which keeps its spelling.
      assertMatch(sentence.trim(), /^(?:[A-Z]|[a-z]+_)[^]* [^]*\.$/);
      assertEquals(texts(html, "code").includes("invalid_request"), status === 400);
      assert(!/\bat .*\.(ts|js|mjs):\d+|Error:/.test(html));
      assertEquals(links(html)["Back to Home"], "/");
    },
  );
});

test("[UI-15] every page is complete without scripts: one main, one h1, a language, a title and an announced error", async () => {
  const { get } = await testServer(demo);
  await forEachCase(Object.entries(pages), async ([, [status, path, init]]) => {
    const html = await assertPage(await get(path, init), status);
    assertEquals([texts(html, "main").length, texts(html, "h1").length, texts(html, "title").length], [1, 1, 1]);
    assertMatch(html, /^<!DOCTYPE html>\s*<html lang="en">/);
    assertEquals(html.includes('role="alert"'), status !== 200 || path.includes("error="));
    // What only a script can do is hidden until there is one; the forms of home need none.
    const shown = html.replaceAll(/<form[^]*?<\/form>/g, "");
    for (const [button] of shown.matchAll(/<button[^>]*>/g)) assertMatch(button, / hidden(?:[ =>])/);
    // A masked value is shown by a checkbox, which works without a script.
    const unmasked = shown.replace(/<label class="(?:masked|all)">[^]*?<\/label>/g, "");
    assert(!/<noscript|<input|<select|<textarea/.test(unmasked));
  });
});

test("[DM-10] a callback page with a code does not copy it into its links", async () => {
  const html = await callback(await testServer(demo), { code: "a-code", state: "a-state" });
  for (const href of Object.values(links(html))) assert(!/a-code|a-state/.test(href));
});

test("[DM-13] the secret of the example is masked in the header and in the command, and one switch shows both", async () => {
  const switchOf = async (issuer: string) => {
    const visitor = browser((await testServer({ ...demo, issuer })).as);
    const home = await assertPage(await visitor.open("/"), 200);
    const { html } = await visitor.arrive(new URL(links(home)["Start the demo flow"]!, issuer).href);
    const text = html.replace(/<label class="masked">[^]*?<\/label>/g, "•");
    assert(!text.includes("demo-secret") && !text.includes(btoa("demo-confidential:demo-secret")), issuer);
    assertStringIncludes(text, "-u 'demo-confidential:•'");
    return /<label class="all"><input type="checkbox"([^>]*)\/> Show all secrets/.exec(html)?.[1]?.trim();
  };
  assertEquals(await switchOf("http://localhost:9666"), "checked");
  // Others may see the page of a host that is not loopback.
  assertEquals(await switchOf("https://as.test"), "");
});

test("[PK-03] the challenge of a demo request is the digest of the verifier in the example", async () => {
  const { as } = await testServer(demo);
  const visitor = browser(as);
  const link = new URL((await visitor.open("/start")).headers.get("location")!, as.issuer);
  const { html } = await visitor.arrive(link.href);
  const kept = read(commands(html)[0]).form.get("code_verifier")!;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(kept)));
  const expected = btoa(String.fromCharCode(...digest)).replaceAll("+", "-").replaceAll("/", "_").replace("=", "");
  assertEquals(link.searchParams.get("code_challenge"), expected);
  assertNotEquals(expected, challenge);
});

const run = promisify(execFile);
const withoutCurl = spawnSync("curl", ["--version"]).status !== 0 || spawnSync("sh", ["-c", ":"]).status !== 0;

test("[DM-05, DM-08] the examples exchange the code in a real shell, and hostile codes do nothing", {
  skip: withoutCurl,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-paste-"));
  const as = await latchkey({ alg: "EdDSA" });
  try {
    await as.listen({ port: 0 });
    const shell = async (command: string): Promise<Record<string, unknown>> => {
      const env = { PATH: process.env.PATH, HOME: folder, NO_PROXY: "*" };
      const { stdout } = await run("sh", ["-c", `${command} --silent`], { cwd: folder, env });
      return JSON.parse(stdout);
    };
    const visitor = browser(as);
    for (const [i, link] of ["/start", "/start?client_id=demo-confidential"].entries()) {
      const { html } = await visitor.arrive(link);
      const result = await shell(commands(html)[i]!);
      assertEquals([result.token_type, result.scope], ["Bearer", "openid profile read"]);
      assertEquals((await shell(commands(html)[i]!)).error, "invalid_grant");
    }
    for (
      const code of ["';touch pwned;'", "$(touch pwned)", "`touch pwned`", "x\ntouch pwned\n", "'\\'';touch pwned #"]
    ) {
      const { html } = await visitor.arrive(`/authorized?${encode({ code })}`);
      for (const command of commands(html)) assertMatch(String((await shell(command)).error), /^invalid_/);
    }
    assertEquals(readdirSync(folder), []);
  } finally {
    await as.close();
    rmSync(folder, { recursive: true });
  }
});
