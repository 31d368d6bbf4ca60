/**
 * Client authentication: every spelling of the right credentials, and nothing else (group CA).
 *
 * @extensions assertion_authentication, client_documents
 */

import {
  assertEquals,
  assertGreater,
  assertLessOrEqual,
  assertMatch,
  assertNotMatch,
  assertRejects,
} from "@std/assert";
import { Buffer } from "node:buffer";
import { test } from "node:test";
import { inspect } from "node:util";
import { ClientSecretBasic, ClientSecretPost } from "oauth4webapi";
import { type ClientMetadata, ConfigurationError, type LatchkeyOptions, memoryStore } from "../../../src/mod.ts";
import { recordDigests } from "../digests.ts";
import {
  basic,
  clients,
  encode,
  forEachCase,
  getOutcome,
  getRejections,
  observedStore,
  recordingStore,
  testServer,
  webRequest,
} from "../../kit.ts";
import type { Fields, TestServer } from "../../kit.ts";
import { latchkey } from "../../secret_leak_check.ts";

const callback = "https://web.example/cb";

function confidential(client_id: string, client_secret: string, more: Partial<ClientMetadata> = {}): ClientMetadata {
  return { client_id, client_secret, redirect_uris: [callback], ...more };
}

/** Exchanges a new code of `id`, which was issued without a challenge, with these headers and changes to the body. */
async function exchangeCode(
  b: TestServer,
  id: string,
  headers: HeadersInit = {},
  fields: Fields = {},
): Promise<Response> {
  const code = await b.code({ ...webRequest, client_id: id });
  const body = encode({ grant_type: "authorization_code", code, redirect_uri: callback, ...fields });
  const all = new Headers(headers);
  all.set("content-type", "application/x-www-form-urlencoded");
  return await b.get("/oauth2/token", { method: "POST", body, headers: all });
}

function authorization(value: string): Record<string, string> {
  return { authorization: value };
}

function base64(text: string | readonly number[]): string {
  return Buffer.from(text as string).toString("base64");
}

/** The form encoding of OAuth 2.1 Appendix B. */
function formEncode(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}

const everyCharacter = Array.from({ length: 95 }, (_, i) => String.fromCharCode(0x20 + i)).join("");

/** Ids and secrets in which each half, the joint and the encoding can go wrong. */
const awkward = [
  ...["my-client", "a:b", "a b", "a+b", "a%b", "100%", "%2D", "a%20b", "%", "%%", "%zz", ":", "::", "+", " ", "&=?#/"],
  ...["a:b+c%", '"quoted"', "back\\slash", "~._-", "=", "==", "https://client.example/?a=b&c=d", everyCharacter],
];

/** Minimal, usual and exaggerated, all of them right: what a decoder must read as the same text. */
const encodings: Readonly<Record<string, (text: string) => string>> = {
  "as URLSearchParams": formEncode,
  "as encodeURIComponent": encodeURIComponent,
  "only what must be": (text) => text.replace(/[%+:]/g, (mark) => encodeURIComponent(mark)),
  "every character": (text) => text.replace(/./gs, (mark) => `%${mark.charCodeAt(0).toString(16).padStart(2, "0")}`),
};

test("[CA-01] a client with a secret authenticates by Basic if no method is registered", async () => {
  const b = await testServer();
  assertEquals(b.as.clients.find("web")?.authMethod, "client_secret_basic");
  assertEquals(await getOutcome(await exchangeCode(b, "web", basic("web", "web-secret"))), "200");
});

test("[CA-02] form-encoded Basic works for every id and secret, however much of them is encoded", async () => {
  for (const [manner, encoded] of Object.entries(encodings)) {
    const b = await testServer({ clients: awkward.map((text) => confidential(text.slice(0, 256), text)) });
    await forEachCase(awkward, async (text) => {
      const headers = authorization(`Basic ${base64(`${encoded(text)}:${encoded(text)}`)}`);
      assertEquals(await getOutcome(await exchangeCode(b, text, headers)), "200", manner);
    });
  }
});

test("[CA-02] Basic credentials of oauth4webapi are accepted", async () => {
  const b = await testServer({ clients: awkward.map((text) => confidential(`${text}-id`, text)) });
  await forEachCase(awkward, async (text) => {
    const headers = new Headers();
    await ClientSecretBasic(text)(
      { issuer: b.as.issuer },
      { client_id: `${text}-id` },
      new URLSearchParams(),
      headers,
    );
    assertEquals(await getOutcome(await exchangeCode(b, `${text}-id`, headers)), "200");
  });
});

test("[CA-02] the examples of the rule: my%2Dclient is my-client, and a%3Ab%2Bc%25 is a:b+c%", async () => {
  const b = await testServer({ clients: [confidential("my-client", "a:b+c%")] });
  assertEquals(await getOutcome(await exchangeCode(b, "my-client", basic("my%2Dclient", "a%3Ab%2Bc%25"))), "200");
  assertEquals(await getOutcome(await exchangeCode(b, "my-client", basic("my-client", "a:b%2Bc%25"))), "200");
});

test("[CA-02] the header is split at its first colon only", async () => {
  const b = await testServer({ clients: [confidential("a", "b:c"), confidential("a:b", "c")] });
  assertEquals(await getOutcome(await exchangeCode(b, "a", basic("a", "b:c"))), "200");
  assertEquals(await getOutcome(await exchangeCode(b, "a:b", basic("a%3Ab", "c"))), "200");
  assertEquals(await getOutcome(await exchangeCode(b, "a:b", basic("a", "b:c"))), "400 invalid_grant");
});

