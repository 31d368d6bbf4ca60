/**
 * Rich authorization requests (group RA).
 *
 * @extensions assertion_authentication, par, registration, signed_requests
 */

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { ConfigurationError, type LatchkeyOptions, memoryStore, type Store } from "../../../../src/mod.ts";
import { storageKey } from "../../../../src/core/keys/secrets.ts";
import { redactEvent } from "../../../../src/server/redaction/redact.ts";
import { latchkey } from "../../../secret_leak_check.ts";
import {
  basicHeader,
  fetchIntrospection,
  findLastRule,
  publicTokens,
  refresh,
  refreshTokens,
  testClients,
  webTokens,
} from "../../client_endpoints.ts";
import type { Tokens } from "../../client_endpoints.ts";
import {
  assertAuthorizationResponse,
  assertTokenResponse,
  authorizeByPost,
  decodeClaims,
  encode,
  forEachCase,
  getOutcome,
  getRedirectParams,
  getRejections,
  goodRequest,
  testServer,
} from "../../../kit.ts";
import type { Fields, TestServer } from "../../../kit.ts";
import { postRegistration, register } from "../../registering.ts";
import { bank, details, editFiles, files, payment, readFiles, richOptions, secret } from "./rich_requests.ts";
import { signedRequest } from "../../../../src/client/request_object.ts";
import { secretKey, signingContext } from "../../client_jwts.ts";

function richServer(options: LatchkeyOptions = {}): Promise<TestServer> {
  return testServer({ ...richOptions, ...options });
}

/** The `authorization_details` of a token response. */
function detailsOf(tokens: object): unknown {
  return (tokens as Record<string, unknown>).authorization_details;
}

/** GET /oauth2/authorize of `signer` with a request object. */
async function authorizeSigned(server: TestServer, authorization_details: unknown): Promise<Response> {
  const request = { ...goodRequest, client_id: "signer" };
  const changes = { claims: { authorization_details } };
  const sent = await signedRequest(signingContext(), await secretKey(secret), request, changes);
  return await server.get(`/oauth2/authorize?${encode(sent)}`);
}

/** What a code was issued for. */
async function storedDetails(store: Store, code: string): Promise<unknown> {
  const id = await storageKey({ names: { storage: "https://as.test" } }, code);
  return (await store.get("code", id))?.value.grant.extensions?.authorization_details;
}

function push(server: TestServer, fields: Fields): Promise<Response> {
  return server.post("/oauth2/par", { ...goodRequest, ...fields });
}

/** The error of a redirect; `code` for a code. */
async function authorizeOutcome(server: TestServer, fields: Fields): Promise<string> {
  const response = await server.authorize(fields);
  return assertAuthorizationResponse(response).error ?? "code";
}

test("[RA-01, RA-16] a signed request has an array, or a string with one", async () => {
  const { authorizationDetails: types } = richOptions;
  const store = memoryStore();
  const authorizationDetails = { ...types, payment: { ...types!.payment!, requireProtectedRequest: true } };
  const server = await richServer({ store, authorizationDetails });
  for (const value of [[payment, editFiles], JSON.stringify([payment, editFiles])]) {
    const { code } = assertAuthorizationResponse(await authorizeSigned(server, value));
    assertEquals(await storedDetails(store, code!), [payment, editFiles]);
  }
  for (const [value, expected] of [[{}, "invalid_request"], [[{}], "invalid_authorization_details"]] as const) {
    assertEquals(assertAuthorizationResponse(await authorizeSigned(server, value)).error, expected);
  }
  assert("code" in assertAuthorizationResponse(await authorizeSigned(server, [])));
});

