/** The token endpoint: parsing, responses, and errors without details (group TK). */

import {
  assert,
  assertEquals,
  assertGreater,
  assertLess,
  assertLessOrEqual,
  assertMatch,
  assertNotMatch,
  assertRejects,
} from "@std/assert";
import { jwtVerify } from "jose";
import { Buffer } from "node:buffer";
import { test } from "node:test";
import { type LatchkeyOptions, memoryStore, type Store } from "../../../src/mod.ts";
import {
  assertAuthorizationResponse,
  assertTokenResponse,
  basic,
  clients,
  decodeClaims,
  encode,
  fetchKeySet,
  forEachCase,
  getOutcome,
  getRejections,
  observedStore,
  realHost,
  testServer,
  verifier,
  webRequest,
  webToken,
} from "../../kit.ts";
import type { Fields, TestServer } from "../../kit.ts";

const form = "application/x-www-form-urlencoded";
const webBasic = { headers: basic("web", "web-secret") };
const otherVerifier = "0123456789-0123456789-0123456789-0123456789";

/** Clients that show what the usual three cannot. */
const severalUsers: LatchkeyOptions = {
  clients: [
    ...clients,
    { client_id: "other", redirect_uris: ["https://spa.example/cb"] },
    { client_id: "web2", client_secret: "web2-secret", redirect_uris: ["https://web.example/cb"] },
    { client_id: "machine", client_secret: "machine-secret", grant_types: ["client_credentials"] },
    { client_id: "renewer", grant_types: ["refresh_token"] },
    {
      client_id: "native",
      redirect_uris: ["http://127.0.0.1/cb", "https://native.example/cb", "https://native.example/cb2"],
    },
  ],
};

/** The form of a good request of `spa`, as text to tamper with. */
function goodForm(code: string): string {
  return encode({
    grant_type: "authorization_code",
    client_id: "spa",
    redirect_uri: "https://spa.example/cb",
    code_verifier: verifier,
    code,
  });
}

function send({ get }: TestServer, body: BodyInit | undefined, type?: string, query = ""): Promise<Response> {
  return get(`/oauth2/token${query}`, {
    method: "POST",
    body,
    headers: type === undefined ? {} : { "content-type": type },
  });
}

test("[TK-01, TK-12] every method except POST is 405 in JSON with Allow: POST", async () => {
  const b = await testServer();
  const query = `?${goodForm(await b.code())}`;
  await forEachCase(["GET", "PUT", "PATCH", "DELETE"], async (method) => {
    const response = await b.get(`/oauth2/token${query}`, { method });
    const allow = response.headers.get("allow")?.split(", ") ?? [];
    assert(allow.includes("POST") && !allow.includes(method), `Allow is ${allow}`);
    assertEquals(await getOutcome(response), "405 invalid_request");
  });
  assertEquals(b.events.filter((event) => event.type === "tokens_issued"), []);
});

test("[TK-02] Content-Type is case-insensitive and may have parameters", async () => {
  const b = await testServer();
  await forEachCase([
    form,
    `${form};charset=UTF-8`,
    `${form}; charset=utf-8`,
    `${form} ; charset="utf-8"`,
    "Application/X-WWW-Form-Urlencoded",
    "APPLICATION/X-WWW-FORM-URLENCODED;CHARSET=UTF-8",
  ], async (type) => assertEquals(await getOutcome(await send(b, goodForm(await b.code()), type)), "200"));
});

test("[TK-02] any other Content-Type, or none, is 400 invalid_request", async () => {
  const b = await testServer();
  const code = await b.code();
  const fields = Object.fromEntries(new URLSearchParams(goodForm(code)));
  const parts = new FormData();
  for (const [name, value] of Object.entries(fields)) parts.set(name, value);
  await forEachCase<[string, BodyInit, string?]>([
    ["JSON", JSON.stringify(fields), "application/json"],
    ["multipart", parts],
    ["plain text", goodForm(code), "text/plain"],
    ["no type", new TextEncoder().encode(goodForm(code))],
    ["a longer name", goodForm(code), `${form}ed`],
    ["a list of types", goodForm(code), `text/plain, ${form}`],
    ["a suffix", goodForm(code), `${form}+json`],
    ["an empty body without a type", new Uint8Array()],
  ], async ([, body, type]) => assertEquals(await getOutcome(await send(b, body, type)), "400 invalid_request"));
  const longest = `text/plain${"; a=b".repeat(18)}`;
  for (const [type, received] of [[longest, longest], [`${longest}x`, `${longest}…`]] as const) {
    await send(b, goodForm(code), type);
    assertEquals(getRejections(b.events).at(-1)!.explanation.received, received);
  }
  assertEquals(await getOutcome(await b.token({ code })), "200");
});

