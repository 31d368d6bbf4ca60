/** The endpoints of the minimal server with its plain pages and errors. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { type ClientMetadata, core } from "../../src/core/mod.ts";
import { issuer } from "./kit.ts";

/** A server whose client is its own page /authorized, and a browser. */
async function openCore(...others: readonly ClientMetadata[]) {
  const server = await core({
    issuer,
    clients: [...others, { client_id: "demo-public", redirect_uris: [`${issuer}/authorized`] }],
    users: [{ sub: "alice" }],
    policy: { alg: "EdDSA" },
  });
  let cookie = "";
  return {
    async get(path: string, headers: HeadersInit = {}) {
      const url = new URL(path, issuer);
      const response = await server.fetch(new Request(url, { headers: { cookie, ...headers } }));
      const set = response.headers.getSetCookie().map((text) => text.split(";")[0]!);
      cookie = [...cookie === "" ? [] : [cookie], ...set].join("; ");
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
  };
}

const page = { accept: "text/html" };

async function digestOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`;
}

test("the home page has the issuer, its endpoints and a link that starts a login", async () => {
  const browser = await openCore();
  const { status, text } = await browser.get("/");
  assertEquals(status, 200);
  assertStringIncludes(text, `Issuer: <code>${issuer}</code>`);
  assertStringIncludes(text, `<code>${issuer}/oauth2/token</code>`);
  assertStringIncludes(text, `<a href="/start?client_id=demo-public">Start a login as demo-public</a>`);
});

test("[DI-04] the home page names no client under a foreign host", async () => {
  const browser = await openCore();
  assert(!(await browser.get("/", { host: "rebound.example" })).text.includes("demo-public"));
});

test("a login that a page starts ends at /authorized, with the token request to paste", async () => {
  const browser = await openCore();
  const started = await browser.get("/start?client_id=demo-public");
  const decided = await browser.get(started.headers.get("location")!);
  const { status, text } = await browser.get(decided.headers.get("location")!);
  assertEquals(status, 200);
  assertStringIncludes(text, "<h1>Authorization Successful!</h1>");
  const code = new URL(decided.headers.get("location")!).searchParams.get("code")!;
  assertStringIncludes(text, `-d 'code=${code}'`);
  assertStringIncludes(text, "code_verifier=");
  assert(!text.includes("YOUR_"), "nothing is left to insert");
});

test("a login that names no client starts as the public one", async () => {
  const redirect_uris = [`${issuer}/authorized`];
  const browser = await openCore({ client_id: "demo-secret", client_secret: "s3cret", redirect_uris });
  const { headers } = await browser.get("/start");
  assertEquals(new URL(headers.get("location")!, issuer).searchParams.get("client_id"), "demo-public");
});

test("/authorized exchanges no code that it cuts", async () => {
  const browser = await openCore();
  const shown = await browser.get(`/authorized?code=${"c".repeat(1024)}`);
  assertStringIncludes(shown.text, "curl");
  const cut = await browser.get(`/authorized?code=${"c".repeat(1025)}`);
  assertStringIncludes(cut.text, "only the first 1024 are shown");
  assert(!cut.text.includes("curl"));
});

test("/authorized shows no repeated parameter, and an error as text", async () => {
  const browser = await openCore();
  const { text } = await browser.get("/authorized?state=a&state=b&error=%3Cscript%3E");
  assertStringIncludes(text, "<h1>Authorization Failed</h1>");
  assertStringIncludes(text, "state is repeated, so none of its values can be trusted and none is shown.");
  assertStringIncludes(text, "<code>&lt;script></code>");
});

test("[AZ-02] an error is a page for a browser and JSON for a program, with code, message and rule", async () => {
  const browser = await openCore();
  const path = "/oauth2/authorize?client_id=unknown&redirect_uri=http://localhost:3000/cb";
  const shown = await browser.get(path, page);
  assertEquals(shown.status, 400);
  assertStringIncludes(shown.text, "<h1>Request rejected</h1>");
  assertStringIncludes(shown.text, "<dt>Rule</dt><dd><code>AZ-02</code></dd>");
  const { status, text } = await browser.get(path, { accept: "application/json" });
  assertEquals(status, 400);
  const { error, error_description } = JSON.parse(text);
  assertEquals(error, "invalid_request");
  assertStringIncludes(error_description, "[AZ-02]");
});

test("a page allows its own style alone, by its digest", async () => {
  const browser = await openCore();
  const { headers, text } = await browser.get("/nowhere", page);
  const style = await digestOf(/<style>(.*)<\/style>/.exec(text)![1]!);
  assertEquals(
    headers.get("content-security-policy"),
    `default-src 'none'; style-src ${style}; base-uri 'none'; frame-ancestors 'none'`,
  );
});

test("form_post sends the response by a script that the policy of the page names", async () => {
  const browser = await openCore();
  const started = await browser.get("/start?client_id=demo-public");
  const { headers, text } = await browser.get(`${started.headers.get("location")!}&response_mode=form_post`);
  assertStringIncludes(text, `<form method="post" action="${issuer}/authorized">`);
  assertStringIncludes(text, `<input type="hidden" name="code" value="`);
  const script = await digestOf(/<script>(.*)<\/script>/.exec(text)![1]!);
  assertStringIncludes(headers.get("content-security-policy")!, `script-src ${script};`);
});

test("[DM-03] the page /authorized shows no token that its address contains", async () => {
  const browser = await openCore();
  const { status, text } = await browser.get("/authorized?access_token=the-token&id_token=the-token", page);
  assertEquals(status, 200);
  assert(!text.includes("the-token"));
  assert(!text.includes("Authorization Failed"));
});