test("[RA-01, RA-08, RA-12] one value leads to the same grant by GET, by POST and pushed", async () => {
  const server = await richServer();
  const objects = [payment, editFiles, editFiles];
  const fields = details(...objects);
  const { request_uri } = await (await push(server, fields)).json();
  const responses = [
    await server.authorize(fields),
    await authorizeByPost(server, fields),
    await server.get(`/oauth2/authorize?${encode({ client_id: "spa", request_uri })}`),
  ];
  for (const response of responses) {
    const { code } = assertAuthorizationResponse(response);
    const tokens = await assertTokenResponse(await server.token({ code }));
    assertEquals(detailsOf(tokens), objects);
    assertEquals(tokens.scope, "openid read");
    assertEquals(decodeClaims(tokens.access_token).authorization_details, objects);
  }
});

test("[RA-02, RA-13] what is no JSON array of objects, or too large, is invalid_request; an empty array counts as absent", async () => {
  const server = await richServer();
  const object = (size: number) => JSON.stringify([{ ...readFiles, identifier: "x".repeat(size) }]);
  const fitting = 8192 - object(0).length;
  const nested = (levels: number): unknown => levels === 0 ? 1 : { inner: nested(levels - 1) };
  await forEachCase<[string | string[], string]>([
    ["{", "invalid_request"],
    ["payment", "invalid_request"],
    ["[", "invalid_request"],
    ["[".repeat(8000), "invalid_request"],
    ["{}", "invalid_request"],
    ["null", "invalid_request"],
    [`"[]"`, "invalid_request"],
    ["[1]", "invalid_request"],
    ["[null]", "invalid_request"],
    ["[[]]", "invalid_request"],
    [JSON.stringify([readFiles, "payment"]), "invalid_request"],
    [[JSON.stringify([readFiles]), JSON.stringify([readFiles])], "invalid_request"],
    [object(fitting + 1), "invalid_request"],
    [object(fitting), "code"],
    [JSON.stringify([{ ...readFiles, identifier: "ä".repeat(fitting / 2 + 1) }]), "invalid_request"],
    [JSON.stringify(Array(33).fill(readFiles)), "invalid_request"],
    [JSON.stringify(Array(32).fill(readFiles)), "code"],
    [JSON.stringify([{ ...readFiles, options: nested(8) }]), "invalid_request"],
    [JSON.stringify([{ ...readFiles, options: nested(7) }]), "code"],
    ["[]", "code"],
    [" [ ] ", "code"],
    ["", "code"],
    // What other implementations of JSON, or a store, would change.
    [`[{"type":"files","options":1e400}]`, "invalid_request"],
    [`[{"type":"files","options":[1e308,"\\ud83d\\ude00"]}]`, "code"],
    [`[{"type":"files","options":"\\ud83d"}]`, "invalid_request"],
    [`[{"type":"files","options":{"\\ude00":1}}]`, "invalid_request"],
    [`[{"type":"files","\\ud83d":1}]`, "invalid_request"],
  ], async ([authorization_details, expected]) => {
    const { error = "code" } = assertAuthorizationResponse(await authorizeByPost(server, { authorization_details }));
    assertEquals(error, expected);
    const atPar = (await push(server, { authorization_details })).status;
    assertEquals(atPar, expected === "code" ? 201 : 400);
  });
  assertEquals(detailsOf(await publicTokens(server, { authorization_details: "[]" })), undefined);
});