test("[TK-02] a body with invalid UTF-8 is 400 invalid_request", async () => {
  const b = await testServer();
  const good = Buffer.from(goodForm(await b.code()));
  await forEachCase([[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xc0, 0xaf]], async (bytes) => {
    for (const place of [0, good.indexOf("&code=") + 6, good.length]) {
      const body = Buffer.concat([good.subarray(0, place), Buffer.from(bytes), good.subarray(place)]);
      assertEquals(await getOutcome(await send(b, new Uint8Array(body), form)), "400 invalid_request");
    }
    const encoded = bytes.map((byte) => `%${byte.toString(16)}`).join("");
    assertEquals(await getOutcome(await send(b, `${good}&scope=${encoded}`, form)), "400 invalid_request");
  });
  assertEquals(await getOutcome(await send(b, new Uint8Array(good), form)), "200");
});

test("[TK-03] a request with its parameters in the query is 400, with any body", async () => {
  const b = await testServer();
  const code = await b.code();
  const query = `?${goodForm(code)}`;
  for (
    const [body, type] of [["", form], ["foo=1", form], [undefined, undefined], ["{}", "application/json"]] as const
  ) {
    assertMatch(await getOutcome(await send(b, body, type, query)), /^400 /);
  }
  const half = encode({ grant_type: "authorization_code", client_id: "spa", code_verifier: verifier });
  const rest = encode({ redirect_uri: "https://spa.example/cb", code });
  assertMatch(await getOutcome(await send(b, half, form, `?${rest}`)), /^400 /);
  assertMatch(await getOutcome(await send(b, rest, form, `?${half}`)), /^40[01] /);
  assertEquals(await getOutcome(await b.token({ code })), "200");
});

test("[TK-03] query parameters next to a valid body have no effect", async () => {
  const b = await testServer(severalUsers);
  const query = `?${
    encode({ client_id: "other", scope: "admin", grant_type: "password", redirect_uri: "x", foo: "1" })
  }`;
  const { access_token, scope } = await assertTokenResponse(await send(b, goodForm(await b.code()), form, query));
  assertEquals([scope, decodeClaims(access_token).client_id], ["openid read", "spa"]);
});

test("[TK-03] a secret or an assertion in the query is 400 invalid_request, even with a valid body", async () => {
  const b = await testServer();
  const code = await b.code();
  await forEachCase(
    [
      "client_secret=x",
      "client_assertion=x",
      "foo=1&client_secret=web-secret",
      "client_secret=a&client_secret=b",
      "client%5Fsecret=x",
      "%63lient_secret=x",
      "client%5fassertion=x",
    ],
    async (query) =>
      assertEquals(await getOutcome(await send(b, goodForm(code), form, `?${query}`)), "400 invalid_request"),
  );
  assertEquals(await getOutcome(await b.token({ code })), "200");
});

test("[TK-04] a repeated known parameter is 400 invalid_request, with equal values too", async () => {
  const b = await testServer();
  const code = await b.code();
  const sent = Object.fromEntries(new URLSearchParams(goodForm(code)));
  const names = [
    ...Object.keys(sent),
    ...["scope", "client_secret", "client_assertion", "client_assertion_type", "refresh_token"],
  ];
  await forEachCase(names, async (name) => {
    const value = sent[name] ?? "x";
    for (const pair of [[value, value], [value, "y"], ["y", value], [value, ""], ["", value], ["", ""]]) {
      assertEquals(await getOutcome(await b.token({ code, [name]: pair })), "400 invalid_request");
    }
  });
  const hidden = `${goodForm(code)}&c%6Fde=${code}`;
  assertEquals(await getOutcome(await send(b, hidden, form)), "400 invalid_request");
  assertEquals(await getOutcome(await b.token({ code })), "200");
});

