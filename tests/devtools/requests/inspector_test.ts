/** The pages that show each login: contents, redaction and access. */

import {
  assert,
  assertEquals,
  assertMatch,
  assertNotEquals,
  assertNotMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { build, stop } from "esbuild";
import { test } from "node:test";
import { type Inspector, inspector } from "../../../src/devtools/mod.ts";
import type { InspectorOptions } from "../../../src/devtools/inspector.ts";
import type { LatchkeyOptions, Plugin } from "../../../src/mod.ts";
import { getPassedText } from "../../../src/server/rules.ts";
import { type Browser, openBrowser, parseAttributes } from "../../server/browser.ts";
import { assertCsrfProtected } from "../../server/csrf.ts";
import { recordFault } from "../../recorder/recorded_server.ts";
import { assertTokenResponse, basic, challenge, clients, forEachCase, testServer, verifier } from "../../kit.ts";
import type { TestServer } from "../../kit.ts";
import { shutdownTimeoutMs } from "../../../src/platform/runtime/bind.ts";
import { latchkey } from "../../secret_leak_check.ts";
import { endsWithin } from "../../until.ts";

interface Watched extends TestServer {
  readonly inspected: Inspector;
  readonly browser: Browser;
  /** HTML of a page with status 200. */
  page(path: string): Promise<string>;
  /** What a reader sees of it. */
  read(path: string): Promise<string>;
}

/** A server with an inspector, whose public client gets refresh tokens. */
async function watched(
  { limit, maxFlowsPerSecond, ...options }: LatchkeyOptions & InspectorOptions = {},
): Promise<Watched> {
  const inspected = inspector({ limit, maxFlowsPerSecond });
  const [spa, ...others] = clients;
  const grant_types = ["authorization_code", "refresh_token"];
  const made = await testServer({
    alg: "ES256",
    clients: [{ ...spa, grant_types }, ...others],
    ...options,
    plugins: [inspected],
  });
  const browser = openBrowser(made);
  const page = async (path: string) => {
    const response = await browser.get(path);
    const html = await response.text();
    assertEquals(response.status, 200, html);
    assertEquals(response.headers.get("content-type"), "text/html; charset=utf-8");
    return html;
  };
  return { ...made, inspected, browser, page, read: async (path) => textOf(await page(path)) };
}

/** What a reader sees: every tag is a space, and white space is made even. */
function textOf(html: string): string {
  const words = html.replace(/^[^]*<main[^>]*>|<nav class="recent"[^]*?<\/nav>|<wbr\/>/g, "").replace(
    /<(?:"[^"]*"|[^>"])*>/g,
    " ",
  );
  return words.replaceAll("&lt;", "<").replaceAll("&quot;", '"').replaceAll("&amp;", "&").replace(/\s+/g, " ");
}

function linksOf(html: string): string[] {
  return [...html.matchAll(/<a\b(?:"[^"]*"|[^>"])*>/g)].map(([tag]) => parseAttributes(tag).get("href")!);
}

/** The hidden token of the forms of a page. */
function tokenOf(html: string): string {
  const [tag] = /<input[^>]*name="form_token"[^>]*>/.exec(html)!;
  return parseAttributes(tag).get("value")!;
}