/** Objects that no type allows, and what the description names. */
const invalidObjects: readonly (readonly [object: unknown, described: string, rule?: string])[] = [
  [{}, "[0].type is invalid; expected one of payment, files"],
  [{ type: 1 }, "[0].type is"],
  [{ type: "" }, "[0].type is"],
  [{ type: "other" }, "[0].type is"],
  [{ type: "Payment", creditor: "Shop" }, "[0].type is"],
  [{ type: "constructor" }, "[0].type is"],
  [{ type: "__proto__" }, "[0].type is"],
  [{ type: "payment" }, "[0].creditor is invalid; expected a value, because it is required"],
  [{ ...payment, creditor: 1 }, "[0].creditor is invalid; expected type 'string'"],
  [{ ...payment, creditor: "x".repeat(41) }, "[0].creditor is invalid; expected maxLength 40"],
  [{ ...payment, amount: { currency: "GBP" } }, "[0].amount.currency is invalid; expected enum ['EUR','USD']"],
  [{ ...payment, amount: {} }, "[0].amount.currency is invalid"],
  [{ ...payment, amount: [] }, "[0].amount is invalid; expected type 'object'"],
  [{ ...payment, amount: { currency: "EUR", tip: 1 } }, "[0] has a field that type payment does not define"],
  [{ ...payment, note: 1 }, "[0].note is invalid; expected anyOf"],
  [{ ...payment, iban: "x" }, "[0] has a field that type payment does not define"],
  [{ ...payment, $ref: "/$ref" }, "[0] has a field that type payment does not define"],
  [{ ...payment, $ref: "/%E0" }, "[0] has a field that type payment does not define"],
  [{ ...payment, amount: { currency: "EUR", $ref: "/amount/$ref" } }, "[0] has a field that type payment does not"],
  [{ ...payment, actions: ["read"] }, "[0] has a field that type payment does not define"],
  [{ type: "files", actions: ["read", "print"] }, "[0].actions[1] is invalid; expected enum"],
  [{ type: "files", actions: "read" }, "[0].actions is invalid; expected an array of strings", "RA-04"],
  [{ type: "files", locations: [1] }, "[0].locations is", "RA-04"],
  [{ type: "files", datatypes: [""] }, "[0].datatypes is", "RA-04"],
  [{ type: "files", privileges: {} }, "[0].privileges is", "RA-04"],
  [{ type: "files", privileges: null }, "[0].privileges is", "RA-04"],
  [{ type: "files", identifier: "" }, "[0].identifier is invalid; expected a string that is not empty", "RA-04"],
  [{ type: "files", identifier: ["inbox"] }, "[0].identifier is", "RA-04"],
];

test("[RA-03, RA-04] every fault of an object is invalid_authorization_details at every endpoint, and the description names it", async () => {
  const server = await richServer();
  const { code, refresh_token } = { code: await server.code(details(payment)), ...await publicTokens(server) };
  await forEachCase(invalidObjects, async ([object, described, rule = "RA-03"]) => {
    const params = getRedirectParams(await server.authorize(details(object)));
    assertEquals([params.get("error"), params.get("code")], ["invalid_authorization_details", null]);
    assertStringIncludes(params.get("error_description")!, `authorization_details${described}`);
    assertEquals(findLastRule(server), rule);
    // The fault is in the second object: nothing of the first one is granted.
    const second = details(editFiles, object);
    const secondParams = getRedirectParams(await server.authorize(second));
    assertStringIncludes(secondParams.get("error_description")!, "authorization_details[1]");
    const machine = { grant_type: "client_credentials", ...second };
    const outcomes = [
      await getOutcome(await push(server, second)),
      await getOutcome(await server.token({ code, ...second })),
      await getOutcome(await refresh(server, refresh_token, second)),
      await getOutcome(await server.post("/oauth2/token", machine, basicHeader("worker"))),
    ];
    assertEquals(outcomes, Array(4).fill("400 invalid_authorization_details"));
  });
  assertEquals((await server.token({ code })).status, 200);
});

test("[RA-13] strings are compared code point by code point; __proto__ and repeated members have no effect", async () => {
  const composed = "\u00e9";
  const decomposed = "e\u0301";
  const schema = { properties: { options: {}, identifier: true } };
  const server = await testServer({ ...testClients, authorizationDetails: { [composed]: { schema } } });
  const tokens = await publicTokens(server, details({ type: composed }));
  assertEquals(detailsOf(tokens), [{ type: composed }]);
  const inner = `{"type":"x","type":"${composed}","identifier":"a","identifier":"b","options":{"__proto__":{"a":1}}}`;
  const received = detailsOf(await publicTokens(server, { authorization_details: `[${inner}]` })) as [
    { identifier: string; options: object },
  ];
  assertEquals(received[0].identifier, "b");
  assertEquals(Object.keys(received[0].options), ["__proto__"]);
  assertEquals(Object.getPrototypeOf(received[0].options), Object.prototype);
  await forEachCase([
    `[{"type":"${decomposed}"}]`,
    `[{"type":"${composed} "}]`,
    `[{"type":"${composed}","__proto__":{"identifier":"x"}}]`,
    `[{"__proto__":{"type":"${composed}"}}]`,
    `[{"type":"${composed}","constructor":{}}]`,
  ], async (authorization_details) => {
    assertEquals(await authorizeOutcome(server, { authorization_details }), "invalid_authorization_details");
  });
});