test("[CA-02] + is a space and %2B is a plus sign", async () => {
  const b = await testServer({ clients: [confidential("a b", "c d"), confidential("e+f", "g+h")] });
  assertEquals(await getOutcome(await exchangeCode(b, "a b", basic("a+b", "c%20d"))), "200");
  assertEquals(await getOutcome(await exchangeCode(b, "e+f", basic("e%2Bf", "g%2bh"))), "200");
  assertEquals(await getOutcome(await exchangeCode(b, "a b", basic("a%2Bb", "c+d"))), "401 invalid_client");
});

test("Basic credentials without form-encoding, as curl -u sends them, are accepted", async () => {
  const ids = awkward.map((text, i) => `${i} ${text}`).filter((id) => !id.includes(":"));
  const b = await testServer({ clients: ids.map((id) => confidential(id, `${id}:${id}`)) });
  await forEachCase(ids, async (id) => {
    assertEquals(await getOutcome(await exchangeCode(b, id, basic(id, `${id}:${id}`))), "200");
  });
});

test("reading Basic in two ways authenticates only the intended client", async () => {
  const twins = [
    confidential("a b", "one two"),
    confidential("a+b", "three+four"),
    confidential("a%20b", "five%2Bsix"),
  ];
  const b = await testServer({ clients: twins });
  const secrets = [
    "one two",
    "one+two",
    "three four",
    "three+four",
    "three%2Bfour",
    "five+six",
    "five%2Bsix",
    "five%252Bsix",
  ];
  const letIn: string[] = [];
  for (const id of ["a b", "a+b", "a%20b", "a%2Bb", "a%2520b"]) {
    for (const secret of secrets) {
      for (const { client_id } of twins) {
        const result = await getOutcome(await exchangeCode(b, client_id, basic(id, secret)));
        if (result === "200") letIn.push(`${id}:${secret} is ${client_id}`);
      }
    }
  }
  assertEquals(letIn, [
    "a b:one two is a b",
    "a b:one+two is a b",
    "a+b:one two is a b",
    "a+b:one+two is a b",
    "a+b:three+four is a+b",
    "a%20b:one two is a b",
    "a%20b:one+two is a b",
    "a%20b:five%2Bsix is a%20b",
    "a%2Bb:three%2Bfour is a+b",
    "a%2520b:five%252Bsix is a%20b",
  ]);
});

test("[CA-03] the scheme is case-insensitive and may be followed by any number of spaces", async () => {
  const b = await testServer();
  const credentials = base64("web:web-secret");
  await forEachCase(["Basic ", "basic ", "BASIC ", "bAsIc ", "Basic  ", "basic      "], async (scheme) => {
    assertEquals(await getOutcome(await exchangeCode(b, "web", authorization(scheme + credentials))), "200");
  });
});

test("[CA-04] a malformed Basic header is 401, not treated as absent", async () => {
  const b = await testServer({ clients: [...clients, confidential("id", "secret")] });
  const right = "d2ViOndlYi1zZWNyZXQ=";
  const tokens = [
    // Wrapped wrongly: no padding, too much, inside, another alphabet, a break, a companion.
    ...["d2ViOndlYi1zZWNyZXQ", `${right}=`, `${right}==`, "d2ViOndl=Yi1zZWNyZXQ=", `=${right}`, `${right}A`],
    ...["d2ViOndlYi1zZWNyZXQ-_", "d2Vi OndlYi1zZWNyZXQ=", `${right}, realm=x`, `${right} ${right}`, `"${right}"`],
    ...["!!!", "é", "d", "=", "====", "%64%32", "web:web-secret"],
    // No colon, or nothing before it.
    ...["web", "", ":", ":web-secret", "web%3Aweb-secret"].map(base64),
    // Broken percent sequences.
    ...["web:%zz", "web:%", "web:web-secret%", "web:web-secre%7", "%:web-secret", "%zz:x", "web:%u0041"].map(base64),
    // Not UTF-8, raw and percent-encoded: a lone byte, an overlong slash, a surrogate, a cut sequence.
    ...[[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xe2, 0x82]].flatMap((bytes) => [
      base64([...Buffer.from("web:web-secret"), ...bytes]),
      base64([...bytes, ...Buffer.from("web:web-secret")]),
      base64(`web:web-secret${bytes.map((byte) => `%${byte.toString(16)}`).join("")}`),
      base64(`${bytes.map((byte) => `%${byte.toString(16)}`).join("")}web:web-secret`),
    ]),
    // Characters that are not printable ASCII, raw and percent-encoded; the line end is what `echo | base64` makes.
    ...["\0", "\t", "\r", "\n", "\x7f", "\x80", "\ufeff", "é", "\u200b", "🗝"].flatMap((mark) => [
      base64(`web:web-secret${mark}`),
      base64(`${mark}web:web-secret`),
      base64(`web${mark}:web-secret`),
      base64(`web:web-secret${encodeURIComponent(mark)}`),
      base64(`${encodeURIComponent(mark)}web:web-secret`),
    ]),
  ];
  const headers = [
    "",
    "Basic",
    "Basic ",
    "Basic:",
    `Basic${right}`,
    `Basic,${right}`,
    right,
    ...tokens.map((one) => `Basic ${one}`),
  ];
  await forEachCase(headers, async (header) => {
    // Latin-1, so that what is not ASCII can stand in a header at all.
    const value = Buffer.from(header).toString("latin1");
    assertEquals(await getOutcome(await exchangeCode(b, "web", authorization(value))), "401 invalid_client");
    const asSpa = await b.token({ code: await b.code() }, { headers: authorization(value) });
    assertEquals(await getOutcome(asSpa), "401 invalid_client", "the client_id in the body was taken instead");
  });
  assertEquals(b.events.filter((event) => event.type === "internal_error"), []);
});

