/**
 * Authorization responses that travel in a form: one page, one form, every value as it is (group FP).
 *
 * @extensions requested_claims
 */

import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { test } from "node:test";
import * as oauth from "oauth4webapi";
import {
  assertPage,
  assertTokenResponse,
  authorizeByPost,
  clients,
  encode,
  forEachCase,
  getOutcome,
  getRedirectParams,
  goodRequest,
  testServer,
} from "../../kit.ts";
import type { Fields } from "../../kit.ts";
import { assertPageWithForm, openBrowser, parseAttributes, sessionCookie } from "../browser.ts";

const mode = { response_mode: "form_post" };

/** Asserts a page that posts a response to the redirect URI, and returns what the client receives. */
async function posted(response: Response, uri = "https://spa.example/cb", ...hostile: string[]) {
  assertEquals(response.headers.get("location"), null);
  const { action, fields, body } = await assertPageWithForm(response, ...hostile);
  assertEquals(action, uri);
  const names = fields.map(([name]) => name);
  assertEquals(new Set(names).size, names.length, "a parameter is there twice");
  return Object.fromEntries(new URLSearchParams(body)) as Readonly<Record<string, string>>;
}

test("[FP-01] the response is a page with one form to the redirect URI, whose code the client exchanges", async () => {
  const b = await testServer();
  for (const response of [await b.authorize(mode), await authorizeByPost(b, mode)]) {
    const { code, ...rest } = await posted(response);
    assertEquals(rest, { state: "st4te", iss: "https://as.test" });
    assertEquals(await getOutcome(await b.token({ code })), "200");
  }
});

test("[FP-01] the form has state if and only if it was sent", async () => {
  const { authorize } = await testServer();
  for (const state of [undefined, ""]) {
    assertEquals(Object.keys(await posted(await authorize({ ...mode, state }))).sort(), ["code", "iss"]);
  }
});

test("[FP-01] errors after validation use form_post too, with error, description, iss and state only", async () => {
  const b = await testServer();
  const cases: [Fields, string][] = [
    [{ scope: "unknown" }, "invalid_scope"],
    [{ response_type: "token" }, "unsupported_response_type"],
    [{ response_type: undefined }, "invalid_request"],
    [{ code_challenge: undefined }, "invalid_request"],
    [{ code_challenge_method: "plain" }, "invalid_request"],
    [{ nonce: ["a", "b"] }, "invalid_request"],
    [{ prompt: "none" }, "login_required"],
    [{ prompt: "none login" }, "invalid_request"],
    [{ max_age: "x" }, "invalid_request"],
    [{ claims: "{" }, "invalid_request"],
    [{ id_token_hint: "x" }, "invalid_request"],
    [{ resource: "x" }, "invalid_target"],
    [{ request: "x" }, "request_not_supported"],
    [{ request_uri: "https://x.example" }, "request_uri_not_supported"],
  ];
  await forEachCase(cases, async ([fields, error]) => {
    for (
      const response of [await b.authorize({ ...mode, ...fields }), await authorizeByPost(b, { ...mode, ...fields })]
    ) {
      const result = await posted(response);
      assertEquals([result.error, result.state, result.iss], [error, "st4te", "https://as.test"]);
      assertEquals(Object.keys(result).filter((name) => !/^(?:error|error_description|state|iss)$/.test(name)), []);
      assertMatch(result.error_description ?? "", /^[\x20\x21\x23-\x5B\x5D-\x7E]*$/);
    }
  });
});

test("[FP-01, AZ-08] a repeated or too long state is left out of the form too", async () => {
  const b = await testServer();
  for (const state of [["a", "b"], "a".repeat(5000)]) {
    const result = await posted(await b.authorize({ ...mode, state }));
    assertEquals([result.error, result.state], ["invalid_request", undefined]);
  }
});

test("[FP-01, AZ-22] an internal error uses form_post too", async () => {
  const b = await testServer({
    approver: () => {
      throw new Error("s3cret detail");
    },
  });
  const result = await posted(await b.authorize(mode), undefined, "s3cret");
  assertEquals(result.error, "server_error");
});

test("[FP-01, AZ-01] an error before the redirect URI is known is a page without a form", async () => {
  const b = await testServer();
  await forEachCase([
    { client_id: "unknown" },
    { client_id: undefined },
    { redirect_uri: "https://evil.example/cb" },
    { redirect_uri: undefined },
    { redirect_uri: ["https://spa.example/cb", "https://spa.example/cb"] },
    { redirect_uri: "javascript:alert(1)" },
  ], async (fields) => {
    await assertPage(await b.authorize({ ...mode, ...fields }), 400, 'https://evil.example/cb"');
    await assertPage(await authorizeByPost(b, { ...mode, ...fields }), 400);
  });
});