test("[TK-04] an empty parameter counts as absent", async () => {
  const b = await testServer();
  const safe = ["scope", "client_secret", "client_assertion", "client_assertion_type", "resource", "foo", ""];
  await forEachCase(safe, async (name) => {
    assertEquals(await getOutcome(await b.token({ code: await b.code(), [name]: "" })), "200");
  });
  await forEachCase(["grant_type", "code", "redirect_uri", "code_verifier"], async (name) => {
    const code = await b.code();
    const empty = await b.token({ code, [name]: "" });
    const absent = await b.token({ code, [name]: undefined });
    assertEquals(await empty.clone().text(), await absent.text());
    assertEquals(await getOutcome(empty), name === "code_verifier" ? "400 invalid_grant" : "400 invalid_request");
  });
  assertEquals(await getOutcome(await b.token({ code: await b.code(), client_id: "" })), "401 invalid_client");
});

test("[TK-04] unknown parameters have no effect, even repeated, and resource may be repeated", async () => {
  const b = await testServer();
  const expected = Object.keys(await assertTokenResponse(await b.token({ code: await b.code() })));
  await forEachCase<Fields>([
    { foo: "1" },
    { foo: ["1", "2"] },
    { Code: "x", CLIENT_ID: "web", "code[]": ["a", "b"], "grant_type ": "password" },
    { __proto__x: "1", constructor: "1", toString: "1", hasOwnProperty: "1" },
    { resource: ["https://a.example", "https://b.example"] },
  ], async (more) => {
    const { resource } = more;
    const result = await assertTokenResponse(await b.token({ code: await b.code({ resource }), ...more }));
    assertEquals([Object.keys(result), result.scope], [expected, "openid read"]);
  });
  const raw = `__proto__=1&__proto__[code]=x&${goodForm(await b.code())}&&&=&=1&x`;
  assertEquals(await getOutcome(await send(b, raw, form)), "200");
});

test("[TK-05] a missing grant_type is invalid_request, an unknown one unsupported_grant_type, for authenticated clients", async () => {
  const b = await testServer();
  const senders: [Fields, RequestInit?][] = [
    [{ code: await b.code() }],
    [{ ...webToken, code: await b.code(webRequest) }, webBasic],
    [{ client_id: "poster", client_secret: "poster-secret" }],
  ];
  for (const [fields, init] of senders) {
    assertEquals(await getOutcome(await b.token({ ...fields, grant_type: undefined }, init)), "400 invalid_request");
    await forEachCase([
      ...["password", "implicit", "refresh-token", "client-credentials", "code", "token", "none", "undefined"],
      ...["AUTHORIZATION_CODE", "authorization_code ", " authorization_code", "authorization_code\0"],
      ...["urn:ietf:params:oauth:grant-type:saml2-bearer", "urn:ietf:params:oauth:grant-type:jwt-bearer"],
      ...["__proto__", "constructor", "toString", "x".repeat(10_000)],
    ], async (grant_type) => {
      const result = await b.token({ ...fields, grant_type, username: "alice", password: "x" }, init);
      assertEquals(await getOutcome(result), "400 unsupported_grant_type");
    });
  }
});

test("[TK-05] without client authentication every grant_type is invalid_client, but an unknown one of no client", async () => {
  const b = await testServer();
  await forEachCase([undefined, "", "password", "authorization_code"], async (grant_type) => {
    const expected = grant_type === "password" ? "400 unsupported_grant_type" : "401 invalid_client";
    assertEquals(await getOutcome(await b.token({ grant_type, client_id: undefined })), expected);
    assertEquals(await getOutcome(await b.token({ grant_type, client_id: "web" })), "401 invalid_client");
    assertEquals(
      await getOutcome(await b.token({ grant_type }, { headers: basic("web", "guess") })),
      "401 invalid_client",
    );
  });
});

test("[TK-06] a client without the code grant type is 400 unauthorized_client", async () => {
  const b = await testServer(severalUsers);
  const code = await b.code();
  const machine = { headers: basic("machine", "machine-secret") };
  assertEquals(await getOutcome(await b.token({ code, client_id: "renewer" })), "400 unauthorized_client");
  assertEquals(await getOutcome(await b.token({ code, client_id: undefined }, machine)), "400 unauthorized_client");
});