test("[CA-05, CA-06] a failed header, or no credentials at all, is 401 with a Basic challenge; in the body it is 401 without one", async () => {
  const b = await testServer();
  // The status, and whether there is no challenge.
  await forEachCase<[HeadersInit, Fields, number, true?]>([
    [basic("web", "wrong"), {}, 401],
    [basic("unknown", "x"), {}, 401],
    [authorization("Basic !"), {}, 401],
    [authorization("Bearer x"), {}, 401],
    [{}, { client_id: undefined }, 401],
    [{}, { client_id: "", client_secret: "" }, 401],
    [{}, { client_id: "web" }, 401, true],
    [{}, { client_id: "unknown" }, 401, true],
    [{}, { client_id: "poster", client_secret: "wrong" }, 401, true],
    [{}, { client_secret: "web-secret" }, 401, true],
    [{}, { client_assertion: "e30.e30.x", client_assertion_type: "x" }, 401, true],
    [basic("web", "wrong"), { client_id: "web" }, 401],
    [{}, { client_id: "spa" }, 400],
    [basic("web", "web-secret"), { code: "x" }, 400],
    [basic("web", "web-secret"), { client_secret: "web-secret" }, 400],
    [basic("web", "web-secret"), { client_id: "spa" }, 400],
    [basic("web", "web-secret"), {}, 200],
  ], async ([headers, fields, status, isUnchallenged]) => {
    const response = await exchangeCode(b, "web", headers, fields);
    assertEquals(response.status, status);
    const challenge = response.headers.get("www-authenticate");
    if (status !== 401 || isUnchallenged) return assertEquals(challenge, null);
    assertMatch(challenge ?? "", /^Basic realm="https:\/\/as\.test"(?:, \w+="[\x20\x21\x23-\x5B\x5D-\x7E]+")*$/);
    assertEquals((await response.json()).error, "invalid_client");
  });
});

test("[CA-06] the realm is one quoted string for every issuer", async () => {
  const b = await testServer({ issuer: "https://as.test:8443/a~b/c.d-e_f" });
  const response = await b.token({ client_id: undefined });
  assertMatch(
    response.headers.get("www-authenticate") ?? "",
    /^Basic realm="https:\/\/as\.test:8443\/a~b\/c\.d-e_f", charset="UTF-8", error="[^"\\]*", error_description="[^"\\]*"$/,
  );
});

/** Indistinguishable failures: the response must not reveal whether the client exists or what was wrong. */
const failures: Readonly<Record<string, readonly [HeadersInit, Fields]>> = {
  "unknown client by Basic": [basic("unknown", "web-secret"), {}],
  "wrong secret by Basic": [basic("web", "wrong"), {}],
  "empty secret by Basic": [basic("web", ""), {}],
  "expired secret": [basic("old", "old-secret"), {}],
  "Basic for a client registered for post": [basic("poster", "poster-secret"), {}],
  "Basic for a public client": [basic("spa", "x"), {}],
  "Basic with another client in the body": [basic("web", "wrong"), { client_id: "spa" }],
  "unknown client by post": [{}, { client_id: "unknown", client_secret: "poster-secret" }],
  "wrong secret by post": [{}, { client_id: "poster", client_secret: "wrong" }],
  "wrong secret by post of a client that names no method": [{}, { client_id: "web", client_secret: "wrong" }],
  "post for a client registered for Basic": [{}, { client_id: "named", client_secret: "named-secret" }],
  "post for a public client": [{}, { client_id: "spa", client_secret: "x" }],
  "a secret without a client": [{}, { client_secret: "web-secret" }],
  "unknown client that only names itself": [{}, { client_id: "unknown" }],
  "confidential client that only names itself": [{}, { client_id: "web" }],
  "no credentials": [{}, {}],
  "an assertion": [{}, { client_assertion: "e30.e30.x", client_assertion_type: "x" }],
  "wrong secret and a grant that does not exist": [basic("web", "wrong"), { grant_type: "password" }],
  "wrong secret and no code": [basic("web", "wrong"), { code: undefined }],
  "unknown client and no code": [basic("unknown", "wrong"), { code: undefined }],
};

const withOld: LatchkeyOptions = {
  clients: [
    ...clients,
    confidential("old", "old-secret", { client_secret_expires_at: 1 }),
    confidential("named", "named-secret", { token_endpoint_auth_method: "client_secret_basic" }),
  ],
};

test("[CA-06, CA-07] on a real host unknown client, wrong secret, missing credentials and wrong method get the same response", async () => {
  const b = await testServer({ ...withOld, issuer: "https://login.example.com", insecure: ["auto-login"] });
  const responses = new Map<string, string[]>();
  for (const [name, [headers, fields]] of Object.entries(failures)) {
    const response = await exchangeCode(b, "web", headers, fields);
    const result = JSON.stringify([response.status, [...response.headers], await response.text()]);
    responses.set(result, [...responses.get(result) ?? [], name]);
  }
  // The client itself decides where it sends its credentials: only in the body there is no challenge.
  assertEquals(responses.size, 2, inspect(responses));
  const isInBody = (name: string) => !("authorization" in failures[name]![0]) && name !== "no credentials";
  for (const names of responses.values()) assertEquals(new Set(names.map(isInBody)).size, 1, inspect(responses));
  const bodies = [...responses.keys()].map((result) => JSON.parse(result)[2]);
  assertEquals(bodies[0], bodies[1]);
});

test("[CA-07] on a test host the response names what was wrong, with the used and the registered method", async () => {
  const b = await testServer(withOld);
  const describe = async (headers: Record<string, string>, fields: Fields = {}) => {
    const { error, error_description } = await (await exchangeCode(b, "web", headers, fields)).json();
    return `${error}: ${error_description}`;
  };
  assertEquals(
    await describe(basic("web", "guess")),
    "invalid_client: the secret of client web is wrong; this request used client_secret_basic [CA-07]",
  );
  assertEquals(await describe(basic("ghost", "guess")), "invalid_client: the client is unknown [CA-07]");
  assertEquals(
    await describe({}, { client_id: "named", client_secret: "named-secret" }),
    "invalid_client: client named must use client_secret_basic; this request used client_secret_post [CA-07]",
  );
});