test("[FP-01, AZ-19] response_mode counts once, case-sensitively and as the whole value", async () => {
  const b = await testServer();
  await forEachCase(
    ["FORM_POST", "form_post ", "form_post.jwt", "form-post", "query form_post", "web_message", "fragment"],
    async (value) => {
      const result = getRedirectParams(await b.authorize({ response_mode: value }));
      assertEquals([result.get("error"), result.get("code")], ["invalid_request", null]);
    },
  );
  for (const response_mode of [["form_post", "form_post"], ["query", "form_post"], ["form_post", "query"]]) {
    const response = await b.authorize({ response_mode });
    const result = response.headers.has("location")
      ? Object.fromEntries(getRedirectParams(response))
      : await posted(response);
    assertEquals([result.error, result.code], ["invalid_request", undefined]);
  }
});

test("[FP-01] the form's action is the requested redirect URI, including query and port", async () => {
  const uris = [
    "https://c.example/cb?a=1%202&b&c=%22%3E",
    "https://c.example/cb?",
    "https://c.example",
    "https://c.example/it's/(a)/[path]?$;~&amp;lt;=1",
    "https://c.example/'onmouseover='alert(1)",
    "com.example.app:/cb?x=y",
    "http://localhost:3000/cb",
  ];
  const b = await testServer({ clients: [{ client_id: "spa", redirect_uris: uris }] });
  await forEachCase([...uris, "http://localhost:51004/cb"], async (redirect_uri) => {
    const response = await b.authorize({ ...mode, redirect_uri });
    assertEquals(response.headers.get("location"), null);
    const html = await response.text();
    const [opening] = /<form\b(?:"[^"]*"|[^>"])*>/.exec(html)!;
    assertEquals(parseAttributes(opening).get("action"), redirect_uri);
    assert(!/\sonmouseover=/.test(opening.replace(/"[^"]*"/g, '""')));
    assertEquals(html.split("<form").length, 2);
  });
});

const hostileStates = [
  ...[
    `"><script>alert(1)</script>`,
    "'><svg>",
    "&quot;",
    "&amp;amp;",
    "&#34;&#x22;&lt",
    "</form><form action=//evil.example>",
  ],
  ...[
    "<!--",
    "]]>",
    "a b+c&d=e%41%",
    "ünï 🔑 \u2028\u2029",
    "\uFEFFbom",
    "`${x}`",
    "{{x}}",
    "\\\"\\'",
    " leading and trailing ",
  ],
  ...[
    "javascript:alert(1)",
    "a".repeat(4096),
    '" autofocus tabindex=1 x="',
    "constructor",
    "__proto__",
    "\u00A0\u200B",
  ],
];

test("[FP-03] markup, quotes and entities in state are inert in the page and arrive unchanged", async () => {
  const b = await testServer();
  await forEachCase(hostileStates, async (state) => {
    const hostile = ["<script>alert", "<svg>", "<form action=//", "<!--"];
    assertEquals((await posted(await b.authorize({ ...mode, state }), undefined, ...hostile)).state, state);
    const rejected = await posted(await b.authorize({ ...mode, state, scope: "unknown" }), undefined, ...hostile);
    assertEquals([rejected.state, rejected.error], [state, "invalid_scope"]);
  });
});

test("[FP-03] a state that a form would change arrives unchanged or is rejected", async () => {
  const b = await testServer();
  await forEachCase(
    ["a\nb", "a\rb", "a\r\nb", "\n", "\n\nx", "x\0y", "\t", "\u0085", "\u001B[0m", "\u007F", "\u0001"],
    async (state) => {
      for (const fields of [{}, { scope: "unknown" }]) {
        const result = await posted(await b.authorize({ ...mode, ...fields, state }));
        if ("code" in result) assertEquals(result.state, state);
        else assert(result.state === undefined || result.state === state, `arrives as ${JSON.stringify(result.state)}`);
      }
    },
  );
});

test("[UI-03, FP-03] the client's name is inert on the page", async () => {
  const client_name = `</p><script>alert(1)</script>"'&amp;`;
  const b = await testServer({
    clients: [{ client_id: "spa", client_name, redirect_uris: ["https://spa.example/cb"] }],
  });
  await posted(await b.authorize(mode), undefined, "<script>alert");
});