test("[TK-06] the fix fits the client: no public client should add a grant type for clients that authenticate", async () => {
  const b = await testServer(severalUsers);
  const fixOf = async (fields: Fields, init = {}) => {
    await b.token({ code: undefined, redirect_uri: undefined, code_verifier: undefined, ...fields }, init);
    return getRejections(b.events).at(-1)!.explanation;
  };
  const explanation = await fixOf({ grant_type: "client_credentials" });
  assertEquals([explanation.rule, explanation.fix, explanation.change], [
    "TK-06",
    "Use another client: spa is public, and client_credentials is for clients that authenticate.",
    undefined,
  ]);
  const web = await fixOf({ grant_type: "client_credentials", client_id: undefined }, webBasic);
  assertEquals([web.rule, web.fix, web.change?.grant_type], [
    "TK-06",
    "Add the grant type to the client's grant_types.",
    "client_credentials",
  ]);
});

test("[TK-07] a confidential client without authentication, or no client at all, is invalid_client", async () => {
  const b = await testServer();
  const code = await b.code(webRequest);
  await forEachCase<Fields>(
    [
      { client_id: "web" },
      { client_id: "web", code_verifier: verifier },
      { client_id: undefined },
      { client_id: "poster", redirect_uri: "https://poster.example/cb" },
      { client_id: "WEB" },
      { client_id: "unknown" },
    ],
    async (fields) =>
      assertEquals(
        await getOutcome(await b.token({ ...webToken, code, ...fields })),
        "401 invalid_client",
      ),
  );
  const unidentified = await b.token({ code: await b.code(), client_id: undefined });
  const { error, error_description } = await unidentified.json();
  assertEquals([unidentified.status, error], [401, "invalid_client"]);
  assertMatch(error_description, /^the request identifies no client/);
  assertEquals(await getOutcome(await b.token({ ...webToken, code }, webBasic)), "200");
});

test("[TK-08] Basic alone identifies the client, and the same client_id in the body is allowed", async () => {
  const b = await testServer();
  for (const client_id of [undefined, "", "web"]) {
    const { access_token } = await assertTokenResponse(
      await b.token({ ...webToken, code: await b.code(webRequest), client_id }, webBasic),
    );
    assertEquals(decodeClaims(access_token).client_id, "web");
  }
});

test("[TK-08] another client_id next to Basic is 400 invalid_request, without tokens, and both codes stay valid", async () => {
  const b = await testServer(severalUsers);
  const webCode = await b.code(webRequest);
  const spaCode = await b.code();
  await forEachCase(["spa", "web2", "poster", "unknown", "Web", "web ", "web\0"], async (client_id) => {
    assertEquals(
      await getOutcome(await b.token({ ...webToken, code: webCode, client_id }, webBasic)),
      "400 invalid_request",
    );
    assertEquals(await getOutcome(await b.token({ code: spaCode, client_id }, webBasic)), "400 invalid_request");
  });
  assertEquals(b.events.filter((event) => event.type === "tokens_issued"), []);
  assertEquals(await getOutcome(await b.token({ code: spaCode })), "200");
  assertEquals(await getOutcome(await b.token({ ...webToken, code: webCode }, webBasic)), "200");
});

test("[TK-09, TK-10, TK-20] success has strings, a number, no null, and a lifetime of at most an hour", async () => {
  const b = await testServer();
  await forEachCase(["openid", "openid read", "read", undefined], async (scope) => {
    const result = await assertTokenResponse(await b.token({ code: await b.code({ scope }) }));
    assertMatch(result.access_token, /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/);
    assertEquals(result.token_type, "Bearer");
    assert(Number.isInteger(result.expires_in));
    assertGreater(result.expires_in, 0);
    assertLessOrEqual(result.expires_in, 3600);
    const openid = scope?.includes("openid") === true;
    assertEquals(
      Object.entries(result).map(([name, value]) => [name, typeof value]),
      [
        ...[["access_token", "string"], ["token_type", "string"], ["expires_in", "number"], ["scope", "string"]],
        ...openid ? [["id_token", "string"]] : [],
      ],
    );
  });
});

