/** The endpoints of the minimal server with its plain pages and errors. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { core } from "../../src/core/mod.ts";
import { authorizeParameters, encode, issuer, type Parameters } from "./kit.ts";

const redirect_uri = `${issuer}/authorized`;

/** A server with a public and a confidential client whose redirect URI is its own page /authorized. */
async function openCore() {
  const server = await core({
    issuer,
    clients: [
      { client_id: "demo-secret", client_secret: "s3cret", redirect_uris: [redirect_uri] },
      { client_id: "demo-public", redirect_uris: [redirect_uri] },
    ],
    users: [{ sub: "alice" }],
    policy: { alg: "EdDSA" },
  });
  const get = async (path: string, headers: HeadersInit = {}) => {
    const response = await server.fetch(new Request(new URL(path, issuer), { headers }));
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const authorize = (changes: Parameters) =>
    get(`/oauth2/authorize?${encode({ ...authorizeParameters, redirect_uri, ...changes })}`);
  return { get, authorize };
}

const page = { accept: "text/html" };

async function digestOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`;
}

test("the home page has the issuer and its endpoints, and names no client", async () => {
  const browser = await openCore();
  const { status, text } = await browser.get("/");
  assertEquals(status, 200);
  assertStringIncludes(text, `Issuer: <code>${issuer}</code>`);
  assertStringIncludes(text, `<code>${issuer}/oauth2/token</code>`);
  assert(!text.includes("demo-public"));
  assertEquals((await browser.get("/start")).status, 404);
});

test("[DI-04] the page /authorized is not shown under a foreign host", async () => {
  const browser = await openCore();
  assertEquals((await browser.get("/authorized?code=c", { host: "rebound.example" })).status, 403);
});

test("a login ends at /authorized, with the token request of its client to paste", async () => {
  const browser = await openCore();
  for (const client_id of ["demo-public", "demo-secret"]) {
    const location = (await browser.authorize({ client_id })).headers.get("location")!;
    const { status, headers, text } = await browser.get(location);
    assertEquals([status, headers.get("set-cookie")], [200, null]);
    assertStringIncludes(text, "<h1>Authorization Successful!</h1>");
    assertStringIncludes(text, "The client must check that <code>state</code>");
    assertStringIncludes(text, `-d 'code=${new URL(location).searchParams.get("code")}'`);
    assertStringIncludes(text, "-d 'code_verifier=YOUR_CODE_VERIFIER'");
    const isPublic = client_id === "demo-public";
    assertStringIncludes(text, isPublic ? "-d 'client_id=demo-public'" : "-u 'demo-secret:YOUR_CLIENT_SECRET'");
    assertEquals(text.includes("YOUR_CLIENT_"), !isPublic);
  }
});

test("with an unknown code, /authorized has a placeholder for the client", async () => {
  const { text } = await (await openCore()).get("/authorized?code=unknown");
  assertStringIncludes(text, "-d 'client_id=YOUR_CLIENT_ID'");
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
  const { headers, text } = await browser.authorize({ client_id: "demo-public", response_mode: "form_post" });
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
