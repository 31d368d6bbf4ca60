/** The fault injector and every fault: its effect, whether a strict client detects it, and the reports. */

import { assert, assertEquals, assertMatch, assertNotEquals, assertRejects, assertThrows } from "@std/assert";
import { base64url, createLocalJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import { test } from "node:test";
import { inspector } from "../../src/devtools/mod.ts";
import type { Plugin } from "../../src/mod.ts";
import { fault } from "../../src/check/fault.ts";
import { faultInjector } from "../../src/testing/faults/fault_injector.ts";
import type { Fault, RequestView } from "../../src/testing/faults/fault.ts";
import * as faults from "../../src/testing/faults/mod.ts";
import { decodeClaims, encode, type Fields, forEachCase, getRedirectParams } from "../kit.ts";
import { getForm } from "../server/browser.ts";
import { getDetectedError, type StrictClient, strictClient } from "./strict_client.ts";
import { testLatchkey } from "./test_latchkey.ts";

const metadataPath = "/.well-known/openid-configuration";

function get({ as, fetch }: StrictClient, path: string, init?: RequestInit): Promise<Response> {
  return fetch(as.issuer + path, { redirect: "manual", ...init });
}

/** POST of a form, as the confidential client `web` unless the fields name another one. */
function post(
  s: StrictClient,
  path: string,
  fields: Fields = {},
  headers: Record<string, string> = {},
): Promise<Response> {
  return get(s, path, {
    method: "POST",
    body: encode(fields),
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      ..."client_id" in fields ? {} : { authorization: `Basic ${btoa("web:web-secret")}` },
      ...headers,
    },
  });
}

/** A token request that the server itself rejects with `invalid_grant`. */
const hopeless: Fields = { grant_type: "authorization_code", code: "x", redirect_uri: "https://web.example/cb" };

const authorization: Fields = {
  response_type: "code",
  client_id: "spa",
  redirect_uri: "https://spa.example/cb",
  scope: "openid",
  state: "st4te",
  code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
  code_challenge_method: "S256",
};

function authorize(s: StrictClient, fields: Fields = {}): Promise<Response> {
  return get(s, `/oauth2/authorize?${encode({ ...authorization, ...fields })}`);
}

async function errorOf(response: Response): Promise<string> {
  return `${response.status} ${(await response.json()).error}`;
}

// What a login meets: the endpoint, the fault, and what the strict client says.

const noticedByClients: readonly (readonly [string, Fault, string])[] = [
  ["token", faults.idToken.edited({ aud: "another-client" }), "OAUTH_JWT_CLAIM_COMPARISON_FAILED"],
  ["token", faults.idToken.edited({ iss: "https://another.example" }), "OAUTH_JWT_CLAIM_COMPARISON_FAILED"],
  ["token", faults.idToken.edited({ nonce: "another" }), "OAUTH_JWT_CLAIM_COMPARISON_FAILED"],
  ["token", faults.idToken.edited({ nonce: null }), "OAUTH_INVALID_RESPONSE"],
  ["token", faults.idToken.edited({ sub: "another-user" }), "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED"],
  ["authorize", faults.authorizationResponse.edited({ state: "another" }), "OAUTH_INVALID_RESPONSE"],
  ["authorize", faults.authorizationResponse.edited({ state: null }), "OAUTH_INVALID_RESPONSE"],
  ["authorize", faults.authorizationResponse.edited({ iss: "https://another.example" }), "OAUTH_INVALID_RESPONSE"],
  ["authorize", faults.authorizationResponse.edited({ iss: null }), "OAUTH_INVALID_RESPONSE"],
  ["authorize", faults.error("access_denied"), "access_denied"],
  ["token", faults.error("invalid_grant"), "invalid_grant"],
  ["token", faults.body.edited(({ access_token: _, ...others }) => others), "OAUTH_INVALID_RESPONSE"],
  ["token", faults.store.expired(), "invalid_grant"],
  ["token", faults.store.failing(), "OAUTH_RESPONSE_IS_NOT_CONFORM"],
  ["token", faults.clock.skewed(-7200), "OAUTH_JWT_TIMESTAMP_CHECK_FAILED"],
  ["token", faults.status(503), "OAUTH_RESPONSE_IS_NOT_CONFORM"],
  ["token", faults.body.edited({ token_type: "mac" }), "OAUTH_UNSUPPORTED_OPERATION"],
  ["token", faults.drop(), "TypeError"],
  ["token", faults.drop("after"), "TypeError"],
  ["jwks", faults.keys.withdrawn(), "OAUTH_KEY_SELECTION_FAILED"],
  ["jwks", faults.status(503), "OAUTH_RESPONSE_IS_NOT_CONFORM"],
  ["discovery", faults.body.edited({ issuer: "https://another.example" }), "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED"],
  ["discovery", faults.body.edited({ token_endpoint: null }), "OAUTH_MISSING_SERVER_METADATA"],
  ["userinfo", faults.error("invalid_token"), "OAUTH_WWW_AUTHENTICATE_CHALLENGE"],
];

test("a strict client detects every fault that it can detect, and the next login succeeds", async () => {
  await forEachCase(noticedByClients, async ([endpoint, fault, expected]) => {
    const s = await strictClient();
    s.injector.on(endpoint as "token").once(fault);
    assertEquals((await getDetectedError(s.logIn())).split(":")[0], expected);
    assertEquals(s.injector.unmetRules(), []);
    s.forgetKeys();
    assertEquals(await getDetectedError(s.logIn()), "nothing");
  });
});