/** The lines of the list, as a reader sees them. */
function linesOf(html: string): string[] {
  return [...html.matchAll(/<li id="flow-[^"]*"><a[^]*?<\/a>/g)].map(([line]) => textOf(line).trim());
}

/** A login whose client sends another redirect_uri with the code. */
async function failedLogin({ code, token }: TestServer): Promise<void> {
  await (await token({ code: await code(), redirect_uri: "https://spa.example/cb/" })).body?.cancel();
}

test("a flow whose client sent nothing after its ID token says neutrally what that may mean, and no other flow does", async () => {
  const after: Readonly<Record<string, (b: Watched, tokens: Record<string, string>) => Promise<unknown>>> = {
    userinfo: (b, { access_token }) =>
      b.get("/oauth2/userinfo", { headers: { authorization: `Bearer ${access_token}` } }),
    refresh: (b, { refresh_token }) =>
      b.token({ grant_type: "refresh_token", refresh_token, code_verifier: undefined }),
    revocation: (b, { access_token }) => b.post("/oauth2/revoke", { client_id: "spa", token: access_token }),
    "a second use of the code": (b, { code }) => b.token({ code }),
  };
  const text = /The client has sent nothing since it got these tokens\. That is normal\. If the login failed, /;
  const made = async (scope = "openid read") => {
    const b = await watched();
    const code = await b.code({ scope });
    return { b, tokens: { code, ...await (await b.token({ code })).json() } };
  };
  assertMatch(await (await made()).b.read("/flows/1"), text);
  assertNotMatch(await (await made("read")).b.read("/flows/1"), text);
  for (const [name, send] of Object.entries(after)) {
    const { b, tokens } = await made();
    await send(b, tokens);
    assertNotMatch(await b.read("/flows/1"), text, name);
  }
  const b = await watched();
  await b.code();
  assertNotMatch(await b.read("/flows/1"), text);
});

test("[CL-06] the first flow names the scope whose claims the client did not read, unless it called userinfo", async () => {
  const shown = async (scope: string, reads: boolean, options = {}) => {
    const b = await watched(options);
    const { access_token } = await (await b.token({ code: await b.code({ scope }) })).json();
    if (reads) await b.get("/oauth2/userinfo", { headers: { authorization: `Bearer ${access_token}` } });
    return await b.read("/flows/1");
  };
  assertMatch(
    await shown("openid profile email", false),
    /The ID token has no claims of profile email ?, and the client has not called userinfo\. Call userinfo with the access/,
  );
  for (
    const text of [
      await shown("openid profile email", true),
      await shown("openid read", false),
      await shown("openid profile", false, { idTokenClaims: "like-userinfo" }),
    ]
  ) assertNotMatch(text, /has no claims of/);
});

test("[FL-01] the list starts with the next action, and shows each login with its result, newest first", async () => {
  const bench = await watched();
  assertMatch(await bench.read("/flows"), /No requests yet\. .* https:\/\/as\.test /);

  await openBrowser(bench).login();
  bench.advance(61);
  await failedLogin(bench);
  const lines = linesOf(await bench.page("/flows"));
  assertEquals(lines, [
    "Flow 2 00:01:01 ✗ spa alice redirect_uri does not match the authorization request",
    "Flow 1 00:00:00 ✓ spa alice Code exchange , tokens issued",
  ]);
});

test("[FL-01] beside the list is the newest flow, not a document that a client reads after it", async () => {
  const bench = await watched();
  const readMetadata = () => bench.get("/.well-known/openid-configuration");
  const pane = async () => textOf(/<aside class="pane"[^]*?<\/h2>/.exec(await bench.page("/flows"))![0]).trim();
  await readMetadata();
  assertMatch(await pane(), /^Requests for \/\.well-known/);
  await failedLogin(bench);
  await readMetadata();
  assertMatch(await pane(), /^Redirect_uri does not match/i);
  await openBrowser(bench).login();
  await readMetadata();
  assertMatch(await pane(), /^Tokens issued/);
});

test("[FL-01, IN-02] the arrow of an introspection shows the value of active, and an invisible token is a warning", async () => {
  const api = "https://api.example";
  const bench = await watched({
    resources: [{ uri: api }],
    clients: [
      ...clients,
      { client_id: "server", client_secret: "secret", serves: [api], grant_types: ["client_credentials"] },
      { client_id: "other", client_secret: "secret", grant_types: ["client_credentials"] },
    ],
  });
  const { access_token } = await assertTokenResponse(
    await bench.token({ code: await bench.code({ resource: api }), resource: api }),
  );
  for (const caller of ["server", "other"]) {
    const body = new URLSearchParams({ token: access_token });
    const headers = basic(caller, "secret");
    await (await bench.get("/oauth2/introspect", { method: "POST", body, headers })).json();
  }
  const page = await bench.read("/flows/1");
  assertMatch(page, / 200 active: true, sub .* 200 active: false /);
  assertMatch(page, /the client does not serve https:\/\/api\.example/);
});

test("[FL-01] a code that was not exchanged is shown as such, and a client_credentials flow has no user", async () => {
  const bench = await watched();
  await bench.code();
  const grant_types = ["client_credentials"];
  bench.as.clients.set({ client_id: "job", client_secret: "job-secret", grant_types });
  const fields = { grant_type: "client_credentials", client_id: undefined, scope: "read" };
  assertEquals((await bench.token(fields, { headers: basic("job", "job-secret") })).status, 200);
  assertEquals(linesOf(await bench.page("/flows")), [
    "Flow 2 00:00:00 ✓ job Client credentials , tokens issued",
    "Flow 1 00:00:00 – spa alice Authorization request , code not exchanged yet",
  ]);
});

test("[FL-01] the home page shows the last three flows with their outcome, under a trusted host alone", async () => {
  const bench = await watched();
  const home = async (headers = {}) => await (await bench.get("/", { headers })).text();
  assert(!(await home()).includes("Last flows"));
  for (let i = 0; i < 3; i++) await bench.code();
  await failedLogin(bench);
  const paths = [...(await home()).matchAll(/href="(\/flows\/\d+)"><bdi>([^<]*)/g)].map((
    [, path, title],
  ) => [path, title]);
  assertEquals(paths.map(([path]) => path), ["/flows/4", "/flows/3", "/flows/2"]);
  assertEquals(paths[1]![1], "Code not exchanged yet");
  assert(!(await home({ host: "rebound.example" })).includes("Last flows"));
});

test("[FL-01] the list is filtered by client and outcome, and is paginated", async () => {
  const bench = await watched();
  for (let i = 0; i < 30; i++) await bench.code({ login_hint: i % 2 === 0 ? "alice" : "bob" });
  await failedLogin(bench);
  await bench.code({ client_id: "web", redirect_uri: "https://web.example/cb" });
  const ids = async (query: string) =>
    [...(await bench.page(`/flows${query}`)).matchAll(/<li id="flow-(\d+)/g)].map(([, id]) => Number(id));
  assertEquals((await ids("")).slice(0, 3), [32, 31, 30]);
  assertEquals(await ids("?client=web&outcome="), [32]);
  assertEquals(await ids("?outcome=rejected"), [31]);
  // The word that the rows show of a code that was not exchanged.
  assertEquals(await ids("?client=web&outcome=pending"), [32]);
  assertEquals(await ids("?client=web&outcome=rejected"), []);
  assertMatch(await bench.read("/flows?client=web&outcome=rejected"), /No flow matches the filter\. +Show all/);
  const html = await bench.page("/flows?client=spa");
  const older = linksOf(html).find((href) => href.includes("before="))!;
  assertEquals([...await ids("?client=spa"), ...await ids(older.replace("/flows", ""))], [31, ...numbers(30)]);
});

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, i) => count - i);
}

