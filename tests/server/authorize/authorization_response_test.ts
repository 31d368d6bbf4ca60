/**
 * Responses of the authorization endpoint (group AR).
 *
 * @extensions signed_responses
 */

import { failingPages } from "../failing_pages.ts";
import { assert, assertEquals, assertMatch, assertNotEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import { type Approver, ConfigurationError, type LatchkeyOptions, OAuthError } from "../../../src/mod.ts";
import { latchkey } from "../../secret_leak_check.ts";
import {
  assertAuthorizationResponse,
  assertPage,
  authorizeByPost,
  challenge,
  clients,
  decodeClaims,
  encode,
  forEachCase,
  getRedirectParams,
  goodRequest,
  testServer,
} from "../../kit.ts";
import type { Fields, TestServer } from "../../kit.ts";

/** Requests of `spa` that are rejected by redirect, one per reason. */
const rejected: readonly Fields[] = [
  { response_type: undefined },
  { response_type: "token" },
  { response_mode: "fragment" },
  { scope: "bogus" },
  { scope: `re"ad` },
  { code_challenge: undefined },
  { code_challenge: "short" },
  { code_challenge_method: "plain" },
  { nonce: ["1", "2"] },
  { request: "x" },
  { request_uri: "https://evil.example/r" },
];

/** Values that want to break out of whatever they are put into. */
const hostile = [
  ...[`"`, "\\", `"><script>alert(1)</script>`, "\r\nSet-Cookie: x=1", "\n", "\0", "\x1b[31m", "\x7f", "é", "Привет"],
  "鍵",
  ...["🔑", "\u202e", "\u2028", "\ufeff", "%22", "%0d%0a", "&error=access_denied", "#fragment", "?a=b"],
  "a".repeat(10_000),
];

/** GET and POST, as functions of the changed fields. */
function ways(server: TestServer): readonly ((fields: Fields) => Promise<Response>)[] {
  return [server.authorize, (fields) => authorizeByPost(server, fields)];
}

test("[AR-01] the response to GET is 302 or 303, to POST 303, for success and errors", async () => {
  const server = await testServer();
  await forEachCase([{}, ...rejected], async (fields) => {
    const got = await server.authorize(fields);
    assertAuthorizationResponse(got);
    assert([302, 303].includes(got.status));
    const posted = await authorizeByPost(server, fields);
    assertAuthorizationResponse(posted);
    assertEquals(posted.status, 303);
    assertEquals(await posted.text(), "");
  });
});

test("[AR-02] success has code, iss and state, each once, in the query of the redirect URI", async () => {
  const server = await testServer();
  await forEachCase(ways(server), async (send) => {
    const response = await send({});
    const result = assertAuthorizationResponse(response);
    assertEquals(Object.keys(result).sort(), ["code", "iss", "state"]);
    assertEquals((await server.token({ code: result.code })).status, 200);
    const url = new URL(response.headers.get("location")!);
    assertEquals([url.origin, url.pathname, url.hash], ["https://spa.example", "/cb", ""]);
    assertEquals([...url.searchParams.keys()].sort(), ["code", "iss", "state"]);
  });
});

test("[AR-02] success has no state if the request has none", async () => {
  const server = await testServer();
  await forEachCase(ways(server), async (send) => {
    assertEquals(Object.keys(assertAuthorizationResponse(await send({ state: undefined }), { state: null })).sort(), [
      "code",
      "iss",
    ]);
    assertEquals(Object.keys(assertAuthorizationResponse(await send({ state: "" }), { state: null })).sort(), [
      "code",
      "iss",
    ]);
  });
});

test("[AR-02] success is form-encoded for every state", async () => {
  const server = await testServer();
  const location = (await server.authorize({ state: "a b+c&d=e#f?g/h" })).headers.get("location")!;
  assertMatch(location, /[?&]state=a(?:\+|%20)b%2Bc%26d%3De%23f%3Fg%2Fh(?:&|$)/);
  assertMatch(location, /[?&]iss=https%3A%2F%2Fas\.test(?:&|$)/);
});

test("[AR-03] an error response has error, error_description, iss and state on the redirect URI, and no code", async () => {
  const server = await testServer();
  await forEachCase(rejected, (fields) =>
    forEachCase(ways(server), async (send) => {
      const result = assertAuthorizationResponse(await send(fields));
      assertEquals(Object.keys(result).sort(), ["error", "error_description", "iss", "state"]);
      assert(result.error_description);
    }));
  assertEquals(server.events.filter((event) => event.type === "code_issued").length, 0);
});

test("[AR-03] an error response has no state if the request has none", async () => {
  const server = await testServer();
  await forEachCase(rejected, (fields) =>
    forEachCase([undefined, ""], async (state) => {
      assert("error" in assertAuthorizationResponse(await server.authorize({ ...fields, state }), { state: null }));
      assert(
        "error" in assertAuthorizationResponse(await authorizeByPost(server, { ...fields, state }), { state: null }),
      );
    }));
});

test("[AR-04] error is a registered code and error_description has allowed characters only, for every request", async () => {
  const server = await testServer();
  const names = [
    ...["response_type", "response_mode", "scope", "code_challenge", "code_challenge_method", "request"],
    "request_uri",
  ];
  await forEachCase(names, (name) =>
    forEachCase(hostile, async (value) => {
      const { error, error_description } = assertAuthorizationResponse(
        await authorizeByPost(server, { [name]: value }),
      );
      assert(error);
      if (value.length > 3) assert(!error_description!.includes(value), "the description repeats what was sent");
      if (encode({ value }).length < 15_000) {
        assertEquals(assertAuthorizationResponse(await server.authorize({ [name]: value })).error, error);
      }
      assertAuthorizationResponse(await authorizeByPost(server, { [name]: [value, value] }));
    }));
});

test("[AR-04] the description of an approver is sanitized for error_description", async () => {
  await forEachCase(hostile, async (words) => {
    const approver: Approver = () => {
      throw new OAuthError("access_denied", `denied because ${words}`, { rule: "AZ-21" });
    };
    const server = await testServer({ approver });
    assertEquals(assertAuthorizationResponse(await server.authorize()).error, "access_denied");
  });
});

test("[AR-05] every redirect has the issuer of the metadata, with and without path and trailing slash", async () => {
  const issuers = [
    ...["https://as.test", "https://as.test/", "https://as.test/t1", "https://as.test/t1/"],
    "https://as.test:8443/a/b",
  ];
  await forEachCase([...issuers, "http://localhost:9000", "http://[::1]:9000"], async (issuer) => {
    const { as } = await testServer({ issuer });
    const base = issuer.replace(/\/$/, "");
    const fetch = (path: string, init?: RequestInit) =>
      as.fetch(new Request(base + path, { redirect: "manual", ...init }));
    const metadata = await (await fetch("/.well-known/openid-configuration")).json();
    assertEquals(metadata.issuer, issuer);
    assertEquals(metadata.authorization_response_iss_parameter_supported, true);
    for (const fields of [{}, ...rejected]) {
      assertAuthorizationResponse(await fetch(`/oauth2/authorize?${encode({ ...goodRequest, ...fields })}`), {
        issuer,
      });
      const init = {
        method: "POST",
        body: encode({ ...goodRequest, ...fields }),
        headers: { "content-type": "application/x-www-form-urlencoded" },
      };
      assertAuthorizationResponse(await fetch("/oauth2/authorize", init), { issuer });
    }
  });
});

test("[AR-05, MD-10] metadata without authorization_response_iss_parameter_supported: responses have no iss, signed ones do", async () => {
  await forEachCase([false, null, "false"], async (value) => {
    const warnings: unknown[] = [];
    const server = await testServer({
      metadata: { authorization_response_iss_parameter_supported: value },
      responseModes: ["query", "form_post", "jwt"],
      trace: (event) => event.type === "configuration_warning" && warnings.push(event.message),
    });
    const metadata = await (await server.get("/.well-known/openid-configuration")).json();
    assertEquals(metadata.authorization_response_iss_parameter_supported ?? null, value);
    assertEquals("authorization_response_iss_parameter_supported" in metadata, value !== null);
    assertEquals(getRedirectParams(await server.authorize({ state: "st4te" })).has("iss"), false);
    assertEquals(getRedirectParams(await server.authorize({ scope: "bogus" })).has("iss"), false);
    const page = await (await server.authorize({ response_mode: "form_post" })).text();
    assertEquals([page.includes('name="code"'), page.includes('name="iss"')], [true, false]);
    const signed = getRedirectParams(await server.authorize({ response_mode: "jwt" })).get("response")!;
    assertEquals(decodeClaims(signed).iss, metadata.issuer);
    assertMatch(String(warnings), /authorization responses have no iss/);
  });
});

test("[MD-01] members of both metadata documents are replaced, added and removed, and nothing else changes", async () => {
  const metadata = {
    ...{ service_documentation: "https://docs.example", scopes_supported: ["openid"], acr_values_supported: [] },
    code_challenge_methods_supported: null,
  };
  const [changed, usual] = [await testServer({ metadata }), await testServer()];
  for (const name of ["openid-configuration", "oauth-authorization-server"]) {
    const read = async ({ get }: TestServer) => await (await get(`/.well-known/${name}`)).json();
    const { code_challenge_methods_supported: _, ...others } = await read(usual);
    assertEquals(await read(changed), {
      ...others,
      ...{ service_documentation: "https://docs.example", scopes_supported: ["openid"], acr_values_supported: [] },
    });
  }
  assertAuthorizationResponse(await changed.authorize({ scope: "openid read" }));
  const rejection = assertAuthorizationResponse(await changed.authorize({ code_challenge: undefined }));
  assertEquals(rejection.error, "invalid_request");
});

test("[HT-17, PF-02] metadata is replaced on test hosts only, and a profile keeps iss", async () => {
  const off = { authorization_response_iss_parameter_supported: false };
  const real: LatchkeyOptions = { issuer: "https://auth.example.com", insecure: ["auto-login"], clients };
  await assertRejects(
    () => latchkey({ ...real, metadata: { service_documentation: "https://docs.example" } }),
    ConfigurationError,
    "metadata must be true",
  );
  const problem = "because the profile is";
  await assertRejects(() => latchkey({ profile: "mcp", metadata: off }), ConfigurationError, problem);
  await (await latchkey({ profile: "oidc", metadata: off })).close();
});

test("[AR-05, HT-16] iss depends neither on the host of the request nor on its parameters", async () => {
  const { as, authorize } = await testServer();
  const headers = { "x-forwarded-host": "evil.example", "x-forwarded-proto": "http", forwarded: "host=evil.example" };
  const request = new Request(`https://evil.example/oauth2/authorize?${encode(goodRequest)}`, {
    headers,
    redirect: "manual",
  });
  assertAuthorizationResponse(await as.fetch(request));
  assertAuthorizationResponse(await authorize({ iss: "https://evil.example" }));
  assertAuthorizationResponse(await authorize({ iss: "https://evil.example", scope: "bogus" }));
});

test("[AR-06] the response reveals no server data and no other request parameters", async () => {
  const server = await testServer({ users: [{ sub: "alice-who-was-first" }, { sub: "bob-who-was-hinted" }] });
  const nonce = "n-0nce-that-stays";
  const fields = {
    nonce,
    login_hint: "bob-who-was-hinted",
    max_age: "5",
    prompt: "consent",
    display: "page",
    acr_values: "x",
    ui_locales: "de",
  };
  for (const send of ways(server)) {
    for (const more of [{}, { scope: "bogus" }, { session: "s", code: "c", access_token: "t" }]) {
      const response = await send({ ...fields, ...more });
      assertAuthorizationResponse(response);
      const location = response.headers.get("location")!;
      for (const secret of [nonce, challenge, "bob-who", "alice-who"]) assert(!location.includes(secret), location);
    }
  }
  const { code } = assertAuthorizationResponse(await server.authorize(fields));
  const issued = server.events.flatMap((event) => event.type === "code_issued" ? [event.grantId] : []);
  for (const grant of issued) assert(!code!.includes(grant));
  const { id_token } = await (await server.token({ code })).json();
  assertEquals([decodeClaims(id_token).nonce, decodeClaims(id_token).sub], [nonce, "bob-who-was-hinted"]);
});

test("[AR-07] Location is one ASCII line that a form decoder reads back exactly", async () => {
  const server = await testServer();
  const states = [
    ...["+", "&", "=", "#", "%", "+ & = # %", "%2B", "%252B", "a=b&code=stolen&iss=x", "é", "ß", "Привет", "鍵🔑"],
    ...["e\u0301", "\u202eabc", "\ufeffx", "'()*!~-._", `"<>\\^\`{|}`, "/?:@,;$", " ", "a\tb", "\r\n", "\0"],
    ...["\u2028", "%", "%zz", "%ff", "++", "%20+"],
  ];
  await forEachCase(states, (state) =>
    forEachCase(ways(server), async (send) => {
      for (const fields of [{}, { scope: "bogus" }]) {
        const response = await send({ ...fields, state });
        assertAuthorizationResponse(response, { state });
        const location = response.headers.get("location")!;
        assertMatch(location, /^[\x21-\x7E]+$/);
        assertEquals(new URL(location).searchParams.get("state"), state);
        const raw = /[?&]state=([^&#]*)/.exec(location)![1]!;
        assertEquals(decodeURIComponent(raw.replaceAll("+", " ")), state);
      }
    }));
});

test("[AR-08] responses of the authorization endpoint are not cached and send no referrer", async () => {
  const broken = await testServer({ pages: failingPages(() => new Error("no ink")) });
  const failing = await testServer({ approver: () => Promise.reject(new Error("gone")) });
  const server = await testServer();
  const responses: Readonly<Record<string, Response>> = {
    success: await server.authorize(),
    "success after a POST": await authorizeByPost(server),
    "error redirect": await server.authorize({ scope: "bogus" }),
    "error redirect after a POST": await authorizeByPost(server, { scope: "bogus" }),
    "failure of the approver": await failing.authorize(),
    "unknown client": await server.authorize({ client_id: "unknown" }),
    "unknown client after a POST": await authorizeByPost(server, { client_id: "unknown" }),
    "foreign redirect URI": await server.authorize({ redirect_uri: "https://evil.example/cb" }),
    "broken encoding": await server.get("/oauth2/authorize?client_id=%ff"),
    "nothing at all": await server.get("/oauth2/authorize"),
    "wrong media type": await server.authorize({}, { method: "POST", body: "{}" }),
    "too long a query": await server.authorize({ padding: "a".repeat(17_000) }),
    "too large a body": await authorizeByPost(server, { padding: "a".repeat(70_000) }),
    "another method": await server.authorize({}, { method: "DELETE" }),
    preflight: await server.authorize({}, { method: "OPTIONS" }),
    HEAD: await server.authorize({}, { method: "HEAD" }),
    "a page that cannot be drawn": await broken.authorize({ client_id: "unknown" }),
  };
  await forEachCase(Object.keys(responses), (name) => {
    const { headers } = responses[name]!;
    assertEquals([headers.get("referrer-policy"), headers.get("cache-control")], ["no-referrer", "no-store"]);
  });
});

test("[AR-08] responses of an approver are not cached and send no referrer either", async () => {
  const approver: Approver = () => new Response("<h1>Who are you?</h1>", { headers: { "content-type": "text/html" } });
  const response = await (await testServer({ approver })).authorize();
  assertEquals([response.status, await response.text()], [200, "<h1>Who are you?</h1>"]);
  const { headers } = response;
  assertEquals([headers.get("referrer-policy"), headers.get("cache-control")], ["no-referrer", "no-store"]);
});

test("[AR-09] either every redirect ends in #_ or none has a fragment", async () => {
  const server = await testServer();
  const fragments = new Set<string>();
  for (const fields of [{}, ...rejected]) {
    for (const send of ways(server)) {
      for (const state of ["plain", "a#b", undefined]) {
        const location = (await send({ ...fields, state })).headers.get("location")!;
        fragments.add(location.includes("#") ? location.slice(location.indexOf("#")) : "");
      }
    }
  }
  assertEquals(fragments.size, 1);
  assertMatch([...fragments][0]!, /^(?:|#_)$/);
});

test("[AR-10] the redirect goes to the requested URI, with the requested port on loopback", async () => {
  const redirect_uris = ["http://127.0.0.1/cb", "http://[::1]:1000/cb?a=1", "http://localhost:3000/cb"];
  const server = await testServer({ clients: [{ client_id: "spa", redirect_uris }] });
  const uris = [
    "http://127.0.0.1:51004/cb",
    "http://[::1]:51004/cb?a=1",
    "http://[::1]/cb?a=1",
    "http://localhost:51004/cb",
  ];
  await forEachCase(uris, (uri) =>
    forEachCase(ways(server), async (send) => {
      assert(assertAuthorizationResponse(await send({ redirect_uri: uri }), { uri }).code);
      assertEquals(
        assertAuthorizationResponse(await send({ redirect_uri: uri, scope: "bogus" }), { uri }).error,
        "invalid_scope",
      );
    }));
});

test("[AR-11] a configured client gets its errors immediately, before any user interaction", async () => {
  let asked = 0;
  const approver: Approver = () => {
    asked++;
    return new Response("please log in");
  };
  const server = await testServer({ approver });
  await forEachCase(
    rejected,
    (fields) =>
      forEachCase(ways(server), async (send) => assert("error" in assertAuthorizationResponse(await send(fields)))),
  );
  assertEquals(asked, 0);
  await assertPage(await server.authorize({ client_id: "unknown" }));
  await assertPage(await server.authorize({ redirect_uri: "https://evil.example/cb" }));
  assertEquals(asked, 0);
});

test("[AR-12] the same authorization request sent twice gives two different valid codes", async () => {
  const server = await testServer();
  const codes = [
    await server.code(),
    await server.code(),
    assertAuthorizationResponse(await authorizeByPost(server)).code!,
  ];
  assertEquals(new Set(codes).size, 3);
  assertNotEquals(codes[0]!.slice(0, 4), codes[1]!.slice(0, 4));
  await forEachCase(codes, async (code) => assertEquals((await server.token({ code })).status, 200));
  const together = await Promise.all(Array.from({ length: 50 }, () => server.code()));
  assertEquals(new Set(together).size, 50);
});