test("[PR-03] a strict client rejects resource metadata of another resource, and meets each fault of challenges", async () => {
  const s = await strictClient();
  const challenge = async () =>
    (await s.fetch(`${s.as.issuer}/mcp`, { method: "POST", body: "{}" })).headers.get("www-authenticate");
  const metadata = 'resource_metadata="https://as.test/.well-known/oauth-protected-resource/mcp"';
  const algs = 'algs="RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 Ed25519 EdDSA"';
  assertEquals(await challenge(), `Bearer scope="read", ${metadata}, DPoP ${metadata}, ${algs}`);
  await forEachCase(
    [
      [fault("resource/challenge-missing", { what: "resource_metadata" }), `Bearer scope="read", DPoP ${algs}`],
      [
        faults.error("insufficient_scope", { description: "no" }),
        'Bearer realm="https://as.test", error="insufficient_scope", error_description="no"',
      ],
    ] as const,
    async ([fault, expected]) => {
      s.injector.on("resource").once(fault);
      const received =
        await (fault.id === "error"
          ? s.fetch(`${s.as.issuer}/mcp`, { method: "POST" }).then(({ headers }) => headers.get("www-authenticate"))
          : challenge());
      assertEquals(received, expected);
    },
  );
  await forEachCase(
    [
      [faults.body.edited({ resource: "https://another.example/mcp" }), "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED"],
      [faults.status(302, { headers: { location: "https://x.test" } }), "OAUTH_RESPONSE_IS_NOT_CONFORM"],
    ] as const,
    async ([fault, expected]) => {
      s.injector.on("resource_metadata").once(fault);
      assertEquals(await getDetectedError(s.findResource()), expected);
    },
  );
  s.injector.on("resource_metadata").once(faults.body.edited({ authorization_servers: ["https://another.example"] }));
  assertEquals((await s.findResource()).authorization_servers, ["https://another.example"]);
  assertEquals((await s.findResource()).authorization_servers, ["https://as.test"]);
  assertEquals(s.injector.unmetRules(), []);
});

test("without a rule, and where no rule matches, nothing changes", async () => {
  const s = await strictClient();
  const before = await (await get(s, metadataPath)).text();
  s.injector.on("token", { client: "web" }).always(faults.drop());
  s.injector.on("any", () => false).always(faults.drop());
  assertEquals(await (await get(s, metadataPath)).text(), before);
  const { tokens, claims, info } = await s.logIn();
  assertEquals([tokens.token_type, tokens.expires_in, claims.sub], ["bearer", 3600, "alice"]);
  assertEquals(info, { sub: "alice", name: "Alice Adams", email: "alice@example.com" });
});

// Rules.

test("a rule fires as often as written, and then the server responds by itself", async () => {
  const s = await strictClient();
  const statuses = async (count: number) => {
    const all = [];
    for (let i = 0; i < count; i++) all.push((await get(s, "/oauth2/jwks")).status);
    return all;
  };
  s.injector.on("jwks").once(faults.status(503));
  assertEquals(await statuses(2), [503, 200]);
  const twice = s.injector.on("jwks").times(2, faults.status(429));
  assertEquals([await statuses(4), twice.fired], [[429, 429, 200, 200], 2]);
  const always = s.injector.on("jwks").always(faults.status(500));
  assertEquals([await statuses(3), always.fired], [[500, 500, 500], 3]);
  always.remove();
  assertEquals(await statuses(1), [200]);
  for (const count of [0, -1, 1.5, NaN, Infinity]) {
    assertThrows(() => s.injector.on("jwks").times(count, faults.hang()), RangeError, "whole number");
  }
});

test("faults that respond form a queue, and others nest: the first one written is the outermost", async () => {
  const s = await strictClient();
  s.injector.on("jwks").once(faults.status(503));
  s.injector.on("jwks").once(faults.status(429));
  assertEquals((await get(s, "/oauth2/jwks")).status, 503);
  assertEquals((await get(s, "/oauth2/jwks")).status, 429);
  const order: string[] = [];
  const noting = (name: string): Fault => ({
    name,
    handle: (next) => async (request, peer) => {
      order.push(`${name} in`);
      const result = await next(request, peer);
      order.push(`${name} out`);
      return result;
    },
    extend: (server) => ({ ...server, now: () => (order.push(`${name} now`), server.now()) }),
  });
  s.injector.on("token").once(noting("a"));
  s.injector.on("any", { method: "POST" }).once(noting("b"));
  await post(s, "/oauth2/token", hopeless);
  assertEquals(order.filter((one) => !one.endsWith("now")), ["a in", "b in", "b out", "a out"]);
  s.injector.on("token").once(faults.idToken.edited({ nonce: "another" }));
  s.injector.on("token").once(faults.body.edited({ expires_in: 7 }));
  s.injector.on("token").once(faults.delay(0));
  assertEquals(await getDetectedError(s.logIn()), "OAUTH_JWT_CLAIM_COMPARISON_FAILED");
  assertEquals(s.injector.unmetRules(), []);
});