test("[CA-07, CA-08] a failed secret costs one digest and one comparison, whether the client exists or not", async () => {
  const b = await testServer(withOld);
  const secret = "guess".repeat(20);
  const body = encode({ grant_type: "authorization_code", code: "x", redirect_uri: callback });
  const cost = (id: string): Promise<string[]> =>
    recordDigests(async () => {
      const headers = { ...basic(id, secret), "content-type": "application/x-www-form-urlencoded" };
      const result = await b.get("/oauth2/token", { method: "POST", body, headers });
      assertEquals(await getOutcome(result), "401 invalid_client");
    });
  await forEachCase(["web", "unknown", "poster", "spa", "old"], async (id) => {
    // Words of the log are compared with the registered secrets once, for any client.
    await cost(id);
    assertEquals(await cost(id), [secret]);
  });
});

test("[CA-08] a secret of another length or spelling is rejected like any wrong secret", async () => {
  const b = await testServer({ clients: [...clients, confidential("long", "s".repeat(512))] });
  const wrong = [
    ...[
      "",
      "w",
      "web-secre",
      "web-secrets",
      "web-secreT",
      "WEB-SECRET",
      "web-secret ",
      " web-secret",
      "web-secretweb-secret",
    ],
    ...[
      "x".repeat(43),
      "A".repeat(43),
      "x".repeat(10_000),
      "web-secret".repeat(1000),
      "%77eb-secre",
      "undefined",
      "null",
    ],
  ];
  await forEachCase(wrong, async (secret) => {
    assertEquals(await getOutcome(await exchangeCode(b, "web", basic("web", secret))), "401 invalid_client");
    const fields = { client_id: "poster", client_secret: secret.replace("web", "poster") };
    assertEquals(await getOutcome(await exchangeCode(b, "web", {}, fields)), "401 invalid_client");
  });
  for (const length of [0, 1, 511, 513, 2000]) {
    assertEquals(
      await getOutcome(await exchangeCode(b, "long", basic("long", "s".repeat(length)))),
      "401 invalid_client",
    );
  }
  assertEquals(await getOutcome(await exchangeCode(b, "long", basic("long", "s".repeat(512)))), "200");
});

test("[CA-08, CA-14] the digest of a secret does not authenticate", async () => {
  const b = await testServer();
  for (
    const secret of [await b.as.clients.find("web")!.secretDigest!, await b.as.clients.find("web")!.secretDigest! + "="]
  ) {
    assertEquals(await getOutcome(await exchangeCode(b, "web", basic("web", secret))), "401 invalid_client");
  }
});

test("[CA-09] two methods of authentication in one request are 400 invalid_request, even if both are correct", async () => {
  const b = await testServer();
  const assertion = {
    client_assertion: "e30.e30.x",
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
  };
  await forEachCase<[HeadersInit, Fields]>([
    [basic("web", "web-secret"), { client_secret: "web-secret" }],
    [basic("web", "web-secret"), { client_id: "web", client_secret: "web-secret" }],
    [basic("web", "web-secret"), { client_id: "poster", client_secret: "poster-secret" }],
    [basic("poster", "poster-secret"), { client_id: "poster", client_secret: "poster-secret" }],
    [basic("web", "wrong"), { client_secret: "wrong" }],
    [basic("web", "web-secret"), assertion],
    [basic("web", "web-secret"), { client_assertion: "x" }],
    [{}, { client_id: "poster", client_secret: "poster-secret", ...assertion }],
    [{}, { client_id: "poster", client_secret: "poster-secret", client_assertion: "x" }],
    [basic("web", "web-secret"), { client_secret: "web-secret", ...assertion }],
  ], async ([headers, fields]) => {
    assertEquals(await getOutcome(await exchangeCode(b, "web", headers, fields)), "400 invalid_request");
  });
  assertEquals(
    await getOutcome(await exchangeCode(b, "web", basic("web", "web-secret"), { client_secret: "" })),
    "200",
  );
});

test("[CA-07, CA-09] the trace of a rejection names the registered client that the request claims to be", async () => {
  const b = await testServer();
  const secret = "web-secret";
  const cases: readonly [HeadersInit, Fields, string | undefined][] = [
    [basic("web", "wrong"), {}, "web"],
    [{}, { client_id: "poster", client_secret: "wrong" }, "poster"],
    [{}, { client_id: "web" }, "web"],
    [basic("web", secret), { client_secret: secret }, "web"],
    [basic(secret, "web"), {}, undefined],
    [{}, { client_id: secret, client_secret: "web" }, undefined],
    [basic(secret, "web"), { client_id: "web", client_secret: secret }, "web"],
    [basic(secret, secret), { client_id: secret, client_secret: secret }, undefined],
  ];
  for (const [headers, fields, expected] of cases) {
    await exchangeCode(b, "web", headers, fields);
    const event = b.events.findLast((event) => event.type === "rejected");
    assertEquals(event!.client, expected, JSON.stringify(fields));
  }
  const last = b.events.findLast((event) => event.type === "rejected");
  assertEquals([last!.explanation.rule, last!.explanation.received], [
    "CA-09",
    "client_secret_basic and client_secret_post",
  ]);
});

test("[CA-10] a correct verifier does not replace the secret of a confidential client", async () => {
  const b = await testServer();
  for (const client_id of ["web", "poster"]) {
    const redirect_uri = `https://${client_id}.example/cb`;
    const code = await b.code({ client_id, redirect_uri });
    assertEquals(await getOutcome(await b.token({ client_id, redirect_uri, code })), "401 invalid_client");
  }
});