test("[RA-13] no value of an object is in a description, a log or a trace event", async () => {
  const server = await richServer();
  const secret = "4711-0815-account";
  const objects = [
    { ...payment, amount: { currency: secret } },
    { ...payment, creditor: { [secret]: secret } },
    { type: "files", identifier: [secret] },
    { type: "files", actions: [secret] },
  ];
  await forEachCase(objects, async (object) => {
    const response = await server.authorize(details(object));
    assert(!response.headers.get("location")!.includes(secret));
  });
  const code = await server.code(details({ ...payment, creditor: secret }));
  assertEquals((await server.token({ code, ...details({ ...payment, creditor: `${secret}x` }) })).status, 400);
  assertEquals(getRejections(server.events).length, 5);
  assert(!JSON.stringify(server.events.map((event) => redactEvent(event))).includes(secret));
  assert(!JSON.stringify(server.events).includes(secret));
});

test("[RA-04] a type without a schema, and one whose schema has a mistake, stop the start with path and expectation", async () => {
  await forEachCase<[unknown, string, string]>([
    [{ payment: {} }, "authorizationDetails.payment.schema", "a JSON Schema"],
    [{ payment: { schema: "object" } }, "authorizationDetails.payment.schema", "a JSON Schema"],
    [{ payment: { schema: {}, label: "x" } }, "authorizationDetails.payment.label", "a known key"],
    [{ "": { schema: {} } }, "authorizationDetails", "types with a name"],
    [{ a: { schema: { typ: 1 } } }, "authorizationDetails.a.schema.typ", "a keyword of JSON Schema 2020-12"],
    [
      { a: { schema: { properties: { b: { type: "text" } } } } },
      "authorizationDetails.a.schema.properties.b.type",
      "a type of JSON",
    ],
    [{ a: { schema: { pattern: "(" } } }, "authorizationDetails.a.schema.pattern", `format "regex"`],
    [{ a: { schema: { format: "url" } } }, "authorizationDetails.a.schema.format", "a format, such as"],
    [{ a: { schema: { $ref: "https://x.test/" } } }, "authorizationDetails.a.schema.$ref", "pattern "],
    [
      { a: { schema: { properties: { b: { $ref: "#/$defs/x" } } } } },
      "authorizationDetails.a.schema.properties.b.$ref",
      "a r",
    ],
    [
      { a: { schema: { $defs: { x: { anyOf: [{ $ref: "#/$defs/x" }] } } } } },
      "authorizationDetails.a.schema.$defs.x.anyOf[0].anyOf[0].$ref",
      "a reference to one of $defs that does not lead back to itself",
    ],
    [["payment"], "authorizationDetails", "an object of types by name"],
  ], async ([authorizationDetails, path, expected]) => {
    const options = { ...richOptions, authorizationDetails, clients: testClients.clients } as LatchkeyOptions;
    const { issues } = await assertRejects(() => latchkey(options), ConfigurationError);
    assertEquals(issues.map((issue) => issue.path), [path]);
    assert(issues[0]!.expected.startsWith(expected), issues[0]!.expected);
  });
  const data = { $ref: "#/$defs/none" };
  const schema = { const: data, enum: [data], default: data, examples: [data] };
  const literal = await richServer({ clients: testClients.clients, authorizationDetails: { payment: { schema } } });
  await literal.as.close();
  const recursive = { $defs: { tree: { properties: { child: { $ref: "#/$defs/tree" } } } }, $ref: "#/$defs/tree" };
  const server = await richServer({
    clients: testClients.clients,
    authorizationDetails: { tree: { schema: recursive } },
  });
  assertEquals(await authorizeOutcome(server, details({ type: "tree", child: { child: {} } })), "code");
  assertEquals(
    await authorizeOutcome(server, details({ type: "tree", child: { child: 1, other: 1 }, leaf: 1 })),
    "invalid_authorization_details",
  );
});