test("requests match by client, grant type, method, parameters or a function, and their body stays readable", async () => {
  const s = await strictClient();
  const basic = { authorization: `Basic ${btoa("web:web-secret")}` };
  const refresh: Fields = { ...hopeless, grant_type: "refresh_token", refresh_token: "r" };
  type Case = readonly [Parameters<StrictClient["injector"]["on"]>[1], string, Fields, Record<string, string>?];
  const matching: readonly Case[] = [
    [{ client: "web" }, "token", hopeless, basic],
    [{ client: "spa" }, "token", { ...hopeless, client_id: "spa" }],
    [{ client: { client_id: "spa" } }, "token", { ...hopeless, client_id: "spa" }],
    [{ grant_type: "refresh_token" }, "token", refresh],
    [{ method: "POST" }, "revoke", { token: "x" }],
    [{ params: { code: "x" } }, "token", hopeless],
    [{ params: { code: /^x+$/g, scope: undefined } }, "token", hopeless],
    [({ params, header }) => params.code === "x" && header("x-a") === "b", "token", hopeless, { "x-a": "b" }],
  ];
  await forEachCase(matching, async ([match, endpoint, fields, headers]) => {
    s.injector.on(endpoint as "token", match).once(faults.error("slow_down"));
    assertEquals(await errorOf(await post(s, `/oauth2/${endpoint}`, fields, headers)), "400 slow_down");
    assertEquals(s.injector.unmetRules(), []);
  });
  const passing: readonly Case[] = [
    [{ client: "web" }, "token", { ...hopeless, client_id: "spa" }],
    [{ client: "spa", grant_type: "refresh_token" }, "token", { ...hopeless, client_id: "spa" }],
    [{ method: "GET" }, "token", hopeless],
    [{ params: { code: "y" } }, "token", hopeless],
    [{ params: { code: undefined } }, "token", hopeless],
    [{ params: { toString: /./ } }, "token", hopeless],
    [() => false, "token", hopeless],
  ];
  await forEachCase(passing, async ([match, endpoint, fields, headers]) => {
    s.injector.clear();
    s.injector.on(endpoint as "token", match).always(faults.error("slow_down"));
    // The form has been looked at, and the server still reads all of it.
    assertEquals(await errorOf(await post(s, `/oauth2/${endpoint}`, fields, headers)), "400 invalid_grant");
  });
});

test("at userinfo the token names the client, and an unreadable form is rejected as without rules", async () => {
  const s = await strictClient();
  const { tokens } = await s.logIn();
  const userinfo = () => get(s, "/oauth2/userinfo", { headers: { authorization: `Bearer ${tokens.access_token}` } });
  s.injector.on("userinfo", { client: "web" }).always(faults.status(503));
  assertEquals((await userinfo()).status, 200);
  s.injector.on("userinfo", { client: "spa" }).once(faults.status(503));
  assertEquals((await userinfo()).status, 503);
  const seen: RequestView[] = [];
  s.injector.on("token", (request) => seen.push(request) < 0).always(faults.hang());
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const broken = await get(s, "/oauth2/token", { method: "POST", body: "code=%zz", headers });
  assertEquals(await errorOf(broken), "400 invalid_request");
  const large = await get(s, "/oauth2/token", { method: "POST", body: `code=${"x".repeat(70_000)}`, headers });
  assertEquals(await errorOf(large), "413 invalid_request");
  const other = await get(s, "/oauth2/token", { method: "POST", body: "{}" });
  assertEquals(await errorOf(other), "400 invalid_request");
  assertEquals(seen.map(({ params }) => params), [{}, {}, {}]);
});

test("any endpoint is none of the pages for developers: they stay readable, and use up no firing", async () => {
  await using as = await testLatchkey({ plugins: [inspector({ requests: false })] });
  const status = async (path: string) => {
    const response = await as.fetch(path);
    await response.body?.cancel();
    return response.status;
  };
  const rule = as.on("any").always(faults.status(503));
  const pages = ["/", "/clients", "/users", "/static/style.css"];
  assertEquals(await Promise.all(pages.map(status)), pages.map(() => 200));
  assertEquals(rule.fired, 0);
  const others = [metadataPath, "/oauth2/jwks", "/oauth2/authorize", "/oauth2/login", "/oauth2/userinfo", "/nothing"];
  assertEquals(await Promise.all(others.map(status)), others.map(() => 503));
  // Its own name is a page's choice.
  as.on("clients").once(faults.status(502));
  assertEquals([await status("/clients"), await status("/clients")], [502, 200]);
});

test("a CORS preflight uses up no firing", async () => {
  const s = await strictClient();
  s.injector.on("token").once(faults.error("invalid_grant"));
  assertEquals((await get(s, "/oauth2/token", { method: "OPTIONS" })).status, 204);
  assertEquals(s.injector.unmetRules().length, 1);
  s.injector.on("token", { method: "OPTIONS" }).once(faults.status(403));
  assertEquals((await get(s, "/oauth2/token", { method: "OPTIONS" })).status, 403);
});

test("each rule that never fired is reported in one sentence with the reason", async () => {
  const s = await strictClient();
  const { injector } = s;
  injector.on("token", { client: "spa", params: { code: "c0de" } }).once(faults.error("invalid_grant"));
  injector.on("jwks").times(3, faults.status(503));
  injector.on("revoke").always(faults.hang());
  injector.on("any").named("an unsigned ID token").once(faults.idToken.edited());
  injector.on("discovery").once(faults.status(500));
  injector.on("discovery").once(faults.delay(0));
  await post(s, "/oauth2/token", hopeless);
  await get(s, "/oauth2/jwks");
  await get(s, metadataPath);
  assertEquals(injector.unmetRules(), [
    'on("token", { client: spa, params: code }).once(invalid_grant) never fired: 1 request to token arrived, but none matched.',
    'on("jwks").times(3, status 503) fired 1 of 3 times.',
    'on("revoke").always(hang) never fired: no request to revoke arrived.',
    'an unsigned ID token (on("any").once(edited ID token)) never fired: 1 request matched, but none signed an ID token.',
    'on("discovery").once(delay of 0 ms) never fired: 1 request matched, but none reached this rule.',
  ]);
  injector.clear();
  assertEquals(injector.unmetRules(), []);
});