test("[TK-11] scope is in every success and lists what was granted", async () => {
  const approver: LatchkeyOptions["approver"] = ({ scope }, { users, now }) => ({
    user: [...users.known().values()][0]!,
    scope: scope.filter((value) => value !== "write"),
    authTime: now(),
  });
  const b = await testServer({ approver });
  await forEachCase<[string | undefined, string]>([
    ["read", "read"],
    ["openid read", "openid read"],
    ["read write", "read"],
    ["openid read no-such-scope", "openid read"],
    [undefined, "read"],
  ], async ([asked, granted]) => {
    const { scope, access_token } = await assertTokenResponse(await b.token({ code: await b.code({ scope: asked }) }));
    assertEquals([scope, decodeClaims(access_token).scope], [granted, granted]);
  });
});

test("[TK-12, TK-13] every rejection is uncached JSON with its status, for browsers too", async () => {
  const b = await testServer({ ...severalUsers, throttle: true });
  const code = await b.code();
  const headers = { accept: "text/html,*/*;q=0.1", origin: "https://spa.example" };
  const guess = { headers: { ...headers, ...basic("web2", "guess") } };
  for (let i = 0; i < 50; i++) await b.token({ code }, guess);
  await forEachCase<[string, () => Promise<Response>]>([
    ["200", () => b.token({ code }, { headers })],
    ["400 invalid_grant", () => b.token({ code }, { headers })],
    ["400 invalid_request", () => b.token({ code: undefined }, { headers })],
    ["400 unsupported_grant_type", () => b.token({ code, grant_type: "x" }, { headers })],
    ["400 unauthorized_client", () => b.token({ code, client_id: "renewer" }, { headers })],
    ["401 invalid_client", () => b.token({ code, client_id: "unknown" }, { headers })],
    ["401 invalid_client", () => b.token({ code, client_id: undefined }, { headers })],
    ["405 invalid_request", () => b.get("/oauth2/token", { headers: { origin: headers.origin } })],
    ["413 invalid_request", () => b.token({ code, foo: "x".repeat(70_000) }, { headers })],
    ["429 temporarily_unavailable", () => b.token({ code }, guess)],
  ], async ([expected, request]) => {
    const response = await request();
    assertEquals([response.headers.get("cache-control"), response.headers.get("location")], ["no-store", null]);
    assertEquals(await getOutcome(response), expected);
  });
});

test("[TK-14] a missing redirect_uri is 400 invalid_request, even if the authorization request had none", async () => {
  const b = await testServer();
  const code = await b.code({ ...webRequest, redirect_uri: undefined, scope: "read" });
  for (const redirect_uri of [undefined, ""]) {
    assertEquals(await getOutcome(await b.token({ ...webToken, redirect_uri, code }, webBasic)), "400 invalid_request");
  }
  assertEquals(await getOutcome(await b.token({ ...webToken, code }, webBasic)), "200");
});

test("[TK-15] redirect_uri equals that of the authorization request, byte for byte", async () => {
  const b = await testServer(severalUsers);
  const asked = { client_id: "native", redirect_uri: "http://127.0.0.1:5000/cb" };
  const code = await b.code(asked);
  await forEachCase([
    "http://127.0.0.1:5001/cb",
    "http://127.0.0.1/cb",
    "http://127.0.0.1:05000/cb",
    "http://127.0.0.1:5000/cb/",
    "http://127.0.0.1:5000/cb?",
    "http://127.0.0.1:5000/cb#",
    "http://127.0.0.1:5000/CB",
    "http://127.0.0.1:5000/c%62",
    "HTTP://127.0.0.1:5000/cb",
    "http://localhost:5000/cb",
    "http://[::1]:5000/cb",
    " http://127.0.0.1:5000/cb",
    "http://127.0.0.1:5000/cb\n",
    "https://native.example/cb",
  ], async (redirect_uri) => {
    assertEquals(await getOutcome(await b.token({ ...asked, code, redirect_uri })), "400 invalid_grant");
  });
  assertEquals(await getOutcome(await b.token({ ...asked, code })), "200");
  const web = await b.code({ ...asked, redirect_uri: "https://native.example/cb" });
  const second = { ...asked, code: web, redirect_uri: "https://native.example/cb2" };
  assertEquals(await getOutcome(await b.token(second)), "400 invalid_grant");
});

test("[TK-16] a missing code is 400 invalid_request", async () => {
  const b = await testServer();
  for (const code of [undefined, ""]) assertEquals(await getOutcome(await b.token({ code })), "400 invalid_request");
});