test("[RA-05] a client with authorization_details_types may use these alone; an unknown type is left out", async () => {
  const server = await richServer({ registration: { mode: "open" } });
  const payer = { client_id: "payer" };
  assertEquals(await authorizeOutcome(server, { ...payer, ...details(payment) }), "code");
  assertEquals(
    await authorizeOutcome(server, { ...payer, ...details(payment, readFiles) }),
    "invalid_authorization_details",
  );
  assertEquals(findLastRule(server), "RA-05");
  const redirect_uris = ["https://new.example/cb"];
  const registered = await register(server, { redirect_uris, authorization_details_types: ["files"] });
  assertEquals(registered.authorization_details_types, ["files"]);
  const both = await register(server, { redirect_uris, authorization_details_types: ["files", "other"] });
  assertEquals(both.authorization_details_types, ["files"]);
  const strict = await richServer({ registration: { mode: "open", unsupportedValues: "reject" } });
  const rejected = await postRegistration(strict, { redirect_uris, authorization_details_types: ["files", "other"] });
  assertEquals(await getOutcome(rejected), "400 invalid_client_metadata");
  const clients = [{ client_id: "spa", redirect_uris, authorization_details_types: ["files", "other"] }];
  const { issues } = await assertRejects(() => latchkey({ ...richOptions, clients }), ConfigurationError);
  assertEquals(issues.map(({ path }) => path), ["clients[0].authorization_details_types[1]"]);
});

test("[RA-07] an approver grants less, nothing, or more where the type is enrichable", async () => {
  const { authorizationDetails: types } = richOptions;
  const requested = [payment, editFiles];
  const enriched = { ...payment, note: "checked" };
  const none = undefined;
  await forEachCase<[granted: readonly { type: string }[] | undefined, enrichable: boolean, scope: string[], string]>([
    [requested, false, ["openid"], "code"],
    [[editFiles], false, ["openid"], "code"],
    [[{ ...editFiles, actions: ["read"] } as typeof editFiles], false, [], "code"],
    [[], false, ["openid"], "code"],
    [none, false, ["openid"], "code"],
    [none, false, [], "access_denied"],
    [[], false, [], "access_denied"],
    [[enriched], true, [], "code"],
    [[enriched], false, ["openid"], "server_error"],
    [[payment, payment], false, ["openid"], "server_error"],
    [[{ ...payment, iban: "x" } as typeof payment], true, ["openid"], "invalid_authorization_details"],
    [[readFiles], false, ["openid"], "server_error"],
    [[{ ...editFiles, actions: [] } as typeof editFiles], false, ["openid"], "server_error"],
  ], async ([granted, enrichable, scope, expected]) => {
    const server = await richServer({
      authorizationDetails: { ...types, payment: { ...types!.payment!, enrichable } },
      approver: async (_, { users, now }) => ({
        user: (await users.list({ limit: 1 }))[0]!,
        scope,
        extensions: { authorization_details: granted },
        authTime: now(),
      }),
    });
    const response = await server.authorize(details(...requested));
    const { code, error = "code" } = assertAuthorizationResponse(response);
    assertEquals(error, expected);
    if (code === undefined) return;
    const tokens = await assertTokenResponse(await server.token({ code })) as Tokens;
    const expectedDetails = granted?.length ? granted : undefined;
    assertEquals(detailsOf(tokens), expectedDetails);
    assertEquals(decodeClaims(tokens.access_token).authorization_details, expectedDetails);
    assertEquals(detailsOf(await refreshTokens(server, tokens.refresh_token)), expectedDetails);
  });
});