test("[CO-08] a rule for some seconds ends that long after its first firing, by the clock of the server", async () => {
  await using as = await testLatchkey();
  const statuses = async (count: number) => {
    const all = [];
    for (let i = 0; i < count; i++) all.push((await as.fetch("/oauth2/jwks")).status);
    return all;
  };
  const rule = as.on("jwks").named("down").for(30).always(faults.status(503));
  as.clock.advance(3600);
  assertEquals([await statuses(2), rule.finished], [[503, 503], false]);
  as.clock.advance(29);
  assertEquals(await statuses(1), [503]);
  as.clock.advance(1);
  assertEquals([await statuses(1), rule.finished, rule.fired], [[200], true, 3]);
  const limited = as.on("jwks").for(30).times(2, faults.status(500));
  assertEquals([await statuses(1), limited.finished], [[500], false]);
  as.clock.advance(31);
  assertEquals([await statuses(1), limited.finished], [[200], true]);
  const expected = 'on("jwks").for(30).times(2, status 500) fired 1 of 2 times.';
  assertMatch(
    (await assertRejects(() => as.reset(), Error)).message,
    new RegExp(expected.replaceAll(/[().]/g, "\\$&")),
  );
  for (const seconds of [0, -1, NaN, Infinity]) assertThrows(() => as.on("jwks").for(seconds), RangeError, "above 0");
});

test("a fault waits for a request that it can take effect in", async () => {
  const s = await strictClient();
  const rule = s.injector.on("token").once(faults.idToken.edited({ nonce: "another" }));
  await post(s, "/oauth2/token", hopeless);
  assertEquals(rule.fired, 0);
  assertEquals(await getDetectedError(s.logIn()), "OAUTH_JWT_CLAIM_COMPARISON_FAILED");
  assertEquals(rule.fired, 1);
});

test("of many concurrent requests, exactly as many get the fault as written", async () => {
  const s = await strictClient();
  s.injector.on("jwks").times(3, faults.status(503));
  const all = await Promise.all(Array.from({ length: 10 }, () => get(s, "/oauth2/jwks")));
  assertEquals(all.filter(({ status }) => status === 503).length, 3);
});

test("a value that is not a fault is rejected; for a function of faults the error shows the call", async () => {
  const { injector } = await strictClient();
  const broken = () => faults.drop();
  await forEachCase<[unknown, string]>([
    [faults.drop, "received the function faults.drop: call it, faults.drop()"],
    [faults.idToken.edited, "received the function faults.idToken.edited: call it, faults.idToken.edited()"],
    [faults.error, "received the function faults.error: call it, faults.error()"],
    [broken, "received the function broken: call it, broken()"],
    [() => faults.drop(), "received a function: call it"],
    [undefined, "received undefined"],
    [null, "received null"],
    ["drop", 'received "drop": write fault("drop"), with fault of @latchkey/latchkey/check'],
    [{ handle: () => () => Promise.reject() }, "received an object without a name: add the member name"],
  ], ([one, found]) => {
    const fault = one as Fault;
    const clause = injector.on("token");
    const verbs = { once: clause.once, times: clause.times.bind(clause, 2), always: clause.always };
    for (const [verb, write] of Object.entries(verbs)) {
      const { message } = assertThrows(() => write(fault), TypeError);
      assertEquals(message, `${verb}: expected a fault, such as faults.drop(), ${found}`);
    }
  });
  // @ts-expect-error A function is no fault.
  assertThrows(() => injector.on("any").once(faults.drop), TypeError);
  assertEquals(injector.unmetRules(), []);
});

test("a rule for an endpoint where its fault has no effect is rejected, with the endpoints where it has one", async () => {
  const { injector } = await strictClient();
  assertThrows(() => injector.on("jwks").once(faults.idToken.edited()), TypeError, 'write on("token")');
  assertThrows(
    () => injector.on("token").once(faults.authorizationResponse.edited({ state: "another" })),
    TypeError,
    'on("authorize") or',
  );
  assertEquals(injector.unmetRules(), []);
});

test("an event names the endpoint and each fault when it fires", async () => {
  const blamed: string[] = [];
  const s = await strictClient({
    trace: (event) => void (event.type === "fault_applied" && blamed.push(`${event.endpoint} ${event.fault}`)),
  });
  s.injector.on("token").once(faults.idToken.edited({ exp: 1 }));
  s.injector.on("jwks").once(faults.status(503));
  s.injector.on("jwks").once(faults.delay(0));
  await get(s, "/oauth2/jwks");
  await post(s, "/oauth2/token", hopeless);
  assertEquals(blamed, ["/oauth2/jwks status 503"]);
  await s.logIn().catch(() => {});
  assertEquals(blamed.slice(1), ["/oauth2/token edited ID token"]);
});

test("fault injectors of several servers are independent", async () => {
  const [one, other] = [await strictClient(), await strictClient()];
  one.injector.on("jwks").always(faults.status(503));
  assertEquals([(await get(one, "/oauth2/jwks")).status, (await get(other, "/oauth2/jwks")).status], [503, 200]);
});