test("[CA-11] a public client that sends a secret is rejected", async () => {
  const b = await testServer();
  await forEachCase<[HeadersInit, Fields]>([
    [{}, { client_secret: "x" }],
    [{}, { client_secret: "spa" }],
    [{}, { client_secret: "undefined" }],
    [basic("spa", "x"), {}],
    [basic("spa", " "), {}],
    [basic("spa", "spa"), { client_id: undefined }],
    [basic("spa", "undefined"), { client_id: undefined }],
  ], async ([headers, fields]) => {
    const code = await b.code();
    const response = await b.token({ code, ...fields }, { headers: headers as Record<string, string> });
    assertEquals(await getOutcome(response), "401 invalid_client");
    assertEquals(await getOutcome(await b.token({ code })), "200");
  });
});

test("[CA-17] Basic with an empty secret is a public client, with a warning; a profile forbids it", async () => {
  const empty = { headers: basic("spa", "") };
  for (const fields of [{}, { client_id: undefined }]) {
    const b = await testServer();
    assertEquals(await getOutcome(await b.token({ code: await b.code(), ...fields }, empty)), "200");
    const warnings = b.events.flatMap((event) =>
      event.type === "warning" ? [[event.client, event.explanation.rule]] : []
    );
    assertEquals(warnings, [["spa", "CA-17"]]);
    const form = { "content-type": "application/x-www-form-urlencoded", ...empty.headers };
    const introspection = await b.get("/oauth2/introspect", { method: "POST", body: "token=x", headers: form });
    assertEquals(await getOutcome(introspection), "401 invalid_client", "a public client proves nothing");
    const machine = await b.token({ grant_type: "client_credentials" }, empty);
    assertEquals(await getOutcome(machine), "400 unauthorized_client");
  }
  for (const profile of ["oauth2.1", "mcp"] as const) {
    const strict = await testServer({ profile });
    assertEquals(await getOutcome(await strict.token({ code: await strict.code() }, empty)), "401 invalid_client");
  }
  const own = await testServer({
    clients: [{ ...clients.find(({ client_id }) => client_id === "spa")!, profile: "oauth2.1" }],
  });
  assertEquals(await getOutcome(await own.token({ code: await own.code() }, empty)), "401 invalid_client");
  const withoutPublic = await testServer({
    clientAuthMethods: ["client_secret_basic"],
    clients: [confidential("web", "s")],
  });
  withoutPublic.as.clients.set(confidential("other", "s"));
  assertEquals(await getOutcome(await withoutPublic.token({ code: "x" }, empty)), "401 invalid_client");
});

/** A wrong or right try of `web` from an address, without a code: 401, 429, or 400 when it got in. */
async function tryAs(b: TestServer, secret: string, address?: string, id = "web"): Promise<Response> {
  const headers = { ...basic(id, secret), "content-type": "application/x-www-form-urlencoded" };
  const request = new Request(`${b.as.issuer}/oauth2/token`, { method: "POST", body: "grant_type=x", headers });
  return await b.as.fetch(request, { address });
}