test("[FL-02] the page of a failed flow starts with the reason, expected and received values, and the fix", async () => {
  const bench = await watched();
  await failedLogin(bench);
  const [opening] = (await bench.read("/flows/1")).split(" Sequence ");
  assertMatch(
    opening!,
    /^ ?All flows redirect_uri does not match the authorization request ✗ error Reload Expected https:\/\/spa\.example\/cb Received https:\/\/spa\.example\/cb \/ Difference There is one extra slash at the end\. Earlier: the authorization request of \d{4}-\d\d-\d\d [\d:]{8} UTC /,
  );
  assertMatch(
    opening!,
    / How to fix it: Send the redirect_uri .* Flow 1, request 2 invalid_grant client spa .* Share as HTML .* Step 2: Code exchange Copy step 2 as curl ✗ redirect_uri does not match the authorization request TK-15 OAuth 2\.1 §10\.2 .* Request POST \/oauth2\/token .* Response 400 Bad Request /,
  );
  const text = await bench.read("/flows/1");
  for (const once of ["How to fix it:", "Expected ", "Received "]) assertEquals(text.split(once).length, 2, once);
});

test("[FL-02] a rejection caused by an earlier rejection does not hide the earlier one", async () => {
  const bench = await watched();
  const code = await bench.code();
  const { access_token } = await assertTokenResponse(await bench.token({ code }));
  assertEquals((await bench.token({ code })).status, 400);
  const userinfo = { headers: { authorization: `Bearer ${access_token}` } };
  assertEquals((await bench.get("/oauth2/userinfo", userinfo)).status, 401);
  assertMatch(
    await bench.read("/flows/1"),
    /^ ?All flows Authorization code used twice .* 1 later step was also rejected\. .* Step 3: Code exchange Copy step 3 as curl ✗ /,
  );
  assertMatch(linesOf(await bench.page("/flows"))[0]!, /✗ spa alice Authorization code used twice$/);

  await bench.token({ code: await bench.code(), code_verifier: verifier.replace("d", "e") });
  await failedLogin(bench);
  const retried = await bench.code();
  await bench.token({ code: retried, redirect_uri: "https://spa.example/cb/" });
  await assertTokenResponse(await bench.token({ code: retried }));
  const text = await bench.read("/flows/4");
  assertMatch(
    text,
    /^ ?All flows Tokens issued, with a warning ! warning .* redirect_uri does not .*, in step 2; the flow continued /,
  );
});

test("[FL-01, FL-02] each rejected step shows its reason in its own line, by rule or injected fault", async () => {
  const bench = await watched();
  const code = await bench.code();
  await bench.token({ code, code_verifier: verifier.replace("d", "e") });
  await assertTokenResponse(await bench.token({ code }));
  await bench.token({ code });
  const titles = [...(await bench.page("/flows/1")).matchAll(/<span class="title">[^]*?<\/(?:summary|div)>/g)]
    .map(([title]) => textOf(title!).replace(/ (?:Browser|Client) to .*/, ""));
  assertEquals(titles.map((title) => title.replace(/ 00:00:00 \d+ ms/, "").trim()), [
    "1 Authorization request ✓ code issued",
    "2 Code exchange ✗ rejected invalid_grant · PK-09 " +
    "code_verifier does not match the code_challenge of the authorization request",
    "3 Code exchange ✓ tokens issued",
    // The page begins with its reason.
    "4 Code exchange ✗ rejected",
  ]);
});

test("[FL-01, FL-02] a step changed by an injected fault names the fault", async () => {
  const { recorder } = inspector();
  const spoils: Plugin = {
    handle: (next) => async (request, peer) => {
      if (!request.url.endsWith("/oauth2/token")) return await next(request, peer);
      recordFault(recorder, request, "status(503)");
      return Response.json({ error: "temporarily_unavailable" }, { status: 503 });
    },
  };
  const made = await testServer({ plugins: [recorder, inspector({ recorder }), spoils] });
  await (await made.token({ code: await made.code() })).text();
  const why = "temporarily_unavailable · injected fault: status(503)";
  const [line] = linesOf(await (await made.get("/flows")).text());
  assertMatch(line!, /✗ Injected fault: status\(503\)$/);
  assertStringIncludes(textOf(await (await made.get("/flows/2")).text()), why);
});

test("[FL-02] each check is shown as passed, failed or not run, with the section of its rule", async () => {
  const bench = await watched();
  await failedLogin(bench);
  const html = await bench.page("/flows/1");
  const step = html.slice(html.indexOf('id="step-2"'));
  const checks = [...step.matchAll(/<li[ >][^]*?<\/li>/g)].slice(0, 12).map(([check]) => {
    const [, mark = check.includes("✓") ? "Passed" : "?"] = /aria-label="([^"]*)"/.exec(check) ?? [];
    return `${mark} ${/\b[A-Z]{2}-\d\d\b/.exec(check)![0]}`;
  });
  assertEquals(checks, [
    "Failed TK-15",
    "Passed CA-07",
    "Passed TK-06",
    "Passed TK-16",
    "Passed CI-05",
    "Not checked PK-09",
    "Not checked CI-02",
    "Not checked CI-11",
    "Not checked LO-05",
    "Not checked LO-06",
    "Not checked RT-09",
    "Not checked CI-06",
  ]);
  const away = linksOf(html).filter((href) => !/^[/#]/.test(href));
  assert(away.includes("https://datatracker.ietf.org/doc/html/draft-ietf-oauth-v2-1-16#section-10.2"));
  assert(away.includes("https://www.rfc-editor.org/rfc/rfc6749.html#section-4.1.3"));
  for (const href of away) assertMatch(html, new RegExp(`href="${href.replace(/[.?]/g, "\\$&")}" rel="noreferrer"`));
});