test("a custom fault is a function around a seam", async () => {
  const s = await strictClient();
  const nameless: Fault = {
    name: "users without names",
    extend: (server) => ({ ...server, users: { ...server.users, find: (sub) => ({ sub }) } }),
  };
  s.injector.on("userinfo").once(nameless);
  assertEquals((await s.logIn()).info, { sub: "alice" });
  assertEquals((await s.logIn()).info.name, "Alice Adams");
});

// Claims.

test("edited claims are signed by the key of the server, as an object with null or a function, and reports name them", async () => {
  const s = await strictClient();
  const fired: number[] = [];
  for (
    const edit of [
      { email: "bob@example.com", roles: ["admin"], auth_time: null },
      ({ auth_time: _, ...claims }: Readonly<Record<string, unknown>>) => ({
        ...claims,
        email: "bob@example.com",
        roles: ["admin"],
      }),
    ]
  ) {
    const rule = s.injector.on("token").once(faults.idToken.edited(edit));
    await post(s, "/oauth2/token", hopeless);
    fired.push(rule.fired);
    const { claims } = await s.logIn();
    assertEquals([claims.sub, claims.email, claims.roles, claims.auth_time], [
      "alice",
      "bob@example.com",
      ["admin"],
      undefined,
    ]);
    fired.push(rule.fired);
  }
  assertEquals(fired, [0, 1, 0, 1]);
  s.injector.on("token").once(faults.idToken.edited());
  assertEquals(await getDetectedError(s.logIn()), "OAUTH_INVALID_RESPONSE");
  s.injector.on("token", { client: "web" }).once(faults.idToken.edited({ sub: "x" }));
  await s.logIn();
  assertMatch(
    s.injector.unmetRules().join(),
    /edited ID token\) never fired: \d+ requests? to token arrived, but none matched/,
  );
});

test("at_hash is of the access token that the response has, edited", async () => {
  await using as = await testLatchkey({ alg: "ES256" });
  const rule = as.on("token").once(
    faults.accessToken.edited({ aud: "https://api.example", scope: null, roles: ["admin"] }),
  );
  const { tokens: { access_token, id_token } } = await as.logIn(as.client(), { scope: "openid" });
  const { aud, scope, roles } = decodeClaims(access_token) as Record<string, unknown>;
  assertEquals([aud, scope, roles], ["https://api.example", undefined, ["admin"]]);
  const key = createLocalJWKSet(await (await as.fetch("/oauth2/jwks")).json());
  await jwtVerify(access_token, key, { issuer: as.issuer, currentDate: new Date(as.clock.now()) });
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(access_token)));
  assertEquals(decodeClaims(id_token!).at_hash, base64url.encode(digest.subarray(0, 16)));
  assertEquals(rule.fired, 1);
});

test("the header of an access token is edited and its signature is valid; an opaque one uses up no firing", async () => {
  await using as = await testLatchkey({ alg: "ES256" });
  as.on("token").once(faults.accessToken.editedHeader({ typ: "JWT", kid: null, x: 1 }));
  const opaque = as.client({ access_token_format: "opaque" });
  await as.logIn(opaque);
  const { tokens: { access_token } } = await as.logIn(as.client());
  assertEquals(decodeProtectedHeader(access_token), { alg: "ES256", typ: "JWT", x: 1 });
  const { keys } = await (await as.fetch("/oauth2/jwks")).json();
  await jwtVerify(access_token, createLocalJWKSet({ keys }), { currentDate: new Date(as.clock.now()) });
});

test("the claims of opaque access tokens are edited in the store, and the edit comes after as.issue", async () => {
  await using as = await testLatchkey();
  const client = as.client({ confidential: true, access_token_format: "opaque" });
  as.issue.everyAccessToken({ tier: "free", roles: ["reader"] });
  as.on("token").once(faults.accessToken.edited({ roles: ["admin"] }));
  const { tokens } = await as.logIn(client);
  const introspected = await as.fetch("/oauth2/introspect", {
    method: "POST",
    body: new URLSearchParams({ token: tokens.access_token }),
    headers: { authorization: `Basic ${btoa(`${client.client_id}:${client.client_secret}`)}` },
  });
  const { tier, roles } = await introspected.json();
  assertEquals({ tier, roles }, { tier: "free", roles: ["admin"] });
});

test("an access token whose claims this server cannot read is invalid, not an internal error", async () => {
  const s = await strictClient();
  await forEachCase(
    [{ jti: null }, { jti: 5 }, { client_id: null }, { sub: 5 }, { exp: null }, { scope: null }, { scope: ["openid"] }],
    async (edit) => {
      s.injector.on("token").once(faults.accessToken.edited(edit));
      const challenge = await getDetectedError(s.logIn());
      assertEquals(challenge, "OAUTH_WWW_AUTHENTICATE_CHALLENGE");
    },
  );
});

test("edited userinfo claims reach the client, plain and signed", async () => {
  const s = await strictClient();
  s.injector.on("userinfo").once(faults.userinfo.edited());
  assertEquals(await getDetectedError(s.logIn()), "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED");
  s.injector.on("userinfo").once(faults.userinfo.edited({ email: null, name: 7 }));
  assertEquals<Record<string, unknown>>((await s.logIn()).info, { sub: "alice", name: 7 });
  await using as = await testLatchkey();
  const client = as.client({ userinfo_signed_response_alg: "ES256" });
  const { tokens } = await as.logIn(client, { scope: "openid email" });
  as.on("userinfo").once(faults.userinfo.edited({ email: "bob@example.com" }));
  const signed = await as.fetch("/oauth2/userinfo", { headers: { authorization: `Bearer ${tokens.access_token}` } });
  const key = createLocalJWKSet(await (await as.fetch("/oauth2/jwks")).json());
  const { payload } = await jwtVerify(await signed.text(), key, { currentDate: new Date(as.clock.now()) });
  assertEquals([payload.sub, payload.email], ["alice", "bob@example.com"]);
});

