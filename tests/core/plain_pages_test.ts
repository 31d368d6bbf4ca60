/** The endpoints of the minimal server with its plain pages and errors. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { approveAutomatically } from "../../src/core/approver.ts";
import type { CoreApp } from "../../src/core/context.ts";
import { createHandler } from "../../src/core/create_handler.ts";
import { errorHandler } from "../../src/core/error_response.ts";
import { toResponse } from "../../src/core/http/message.ts";
import { RequestContext } from "../../src/core/request_context.ts";
import { coreEndpoints } from "../../src/core/routes.ts";
import { latchkey } from "../../src/mod.ts";

const issuer = "http://localhost:9000";

/** Opens the endpoints of the minimal server, on the records and policy of a whole one. */
async function openCore() {
  let app: CoreApp | undefined;
  const server = await latchkey({ issuer, plugins: [{ setup: (ofServer) => void (app = ofServer) }] });
  const endpoints = coreEndpoints({ server: app!.server, base: "", extensions: [], approver: approveAutomatically });
  const own: CoreApp = { ...app!, endpoints, formPostPage: undefined };
  const { handle } = createHandler(endpoints, {
    server: own.server,
    createContext: (request, target, route) => new RequestContext(own, request, target, route),
    handleError: errorHandler(),
  });
  let cookie = "";
  return {
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    async get(path: string, headers: HeadersInit = {}) {
      const url = new URL(path, issuer);
      const response = toResponse(await handle(new Request(url, { headers: { cookie, ...headers } })));
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
  await using core = await openCore();
  const { status, text } = await core.get("/");
  assertEquals(status, 200);
  assertStringIncludes(text, `Issuer: <code>${issuer}</code>`);
  assertStringIncludes(text, `<code>${issuer}/oauth2/token</code>`);
  assertStringIncludes(text, `<a href="/start?client_id=demo-public">Start a login as demo-public</a>`);
});

test("[DI-04] the home page names no client under a foreign host", async () => {
  await using core = await openCore();
  assert(!(await core.get("/", { host: "rebound.example" })).text.includes("demo-public"));
});

test("a login that a page starts ends at /authorized, with the token request to paste", async () => {
  await using core = await openCore();
  const started = await core.get("/start?client_id=demo-public");
  const decided = await core.get(started.headers.get("location")!);
  const { status, text } = await core.get(decided.headers.get("location")!);
  assertEquals(status, 200);
  assertStringIncludes(text, "<h1>Authorization Successful!</h1>");
  const code = new URL(decided.headers.get("location")!).searchParams.get("code")!;
  assertStringIncludes(text, `-d 'code=${code}'`);
  assertStringIncludes(text, "code_verifier=");
  assert(!text.includes("YOUR_"), "nothing is left to insert");
});

test("/authorized shows no repeated parameter, and an error as text", async () => {
  await using core = await openCore();
  const { text } = await core.get("/authorized?state=a&state=b&error=%3Cscript%3E");
  assertStringIncludes(text, "<h1>Authorization Failed</h1>");
  assertStringIncludes(text, "state is repeated, so none of its values can be trusted and none is shown.");
  assertStringIncludes(text, "<code>&lt;script></code>");
});

test("[AZ-02] an error is a page for a browser and JSON for a program, with code, message and rule", async () => {
  await using core = await openCore();
  const path = "/oauth2/authorize?client_id=unknown&redirect_uri=http://localhost:3000/cb";
  const shown = await core.get(path, page);
  assertEquals(shown.status, 400);
  assertStringIncludes(shown.text, "<h1>Request rejected</h1>");
  assertStringIncludes(shown.text, "<dt>Rule</dt><dd><code>AZ-02</code></dd>");
  const { status, text } = await core.get(path, { accept: "application/json" });
  assertEquals(status, 400);
  const { error, error_description } = JSON.parse(text);
  assertEquals(error, "invalid_request");
  assertStringIncludes(error_description, "[AZ-02]");
});

test("a page allows its own style alone, by its digest", async () => {
  await using core = await openCore();
  const { headers, text } = await core.get("/nowhere", page);
  const style = await digestOf(/<style>(.*)<\/style>/.exec(text)![1]!);
  assertEquals(
    headers.get("content-security-policy"),
    `default-src 'none'; style-src ${style}; base-uri 'none'; frame-ancestors 'none'`,
  );
});

test("form_post sends the response by a script that the policy of the page names", async () => {
  await using core = await openCore();
  const started = await core.get("/start?client_id=demo-public");
  const { headers, text } = await core.get(`${started.headers.get("location")!}&response_mode=form_post`);
  assertStringIncludes(text, `<form method="post" action="${issuer}/authorized">`);
  assertStringIncludes(text, `<input type="hidden" name="code" value="`);
  const script = await digestOf(/<script>(.*)<\/script>/.exec(text)![1]!);
  assertStringIncludes(headers.get("content-security-policy")!, `script-src ${script};`);
});