test("[FL-02] checks not run are those that run for a valid request", async () => {
  const bench = await watched();
  const { refresh_token } = await openBrowser(bench).login();
  await assertTokenResponse(
    await bench.token({ grant_type: "refresh_token", refresh_token, code_verifier: undefined }),
  );
  const [asked, exchanged, refreshed] = bench.inspected.recorder.flow("1")!.exchanges;

  // Each fails at its first listed check, so that all the others are shown as not run.
  await bench.get("/oauth2/authorize?client_id=unknown");
  await bench.token({ code: "x", grant_type: "authorization_code", client_id: "poster" });
  await bench.token({ grant_type: "refresh_token", refresh_token: "x", client_id: "poster" });
  await bench.token({ code: "unknown" });
  const { flows } = bench.inspected.recorder;
  const lists = await Promise.all(
    flows().slice(1).map(async ({ id }) => {
      const html = await bench.page(`/flows/${id}`);
      return [...html.matchAll(/aria-label="Not checked">–<\/b>([^<]*)</g)].map(([, statement]) => statement!);
    }),
  );
  const kept = [asked, exchanged, refreshed].map((exchange) => exchange!.passed.map(({ rule }) => getPassedText(rule)));
  for (const [i, list] of lists.entries()) {
    const all = kept[[0, 1, 2, 1][i]!]!;
    assert(list.length > 2, `${list}`);
    assertEquals(list, all.slice(-list.length).slice(0, list.length), `flow ${i + 2}`);
  }
});