// Errors.

test("an OAuth error has the form that the endpoint uses itself, with the challenge of its status", async () => {
  const s = await strictClient();
  const { tokens } = await s.logIn();
  const bearer = { authorization: `Bearer ${tokens.access_token}` };
  const basicChallenge =
    'Basic realm="https://as.test", charset="UTF-8", error="invalid_client", error_description="gone"';
  const bearerChallenge = 'Bearer realm="https://as.test", error="invalid_token", error_description="gone"';
  const send = {
    token: () => post(s, "/oauth2/token", hopeless),
    revoke: () => post(s, "/oauth2/revoke", { token: "x" }),
    introspect: () => post(s, "/oauth2/introspect", { token: "x" }),
    userinfo: () => get(s, "/oauth2/userinfo", { headers: bearer }),
    jwks: () => get(s, "/oauth2/jwks"),
    discovery: () => get(s, metadataPath),
  };
  const cases: readonly (readonly [keyof typeof send, string, number, string | null])[] = [
    ["token", "invalid_client", 401, basicChallenge],
    ["token", "invalid_scope", 400, null],
    ["token", "slow_down", 400, null],
    ["revoke", "unsupported_token_type", 400, null],
    ["revoke", "invalid_client", 401, basicChallenge],
    ["introspect", "invalid_client", 401, basicChallenge],
    ["userinfo", "invalid_token", 401, bearerChallenge],
    ["jwks", "server_error", 500, null],
    ["discovery", "temporarily_unavailable", 503, null],
  ];
  await forEachCase(cases, async ([endpoint, code, status, challenge]) => {
    s.injector.on(endpoint).once(faults.error(code, { description: "gone", retryAfter: 3 }));
    const response = await send[endpoint]();
    assertEquals([response.status, response.headers.get("www-authenticate")], [status, challenge]);
    assertEquals([response.headers.get("cache-control"), response.headers.get("retry-after")], ["no-store", "3"]);
    assertEquals(response.headers.get("access-control-allow-origin"), endpoint === "introspect" ? null : "*");
    assertEquals(await response.json(), { error: code, error_description: "gone" });
  });
  s.injector.on("token").once(faults.error("invalid_grant", { status: 418, uri: "https://as.test/why" }));
  const odd = await send.token();
  const { error_description, ...rest } = await odd.json();
  assertEquals([odd.status, rest], [418, { error: "invalid_grant", error_uri: "https://as.test/why" }]);
  assertMatch(error_description, /injected fault/);
});

test("at authorize the client receives an error with state and iss; without a valid redirect URI the server rejects", async () => {
  const s = await strictClient();
  const rule = s.injector.on("authorize").times(3, faults.error("login_required", { description: "no" }));
  const page = await authorize(s, { redirect_uri: "https://evil.example/" });
  assertEquals([page.status, page.headers.get("location"), rule.fired], [400, null, 0]);
  const params = getRedirectParams(await authorize(s));
  assertEquals(Object.fromEntries(params), {
    error: "login_required",
    error_description: "no",
    state: "st4te",
    iss: "https://as.test",
  });
  assertEquals(getRedirectParams(await authorize(s, { state: undefined })).has("state"), false);
  const { action, fields } = getForm(await (await authorize(s, { response_mode: "form_post" })).text());
  assertEquals([action, Object.fromEntries(fields).error], ["https://spa.example/cb", "login_required"]);
});

// What is between client and server.

test("a status has the given Retry-After, headers and body, and the server does nothing", async () => {
  let asked = 0;
  const counting: Plugin = { handle: (next) => (request, peer) => (asked++, next(request, peer)) };
  const board = faultInjector();
  const s = { ...await strictClient({ plugins: [board.plugin, counting] }), injector: board };
  const at = new Date(Date.UTC(2026, 0, 1));
  board.on("token").once(faults.status(429, { retryAfter: 5 }));
  board.on("token").once(faults.status(503, { retryAfter: at, headers: { "content-type": "text/plain" }, body: "no" }));
  const first = await post(s, "/oauth2/token", hopeless);
  assertEquals([first.status, first.headers.get("retry-after"), await first.text()], [429, "5", ""]);
  const second = await post(s, "/oauth2/token", hopeless);
  assertEquals([second.headers.get("retry-after"), await second.text()], ["Thu, 01 Jan 2026 00:00:00 GMT", "no"]);
  assertEquals(asked, 0);
  for (const status of [100, 199, 600, 200.5, NaN]) assertThrows(() => faults.status(status), RangeError);
});

test("a delay waits the given time with the option wait, by default in real time", async () => {
  const waits: number[] = [];
  const wait = (milliseconds: number) => (waits.push(milliseconds), Promise.resolve());
  const s = await strictClient({}, { wait });
  s.injector.on("jwks").once(faults.delay(60_000));
  assertEquals([(await get(s, "/oauth2/jwks")).status, waits], [200, [60_000]]);
  const real = await strictClient();
  real.injector.on("jwks").once(faults.delay(5));
  assertEquals((await get(real, "/oauth2/jwks")).status, 200);
});