test("[RA-08, RA-09] a token request narrows its own access token only, and a rejected one changes nothing", async () => {
  const server = await richServer();
  const unspecified = { type: "files", identifier: "attic", actions: [], datatypes: ["pdf"] };
  const granted = [payment, editFiles, { ...editFiles, actions: ["delete"] }, unspecified];
  const cases: readonly (readonly [objects: readonly unknown[], expected: boolean])[] = [
    [[payment], true],
    [[{ amount: { value: 12.5, currency: "EUR" }, creditor: "Shop", type: "payment" }], true],
    [[{ ...editFiles, actions: ["write"] }], true],
    // A resource server may read an empty list as no restriction.
    [[{ ...editFiles, actions: [] }], false],
    [[unspecified], true],
    [[{ ...unspecified, actions: ["read"] }], false],
    [[{ ...unspecified, datatypes: [] }], false],
    [[{ ...editFiles, actions: ["delete"] }, editFiles], true],
    [[...granted].reverse(), true],
    [[payment, payment], false],
    [[editFiles, editFiles], false],
    [[{ ...editFiles, actions: ["read", "delete"] }], false],
    [[{ ...editFiles, identifier: "outbox" }], false],
    [[{ type: "files", actions: ["read"] }], false],
    [[{ ...editFiles, datatypes: ["mail"] }], false],
    [[{ ...payment, amount: { currency: "EUR", value: 12 } }], false],
    [[{ ...payment, note: null }], false],
    [[payment, { type: "files" }], false],
  ];
  const code = await server.code(details(...granted));
  await forEachCase(cases, async ([objects, isWithin]) => {
    if (isWithin) return;
    const response = await server.token({ code, ...details(...objects) });
    assertEquals(await getOutcome(response), "400 invalid_authorization_details");
    assertEquals(findLastRule(server), "RA-09");
  });
  const tokens = await assertTokenResponse(await server.token({ code, ...details(payment) })) as Tokens;
  assertEquals([detailsOf(tokens), decodeClaims(tokens.access_token).authorization_details], [[payment], [payment]]);
  let { refresh_token } = tokens;
  await forEachCase(cases, async ([objects, isWithin]) => {
    const response = await refresh(server, refresh_token, details(...objects));
    if (!isWithin) return assertEquals(await getOutcome(response), "400 invalid_authorization_details");
    const next = await assertTokenResponse(response) as Tokens;
    assertEquals(detailsOf(next), objects);
    ({ refresh_token } = next);
  });
  const whole = await refreshTokens(server, refresh_token);
  assertEquals(detailsOf(whole), granted);
  const plain = await publicTokens(server);
  assertEquals(
    await getOutcome(await refresh(server, plain.refresh_token, details(payment))),
    "400 invalid_authorization_details",
  );
  assertEquals(detailsOf(await refreshTokens(server, plain.refresh_token)), undefined);
});

test("[RA-09] a type names further lists that a token request narrows; without it they stay equal", async () => {
  const properties = { accounts: { items: { type: "object" } }, purposes: { items: { type: "string" } } };
  const door = { schema: { properties } };
  const [iban, other] = [{ iban: "DE1", bic: "X" }, { iban: "DE2", bic: "X" }];
  const granted = { type: "bank", accounts: [iban, other], purposes: ["a", "b"] };
  const server = await testServer({
    authorizationDetails: { bank: { ...door, narrowableLists: ["accounts"] }, strict: door },
  });
  const exchangeCode = async (type: string, narrowed: object) => {
    const code = await server.code(details({ ...granted, type }));
    return await getOutcome(await server.token({ code, ...details({ ...granted, type, ...narrowed }) }));
  };
  assertEquals(await exchangeCode("bank", { accounts: [{ bic: "X", iban: "DE2" }] }), "200");
  const invalid = "400 invalid_authorization_details";
  assertEquals(await exchangeCode("bank", { accounts: [{ ...other, bic: "Y" }] }), invalid);
  assertEquals(await exchangeCode("bank", { accounts: [] }), invalid);
  assertEquals(await exchangeCode("bank", { purposes: ["a"] }), invalid);
  assertEquals(await exchangeCode("strict", { accounts: [iban] }), invalid);
  assertEquals(await exchangeCode("strict", {}), "200");
});