test("[FL-02] every parameter is shown as it was sent, and hostile ones stay text", async () => {
  const hostile = [
    `<script>alert(1)</script>`,
    `"><img src=x onerror=alert(1)>`,
    `</details></dl><a href="https://evil.example">here</a>`,
  ];
  const bench = await watched();
  for (const text of hostile) {
    for (const field of ["state", "client_id", "redirect_uri", "login_hint", "unknown", text]) {
      await (await bench.authorize({ [field]: text })).body?.cancel();
    }
    await (await bench.authorize({ scope: `openid ${text}` })).body?.cancel();
    await (await bench.token({ code: `x${text}`, client_id: text, [text]: text })).body?.cancel();
    await (await bench.get("/oauth2/token", { method: "POST", body: text })).body?.cancel();
    await (await bench.get("/oauth2/userinfo", { headers: { authorization: `Bearer y${text}` } })).body?.cancel();
  }
  const { flows } = bench.inspected.recorder;
  assert(flows().length >= 15, `${flows().length}`);
  const pages = [...flows().map(({ id }) => `/flows/${id}?show=secrets`), "/flows", "/flows?client=%3Cscript%3E"];
  let seen = "";
  for (const path of pages) {
    const html = await bench.page(path);
    for (const text of hostile) assert(!html.includes(text), `${path} holds ${text} as it was sent`);
    assertEquals(html.match(/<(?:script|img)\b[^>]*>/g)?.length, /^\/flows\/\d/.test(path) ? 2 : 3, path);
    for (const href of linksOf(html)) {
      assertMatch(href, /^(?:[/#]|https:\/\/(?:datatracker\.|www\.rfc|openid\.|modelc))/);
    }
    seen += textOf(html);
  }
  for (const text of hostile) assertStringIncludes(seen, `unknown ${text}`);
});

test("[FL-03] list, page and exports contain no secret until the page is asked to show it", async () => {
  const bench = await watched();
  const code = await bench.code();
  const tokens = await assertTokenResponse(await bench.token({ code }));
  const { refresh_token } = tokens as unknown as { refresh_token: string };
  const webRequest = { client_id: "web", redirect_uri: "https://web.example/cb" };
  const other = await bench.code(webRequest);
  const fields = { ...webRequest, client_id: undefined, code: other };
  await assertTokenResponse(await bench.token(fields, { headers: basic("web", "web-secret") }));
  const secrets = [code, other, verifier, refresh_token, tokens.access_token, tokens.id_token, btoa("web:web-secret")];
  const paths = [
    "/flows",
    ...["1", "2", "1.md", "2.md?show=secrets"].map((name) => `/flows/${name}`),
  ];
  for (const path of paths) {
    const text = await (await bench.get(path)).text();
    for (const secret of [...secrets, "web-secret"]) assert(!text.includes(secret), `${path} holds ${secret}`);
  }
  const shown = await bench.page("/flows/1?show=secrets") + await bench.page("/flows/2?show=secrets");
  for (const secret of secrets) assertStringIncludes(shown, secret);
  assertMatch(textOf(shown), /Hide all secrets ! Secrets are shown/);
});

test("[FL-03] a client secret instead of a user or id is in no page, export or filter", async () => {
  const bench = await watched({ clients });
  await bench.token({ client_id: undefined }, { headers: basic("web-secret", "web") });
  await bench.token({ client_id: "web-secret" });
  await bench.authorize({ client_id: "web-secret" });
  for (
    const path of [
      "/flows",
      ...["1", "2", "3", "1.md", "2.md", "3.md"].map((name) => `/flows/${name}`),
    ]
  ) {
    const response = await bench.get(path);
    const text = await response.text();
    assertEquals(response.status, 200, path);
    assert(!text.includes("web-secret"), `${path} holds the secret`);
  }
});

test("[AZ-17, FL-02] an ignored scope value is a warning that names it, and no check above it is marked as passed", async () => {
  const bench = await watched();
  await bench.code({ scope: "openid read admin" });
  const html = await bench.page("/flows/1");
  const text = textOf(html);
  assertMatch(text, /! code issued, with a warning/);
  assertMatch(text, /Unknown scope was dropped: admin\. +AZ-17/);
  assertNotMatch(text, /scope holds what the server knows/);
  assertNotMatch(html, /<h3>Authorization request<\/h3><span class="pill good/);
});

test("[FL-03] on a real host secrets are never shown", async () => {
  const bench = await watched({
    issuer: "https://auth.company.com",
    insecure: ["auto-login", "inspector"],
    clients,
  });
  const code = await bench.code();
  await assertTokenResponse(await bench.token({ code }));
  const html = await bench.page("/flows/1?show=secrets");
  assert(!html.includes(code) && !html.includes(verifier));
  assertNotMatch(html, /show=secrets/);
});

test("[FL-02] a JWT is decoded, with its times in words", async () => {
  const bench = await watched();
  await openBrowser(bench).login();
  bench.advance(90);
  const text = await bench.read("/flows/1");
  assertMatch(
    text,
    / id_token \S+ Header alg: ES256 typ: JWT kid: \S+ Lifetime valid for 59 minutes of 60 minutes iss https:\/\/as\.test the issuer sub alice /,
  );
  assertMatch(text, /exp 1767229200 2026-01-01 01:00:00 UTC, in 59 minutes /);
  assertMatch(text, /auth_time 1767225600 2026-01-01 00:00:00 UTC, 90 seconds ago /);
});

/** How deep each line of the tree stands. */
function depthsOf(html: string): number[] {
  let depth = -1;
  return [...html.matchAll(/<ul class="tree"|<\/ul>|<div>/g)].flatMap(([piece]) => {
    if (piece === '<ul class="tree"') depth++;
    else if (piece === "</ul>") depth = Math.max(-1, depth - 1);
    return piece === "<div>" && depth >= 0 ? [depth] : [];
  });
}

test("[FL-08] issued tokens are listed below the step that issued them, with their current status", async () => {
  const bench = await watched();
  const issued = async () =>
    (await bench.read("/flows/1")).replace(/^.* Issued | $| (?=,)| Check \w+ token of step \d/g, "");
  const code = await bench.code();
  assertEquals(
    await issued(),
    "Authorization code of step 1 ✓ not exchanged, valid until 00:05:00, in 5 minutes",
  );
  const first = await assertTokenResponse(await bench.token({ code })) as unknown as Record<string, string>;
  const { refresh_token } = first;
  const again = { grant_type: "refresh_token", refresh_token, code_verifier: undefined };
  await assertTokenResponse(await bench.token(again));
  const good = [
    "Authorization code of step 1 – used",
    "Access token of step 2 ✓ valid until 01:00:00, in 1 hour",
    "Refresh token of step 2 – used",
    "Access token of step 3 ✓ valid until 01:00:00, in 1 hour",
    "Refresh token of step 3 ✓ valid until 2026-01-08 00:00, in 7 days",
    "ID token of step 3 ✓ valid until 01:00:00, in 1 hour",
    "ID token of step 2 ✓ valid until 01:00:00, in 1 hour",
  ];
  assertEquals(await issued(), good.join(" "));
  assertEquals(depthsOf(await bench.page("/flows/1")), [0, 1, 1, 2, 2, 2, 1]);
  // A script shows it in the time zone of the reader.
  assertMatch(
    await bench.page("/flows/1"),
    /valid until <time datetime="2026-01-01T01:00:00\.000Z">01:00:00<\/time>, in/,
  );

  bench.advance(3600);
  assertMatch(await issued(), /Access token of step 3 – expired at 01:00:00/);
  assertEquals((await bench.token(again)).status, 400);
  const ended = await issued();
  assertMatch(ended, /Refresh token of step 3 ✗ revoked with its grant/);
  assertMatch(
    await bench.read("/flows/1"),
    /^ ?All flows Refresh token used twice .* was revoked: refresh token used twice/,
  );
});

test("[FL-08] tokens ended by a logout are shown as ended with their session", async () => {
  const bench = await watched();
  const browser = openBrowser(bench);
  const { id_token } = await browser.login({ scope: "openid" });
  await browser.get(`/oauth2/logout?id_token_hint=${id_token}`);
  assertMatch(await bench.read("/flows/1"), /Refresh token of step 2 ✗ revoked with its session/);
});

test("a flow is exported as Markdown and as HTML, and in no other form", async () => {
  const bench = await watched();
  await failedLogin(bench);
  await forEachCase(
    [["md", "text/plain; charset=utf-8"], ["html", "text/html; charset=utf-8"]],
    async ([form, type]) => {
      const response = await bench.get(`/flows/1.${form}`);
      assertEquals([response.status, response.headers.get("content-type")], [200, type]);
      assertMatch(response.headers.get("content-disposition")!, new RegExp(`; filename="flow-1\\.${form}"$`));
      assertEquals(response.headers.get("cache-control"), "no-store");
      const text = await response.text();
      assertStringIncludes(text, "TK-15");
    },
  );
  for (const form of ["txt", "json", "har"]) assertEquals((await bench.get(`/flows/1.${form}`)).status, 404);
});

test("[FL-09] the link of a rejection has the number of its request, and so has the page that it leads to", async () => {
  const bench = await watched();
  await failedLogin(bench);
  const numbers = [];
  for (const code of ["unknown", "unknown"]) {
    const { error_uri } = await (await bench.token({ code })).json();
    const [, number] = /\/flows\/of\/(\d+)$/.exec(error_uri)!;
    const page = (await bench.get(`/flows/of/${number}`)).headers.get("location")!;
    assertMatch(await bench.page(page), new RegExp(`<title>[^<]*Flow \\d+, request ${number}\\b`));
    numbers.push(number);
  }
  assertEquals(new Set(numbers).size, 2);
});

test("[FL-09] the page of a rejection links to its step in the flow", async () => {
  const bench = await watched();
  const rejected = await bench.browser.authorize({ redirect_uri: "https://spa.example/other" });
  const trail = linksOf(await rejected.text()).find((href) => href.startsWith("/flows/of/"))!;
  const found = await bench.get(trail);
  assertEquals([found.status, found.headers.get("location")], [302, "/flows/1"], "the page begins with its reason");
  assertMatch(await bench.page("/flows/1"), /<section class="step" id="step-1"/);

  // The number of a request is that of no flow, and no other number stands for it.
  for (const number of ["2", "0", "01", "d1", "1x"]) {
    const unknown = await bench.get(`/flows/of/${number}`);
    assertEquals(unknown.status, 404, number);
    assertMatch(await unknown.text(), /This request is not recorded: it was deleted, newer ones replaced it, or/);
  }
  bench.inspected.recorder.clear();
  assertEquals((await bench.get(trail)).status, 404);
});

test("[FL-09] the callback page and each step after it link to their own flow", async () => {
  const bench = await watched({ clients: undefined });
  const begin = async (): Promise<string> => {
    const start = (await bench.browser.get("/start")).headers.get("location")!;
    return (await bench.browser.get(start)).headers.get("location")!.replace("https://as.test", "");
  };
  const ledTo = async (html: string): Promise<string | null> => {
    const [trail, ...others] = new Set(linksOf(html).filter((href) => href.startsWith("/flows/of/")));
    assertEquals(others, []);
    return trail === undefined ? null : (await bench.get(trail)).headers.get("location");
  };
  const [first, second] = [await begin(), await begin()];
  assertEquals(await ledTo(await bench.page(first)), "/flows/1#step-1");
  const arrived = await bench.page(second);
  assertEquals(await ledTo(arrived), "/flows/2#step-1");

  const fields = Object.fromEntries(
    [...arrived.matchAll(/<input type="hidden"(?:"[^"]*"|[^>"])*>/g)]
      .map(([tag]) => [parseAttributes(tag!).get("name")!, parseAttributes(tag!).get("value")!]),
  );
  for (const [step, href] of [["edit", "/flows/2"], ["exchange", "/flows/2#step-3"]]) {
    const html = await (await bench.browser.post("/authorized/try", { ...fields, step: step! })).text();
    assertEquals(await ledTo(html), href, step);
  }
  // By now more has happened, and the page leads to what happened last.
  assertEquals(await ledTo(await bench.page(second)), "/flows/2#step-3");

  const client = { client_id: "demo-public", redirect_uri: "https://as.test/authorized" };
  const denied = await bench.authorize({ ...client, scope: "nothing", state: "af0ifjsldkj" });
  const back = denied.headers.get("location")!.replace("https://as.test", "");
  assertEquals(await ledTo(await bench.page(back)), "/flows/3");

  for (
    const path of ["/authorized", "/authorized?code=x&state=af0ifjsldkj", "/authorized?error=x", "/authorized?state="]
  ) {
    assertEquals(await ledTo(await bench.page(path)), null, path);
  }
  bench.inspected.recorder.clear();
  assertEquals(await ledTo(await bench.page(first)), null);
});

test("[FL-04] forms on the pages stop and start recording and delete flows", async () => {
  const bench = await watched();
  const post = (path: string, action: string) =>
    bench.page("/flows").then((html) => bench.browser.post(path, { form_token: tokenOf(html), do: action }));
  await bench.code();
  await bench.code();
  await bench.code();
  const deleted = await post("/flows/2", "delete");
  assertEquals([deleted.status, deleted.headers.get("location")], [303, "/flows"]);
  assertEquals(bench.inspected.recorder.flows().map(({ id }) => id), ["1", "3"]);
  assertEquals((await bench.get("/flows/2")).status, 404);

  await post("/flows", "stop");
  await bench.code();
  assertMatch(await bench.read("/flows"), /Recording is off/);
  await post("/flows", "record");
  await bench.code();
  assertEquals(bench.inspected.recorder.flows().length, 3);
  await post("/flows", "delete");
  assertEquals(bench.inspected.recorder.flows(), []);
  assertEquals((await post("/flows", "dance")).status, 400);
});

test("[FL-04, UI-15] deletion takes two steps: the first explains the consequences, the second submits", async () => {
  const bench = await watched();
  assert(!(await bench.page("/flows")).includes("delete"), "there is nothing to delete");
  await bench.code();
  for (
    const [path, action] of [["/flows", "/flows"], ["/flows?outcome=rejected", "/flows"], ["/flows/1", "/flows/1"]]
  ) {
    const html = await bench.page(path!);
    const [, asked, form] =
      /<details class="quiet"><summary class="button plain">Delete [^<]*<\/summary><p>(.*?)<\/p>(<form.*?)<\/details>/
        .exec(html)!;
    assertMatch(asked!, /^Delete .*\? .*([Tt]okens that the flow issued|Their tokens) stay valid\.$/);
    assert(form!.includes(`action="${action}"`) && form!.includes('name="do" value="delete"'), form);
    assertEquals(html.split('value="delete"').length, 2, "nowhere else");
  }
});

test("[FL-04] a form from another site changes nothing", async () => {
  const bench = await watched();
  await bench.code();
  await assertCsrfProtected(bench, "/flows", { do: "delete" }, () => bench.inspected.recorder.flows().length);
  await bench.code();
  const elsewhere = await bench.browser.post("/flows/2", { do: "delete" });
  assertEquals([elsewhere.status, bench.inspected.recorder.flows().length], [403, 1]);
});

test("[FL-05] an untrusted host name is shown nothing", async () => {
  const bench = await watched({ issuer: "http://oidc:9000" });
  await bench.code({ client_id: "spa" });
  for (const path of ["/flows", "/flows/1", "/flows/1.md", "/flows/events", "/flows/of/1"]) {
    const status = async (host: string) => {
      const response = await bench.get(path, { headers: { host } });
      await response.body?.cancel();
      return response.status;
    };
    // The pages of clients have every form of a host name.
    for (const host of ["rebound.evil.com", "mypc:9000"]) assertEquals(await status(host), 403);
    for (const host of ["localhost:9000", "OIDC"]) assert([200, 302].includes(await status(host)), `${path}, ${host}`);
  }
});

/** Reads what a stream has to say next. */
async function next(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string | undefined> {
  const { value } = await reader.read();
  return value && new TextDecoder().decode(value);
}

test("[FL-06] open pages learn which flows change, and nothing of their content", async () => {
  const bench = await watched();
  const response = await bench.get("/flows/events");
  assertEquals([response.status, response.headers.get("content-type")], [200, "text/event-stream"]);
  assertEquals(response.headers.get("cache-control"), "no-store");
  assertEquals(response.headers.get("access-control-allow-origin"), null);
  const reader = response.body!.getReader();
  assertMatch((await next(reader))!, /^retry: \d+\n\n$/);
  const code = await bench.code();
  let logged = await next(reader);
  await bench.token({ code });
  await bench.code();
  logged += `${await next(reader)}${await next(reader)}`;
  assertMatch(logged!, /^(?:(?:data: [12]\n)+\n)+$/);
  assertMatch(logged!, /data: 1\n[^]*data: 2\n/);
  await bench.as.close();
  while (await next(reader) !== undefined);
});

test("[FL-06] a page over the network is notified immediately, and closing the server ends its stream", async () => {
  const as = await latchkey({ plugins: [inspector()], alg: "ES256" });
  const { url } = await as.listen({ port: 0, host: "127.0.0.1" });
  const response = await fetch(`${url}/flows/events`);
  const reader = response.body!.getReader();
  assertMatch((await next(reader))!, /^retry/);
  await (await fetch(`${url}/oauth2/authorize`)).text();
  assertMatch((await next(reader))!, /^data: 1\n/);
  assertNotEquals(await endsWithin(shutdownTimeoutMs / 2, () => as.close()), "late");
  while (await next(reader).catch(() => undefined) !== undefined);
});

test("[FL-06] a slow reader costs no memory and misses no flow", async () => {
  const bench = await watched({ limit: 5000, maxFlowsPerSecond: Infinity });
  const reader = (await bench.get("/flows/events")).body!.getReader();
  await next(reader);
  for (let i = 0; i < 250; i++) await bench.code();
  const first = (await next(reader))!;
  const rest = (await next(reader))!;
  assert(first.length + rest.length < 4000, `${first.length} and ${rest.length} characters`);
  assertMatch(rest, /data: all\n/);
  await bench.as.close();
});

test("[FL-06] scripts of other sites get no events, and the number of streams is limited", async () => {
  const bench = await watched();
  const rejected = async (headers: Record<string, string>) => (await bench.get("/flows/events", { headers })).status;
  assertEquals(await rejected({ "sec-fetch-site": "cross-site" }), 403);
  assertEquals(await rejected({ "sec-fetch-site": "same-site" }), 403);
  assertEquals(await rejected({ origin: "https://evil.example", host: "as.test" }), 403);

  const open = await Promise.all(Array.from({ length: 20 }, () => bench.get("/flows/events")));
  assertEquals(open.map(({ status }) => status), Array(20).fill(200));
  assertEquals((await bench.get("/flows/events")).status, 503);
  await open[0]!.body!.cancel();
  assertEquals((await bench.get("/flows/events", { method: "HEAD" })).status, 200);
  await bench.as.close();
  assertEquals((await bench.get("/flows/events")).status, 503);
});

test("[FL-07] a real host has no inspector unless two settings enable it", async () => {
  const issuer = "https://auth.company.com";
  const options = { issuer, clients: [], insecure: ["auto-login"] } as const;
  const { message } = await assertRejects(() => latchkey({ ...options, plugins: [inspector()] }), Error);
  assertMatch(message, /inspector.*not a test host.*add "inspector" to insecure/s);
  await using as = await latchkey({ ...options, insecure: ["auto-login", "inspector"], plugins: [inspector()] });
  assertEquals((await as.fetch(new Request(`${issuer}/flows`))).status, 200);
});

test("[FL-07] the main module never loads the inspector, not even lazily", async () => {
  const { metafile } = await build({
    entryPoints: ["src/mod.ts"],
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    outdir: "dist/unwritten",
    metafile: true,
    write: false,
  }).finally(() => stop());
  const inputs = Object.keys(metafile.inputs);
  assert(inputs.includes("src/server/hosting/latchkey.ts"));
  assertEquals(inputs.filter((path) => /src\/(?:devtools\/requests|recorder)\//.test(path)), []);
});

test("[FL-07] a server without an inspector has no such pages and no links to them", async () => {
  const { get, authorize } = await testServer();
  for (const path of ["/flows", "/flows/1", "/flows/events"]) {
    assertEquals((await get(path)).status, 404);
  }
  const pages = [await get("/"), await authorize({ redirect_uri: "https://elsewhere.example/" })];
  for (const page of pages) assertNotMatch(await page.text(), /flows/);
});

test("[UI-01, UI-02] the pages of the inspector are not cached, not framed, and closed to other sites and their scripts", async () => {
  const bench = await watched();
  await bench.code();
  for (const path of ["/flows", "/flows/1", "/flows/1?show=secrets", "/flows/nothing"]) {
    const { headers } = await bench.get(path);
    assertEquals(headers.get("cache-control"), "no-store", path);
    const referrers = path === "/flows/nothing" ? "no-referrer" : "same-origin";
    assertEquals(headers.get("referrer-policy"), referrers, path);
    assertEquals(headers.get("x-frame-options"), "DENY", path);
    assertMatch(headers.get("content-security-policy")!, /^default-src 'none'; .*frame-ancestors 'none'$/, path);
    assertEquals(headers.get("access-control-allow-origin"), null, path);
  }
  for (const [name, type] of [["list.css", /^text\/css/], ["flow.js", /^text\/javascript/]] as const) {
    const { status, headers } = await bench.get(`/static/devtools/${name}`);
    assertEquals(status, 200);
    assertMatch(headers.get("content-type")!, type);
    const again = await bench.get(`/static/devtools/${name}`, { headers: { "if-none-match": headers.get("etag")! } });
    assertEquals(again.status, 304);
  }
});

test("an issuer with a path has its flows below that path", async () => {
  const bench = await watched({ issuer: "https://as.test/tenant" });
  await bench.code();
  for (const path of ["/flows", "/flows/1"]) {
    for (const href of linksOf(await bench.page(path))) assertMatch(href, /^(?:\/tenant\/|#|https:\/\/)/);
  }
});

test("memory is bounded: the oldest flows are dropped, and their pages say so", async () => {
  const bench = await watched({ limit: 10 });
  for (let i = 0; i < 50; i++) await bench.code();
  assertEquals(linesOf(await bench.page("/flows")).length, 10);
  assertEquals((await bench.get("/flows/1")).status, 404);
  assertMatch(
    await bench.read("/flows/50"),
    /^ ?All flows Code not exchanged yet – pending Reload code_challenge repeats that .* Flow 50 /,
  );
});

test("a flow of many steps is shown in parts", async () => {
  const bench = await watched();
  const { access_token } = await openBrowser(bench).login();
  for (let i = 0; i < 60; i++) {
    await (await bench.get("/oauth2/userinfo", { headers: { authorization: `Bearer ${access_token}` } })).text();
  }
  const steps = async (query: string) =>
    [...(await bench.page(`/flows/1${query}`)).matchAll(/id="step-(\d+)"/g)].map(([, number]) => Number(number));
  const first = await steps("");
  const rest = await steps(`?from=${first.length + 1}`);
  assertEquals([...first, ...rest], numbers(62).reverse());
  const file = await (await bench.get("/flows/1.html")).text();
  assertEquals([...file.matchAll(/id="step-(\d+)"/g)].length, 62, "a file has no further pages");
  assertEquals((await bench.get("/flows/of/50")).headers.get("location"), "/flows/1?step=50#step-50");
  assertStringIncludes(await bench.page("/flows/1?step=50"), `<details class="step" open`);
  for (const from of ["0", "-3", "1.5", "1e9", "Infinity", "NaN", "x", ""]) await steps(`?from=${from}`);
});

test("the PKCE values of a flow can be recomputed from the page", async () => {
  const bench = await watched();
  await openBrowser(bench).login();
  assertMatch(await bench.read("/flows/1"), new RegExp(`matches the code_challenge: ${challenge} PK-09`));
});

test("[FL-02] on loopback, the page says what was added to a wrong secret, and never a character of it", async () => {
  const secret = "s3cret-of-web-0123456789";
  const sent: readonly (readonly [secret: string, says: RegExp])[] = [
    [`${secret} `, /is the registered one with white space at its end: 25 characters instead of 24\./],
    [` ${secret}`, /is the registered one with white space at its beginning: 25 characters instead of 24\./],
    [`${secret}\n`, /is the registered one with a newline at its end: 25 characters instead of 24\./],
    [`"${secret}"`, /is the registered one with quotation marks around it: 26 characters instead of 24\./],
    [`'${secret}'\n`, /is the registered one with a newline at its end and quotation marks around it: 27 characters /],
    [`"${secret}`, /has 25 characters, without white space or quotation marks around it\./],
    ["another ", /has 8 characters, with white space at its end\./],
    ["x", /has 1 character, without white space or quotation marks around it\./],
  ];
  for (const issuer of ["http://localhost:9000", "https://as.test"]) {
    const bench = await watched({
      issuer,
      clients: [{ client_id: "web", client_secret: secret, redirect_uris: ["https://web.example/cb"] }],
    });
    for (const [i, [client_secret, says]] of sent.entries()) {
      const form = { grant_type: "authorization_code", code: "x", client_id: "web", client_secret };
      const response = await bench.post("/oauth2/token", form);
      assertEquals(response.status, 401);
      await response.body?.cancel();
      const text = await bench.read(`/flows/${i + 1}`);
      if (issuer.startsWith("https:")) assertNotMatch(text, /The secret that was sent/, client_secret);
      else assertMatch(text, says);
      assertNotMatch(text, /Expected|Received|s3cret/, client_secret);
    }
  }
});

test("[FL-04] a flow is shared as one HTML file that needs no server, without secrets", async () => {
  const bench = await watched();
  await failedLogin(bench);
  const response = await bench.get("/flows/1.html");
  assertEquals(response.headers.get("content-disposition"), 'attachment; filename="flow-1.html"');
  const html = await response.text();
  assertMatch(textOf(html), /redirect_uri does not match .* Received .* How to fix it: .* Response 400 Bad Request/);
  assertEquals([html.includes(verifier), /<(?:form|script|link)\b|href="\//.test(html)], [false, false]);
});