test("[FP-02, UI-01, UI-02] the page has the headers of every page, and a policy that allows its form and script", async () => {
  const b = await testServer();
  for (const fields of [mode, { ...mode, scope: "unknown" }]) {
    const response = await b.authorize(fields);
    const { headers } = response;
    assertEquals([response.status, headers.get("content-type")], [200, "text/html; charset=utf-8"]);
    assertEquals([headers.get("cache-control"), headers.get("referrer-policy")], ["no-store", "no-referrer"]);
    assertEquals([headers.get("x-frame-options"), headers.get("x-content-type-options")], ["DENY", "nosniff"]);
    const policy = new Map(
      headers.get("content-security-policy")!.split("; ").map((directive) => {
        const [name, ...values] = directive.split(" ");
        return [name!, values];
      }),
    );
    assertEquals([policy.get("default-src"), policy.get("frame-ancestors")], [["'none'"], ["'none'"]]);
    assertEquals([policy.has("form-action"), policy.get("script-src")], [false, ["'self'"]]);
    const html = await response.text();
    const [form] = /<form\b[^>]*>/.exec(html)!;
    assert(parseAttributes(form).has("data-submit"), "the script does not submit the form");
    const scripts = [...html.matchAll(/<script\b([^>]*)>/g)].map(([tag]) => parseAttributes(tag).get("src")!);
    assertEquals(scripts.length, 1);
    const script = await b.get(scripts[0]!);
    assertMatch(script.headers.get("content-type") ?? "", /javascript/);
    assertMatch(await script.text(), /requestSubmit/);
  }
});

test("[FP-01, AR-06] the page contains no secret except the code, and the code only in its form", async () => {
  const b = await testServer();
  const browser = openBrowser(b);
  const response = await browser.authorize({ ...mode, nonce: "n0nce" });
  const { html, fields } = await assertPageWithForm(response);
  const { code } = Object.fromEntries(fields);
  assertEquals(html.split(code!).length, 2);
  const sealed = browser.cookies.get(sessionCookie)!;
  for (const secret of ["n0nce", goodRequest.code_challenge as string, sealed, ...sealed.split(".")]) {
    assert(!html.includes(secret));
  }
});

test("[FP-01, OI-03] a login by form_post starts a session and continues it", async () => {
  const b = await testServer();
  const browser = openBrowser(b);
  const first = await posted(await browser.authorize(mode));
  assertEquals(await browser.authorizeSilently(), "code");
  const second = await posted(await browser.authorize({ ...mode, prompt: "none" }));
  assertNotEquals(first.code, second.code);
  assertEquals((await posted(await openBrowser(b).authorize({ ...mode, prompt: "none" }))).error, "login_required");
});

test("[HT-02] HEAD for a form_post response issues nothing", async () => {
  const b = await testServer();
  const response = await b.authorize(mode, { method: "HEAD" });
  assertEquals([response.body, response.headers.getSetCookie(), b.events.length], [null, [], 0]);
});

test("[SC-11, SC-18] oauth4webapi accepts the posted form as a response, for a code and an error", async () => {
  const b = await testServer();
  const as = (await (await b.get("/.well-known/openid-configuration")).json()) as oauth.AuthorizationServer;
  const client: oauth.Client = { client_id: "spa" };
  const received = async (fields: Fields) => {
    const { action, body } = await assertPageWithForm(await b.authorize({ ...mode, ...fields }));
    assertEquals(action, "https://spa.example/cb");
    return new URLSearchParams(body);
  };
  for (const state of ["st4te", ...hostileStates.slice(0, 6)]) {
    const params = oauth.validateAuthResponse(as, client, await received({ state }), state);
    assert(params.get("code"));
  }
  oauth.validateAuthResponse(as, client, await received({ state: undefined }), oauth.expectNoState);
  try {
    oauth.validateAuthResponse(as, client, await received({ scope: "unknown" }), "st4te");
    assert(false, "the error was taken for a success");
  } catch (error) {
    assert(error instanceof oauth.AuthorizationResponseError);
    assertEquals(error.error, "invalid_scope");
  }
});

test("[FP-01] a code sent by form_post has the same bindings: client, redirect URI and verifier", async () => {
  const b = await testServer({
    clients: [...clients, { client_id: "other", redirect_uris: ["https://spa.example/cb"] }],
  });
  const { code } = await posted(await b.authorize(mode));
  assertEquals(await getOutcome(await b.token({ code, client_id: "other" })), "400 invalid_grant");
  assertEquals(await getOutcome(await b.token({ code, redirect_uri: "https://spa.example/cb?" })), "400 invalid_grant");
  assertEquals(await getOutcome(await b.token({ code, code_verifier: "x".repeat(43) })), "400 invalid_grant");
  await assertTokenResponse(await b.token({ code }));
});

test("[FP-04] pages contain a code only under the server's own host names", async () => {
  const asked = `/oauth2/authorize?${encode({ ...goodRequest, ...mode })}`;
  const b = await testServer();
  for (const host of ["rebound.example.com", "xn--a.evil.com:9000"]) {
    const html = await assertPage(await b.get(asked, { headers: { host } }), 403);
    assertEquals(html.includes('name="code"'), false);
  }
  for (const host of ["as.test", "localhost:9000", "127.0.0.1:9000"]) {
    assert((await posted(await b.get(asked, { headers: { host } }))).code);
  }
  // Behind a proxy the host name may differ, and consent requires a user with a session.
  const real = await testServer({ issuer: "https://as.example.com", insecure: ["auto-login"] });
  assert((await posted(await real.get(asked, { headers: { host: "upstream" } }))).code);
});
