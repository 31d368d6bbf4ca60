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

test("the home page has the issuer, its endpoints and the start of a login, and names no client", async () => {
  const browser = await openCore();
  const { status, text } = await browser.get("/");
  assertEquals(status, 200);
  assertStringIncludes(text, `Issuer: <code>${issuer}</code>`);
  assertStringIncludes(text, `<code>${issuer}/oauth2/token</code>`);
  assert(!text.includes("demo-public"));
  assertStringIncludes(text, `<a href="/start">Start New Authorization</a>`);
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