test("[TK-16] an unknown, expired, used or foreign code gets the same response", async () => {
  const b = await testServer({ ...severalUsers, ...realHost, users: [{ sub: "alice" }, { sub: "bob" }] });
  const expired = await b.code();
  b.advance(300);
  const used = await b.code();
  await assertTokenResponse(await b.token({ code: used }));
  const foreign = await b.code({ client_id: "other" });
  const foreignUsed = await b.code({ client_id: "other" });
  await assertTokenResponse(await b.token({ code: foreignUsed, client_id: "other" }));
  const orphan = await b.code({ login_hint: "bob" });
  b.as.users.delete("bob");
  const unknown = ["A".repeat(43), used.slice(1), "x", "é", "\0", "'", "code_", "../keys", "x".repeat(10_000)];
  b.events.length = 0;
  const responses = new Set<string>();
  for (const code of [expired, used, foreign, foreignUsed, orphan, ...unknown]) {
    const response = await b.token({ code });
    responses.add(JSON.stringify([response.status, [...response.headers], await response.clone().text()]));
    assertEquals(await getOutcome(response), "400 invalid_grant");
  }
  assertEquals(responses.size, 1, [...responses].join("\n"));
  const logged = getRejections(b.events).map(({ explanation }) => explanation.reason);
  assertGreater(new Set(logged).size, 3, "the trace does not distinguish the reasons");
});

test("[TK-16] the code of a revoked grant gets the response of an unknown one", async () => {
  const store = memoryStore();
  const b = await testServer({ ...realHost, store });
  const code = await b.code();
  const issued = b.events.find((event) => event.type === "code_issued")!;
  await store.revoke(issued.grantId, issued.at + 3_600_000);
  const revoked = await b.token({ code });
  assertEquals(await revoked.text(), await (await b.token({ code: "A".repeat(43) })).text());
});

test("[TK-17] a rejected request writes nothing to the store and issues nothing", async () => {
  const received: string[] = [];
  const store = observedStore(
    memoryStore(),
    (verb) => verb !== "get" && verb !== "deleteExpired" && received.push(verb),
  );
  const b = await testServer({ ...severalUsers, store });
  const code = await b.code();
  await assertTokenResponse(await b.token({ code: await b.code() }));
  received.length = b.events.length = 0;
  await forEachCase<[Fields, RequestInit?]>([
    [{ code_verifier: otherVerifier }],
    [{ code_verifier: undefined }],
    [{ redirect_uri: "https://evil.example/cb" }],
    [{ redirect_uri: undefined }],
    [{ client_id: "other" }],
    [{ client_id: "web" }],
    [{ client_id: "unknown" }],
    [{ client_secret: "x" }],
    [{ grant_type: "password" }],
    [{ grant_type: undefined }],
    [{ code: "A".repeat(43) }],
    [{ code: undefined }],
    [{ code: [code, code] }],
    [webToken, webBasic],
    [{}, webBasic],
    [{}, { headers: basic("web", "guess") }],
    [{}, { headers: { authorization: "Bearer x" } }],
    [{}, { headers: { "content-type": "text/plain" } }],
  ], async ([change, init]) => assertMatch(await getOutcome(await b.token({ code, ...change }, init)), /^40[01] /));
  assertEquals(received, []);
  assertEquals([...new Set(b.events.map((event) => event.type))], ["rejected"]);
  assertEquals(await getOutcome(await b.token({ code })), "200");
});

test("[TK-18] scope in a code exchange has no effect", async () => {
  const b = await testServer();
  await forEachCase(
    ["admin", "openid read write", "write", "openid profile email read write offline_access"],
    async (scope) => {
      const result = await assertTokenResponse(await b.token({ code: await b.code({ scope: "read" }), scope }));
      assertEquals([result.scope, decodeClaims(result.access_token).scope, "id_token" in result], [
        "read",
        "read",
        false,
      ]);
    },
  );
});

test("[TK-19] every access token is unique, even with equal claims", async () => {
  const b = await testServer();
  const tokens: string[] = [];
  for (let i = 0; i < 500; i++) {
    tokens.push((await assertTokenResponse(await b.token({ code: await b.code() }))).access_token);
  }
  assertEquals(new Set(tokens).size, tokens.length);
  assertEquals(new Set(tokens.map((token) => decodeClaims(token).jti)).size, tokens.length);
});