test("clearing the rules and closing the server end every fault that waits", async () => {
  for (const end of [(s: StrictClient) => s.injector.clear(), (s: StrictClient) => s.as.close()]) {
    const s = await strictClient();
    const kept = faults.hold();
    s.injector.on("jwks").once(faults.delay(1_000_000));
    s.injector.on("discovery").once(faults.hang());
    s.injector.on("token").once(kept);
    const waiting = Promise.allSettled([
      get(s, "/oauth2/jwks"),
      get(s, metadataPath),
      post(s, "/oauth2/token", hopeless),
    ]);
    await kept.arrived;
    end(s);
    const [late, ...dropped] = await waiting;
    assert(late.status === "fulfilled" && late.value.status === 200);
    for (const one of dropped) assert(one.status === "rejected" && one.reason instanceof TypeError);
  }
});

test("a delayed request continues when it is released, and other requests overtake it", async () => {
  const s = await strictClient();
  const kept = faults.hold();
  s.injector.on("jwks").once(kept);
  const first = get(s, "/oauth2/jwks");
  await kept.arrived;
  let responded = false;
  void first.then(() => responded = true);
  assertEquals((await get(s, "/oauth2/jwks")).status, 200);
  assertEquals(responded, false);
  kept.release();
  assertEquals((await first).status, 200);
});

test("a connection drops before, after or midway: the code is exchanged in all cases but the first", async () => {
  const moments = { before: false, after: true, midway: true } as const;
  await forEachCase(Object.entries(moments), async ([moment, isExchanged]) => {
    const events: string[] = [];
    const s = await strictClient({ trace: ({ type }) => events.push(type) });
    s.injector.on("token").once(faults.drop(moment as keyof typeof moments));
    assertMatch(await getDetectedError(s.logIn()), /^(TypeError|OAUTH_PARSE_ERROR)/);
    assertEquals(events.includes("tokens_issued"), isExchanged);
  });
});

// What the protocol says.

test("state and iss change in redirects and forms, and the rest of the response stays", async () => {
  const s = await strictClient();
  const cases: readonly (readonly [Fault, Record<string, string | null>])[] = [
    [faults.authorizationResponse.edited({ state: "an&other=state" }), {
      state: "an&other=state",
      iss: "https://as.test",
    }],
    [faults.authorizationResponse.edited({ state: null }), { state: null, iss: "https://as.test" }],
    [faults.authorizationResponse.edited({ iss: "https://evil.test" }), { state: "st4te", iss: "https://evil.test" }],
    [faults.authorizationResponse.edited({ iss: null }), { state: "st4te", iss: null }],
  ];
  await forEachCase(cases, async ([fault, expected]) => {
    s.injector.on("authorize").times(2, fault);
    const params = getRedirectParams(await authorize(s));
    const posted = new URLSearchParams(getForm(await (await authorize(s, { response_mode: "form_post" })).text()).body);
    for (const sent of [params, posted]) {
      assertEquals({ state: sent.get("state"), iss: sent.get("iss") }, expected);
      assertMatch(sent.get("code")!, /^[\w-]{43}$/);
    }
  });
});

test("a rule about the authorization response also applies when the response comes from the login page", async () => {
  await using as = await testLatchkey({ login: "interactive" });
  const [mine, other] = [as.client(), as.client()];
  as.on("authorize", { client: mine, params: { scope: /email/ } }).once(
    faults.authorizationResponse.edited({ state: "x" }),
  );
  as.on("authorize", { client: mine }).once(faults.authorizationResponse.edited({ iss: null }));
  as.on("login", { client: mine, method: "POST" }).once(faults.error("access_denied"));
  assertEquals((await as.logIn(other)).callback.iss, as.issuer);
  const send = async (client: { client_id: string }, scope: string) => {
    const { client_id } = client;
    const { params } = await as.browser().authorize({ ...authorization, client_id, redirect_uri: undefined, scope });
    return ["state", "iss", "error"].map((name) => params.get(name));
  };
  assertEquals(await send(mine, "profile"), ["st4te", null, "access_denied"]);
  assertEquals(await send(other, "email"), ["st4te", as.issuer, null]);
  assertEquals(await send(mine, "email"), ["x", as.issuer, null]);
  // Also a rule that is added while the page is open.
  const query = encode({ ...authorization, client_id: mine.client_id, redirect_uri: mine.redirect_uri });
  const page = await as.fetch(`/oauth2/authorize?${query}`);
  as.on("login", { client: mine }).once(faults.status(503));
  assertEquals([new URL(page.url).pathname, (await as.fetch(page.url)).status], ["/oauth2/login", 503]);
});

test("the log names the faults that fired", async () => {
  const as = await testLatchkey();
  as.on("userinfo").once(faults.drop());
  const { tokens } = await as.logIn(as.client());
  const headers = { authorization: `Bearer ${tokens.access_token}` };
  await assertRejects(() => as.fetch("/oauth2/userinfo", { headers }), TypeError);
  const lost = as.log.last("userinfo");
  assertEquals([lost.outcome, lost.faults], ["dropped", ["dropped connection"]]);
  await as.close();
});

test("a stale JWKS lacks keys that are newer than the rule; extra keys do not disturb a client", async () => {
  const s = await strictClient();
  const kids = async () => (await (await get(s, "/oauth2/jwks")).json()).keys.map(({ kid }: { kid: string }) => kid);
  const before = await kids();
  const rule = s.injector.on("jwks").always(faults.keys.stale());
  s.injector.on("token").once(fault("keys/rotated"));
  assertEquals(await getDetectedError(s.logIn()), "OAUTH_KEY_SELECTION_FAILED");
  assertEquals(await kids(), before);
  rule.remove();
  const after = await kids();
  assertEquals(after.length, 2);
  s.injector.on("jwks").times(2, fault("keys/extra"));
  assertEquals((await kids()).length, 6);
  s.forgetKeys();
  assertEquals(await getDetectedError(s.logIn()), "nothing");
});

