/** The pages of the real server: what the callback page says and offers to paste, and what every page may not do. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { promisify } from "node:util";
import { type ClientMetadata, type Latchkey, type LatchkeyOptions, memoryStore } from "../../../src/mod.ts";
import { assertPage, encode, forEachCase, getRedirectParams, observedStore, testServer, verifier } from "../../kit.ts";
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

test("[DM-05] the link printed in the terminal starts the same flow, in several tabs at the same time", async () => {
  const { as } = await testServer(demo);
  const visitor = browser(as);
  const tabs = [await visitor.arrive("/start"), await visitor.arrive("/start"), await visitor.arrive("/start")];
  assertEquals(new Set(tabs.map(({ url }) => url.searchParams.get("state"))).size, 3);
  await forEachCase(tabs.reverse(), async ({ html }) => assertEquals((await paste(as, commands(html)[0])).status, 200));
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

test("[UI-01, UI-02, UI-09, DM-09] no page can be framed, is cached, sends a referrer, or loads or runs anything from another origin", async () => {
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
    assertEquals([headers.get("x-frame-options"), policy["frame-ancestors"]], ["DENY", "'none'"]);
    assertEquals(policy["form-action"], undefined);
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