test("[TK-19] the store never receives a token", async () => {
  const received: unknown[] = [];
  const b = await testServer({ store: observedStore(memoryStore(), (verb, args) => received.push([verb, ...args])) });
  const code = await b.code();
  const { access_token, id_token } = await assertTokenResponse(await b.token({ code }));
  await b.token({ code });
  const stored = JSON.stringify(received);
  for (const token of [access_token, id_token, ...access_token.split(".").slice(1), ...id_token.split(".").slice(1)]) {
    assert(!stored.includes(token));
  }
});

test("[TK-21] expires_in and exp agree, and the token is rejected from exp on by the server's clock", async () => {
  await forEachCase([0, 0.001, 0.5, 0.999], async (fraction) => {
    const b = await testServer({ lifetimes: { access_token: 120 } });
    b.advance(fraction);
    const { access_token, expires_in } = await assertTokenResponse(await b.token({ code: await b.code() }));
    const issued = Date.UTC(2026, 0, 1) / 1000 + fraction;
    const exp = Number(decodeClaims(access_token).exp);
    assertLessOrEqual(Math.abs(exp - issued - expires_in), 1);
    const keys = await fetchKeySet(b);
    const verifyAt = (seconds: number) => jwtVerify(access_token, keys, { currentDate: new Date(seconds * 1000) });
    await verifyAt(exp - 1);
    for (const seconds of [exp, exp + 1, issued + expires_in, exp + 86_400]) {
      await assertRejects(() => verifyAt(seconds));
    }
  });
});

test("[TK-22] no rejection repeats request values, in its body or its headers", async () => {
  const b = await testServer(severalUsers);
  const canary = "Canary7Canary7Canary7Canary7Canary7Canary7Canary7";
  const code = await b.code();
  const names = [
    ...["grant_type", "code", "redirect_uri", "client_id", "code_verifier", "client_secret", "scope", "resource"],
    ...["client_assertion", "client_assertion_type", "refresh_token", "username", "password", canary],
  ];
  const credentials = [`web:${canary}`, `${canary}:x`, canary, `${canary}:%zz`, `web:%${canary}`];
  const attempts: [Fields, RequestInit][] = [
    ...names.map((name): [Fields, RequestInit] => [{ code, [name]: canary, grant_type: "authorization_code " }, {}]),
    ...names.map((name): [Fields, RequestInit] => [{ code: canary, [name]: canary }, {}]),
    ...names.map((name): [Fields, RequestInit] => [{ code: canary, [name]: [canary, canary] }, {}]),
    ...credentials.map((text): [Fields, RequestInit] => [{}, { headers: { authorization: `Basic ${btoa(text)}` } }]),
    ...["Bearer", "Digest", canary].map((scheme): [Fields, RequestInit] => [
      { code },
      { headers: { authorization: `${scheme} ${canary}` } },
    ]),
    [{ code }, { headers: { "content-type": canary } }],
    [{ code: "x" }, { body: `${canary}=%zz&${canary}` }],
    [{ code }, { headers: { origin: `https://${canary}.test`, "x-forwarded-host": canary } }],
  ];
  await forEachCase(attempts, async ([fields, init]) => {
    const response = await b.token(fields, init);
    if (response.status === 200) return;
    const text = JSON.stringify([...response.headers]) + await response.clone().text();
    for (
      const sent of [canary, canary.toLowerCase(), code, verifier, btoa(`web:${canary}`), "https://spa.example/cb"]
    ) {
      assert(!text.includes(sent), `${sent} came back: ${text}`);
    }
    assertMatch(await getOutcome(response), /^40[01] /);
  });
});

/** What of a failure must stay inside. */
const internals = /ECONNREFUSED|postgres|hunter2|10\.0\.0\.7|\/srv|store\.ts|at Proxy/;

/** A store in memory of which one verb can be made to fail, by a rejection or on the spot. */
function fragileStore(): { store: Store; fail: (verb?: keyof Store, onTheSpot?: boolean) => void } {
  const words = "ECONNREFUSED postgres://latchkey:hunter2@10.0.0.7/db at /srv/latchkey/store.ts:42";
  let failing: keyof Store | undefined;
  let onTheSpot = false;
  const store = new Proxy(memoryStore(), {
    get: (target, verb: keyof Store) => (...args: unknown[]) => {
      if (verb !== failing) return (target[verb] as (...args: unknown[]) => unknown)(...args);
      const error = new Error(words);
      if (onTheSpot) throw error;
      return Promise.reject(error);
    },
  });
  return { store, fail: (verb, now = false) => void ([failing, onTheSpot] = [verb, now]) };
}