test("keys are withdrawn: the JWKS has another key instead of the signing key", async () => {
  const s = await strictClient();
  const keysNow = async () => (await (await get(s, "/oauth2/jwks")).json()).keys;
  const [signing] = await keysNow();
  s.injector.on("jwks").once(faults.keys.withdrawn());
  const [other, ...more] = await keysNow();
  assertEquals([more, other.alg, other.use], [[], "ES256", "sig"]);
  assertNotEquals([other.kid, other.x], [signing.kid, signing.x]);
});

test("token responses differ from the issued tokens", async () => {
  const s = await strictClient();
  const result = async (fault: Fault) => {
    s.injector.on("token").once(fault);
    const { tokens } = await s.logIn();
    assertEquals(s.injector.unmetRules(), []);
    const { exp, iat, scope } = decodeClaims(tokens.access_token);
    return { ...tokens, lives: Number(exp) - Number(iat), means: scope };
  };
  const { expires_in: short, lives } = await result(faults.body.edited({ expires_in: 1 }));
  assertEquals([short, lives], [1, 3600]);
  assertEquals((await result(faults.body.edited({ expires_in: null }))).expires_in, undefined);
  // The client reads the text, as many servers send it, as a number.
  assertEquals((await result(faults.body.edited({ expires_in: "60" }))).expires_in, 60);
  assertEquals((await result(faults.body.edited({ token_type: "bEARER" }))).token_type, "bearer");
  assertEquals((await result(fault("refresh/token-omitted"))).refresh_token, undefined);
  const true_ = await s.logIn();
  assertEquals([true_.tokens.scope, true_.tokens.expires_in], ["openid profile email", 3600]);
});

test("a refresh that returns no refresh token leaves the old one valid", async () => {
  const s = await strictClient();
  const { tokens: { refresh_token: first } } = await s.logIn();
  s.injector.on("token", { grant_type: "refresh_token" }).once(fault("refresh/token-omitted"));
  assertEquals((await s.refresh(first!)).refresh_token, undefined);
  assertEquals(s.injector.unmetRules(), []);
  assertNotEquals((await s.refresh(first!)).refresh_token, first);
});

test("[CI-02] a valid code has expired when it is exchanged, stays expired, and the next one is valid", async () => {
  const s = await strictClient();
  s.injector.on("token").once(faults.store.expired());
  await post(s, "/oauth2/token", hopeless);
  assertMatch(s.injector.unmetRules().join(), /but none exchanged a valid code/);
  const fields: Fields = {
    ...hopeless,
    client_id: "spa",
    redirect_uri: "https://spa.example/cb",
    code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
    code: getRedirectParams(await authorize(s)).get("code")!,
  };
  const { error, error_description } = await (await post(s, "/oauth2/token", fields)).json();
  assertEquals([error, error_description.split(":")[0]], ["invalid_grant", "the code has expired [CI-02]"]);
  assertEquals(s.injector.unmetRules(), []);
  assertEquals(await errorOf(await post(s, "/oauth2/token", fields)), "400 invalid_grant");
  assertEquals(await getDetectedError(s.logIn()), "nothing");
});

test("[RT-07] a refresh token has expired when it is used, and that of another login is valid", async () => {
  const s = await strictClient();
  const { tokens: { refresh_token: first } } = await s.logIn();
  s.injector.on("token").once(faults.store.expired("refresh_token"));
  const { tokens: { refresh_token: second } } = await s.logIn();
  assertEquals(await getDetectedError(s.refresh(first!)), "invalid_grant");
  assertNotEquals((await s.refresh(second!)).refresh_token, second);
});

test("a failing store is server_error to the client, and only the operator sees the cause", async () => {
  const causes: unknown[] = [];
  const s = await strictClient({ trace: (event) => event.type === "internal_error" && causes.push(event.cause) });
  s.injector.on("token").once(faults.store.failing());
  const response = await post(s, "/oauth2/token", hopeless);
  const text = await response.text();
  assertEquals([response.status, JSON.parse(text).error], [500, "server_error"]);
  assert(!text.includes("store"));
  assertMatch(String(causes[0]), /the store fails/);
});

test("a clock that is wrong in one exchange is right in the next", async () => {
  const s = await strictClient();
  s.injector.on("token").once(faults.clock.skewed(-600));
  const early = decodeClaims((await s.logIn()).tokens.id_token!);
  const right = decodeClaims((await s.logIn()).tokens.id_token!);
  assert(Number(right.iat) - Number(early.iat) >= 599);
  const code = getRedirectParams(await authorize(s)).get("code")!;
  s.injector.on("token").once(faults.clock.skewed(86_400));
  const fields: Fields = {
    ...hopeless,
    client_id: "spa",
    redirect_uri: "https://spa.example/cb",
    code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
    code,
  };
  assertEquals(await errorOf(await post(s, "/oauth2/token", fields)), "400 invalid_grant");
  assertEquals((await post(s, "/oauth2/token", fields)).status, 200);
});

test("an unknown endpoint is rejected, with the name that was probably meant", async () => {
  const as = await testLatchkey();
  for (const write of [() => as.on("tokn" as "token"), () => as.log.expect("tokn" as "token")]) {
    const error = assertThrows(write, TypeError);
    assertMatch(error.message, /received "tokn". Did you mean token\?$/);
  }
  await as.close();
});