test("[RA-08, RA-09] what its type no longer allows since the approval is left out; a grant of nothing else is invalid", async () => {
  const { payment: type, files } = richOptions.authorizationDetails!;
  const store = memoryStore();
  const before = await richServer({ store });
  const clients = testClients.clients;
  const withSchema = (schema: object) => ({
    files: files!,
    payment: { ...type!, schema: { ...type!.schema, ...schema } },
  });
  const properties = type!.schema.properties as object;
  let next: Awaited<ReturnType<typeof refreshTokens>>;
  for (
    const authorizationDetails of [
      { files: files! },
      withSchema({ properties: { ...properties, creditor: { const: "Somebody else" } } }),
      withSchema({ properties: { ...properties, amount: false } }),
      withSchema({ required: ["note"] }),
      withSchema({ properties: { creditor: true } }),
    ]
  ) {
    const alone = await publicTokens(before, { ...details(payment), scope: undefined });
    const mixed = await publicTokens(before, details(payment, editFiles));
    const later = await richServer({ store, clients, authorizationDetails });
    next = await refreshTokens(later, mixed.refresh_token);
    assertEquals(detailsOf(next), [editFiles]);
    assertEquals(await getOutcome(await refresh(later, alone.refresh_token)), "400 invalid_grant");
  }
  const off = await testServer({ ...testClients, store });
  assertEquals(detailsOf(await refreshTokens(off, next!.refresh_token)), undefined);
});

test("[RA-10] client_credentials with details needs the permission of the type", async () => {
  const server = await richServer();
  const ask = (client: string, fields: Fields) =>
    server.post("/oauth2/token", { grant_type: "client_credentials", ...fields }, basicHeader(client));
  const tokens = await assertTokenResponse(await ask("worker", details(readFiles)));
  assertEquals(detailsOf(tokens), [readFiles]);
  assertEquals(decodeClaims(tokens.access_token).authorization_details, [readFiles]);
  assertEquals("scope" in tokens, false);
  assertEquals(
    (await assertTokenResponse(await ask("worker", { ...details(readFiles), scope: "read" }))).scope,
    "read",
  );
  assertEquals((await assertTokenResponse(await ask("worker", details()))).scope, "read");
  for (const [client, object] of [["machine", readFiles], ["worker", payment]] as const) {
    assertEquals(await getOutcome(await ask(client, details(object))), "400 invalid_authorization_details");
    assertEquals(findLastRule(server), "RA-10");
  }
});

test("[RA-11] details without scope get no scope, and resource does not change them", async () => {
  const server = await richServer();
  const tokens = await publicTokens(server, { ...details(payment), scope: undefined });
  const claims = decodeClaims(tokens.access_token);
  assertEquals(["scope" in tokens, "scope" in claims, "id_token" in tokens], [false, false, false]);
  assertEquals(detailsOf(tokens), [payment]);
  assertEquals("scope" in await refreshTokens(server, tokens.refresh_token), false);
  assertEquals((await fetchIntrospection(server, tokens.access_token)).active, true);
  const userinfo = await server.get("/oauth2/userinfo", {
    headers: { authorization: `Bearer ${tokens.access_token}` },
  });
  assertEquals(userinfo.status, 403);
  const withResource = await publicTokens(server, { ...details(payment, editFiles), resource: bank });
  assertEquals(detailsOf(withResource), [payment, editFiles]);
  assertEquals(await authorizeOutcome(server, { ...details(payment), scope: "unknown" }), "invalid_scope");
});