for (const onTheSpot of [false, true]) {
  const way = onTheSpot ? "throws" : "rejects";

  test(`[TK-13, TK-22] a store that ${way} makes the token endpoint respond with 500 server_error and nothing else`, async () => {
    await forEachCase<[keyof Store, string, string]>([
      ["get", "500 server_error", "500 server_error"],
      ["consume", "500 server_error", "500 server_error"],
      ["add", "500 server_error", "400 invalid_grant"],
      ["put", "200", "400 invalid_grant"],
      ["revoke", "200", "500 server_error"],
      ["deleteExpired", "200", "400 invalid_grant"],
    ], async ([verb, first, second]) => {
      const { store, fail } = fragileStore();
      const b = await testServer({ store });
      const code = await b.code();
      fail(verb, onTheSpot);
      for (const expected of [first, second]) {
        b.advance(10);
        const result = await b.token({ code });
        const text = JSON.stringify([...result.headers]) + await result.clone().text();
        assertNotMatch(text, internals);
        assertEquals(await getOutcome(result), expected);
      }
      const bugs = b.events.filter((event) => event.type === "internal_error");
      // The operator learns the cause, but not the password in it.
      const messages = bugs.map(({ cause }) => (cause as Error).message);
      assertNotMatch(messages.join(), /hunter2/);
      assertEquals(
        verb === "put" || messages.some((message) => /^ECONNREFUSED .*10\.0\.0\.7/.test(message)),
        true,
        messages.join(),
      );
      assertEquals(b.events.filter((event) => event.type === "tokens_issued").length, first === "200" ? 1 : 0);
    });
  });

  test(`[AZ-22] a store that ${way} makes the authorization endpoint redirect with server_error and nothing else`, async () => {
    const { store, fail } = fragileStore();
    const b = await testServer({ store });
    fail("put", onTheSpot);
    const response = await b.authorize();
    assertMatch(
      assertAuthorizationResponse(response).error ?? "no error",
      /^(?:server_error|temporarily_unavailable)$/,
    );
    assertNotMatch(decodeURIComponent(response.headers.get("location")!), internals);
    fail("deleteExpired", onTheSpot);
    b.advance(10);
    assert(assertAuthorizationResponse(await b.authorize()).code, "a failing cleanup does not affect a client");
  });

  test(`a store that ${way} makes the JWKS respond with 500 in JSON, and 200 again after recovery`, async () => {
    const { store, fail } = fragileStore();
    const b = await testServer({ store });
    for (const verb of ["get", "add"] as const) {
      fail(verb, onTheSpot);
      const response = await b.get("/oauth2/jwks");
      assertNotMatch(await response.clone().text(), internals);
      assertEquals(await getOutcome(response), "500 server_error");
    }
    fail();
    assertEquals((await b.get("/oauth2/jwks")).status, 200);
    assertEquals(await getOutcome(await b.token({ code: await b.code() })), "200");
  });
}

test("[TK-13, TK-22] failing random sources and listeners leak neither a token nor a stack trace", async () => {
  let broken = false;
  const b = await testServer({
    randomBytes(bytes) {
      if (broken) throw new Error("no entropy at /dev/urandom");
      return crypto.getRandomValues(new Uint8Array(bytes));
    },
    trace() {
      throw new Error("the listener fell over");
    },
  });
  const code = await b.code();
  broken = true;
  const response = await b.token({ code });
  assert(!(await response.clone().text()).includes("urandom"));
  assertEquals(await getOutcome(response), "500 server_error");
  assertEquals(assertAuthorizationResponse(await b.authorize()).error, "server_error");
  broken = false;
  assertEquals(await getOutcome(await b.token({ code: await b.code() })), "200");
});

test("[TK-16] a guessed code costs one store read and nothing else", async () => {
  const received: string[] = [];
  const b = await testServer({
    store: observedStore(memoryStore(), (verb, [kind]) => received.push(`${verb} ${kind}`)),
  });
  for (let i = 0; i < 20; i++) await b.token({ code: `guess-${i}` });
  assertLess(received.length, 41);
  assertEquals([...new Set(received)], ["get code"]);
});