/** Sends wrong secrets until the rate limit; returns the seconds of Retry-After. */
async function guessUntilLimited(b: TestServer, address?: string, id = "web"): Promise<number> {
  for (let i = 0; i < 100; i++) {
    const response = await tryAs(b, `guess ${i}`, address, id);
    if (response.status === 401) continue;
    assertEquals(await getOutcome(response), "429 temporarily_unavailable");
    assertMatch(response.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
    return Number(response.headers.get("retry-after"));
  }
  throw new Error("a hundred guesses without a rate limit");
}

const throttled: LatchkeyOptions = { throttle: true, clients: [...clients, confidential("web2", "web2-secret")] };

test("[CA-12] after too many failures even the correct secret is 429 until Retry-After", async () => {
  const b = await testServer(throttled);
  const seconds = await guessUntilLimited(b, "192.0.2.1");
  assertLessOrEqual(seconds, 3600);
  assertEquals((await tryAs(b, "web-secret", "192.0.2.1")).status, 429);
  b.advance(seconds - 1);
  assertEquals((await tryAs(b, "web-secret", "192.0.2.1")).status, 429);
  b.advance(1);
  assertEquals(await getOutcome(await tryAs(b, "web-secret", "192.0.2.1")), "400 unsupported_grant_type");
  assertEquals(await getOutcome(await tryAs(b, "guess", "192.0.2.1")), "401 invalid_client");
  assertGreater(await guessUntilLimited(b, "192.0.2.1"), 0);
});

test("[CA-12] requests during the wait do not extend it, and 429 responses do not count as failures", async () => {
  const b = await testServer(throttled);
  const seconds = await guessUntilLimited(b, "192.0.2.1");
  for (let second = 1; second < seconds; second++) {
    b.advance(1);
    const left = Number((await tryAs(b, "guess", "192.0.2.1")).headers.get("retry-after"));
    assertEquals(left, seconds - second);
  }
  b.advance(1);
  assertEquals(await getOutcome(await tryAs(b, "web-secret", "192.0.2.1")), "400 unsupported_grant_type");
});

test("[CA-12] failures from another address or for another client do not lock out other callers", async () => {
  const b = await testServer(throttled);
  await guessUntilLimited(b, "192.0.2.1");
  assertEquals(await getOutcome(await tryAs(b, "web-secret", "192.0.2.2")), "400 unsupported_grant_type");
  assertEquals(await getOutcome(await tryAs(b, "web2-secret", "192.0.2.1", "web2")), "400 unsupported_grant_type");
  assertEquals(await getOutcome(await b.token({ code: await b.code() })), "200");
});

test("[CA-12] attempts by Basic, by post and in every spelling of the id count together", async () => {
  const b = await testServer({ ...throttled, clients: [...clients, confidential("a b", "a b-secret")] });
  await guessUntilLimited(b, undefined, "a b");
  for (const id of ["a+b", "a%20b", "%61 b", "a b"]) {
    assertEquals((await tryAs(b, "guess", undefined, id)).status, 429, id);
  }
  const guess = await exchangeCode(b, "web", {}, { client_id: "a b", client_secret: "guess" });
  assertEquals(guess.status, 429);
});

test("[CA-12] a hundred concurrent attempts do not bypass the limit", async () => {
  const b = await testServer(throttled);
  const guesses = await Promise.all(Array.from({ length: 100 }, (_, i) => tryAs(b, `guess ${i}`, "192.0.2.1")));
  const observed = guesses.filter(({ status }) => status === 401).length;
  const patient = await testServer(throttled);
  let oneByOne = 0;
  while ((await tryAs(patient, "guess", "192.0.2.1")).status === 401) oneByOne++;
  assertLessOrEqual(observed, oneByOne, "concurrent guesses got more responses than sequential ones");
});

test("[CA-12] a hundred concurrent correct requests do not count as failures", async () => {
  const b = await testServer(throttled);
  const tries = await Promise.all(Array.from({ length: 100 }, () => tryAs(b, "web-secret", "192.0.2.1")));
  assertEquals(tries.filter(({ status }) => status !== 400).length, 0);
});

for (const [condition, settings] of [["", {}], [" with mutual TLS", { mutualTls: {} }]] as const) {
  test(`[CA-07] an unknown client causes the same store reads as a failing known one; success causes none${condition}`, async () => {
    const { store, asked } = recordingStore();
    const b = await testServer({
      ...settings,
      store,
      clients: [
        ...clients,
        confidential("signer", "s".repeat(32), { token_endpoint_auth_method: "client_secret_jwt" }),
      ],
    });
    const assertion = (id: string) =>
      [{ alg: "HS256" }, { iss: id, sub: id }, "signature"].map((part) =>
        Buffer.from(JSON.stringify(part)).toString("base64url")
      ).join(".");
    const code = await b.code();
    const ways: ((id: string) => Promise<Response>)[] = [
      (id) => b.token({ client_id: undefined }, { headers: basic(id, "wrong") }),
      (id) => b.token({ client_id: id, client_secret: "wrong" }),
      (id) => b.token({ client_id: id }),
      (id) =>
        b.token({
          client_id: undefined,
          client_assertion: assertion(id),
          client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        }),
      // The secret has two readings.
      (id) => b.token({ client_id: undefined }, { headers: { authorization: `Basic ${btoa(`${id}:wro%6Eg`)}` } }),
      (id) => b.get("/oauth2/introspect", { method: "POST", body: "token=x", headers: formWith(basic(id, "wrong")) }),
      (id) => b.get("/oauth2/revoke", { method: "POST", body: "token=x", headers: formWith(basic(id, "wrong")) }),
    ];
    const inBody = ways.slice(1, 4);
    await forEachCase(ways, async (attempt) => {
      const observed = new Set<string>();
      for (const id of ["web", "signer", "unknown", "constructor"]) {
        asked.length = 0;
        assertEquals(
          await getOutcome(await attempt(id)),
          inBody.includes(attempt) ? "401 invalid_client" : "401 invalid_client",
        );
        observed.add(asked.join());
      }
      assertEquals(observed.size, 1, [...observed].join("; "));
      assertMatch([...observed][0]!, /^get client(?:,get client)?$/);
    });
    asked.length = 0;
    assertEquals(await getOutcome(await b.token({ code })), "200");
    assertEquals(asked.filter((question) => / client$/.test(question)), []);
  });
}

function formWith(headers: Record<string, string>): Record<string, string> {
  return { "content-type": "application/x-www-form-urlencoded", ...headers };
}

test("[CA-07, HT-15] swapped id and secret of a client that only the store has are in no event", async () => {
  const store = Object.assign(memoryStore(), { persistent: true });
  const first = await testServer({ store });
  await first.as.clients.set(confidential("gateway", "s3cret"));
  const ways: readonly [Record<string, string>, Fields][] = [
    [{}, { client_id: "s3cret", client_secret: "gateway" }],
    [basic("s3cret", "gateway"), {}],
  ];
  for (const [headers, fields] of ways) {
    const b = await testServer({ store, clients: [] });
    const body = encode({ grant_type: "authorization_code", code: "x", ...fields });
    await b.get("/oauth2/token", { method: "POST", body, headers: formWith(headers) });
    assertEquals(getRejections(b.events)[0]?.explanation.received, "the client_id instead of the secret");
    assertEquals(JSON.stringify(b.events).includes("s3cret"), false);
  }
});

test("[CA-07, CA-12] an unknown client is rate-limited like a known one", async () => {
  const b = await testServer(throttled);
  const [known, unknown] = [
    await guessUntilLimited(b, "192.0.2.1"),
    await guessUntilLimited(b, "192.0.2.1", "unknown"),
  ];
  assertEquals(unknown, known);
  const bodies = [await tryAs(b, "x", "192.0.2.1"), await tryAs(b, "x", "192.0.2.1", "unknown")];
  assertEquals(await bodies[0]!.text(), await bodies[1]!.text());
});

test("[CA-12] failures below the limit expire", async () => {
  const b = await testServer(throttled);
  for (let i = 0; i < 200; i++) {
    assertEquals((await tryAs(b, "guess", "192.0.2.1")).status, 401, `guess ${i}, a minute after the one before`);
    b.advance(60);
  }
});

test("[CA-12] the limit is on for a real host, off for a test host, and configurable", async () => {
  const web = { clients: [confidential("web", "web-secret")] };
  const real = { ...web, issuer: "https://login.widgets.com", insecure: ["auto-login"] as const };
  await forEachCase<[LatchkeyOptions, boolean]>([
    [real, true],
    [{ ...real, throttle: false }, false],
    [{ ...web, issuer: "https://as.test" }, false],
    [{ ...web, issuer: "http://localhost:9000" }, false],
    [{ ...web, issuer: "http://127.0.0.1:9000" }, false],
    [{ ...web, issuer: "https://localhost.widgets.com", insecure: ["auto-login"] }, true],
    [{ ...web, issuer: "https://as.test", throttle: true }, true],
  ], async ([options, on]) => {
    const b = await testServer(options);
    let last = 0;
    for (let i = 0; i < 100; i++) last = (await tryAs(b, "guess")).status;
    assertEquals(last, on ? 429 : 401);
  });
});

test("[CA-13] another scheme or a second Authorization header is rejected, and credentials in the body are not tried", async () => {
  const b = await testServer();
  const credentials = base64("web:web-secret");
  const schemes = [
    ...["Bearer x", `Bearer ${credentials}`, 'Digest username="web"', "Negotiate x", "DPoP x", "Basic2 x", credentials],
    ...["ApiKey x", "HTTP Basic x", `,Basic ${credentials}`, `Basic,${credentials}`],
  ];
  await forEachCase(schemes, async (header) => {
    assertEquals(await getOutcome(await exchangeCode(b, "web", authorization(header))), "401 invalid_client");
    const asSpa = await b.token({ code: await b.code() }, { headers: authorization(header) });
    assertEquals(await getOutcome(asSpa), "401 invalid_client", "the client_id in the body was taken instead");
    const asPoster = await exchangeCode(b, "web", authorization(header), {
      client_id: "poster",
      client_secret: "poster-secret",
    });
    assertMatch(
      await getOutcome(asPoster),
      /^40[01] invalid_(?:client|request)$/,
      "the secret in the body was taken instead",
    );
  });
  await forEachCase([`Basic ${credentials}`, "Bearer x", "Basic x"], async (second) => {
    for (const pair of [[`Basic ${credentials}`, second], [second, `Basic ${credentials}`]]) {
      const headers = new Headers();
      for (const header of pair) headers.append("authorization", header);
      assertMatch(await getOutcome(await exchangeCode(b, "web", headers)), /^40[01] invalid_(?:client|request)$/);
    }
  });
});

test("[CA-14] no stored data of a client contains its secret", async () => {
  const observed: unknown[] = [];
  const b = await testServer({ store: observedStore(memoryStore(), (verb, args) => observed.push([verb, ...args])) });
  await exchangeCode(b, "web", basic("web", "web-secret"));
  await exchangeCode(b, "web", basic("web", "web-secret-wrong"));
  for (const client of b.as.clients.list()) {
    const whole = inspect(client, { depth: Infinity, showHidden: true, getters: true });
    assertNotMatch(whole + await client.secretDigest, /(?:web|poster)-secret/);
    for (const value of Object.values(client)) assertNotMatch(String(value), /(?:web|poster)-secret/);
  }
  assertNotMatch(inspect([observed, b.events], { depth: Infinity }), /(?:web|poster)-secret/);
});

test("[CA-15] the secret is 401 from client_secret_expires_at on, and 0 means never", async () => {
  const start = Date.UTC(2026, 0, 1) / 1000;
  const b = await testServer({
    clients: [
      confidential("expiring", "s", { client_secret_expires_at: start + 10 }),
      confidential("post", "s", {
        client_secret_expires_at: start + 10,
        token_endpoint_auth_method: "client_secret_post",
      }),
      confidential("past", "s", { client_secret_expires_at: start - 1 }),
      confidential("never", "s", { client_secret_expires_at: 0 }),
    ],
  });
  const now = async () => [
    await getOutcome(await exchangeCode(b, "expiring", basic("expiring", "s"))),
    await getOutcome(await exchangeCode(b, "post", {}, { client_id: "post", client_secret: "s" })),
    await getOutcome(await exchangeCode(b, "past", basic("past", "s"))),
    await getOutcome(await exchangeCode(b, "never", basic("never", "s"))),
  ];
  const rejected = "401 invalid_client";
  assertEquals(await now(), ["200", "200", rejected, "200"]);
  b.advance(9.999);
  assertEquals(await now(), ["200", "200", rejected, "200"]);
  b.advance(0.001);
  assertEquals(await now(), [rejected, "401 invalid_client", rejected, "200"]);
  b.advance(1e9);
  assertEquals(await now(), [rejected, "401 invalid_client", rejected, "200"]);
});

test("[CA-16] client_secret_post works for clients registered for it, in every form encoding", async () => {
  const post = { token_endpoint_auth_method: "client_secret_post" } as const;
  const b = await testServer({ clients: awkward.map((text) => confidential(`${text}-id`, text, post)) });
  await forEachCase(awkward, async (text) => {
    const body = new URLSearchParams();
    await ClientSecretPost(text)({ issuer: b.as.issuer }, { client_id: `${text}-id` }, body, new Headers());
    assertEquals(await getOutcome(await exchangeCode(b, `${text}-id`, {}, Object.fromEntries(body))), "200");
    assertEquals(
      await getOutcome(await exchangeCode(b, `${text}-id`, basic(formEncode(`${text}-id`), formEncode(text)))),
      "401 invalid_client",
    );
  });
});

test("[CA-16] a Basic client that posts its secret is rejected, and so is a post client with Basic", async () => {
  const named = confidential("named", "its-secret", { token_endpoint_auth_method: "client_secret_basic" });
  const b = await testServer({ clients: [...clients, named] });
  const posted = { client_id: "named", client_secret: "its-secret" };
  assertEquals(await getOutcome(await exchangeCode(b, "named", {}, posted)), "401 invalid_client");
  const { explanation } = getRejections(b.events).at(-1)!;
  assertEquals([explanation.rule, explanation.expected, explanation.received], [
    "CA-07",
    "client_secret_basic",
    "client_secret_post",
  ]);
  assertEquals(await getOutcome(await exchangeCode(b, "web", basic("poster", "poster-secret"))), "401 invalid_client");
  assertEquals(await getOutcome(await exchangeCode(b, "named", basic("named", "its-secret"))), "200");
  assertEquals(b.events.filter(({ type }) => type === "warning"), [], "nothing is to be pinned");
});

test("[CA-16] a client without a registered method sends its secret by Basic or in the body, never both", async () => {
  const b = await testServer();
  const posted = { client_id: "web", client_secret: "web-secret" };
  for (const [path, fields] of [["revoke", { token: "x" }], ["introspect", { token: "x" }]] as const) {
    const ask = (fields: Fields, headers = {}) => b.post(`/oauth2/${path}`, fields, headers);
    assertEquals((await ask({ ...fields, ...posted })).status, 200, path);
    assertEquals((await ask(fields, basic("web", "web-secret"))).status, 200, path);
    assertEquals((await ask({ ...fields, ...posted }, basic("web", "web-secret"))).status, 400, path);
  }
  assertEquals(await getOutcome(await exchangeCode(b, "web", {}, posted)), "200");
  assertEquals(await getOutcome(await exchangeCode(b, "web", basic("web", "web-secret"))), "200");
  assertEquals(
    await getOutcome(await exchangeCode(b, "web", basic("web", "web-secret"), posted)),
    "400 invalid_request",
  );
  await forEachCase(
    [{ ...posted, client_secret: "web-secres" }, { ...posted, client_secret: "" }, { client_id: "web" }],
    async (
      fields,
    ) => assertEquals(await getOutcome(await exchangeCode(b, "web", {}, fields)), "401 invalid_client"),
  );
});

test("[CA-16] a warning reports use of the non-default method and how to register it, once and never after a rejection", async () => {
  const b = await testServer();
  await exchangeCode(b, "web", basic("web", "web-secret"));
  await exchangeCode(b, "web", {}, { client_id: "web", client_secret: "another" });
  await exchangeCode(b, "web", {}, { client_id: "poster", client_secret: "poster-secret" });
  const posted = { client_id: "web", client_secret: "web-secret" };
  await b.token({ ...posted, grant_type: "authorization_code", code: "unknown" });
  assertEquals(b.events.filter(({ type }) => type === "warning"), []);
  await exchangeCode(b, "web", {}, posted);
  await exchangeCode(b, "web", {}, posted);
  const [warning, ...others] = b.events.filter((event) => event.type === "warning");
  assertEquals(others, []);
  assertEquals([warning!.client, warning!.explanation], ["web", {
    rule: "CA-16",
    reason:
      "authentication by client_secret_post was accepted, as OAuth 2.1 requires; but without token_endpoint_auth_method " +
      "the client is registered for client_secret_basic (RFC 7591 §2), and other servers may insist on that",
    expected: 'token_endpoint_auth_method: "client_secret_post" in the client\'s metadata, or client_secret_basic',
    received: "client_secret_post",
    fix: "Add token_endpoint_auth_method to the client's metadata. Then only that method is accepted.",
  }]);
});

test("[CA-16] servers of providers whose metadata lists client_secret_post do not warn", async () => {
  const warningsOf = async (settings: Parameters<typeof testServer>[0]) => {
    const b = await testServer({ clients, ...settings });
    await b.post("/oauth2/revoke", { client_id: "web", client_secret: "web-secret", token: "x" });
    return b.events.flatMap((event) => event.type === "warning" ? [event.explanation.rule] : []);
  };
  assertEquals(await warningsOf({}), ["CA-16"]);
  for (const profile of ["auth0", "entra", "okta"] as const) assertEquals(await warningsOf({ profile }), [], profile);
  const metadata = { token_endpoint_auth_methods_supported: ["client_secret_basic"] };
  assertEquals(await warningsOf({ profile: { name: "basic-only", metadata } }), ["CA-16"]);
});

test("[CA-17] an empty secret authenticates no client", async () => {
  const b = await testServer();
  try {
    b.as.clients.set(confidential("hollow", ""));
  } catch {
    // Rejected, as an unknown client is.
  }
  for (const id of ["web", "spa", "poster", "hollow", "unknown"]) {
    const byBasic = id === "spa" ? "400 invalid_grant" : "401 invalid_client";
    assertEquals(await getOutcome(await exchangeCode(b, "web", basic(id, ""))), byBasic, id);
    const expected = id === "spa" ? "400 invalid_grant" : "401 invalid_client";
    assertEquals(
      await getOutcome(await exchangeCode(b, "web", {}, { client_id: id, client_secret: "" })),
      expected,
      id,
    );
  }
});

test("[CA-17] a client cannot be configured with an empty secret", async () => {
  const error = await assertRejects(() => latchkey({ clients: [confidential("web", "")] }), ConfigurationError);
  assertEquals(error.issues.map((fault) => fault.path), ["clients[0].client_secret"]);
});

test("[CA-04, HT-25] header names and values of every size get a response", async () => {
  const b = await testServer();
  for (const length of [1, 1000, 48_000, 100_000]) {
    const outcome = length === 100_000 ? "431 invalid_request" : "401 invalid_client";
    for (
      const header of [
        "Basic " + "A".repeat(length),
        "B".repeat(length),
        `Basic ${base64("web:".padEnd(length, "%25"))}`,
      ]
    ) {
      assertEquals(await getOutcome(await exchangeCode(b, "web", authorization(header))), outcome);
    }
  }
  assertEquals(b.events.filter((event) => event.type === "internal_error"), []);
});