test("[RA-12] resource servers get the objects that concern them", async () => {
  const server = await richServer();
  const atBank = { ...payment, locations: [bank] };
  const atFiles = { ...editFiles, locations: [files, "https://other.test"] };
  const objects = [payment, atBank, atFiles];
  for (const client of ["web", "opaque"]) {
    const { access_token } = await webTokens(server, client, { ...details(...objects), resource: [bank, files] });
    assertEquals((await fetchIntrospection(server, access_token, "bank")).authorization_details, [payment, atBank]);
    assertEquals((await fetchIntrospection(server, access_token, "files")).authorization_details, [payment, atFiles]);
    assertEquals((await fetchIntrospection(server, access_token, client)).authorization_details, objects);
  }
  const forFiles = await publicTokens(server, { ...details(...objects), resource: files });
  assertEquals(detailsOf(forFiles), objects);
  assertEquals(decodeClaims(forFiles.access_token).authorization_details, [payment, atFiles]);
  const none = await publicTokens(server, { ...details(atBank), resource: files });
  assertEquals("authorization_details" in decodeClaims(none.access_token), false);
  assertEquals("authorization_details" in await fetchIntrospection(server, none.access_token, "files"), false);
});

test("[RA-12] a client that may inspect a token sees its objects for the default audience or for what it serves, alone", async () => {
  const server = await richServer();
  const here = { ...payment, locations: ["https://as.test", files] };
  const atBank = { ...payment, locations: [bank] };
  for (const client of ["web", "opaque"]) {
    const { access_token } = await webTokens(server, client, details(payment, here, atBank));
    const seenBy = async (caller: string) =>
      (await fetchIntrospection(server, access_token, caller)).authorization_details;
    assertEquals(await seenBy(client), [payment, here, atBank]);
    assertEquals(await seenBy("web2"), [payment, here]);
    assertEquals(await seenBy("api"), [payment, here]);
    assertEquals(await seenBy("bank"), [payment, here, atBank]);
  }
  const { access_token } = await webTokens(server, "opaque", details(atBank));
  assertEquals("authorization_details" in await fetchIntrospection(server, access_token, "web2"), false);
});

test("[RA-14, RA-15] metadata lists the types; without types the parameter is ignored with a warning", async () => {
  const path = "/.well-known/oauth-authorization-server";
  const on = await (await (await richServer()).get(path)).json();
  assertEquals(on.authorization_details_types_supported, ["payment", "files"]);
  const off = await testServer(testClients);
  assertEquals("authorization_details_types_supported" in await (await off.get(path)).json(), false);
  for (const authorization_details of [JSON.stringify([payment]), "{"]) {
    const tokens = await publicTokens(off, { authorization_details });
    assertEquals(detailsOf(tokens), undefined);
    assertEquals("authorization_details" in decodeClaims(tokens.access_token), false);
  }
  const warnings = off.events.flatMap((event) => event.type === "warning" ? [event.explanation.rule] : []);
  assertEquals(warnings.filter((rule) => rule === "RA-15").length, 2);
});

test("[RA-16] a type with requireProtectedRequest is for pushed requests", async () => {
  const { authorizationDetails: types } = richOptions;
  const authorizationDetails = { ...types, payment: { ...types!.payment!, requireProtectedRequest: true } };
  const server = await richServer({ authorizationDetails });
  assertEquals(await authorizeOutcome(server, details(readFiles)), "code");
  assertEquals(await authorizeOutcome(server, details(readFiles, payment)), "invalid_request");
  assertEquals(findLastRule(server), "RA-16");
  const { request_uri } = await (await push(server, details(payment))).json();
  const response = await server.get(`/oauth2/authorize?${encode({ client_id: "spa", request_uri })}`);
  const { code } = assertAuthorizationResponse(response);
  const tokens = await assertTokenResponse(await server.token({ code, ...details(payment) }));
  assertEquals(detailsOf(tokens), [payment]);
});
