/**
 * Dynamic client registration: metadata, defaults, faults, who may register (group DR).
 *
 * @extensions assertion_authentication, ciba, client_documents, device, dpop, par, signed_requests, signed_responses
 */

import { assert, assertEquals, assertMatch, assertNotEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { test } from "node:test";
import { clientFieldWith } from "../../../../src/server/config/client_fields.ts";
import type { Field } from "../../../../src/core/policy/field.ts";
import { extensions } from "../../../../src/server/hosting/extensions.ts";
import { ConfigurationError, type LatchkeyOptions } from "../../../../src/mod.ts";
import type { RegistrationSettings } from "../../../../src/server/extensions/registration/settings.ts";
import { basic, type Fields, forEachCase, getOutcome, getRejections, sharedStore, testServer } from "../../../kit.ts";
import type { TestServer } from "../../../kit.ts";
import { manage, outcomeOf, postRegistration, publicClient, register } from "../../registering.ts";

/** Registers invalid metadata, and returns the outcome with the explanation in the trace. */
async function reject(server: TestServer, metadata: unknown) {
  server.events.length = 0;
  const outcome = await outcomeOf(await postRegistration(server, metadata));
  const [rejection] = getRejections(server.events);
  return { outcome, explanation: rejection!.explanation };
}

const token = "an-initial-access-token";

/** A server on a real host, where registration must not be open by default. */
const realHost: LatchkeyOptions = {
  issuer: "https://auth.company.com",
  login: "interactive",
  users: [],
  clients: [],
};

test("[DR-01] a registration returns what was registered and what was defaulted, and the client logs in", async () => {
  const server = await testServer({ alg: "ES256" });
  const { client_id, registration_access_token, ...rest } = await register(server, {
    ...publicClient,
    client_name: "App",
    post_logout_redirect_uris: ["https://app.example/"],
  });
  assertMatch(client_id, /^registered-[\w-]{22}$/);
  assertMatch(registration_access_token, /^[\w-]{43}$/);
  assertEquals(rest as Record<string, unknown>, {
    ...publicClient,
    client_name: "App",
    post_logout_redirect_uris: ["https://app.example/"],
    response_types: ["code"],
    scope: "openid profile email read write offline_access",
    id_token_signed_response_alg: "ES256",
    subject_type: "public",
    application_type: "web",
    client_id_issued_at: Date.UTC(2026, 0, 1) / 1000,
    registration_client_uri: `https://as.test/oauth2/register/${client_id}`,
  });
  const at = { client_id, redirect_uri: "https://app.example/cb" };
  const tokens = await (await server.token({ ...at, code: await server.code(at) })).json();
  assertEquals(typeof tokens.refresh_token, "string");
});

test("[DR-01] a secret is issued for the methods that need one, and expires by the server's clock", async () => {
  const server = await testServer({ registration: { secretLifetime: 60 } });
  const { client_id, client_secret, ...rest } = await register(server, {
    redirect_uris: ["https://app.example/cb"],
    grant_types: ["authorization_code", "client_credentials"],
  });
  assertEquals(rest.token_endpoint_auth_method, "client_secret_basic");
  assertEquals(rest.client_secret_expires_at, Date.UTC(2026, 0, 1) / 1000 + 60);
  const request = () =>
    server.token({
      grant_type: "client_credentials",
      scope: "read",
      client_id: undefined,
      redirect_uri: undefined,
      code_verifier: undefined,
    }, {
      headers: basic(client_id, client_secret),
    });
  assertEquals(await getOutcome(await request()), "200");
  server.advance(60);
  assertEquals(await getOutcome(await request()), "401 invalid_client");

  const open = await testServer();
  for (const token_endpoint_auth_method of ["client_secret_post", "client_secret_jwt"]) {
    const client = await register(open, { ...publicClient, token_endpoint_auth_method });
    assertMatch(client.client_secret, /^[\w-]{43}$/);
    assertEquals(client.client_secret_expires_at, 0);
  }
  const { client_secret: none, client_secret_expires_at } = await register(open);
  assertEquals([none, client_secret_expires_at], [undefined, undefined] as unknown[]);
});

test("[DR-02] id and secret of the request, unknown metadata and members of the operator are ignored", async () => {
  const server = await testServer();
  const sent = {
    ...publicClient,
    client_id: "https://chosen.example/id",
    client_secret: "chosen-by-the-client",
    client_secret_expires_at: 5,
    registration: { tokenDigest: "x" },
    client_secret_digest: "x",
    serves: ["https://api.example"],
    "client_name#de": "App",
    __proto__: null,
    tos_uri: null,
  };
  const client = await register(server, JSON.stringify(sent).replace("{", '{"__proto__":{"x":1},'));
  assertNotEquals(client.client_id, sent.client_id);
  for (const name of ["client_secret", "registration", "client_secret_digest", "serves", "client_name#de", "tos_uri"]) {
    assert(!Object.hasOwn(client, name), name);
  }
  const warnings = server.events.flatMap((event) => event.type === "warning" ? [event.explanation] : []);
  assertEquals(warnings.map(({ rule, received }) => [rule, received]), [[
    "DR-02",
    "client_id, client_secret, client_secret_expires_at, serves",
  ]]);
  assertEquals(server.as.clients.find(client.client_id)?.metadata.serves, undefined);
});

test("[DR-02] a misspelt member is ignored with a warning, and a missing one is suggested", async () => {
  const server = await testServer();
  const warningsOf = async (metadata: Record<string, unknown>) => {
    server.events.length = 0;
    await register(server, { ...publicClient, ...metadata });
    return server.events.flatMap((event) => event.type === "warning" ? [event.explanation] : []);
  };
  const [warning, ...more] = await warningsOf({ clientName: "App" });
  assertEquals([warning?.rule, warning?.expected, warning?.received, warning?.fix, more.length], [
    ...["DR-02", "client_name", '"clientName"', "Did you mean client_name?"],
    0,
  ]);
  const { outcome, explanation } = await reject(server, { redirect_uri: ["https://app.example/cb"] });
  assertEquals(outcome, "400 invalid_redirect_uri");
  assertEquals([explanation.received, explanation.fix], ['none, but "redirect_uri"', "Did you mean redirect_uris?"]);
  // Metadata of the standards that this server ignores, and names in other languages, are not misspelt.
  const standard = [
    ...["software_id", "software_version", "client_name#ja", "request_uris"],
    "request_object_encryption_alg",
    ...["redirect_uri", "tls_client_auth_subject_dn"],
  ];
  assertEquals(await warningsOf(Object.fromEntries(standard.map((name) => [name, "x"]))), []);
});

test("[DR-03] a body that is not a JSON object is rejected", async () => {
  const server = await testServer();
  const deep = `{"jwks":{"keys":[{"kty":"OKP","x":${"[".repeat(5000)}${"]".repeat(5000)}}]}}`;
  await forEachCase(["", "{", "[]", "null", "1", '"x"', "redirect_uris=x", deep], async (body) => {
    assertEquals(await outcomeOf(await postRegistration(server, body)), "400 invalid_request");
  });
  const form = { "content-type": "application/x-www-form-urlencoded" };
  assertEquals(await outcomeOf(await postRegistration(server, publicClient, form)), "400 invalid_request");
  const large = JSON.stringify({ ...publicClient, client_name: "x".repeat(70_000) });
  assertEquals(await outcomeOf(await postRegistration(server, large)), "413 invalid_request");
  assertEquals((await server.get("/oauth2/register")).status, 405);
  assertEquals(
    getRejections(server.events).slice(0, -2).map(({ explanation }) => explanation.rule),
    Array(9).fill("DR-03"),
  );
  await forEachCase([
    ["", "an empty body"],
    ["[]", "an array"],
    ["1", "a number"],
    ["{'redirect_uris': []}", "21 characters that are no JSON"],
  ], async ([body, received]) => {
    const { explanation } = await reject(server, body);
    assertEquals(explanation.received, received);
    assertMatch(explanation.expected!, /^a JSON object/);
  });
});

test("[DR-04] a faulty redirect URI is invalid_redirect_uri, explained", async () => {
  const server = await testServer();
  const uris = [
    ...[
      "/cb",
      "https://app.example/cb#",
      "https://app.example/*",
      "https://user@app.example/cb",
      "javascript:alert(1)",
    ],
    ...["https://app.example/cb?code=1", "https://app.example/ü"],
  ];
  await forEachCase(uris, async (uri) => {
    const { outcome, explanation } = await reject(server, { redirect_uris: ["https://app.example/cb", uri] });
    assertEquals(outcome, "400 invalid_redirect_uri");
    assertEquals(explanation.rule, "DR-04");
    assertMatch(explanation.reason, /^redirect_uris\[1\]/);
    assert(explanation.expected !== undefined && explanation.received !== undefined);
  });
  await forEachCase(
    [{}, { redirect_uris: [] }, { redirect_uris: "https://app.example/cb" }, { redirect_uris: [5] }],
    async (metadata) => {
      assertEquals((await reject(server, metadata)).outcome, "400 invalid_redirect_uri");
    },
  );
  const web = { redirect_uris: ["not a URI"], application_type: "web" };
  assertEquals((await reject(server, web)).outcome, "400 invalid_redirect_uri");
  await register(server, { redirect_uris: ["https://app.example/cb", "http://web.test/cb"], application_type: "web" });
});

test("[DR-04] unsupported grant and response types are left out with a warning, and returned as registered", async () => {
  const server = await testServer();
  // As mod_auth_openidc registers, over http on this machine.
  const redirect_uri = "http://localhost:8080/protected/redirect_uri";
  const client = await register(server, {
    client_name: "OpenID Connect Apache Module",
    redirect_uris: [redirect_uri],
    grant_types: ["authorization_code", "implicit", "refresh_token"],
    response_types: ["code", "id_token", "id_token token", "code id_token", "code token", "code id_token token"],
    initiate_login_uri: redirect_uri,
    logout_uri: `${redirect_uri}?logout=get`,
    frontchannel_logout_uri: `${redirect_uri}?logout=get`,
    post_logout_redirect_uris: ["http://localhost:8080/loggedout.html"],
  });
  assertEquals([client.grant_types, client.response_types, client.initiate_login_uri], [
    ["authorization_code", "refresh_token"],
    ["code"],
    undefined,
  ]);
  const warnings = server.events.flatMap(({ type, ...event }) =>
    type === "warning" && "explanation" in event ? [event.explanation as { rule: string; received: string }] : []
  ).filter(({ rule }) => rule === "DR-04");
  assertEquals(warnings.map(({ received }) => received), [
    '"implicit"',
    '"id_token", "id_token token", "code id_token", "code token", "code id_token token"',
    redirect_uri,
  ]);
  const code = await server.code({ client_id: client.client_id, redirect_uri });
  const exchange = { code, redirect_uri, client_id: client.client_id, client_secret: client.client_secret };
  assertEquals((await server.token(exchange)).status, 200);
  // An update too.
  const updated = await (await manage(server, "PUT", client, {
    ...{ client_id: client.client_id, redirect_uris: [redirect_uri] },
    ...{ grant_types: ["implicit", "authorization_code"], response_types: ["token", "code"] },
  })).json();
  assertEquals([updated.grant_types, updated.response_types], [["authorization_code"], ["code"]]);
});

/** Members about what the client itself sends, which have no substitute. */
const ofClient = ["token_endpoint_auth_method", "token_endpoint_auth_signing_alg", "request_object_signing_alg"];

test("[DR-04] a member with an unsupported value is replaced with a warning, never the end of a registration", async () => {
  const { members } = clientFieldWith(extensions);
  const choices = Object.entries<Field>(members).filter(([name, { choices, openFrom }]) =>
    choices !== undefined && openFrom === "unknown" && !ofClient.includes(name)
  );
  assertEquals(choices.map(([name]) => name).filter((name) => /_alg$/.test(name)), [
    "id_token_signed_response_alg",
    "userinfo_signed_response_alg",
    "id_token_encrypted_response_alg",
    "userinfo_encrypted_response_alg",
    "authorization_signed_response_alg",
    "introspection_signed_response_alg",
  ]);
  const unsupported: readonly Record<string, unknown>[] = [
    ...choices.map(([name]) => ({ [name]: "not-supported" })),
    // What OpenID Connect and its libraries name, and this server does not have.
    ...["HS256", "none", "ES384", "PS512"].map((alg) => ({ id_token_signed_response_alg: alg })),
    { userinfo_signed_response_alg: "HS256" },
    ...["id_token", "userinfo", "authorization", "introspection"].flatMap((response) => [
      { [`${response}_encrypted_response_alg`]: "RSA-OAEP" },
      {
        [`${response}_encrypted_response_alg`]: "RSA1_5",
        [`${response}_encrypted_response_enc`]: "A128CBC-HS256",
      },
    ]),
    { authorization_encrypted_response_enc: "A256GCM" },
    { response_modes: ["query", "web_message"] },
    { response_modes: ["web_message"] },
    { authorization_details_types: ["payment"] },
    { tls_client_certificate_bound_access_tokens: true },
    { request_object_signing_alg: "none" },
    { token_endpoint_auth_signing_alg: "RS256" },
    { scope: "openid read address phone" },
    { post_logout_redirect_uris: ["http://app.corp.com/bye"] },
  ];
  const server = await testServer();
  const strict = await testServer({ registration: { unsupportedValues: "reject" } });
  await forEachCase(unsupported, async (more) => {
    const metadata = { redirect_uris: ["https://app.example/cb"], ...more };
    server.events.length = 0;
    const { registration_access_token, client_id, ...client } = await register(server, metadata);
    for (const [name, value] of Object.entries(more)) {
      assertNotEquals((client as Record<string, unknown>)[name], value, name);
      assert(
        server.events.some((event) =>
          event.type === "warning" && event.explanation.rule === "DR-04" &&
          event.explanation.reason.includes(name)
        ),
        name,
      );
    }
    // An update too, and the client logs in.
    const updated = await manage(server, "PUT", { registration_access_token, client_id, ...client }, {
      ...metadata,
      client_id,
    });
    assertEquals(updated.status, 200);
    const at = { client_id, redirect_uri: "https://app.example/cb" };
    const { client_secret } = client;
    const tokens = await server.token({ ...at, client_secret, code: await server.code(at) });
    assertEquals(tokens.status, 200);
    const { outcome, explanation } = await reject(strict, metadata);
    assertEquals([outcome, explanation.rule], ["400 invalid_client_metadata", "DR-04"]);
  });
});

test("[DR-04, RU-11] a redirect URI that other settings would accept is left out of a list with a warning", async () => {
  const good = "https://app.example/cb";
  const openRealHost = { ...realHost, clients: [], registration: { mode: "open" } } as const;
  const policies: readonly [LatchkeyOptions, string][] = [
    [{}, "http://app.company.com/cb"],
    [{ profile: "mcp" }, "cursor://anysphere.cursor-mcp/oauth/callback"],
    [{ profile: "mcp" }, "com.example.app:/cb"],
    [
      { ...openRealHost, insecure: ["auto-login", "open-registration"] },
      "cursor://anysphere.cursor-mcp/oauth/callback",
    ],
  ];
  for (const [options, bad] of policies) {
    const server = await testServer(options);
    const client_name = "app";
    for (const redirect_uris of [[good, bad], [bad, good], [bad, good, bad]]) {
      const { redirect_uris: registered } = await register(server, { client_name, redirect_uris });
      assertEquals(registered, [good]);
      const warned = server.events.flatMap((event) =>
        event.type === "warning" && event.explanation.rule === "DR-04" ? [event.explanation.received] : []
      );
      assertStringIncludes(warned.at(-1)!, `"${bad}"`);
    }
    assertEquals((await reject(server, { client_name, redirect_uris: [bad] })).outcome, "400 invalid_redirect_uri");
    assertEquals(
      (await reject(server, { client_name, redirect_uris: [bad, `${bad}2`] })).outcome,
      "400 invalid_redirect_uri",
    );
  }
  // A web client may not have the scheme, a native one may.
  const oidc = await testServer({ profile: "oidc" });
  const registeredOf = async (...redirect_uris: string[]) => (await register(oidc, { redirect_uris })).redirect_uris;
  assertEquals(await registeredOf(good, "cursor://cb"), [good]);
  assertEquals(await registeredOf("http://localhost/cb", "cursor://cb"), ["http://localhost/cb", "cursor://cb"]);
  const server = await testServer();
  const { post_logout_redirect_uris } = await register(server, {
    redirect_uris: [good],
    post_logout_redirect_uris: ["https://app.example/bye", "http://app.company.com/bye"],
  });
  assertEquals(post_logout_redirect_uris, ["https://app.example/bye"]);
});

test("[DR-04, RU-11] a product with a private-use scheme without a dot registers itself and logs in", async () => {
  const server = await testServer();
  const redirect_uri = "cursor://anysphere.cursor-mcp/oauth/callback";
  const client = await register(server, { redirect_uris: [redirect_uri], token_endpoint_auth_method: "none" });
  assertEquals([client.redirect_uris, client.application_type], [[redirect_uri], "native"]);
  const mine = { client_id: client.client_id as string, redirect_uri };
  assertEquals((await server.token({ ...mine, code: await server.code(mine) })).status, 200);
});

test("[DR-04, RU-11] an app that calls itself web is registered as native, unless unsupportedValues is reject", async () => {
  for (const uri of ["cursor://anysphere.cursor-mcp/oauth/callback", "com.example.app:/cb"]) {
    const metadata = { redirect_uris: [uri], application_type: "web" };
    const server = await testServer();
    const { application_type, redirect_uris } = await register(server, metadata);
    assertEquals([application_type, redirect_uris], ["native", [uri]]);
    const [warning] = server.events.filter(({ type }) => type === "warning");
    assert(warning?.type === "warning");
    assertEquals([warning.explanation.rule, warning.explanation.received], ["DR-04", '"web"']);
    const strict = await testServer({ registration: { unsupportedValues: "reject" } });
    assertEquals((await reject(strict, metadata)).outcome, "400 invalid_redirect_uri");
  }
});

test("[DR-04] with unsupportedValues reject, as in the profiles of FAPI, an unsupported value rejects a registration", async () => {
  const unsupportedValues = { registration: { unsupportedValues: "reject" } } as const;
  const jwks = { keys: [{ kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" }] };
  for (
    const options of [unsupportedValues, { profile: "fapi2-security" }, { profile: "fapi2-message-signing" }] as const
  ) {
    const server = await testServer({ ...options, clients: [] });
    const metadata = { redirect_uris: ["https://app.example/cb"], jwks, token_endpoint_auth_method: "private_key_jwt" };
    await register(server, metadata);
    for (
      const more of [{ grant_types: ["authorization_code", "implicit"] }, { response_types: ["code", "code token"] }]
    ) {
      const { outcome, explanation } = await reject(server, { ...metadata, ...more });
      assertEquals(outcome, "400 invalid_client_metadata");
      assertEquals(explanation.rule, "DR-04");
    }
    const issues = await assertRejects(
      () => testServer({ clients: [], profile: "fapi2-security", registration: { unsupportedValues: "ignore" } }),
      ConfigurationError,
    );
    assertMatch(issues.message, /registration\.unsupportedValues/);
  }
});

test("[DR-01, DR-06, DR-07] initiate_login_uri is stored, returned and replaced", async () => {
  const server = await testServer();
  const initiate_login_uri = "https://app.example/login?tenant=1";
  const client = await register(server, { ...publicClient, initiate_login_uri });
  assertEquals(client.initiate_login_uri, initiate_login_uri);
  assertEquals((await (await manage(server, "GET", client)).json()).initiate_login_uri, initiate_login_uri);
  const replaced = { ...publicClient, client_id: client.client_id, initiate_login_uri: "https://app.example/in" };
  assertEquals(
    (await (await manage(server, "PUT", client, replaced)).json()).initiate_login_uri,
    "https://app.example/in",
  );
});

test("[DR-04] other faults and conflicts are invalid_client_metadata, and name what is invalid", async () => {
  const server = await testServer();
  const jwks = { keys: [{ kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" }] };
  const cases: readonly (readonly [Record<string, unknown>, string])[] = [
    [{ token_endpoint_auth_method: "tls_client_auth" }, "token_endpoint_auth_method"],
    [{ token_endpoint_auth_method: "private_key_jwt" }, "jwks"],
    [{ jwks, jwks_uri: "https://app.example/jwks" }, "jwks_uri"],
    [{ jwks: { keys: [{ ...jwks.keys[0], d: "x" }] } }, "jwks.keys[0]"],
    [{ jwks: { keys: [{ kty: "RSA", e: "AQAB", n: "x", alg: { toString: 1 } }] } }, "jwks.keys[0].n"],
    [{ jwks: [] }, "jwks"],
    [{ grant_types: ["password"] }, "grant_types[0]"],
    [{ grant_types: ["implicit", "refresh_token"] }, "grant_types[0]"],
    [{ grant_types: ["authorization_code", 7] }, "grant_types[1]"],
    [{ grant_types: "authorization_code" }, "grant_types"],
    [{ grant_types: ["client_credentials"], response_types: ["code"] }, "response_types"],
    [{ response_types: [] }, "response_types"],
    [{ response_types: ["token"] }, "response_types"],
    [{ initiate_login_uri: "http://app.example/login" }, "initiate_login_uri"],
    [{ initiate_login_uri: "http://localhost:3000/login" }, "initiate_login_uri"],
    [{ initiate_login_uri: "javascript:alert(1)" }, "initiate_login_uri"],
    [{ initiate_login_uri: "https://app.example@attacker.com/login" }, "initiate_login_uri"],
    [{ initiate_login_uri: "https://app.example/login#fragment" }, "initiate_login_uri"],
    [{ initiate_login_uri: 5 }, "initiate_login_uri"],
    [{ grant_types: ["client_credentials"], token_endpoint_auth_method: "none" }, "grant_types"],
    [{ scope: "admin" }, "scope"],
    [{ scope: ["openid"] }, "scope"],
    [{ application_type: 5 }, "application_type"],
    [{ subject_type: "pairwise", redirect_uris: ["https://a.example/", "https://b.example/"] }, "subject_type"],
    [{ id_token_signed_response_alg: 5 }, "id_token_signed_response_alg"],
    [{ id_token_encrypted_response_alg: "ECDH-ES" }, "jwks"],
    [{ id_token_encrypted_response_enc: "A128GCM" }, "id_token_encrypted_response_enc"],
    [
      { token_endpoint_auth_signing_alg: "RS257", token_endpoint_auth_method: "private_key_jwt", jwks },
      "token_endpoint_auth_signing_alg",
    ],
    [{ request_object_signing_alg: "RS257", jwks }, "request_object_signing_alg"],
    [{ require_signed_request_object: true }, "jwks"],
    [{ client_name: 5 }, "client_name"],
    [{ client_name: "x".repeat(201) }, "client_name"],
    [{ client_name: "a\u2066b" }, "client_name"],
    ...["", " ", "\u3164", "App\u115f", "\u200b", "App\u2060", "\u200d\ufe0f", "\u2800"].map((client_name) =>
      [{ client_name }, "client_name"] as const
    ),
    [{ client_name: "a\u0000b" }, "client_name"],
    [{ client_uri: `https://app.example/${"x".repeat(2048)}` }, "client_uri"],
    [{ contacts: ["a@app.example", "x".repeat(2049)] }, "contacts[1]"],
    [{ contacts: "x" }, "contacts"],
    [{ post_logout_redirect_uris: ["/bye"] }, "post_logout_redirect_uris[0]"],
  ];
  await forEachCase(cases, async ([metadata, path]) => {
    const { outcome, explanation } = await reject(server, { redirect_uris: ["https://app.example/cb"], ...metadata });
    assertEquals(outcome, "400 invalid_client_metadata");
    assertEquals(explanation.rule, path === "initiate_login_uri" && metadata[path] !== 5 ? "DR-08" : "DR-04");
    assert(explanation.reason.startsWith(`${path} of the client metadata`), explanation.reason);
  });
  // The sentence names every invalid member, the rule and the fix.
  const response = await postRegistration(server, { redirect_uris: ["x"], scope: "admin" });
  const { error_description } = await response.json();
  assertMatch(
    error_description,
    /^redirect_uris\[0\]: expected an absolute URI. Begin it with .*; also invalid: scope \[DR-04\]$/,
  );
  // An example in JSON cannot be there, because error_description has no double quotes; the trace has it.
  const { outcome, explanation } = await reject(server, { client_name: 5 });
  assertEquals(outcome, "400 invalid_client_metadata");
  assertEquals(explanation.fix, 'Write it like "client_name": "Web shop".');
  const example = await (await postRegistration(server, { redirect_uris: "https://app.example/cb" })).json();
  assertEquals(example.error_description, "redirect_uris: expected an array of strings [DR-04]");
  // A member of the wrong form hides neither conflicts nor faults of the others, and causes none in them.
  const several = await reject(server, {
    redirect_uris: ["/cb", "https://app.example/cb#x"],
    token_endpoint_auth_method: "x",
    grant_types: ["client_credentials"],
    response_types: ["code"],
    scope: 5,
  });
  assertEquals(several.outcome, "400 invalid_client_metadata");
  assertMatch(
    several.explanation.reason,
    /^token_endpoint_auth_method of .*: scope \(.*\), response_types \(.*\), redirect_uris\[0\] \(expected an absolute URI, received "\/cb"\), redirect_uris\[1\] \(.*\)$/,
  );
  assertEquals(server.as.clients.count(), 3);
});

test("[DR-04] without application_type, clients that cannot be web are native, with a warning", async () => {
  const server = await testServer();
  const none = "none";
  const cases: readonly (readonly [readonly string[], string | undefined, string])[] = [
    [["http://127.0.0.1/cb"], none, "native"],
    [["http://[::1]:1/cb"], none, "native"],
    [["http://localhost:3000/cb", "com.example.app:/cb"], none, "native"],
    [["com.example.app:/cb"], undefined, "native"],
    // A confidential web application on the machine of a developer: the default is right.
    [["http://localhost:3000/cb"], undefined, "web"],
    [["http://127.0.0.1/cb", "http://localhost/cb"], "client_secret_post", "web"],
    [["https://app.example/cb"], none, "web"],
    [["https://app.example/cb", "http://127.0.0.1/cb"], none, "web"],
  ];
  await forEachCase(cases, async ([redirect_uris, token_endpoint_auth_method, expected]) => {
    server.events.length = 0;
    const registered = await register(server, { redirect_uris, token_endpoint_auth_method });
    assertEquals(registered.application_type, expected);
    const warnings = server.events.filter(({ type }) => type === "warning");
    assertEquals(warnings.length, expected === "native" ? 1 : 0);
  });
  const client = { redirect_uris: ["http://localhost:3000/cb"], token_endpoint_auth_method: "none" };
  const { client_id } = await register(server, client);
  assertEquals(typeof await server.code({ client_id, redirect_uri: "http://localhost:4711/cb" }), "string");
});

test("[DR-05] a real host registers with an initial access token only, or with the insecure setting", async () => {
  const server = await testServer({ ...realHost, registration: { initialAccessTokens: [token] } });
  const metadata = await (await server.get("/.well-known/openid-configuration")).json();
  assertEquals(metadata.registration_endpoint, "https://auth.company.com/oauth2/register");
  // A missing token is noticed before the body is read, and its challenge names no error.
  const missing = await postRegistration(server, "not JSON");
  assertEquals(missing.headers.get("www-authenticate"), 'Bearer realm="https://auth.company.com"');
  assertEquals(await outcomeOf(missing), "401 invalid_token");
  const wrong = await postRegistration(server, publicClient, { authorization: "Bearer another-access-token" });
  assertMatch(wrong.headers.get("www-authenticate")!, /error="invalid_token"/);
  assertEquals(getRejections(server.events).map(({ explanation }) => explanation.received), [
    "no bearer token",
    "an unknown token",
  ]);
  assertEquals((await register(server, publicClient, { authorization: `bearer ${token}` })).application_type, "web");

  // On a test host too, tokens mean that one is required, unless mode says otherwise.
  const local = await testServer({ registration: { initialAccessTokens: [token] } });
  assertEquals(await outcomeOf(await postRegistration(local, publicClient)), "401 invalid_token");
  await register(local, publicClient, { authorization: `Bearer ${token}` });
  await register(await testServer({ registration: { mode: "open", initialAccessTokens: [token] } }), publicClient);

  const open = await testServer({
    ...realHost,
    registration: { mode: "open" },
    insecure: ["auto-login", "open-registration"],
  });
  await register(open);
});

test("[DR-12] where registration is off, the trace says so and how to switch it on; the response on test hosts only", async () => {
  const cases = [
    [realHost, "this address does not exist [DR-12]"],
    [
      { registration: { mode: "off" } },
      "registration is off: set registration.mode to 'open', or to 'token' with registration.initialAccessTokens [DR-12]",
    ],
  ] as const;
  await forEachCase(cases, async ([options, error_description]) => {
    const off = await testServer(options);
    for (const method of ["GET", "POST"]) {
      const response = await off.get("/oauth2/register", { method });
      assertEquals([response.status, response.headers.get("access-control-allow-origin")], [404, "*"]);
      assertEquals(await response.json(), { error: "invalid_request", error_description });
      const { rule, reason } = getRejections(off.events).at(-1)!.explanation;
      assertEquals(rule, "DR-12");
      assertMatch(reason, /^registration is off: .*initialAccessTokens$/);
    }
    assertEquals((await off.get("/oauth2/register/x")).status, 404);
    assert(!Object.hasOwn(await (await off.get("/.well-known/openid-configuration")).json(), "registration_endpoint"));
  });
});

test("[DR-05] settings that would open registration by mistake, or can register no client, are rejected", async () => {
  const jwks = { keys: [{ kty: "oct", k: "x" }] };
  const cases: readonly (readonly [LatchkeyOptions, string])[] = [
    [{ ...realHost, registration: { mode: "open" } }, "registration.mode"],
    [{ registration: { mode: "token" } }, "registration.initialAccessTokens"],
    [{ registration: { initialAccessTokens: ["short"] } }, "registration.initialAccessTokens[0]"],
    [{ registration: { maxClients: 0 } }, "registration.maxClients"],
    [{ registration: { secretLifetime: -1 } }, "registration.secretLifetime"],
    [
      { registration: { softwareStatementIssuers: [{ issuer: "https://p.example", jwks }] } },
      "registration.softwareStatementIssuers[0].jwks.keys[0]",
    ],
  ];
  for (const [options, path] of cases) {
    const error = await assertRejects(() => testServer(options), ConfigurationError);
    assertEquals(error.issues.map((issue) => issue.path), [path]);
    assert(!error.message.includes("short"));
  }
});

test("[DR-05] with throttle, open registrations and wrong tokens of one network are limited", async () => {
  const server = await testServer({ throttle: true });
  const post = (address: string, authorization?: string) =>
    server.as.fetch(
      new Request("https://as.test/oauth2/register", {
        method: "POST",
        body: JSON.stringify(publicClient),
        headers: { "content-type": "application/json", ...authorization && { authorization } },
      }),
      { address },
    );
  for (let i = 0; i < 10; i++) assertEquals((await post("192.0.2.1")).status, 201);
  const limited = await post("192.0.2.1");
  assertEquals(limited.headers.get("retry-after"), "60");
  assertEquals(await outcomeOf(limited), "429 temporarily_unavailable");
  assertEquals((await post("198.51.100.1")).status, 201);
  server.advance(60);
  assertEquals((await post("192.0.2.1")).status, 201);

  const closed = await testServer({ throttle: true, registration: { mode: "token", initialAccessTokens: [token] } });
  const guess = (authorization: string) => postRegistration(closed, publicClient, { authorization });
  for (let i = 0; i < 10; i++) assertEquals((await guess(`Bearer guess-number-${i}`)).status, 401);
  assertEquals((await guess(`Bearer ${token}`)).status, 429);
});

test("[DR-08] URLs that the server or a user may open are https, or http on a test host", async () => {
  const server = await testServer();
  const names = ["jwks_uri", "logo_uri", "client_uri", "policy_uri", "tos_uri"];
  await forEachCase(names, async (name) => {
    for (const uri of ["javascript:alert(1)", "http://app.company.com/x", "http://169.254.169.254/", "/x", "data:,x"]) {
      const { outcome, explanation } = await reject(server, { ...publicClient, [name]: uri });
      assertEquals([outcome, explanation.rule], ["400 invalid_client_metadata", "DR-08"]);
    }
    for (const uri of ["https://app.company.com/x", "http://localhost:3000/x"]) {
      assertEquals((await register(server, { ...publicClient, [name]: uri }))[name], uri);
    }
  });
});

/** The time of the test server, in seconds. */
const start = Date.UTC(2026, 0, 1) / 1000;
const { publicKey, privateKey } = await generateKeyPair("ES256");
const issuer = "https://publisher.example";
const trusting: RegistrationSettings = {
  softwareStatementIssuers: [{ issuer, jwks: { keys: [{ ...await exportJWK(publicKey) }] } }],
};

function sign(claims: JWTPayload, key = privateKey, typ?: string): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: "ES256", typ }).sign(key);
}

test("[DR-10] the claims of a verified software statement replace the metadata, and it returns unmodified", async () => {
  const server = await testServer({ registration: trusting });
  const redirect_uris = ["https://signed.example/cb"];
  const software_statement = await sign({
    iss: issuer,
    redirect_uris,
    client_name: "Signed",
    serves: ["y"],
  });
  const client = await register(server, { ...publicClient, redirect_uris, client_name: "Sent", software_statement });
  assertEquals(client.redirect_uris, redirect_uris);
  const { redirect_uris: _, ...withoutUris } = publicClient;
  assertEquals((await register(server, { ...withoutUris, software_statement })).redirect_uris, redirect_uris);
  assertEquals(client.client_name, "Signed");
  assertEquals(client.software_statement, software_statement);
  assert(!Object.hasOwn(client, "serves") && !Object.hasOwn(client, "iss"));
});

test("[DR-10] a token of another kind that the issuer has signed is no software statement", async () => {
  const server = await testServer({ registration: trusting });
  const { redirect_uris } = publicClient;
  const accepted = async (claims: JWTPayload, typ?: string) => {
    const software_statement = await sign({ iss: issuer, redirect_uris, ...claims }, privateKey, typ);
    return await outcomeOf(await postRegistration(server, { ...publicClient, software_statement }));
  };
  await forEachCase<[JWTPayload, string?]>([
    [{}],
    [{}, "JWT"],
    [{}, "application/jwt"],
    [{ aud: "https://as.test" }],
    [{ aud: ["https://other.example", "https://as.test"], sub: "the publisher", jti: "1" }],
    [{ iat: start + 10, nbf: start + 10, exp: start + 1 }],
  ], async (statement) => assertEquals(await accepted(...statement), "201"));
  await forEachCase<[JWTPayload, string?]>([
    ...["at+jwt", "oauth-id-jag+jwt", "logout+jwt", "client-authentication+jwt", "secevent+jwt", "x"].map((typ) =>
      [{}, typ] as [JWTPayload, string]
    ),
    ...[{ exp: start }, { nbf: start + 11 }, { iat: start + 11 }].map((times) => [times] as [JWTPayload]),
    [{ aud: "some-client" }],
    [{ aud: "https://as.test/other" }],
    [{ aud: [] }],
    ...[{ toString: 1 }, [{ toString: 1 }], 1, null].map((aud) => [{ aud: aud as never }] as [JWTPayload]),
    // Access tokens too, of issuers whose typ is JWT.
    ...[
      ...["client_id", "cid", "appid", "scp"],
      ...["nonce", "at_hash", "c_hash", "auth_time", "azp", "sid", "events"],
    ].map((name) => [{ aud: "https://as.test", [name]: "x" }, "JWT"] as [JWTPayload, string]),
  ], async (token) => {
    assertEquals(await accepted(...token), "400 invalid_software_statement");
    assertEquals(getRejections(server.events).at(-1)!.explanation.rule, "DR-10");
  });
});

test("[DR-10, BR-05] a software statement with padding or in another spelling is invalid", async () => {
  const server = await testServer({ registration: trusting });
  const software_statement = `${await sign({ iss: issuer, redirect_uris: publicClient.redirect_uris })}=`;
  const response = await postRegistration(server, { ...publicClient, software_statement });
  assertEquals(await outcomeOf(response), "400 invalid_software_statement");
});

test("[DR-10] redirect URIs of a request with a software statement must be in the statement", async () => {
  const server = await testServer({ registration: trusting });
  const uri = "https://signed.example/cb";
  const other = "https://other.example/cb";
  const outcome = async (claims: JWTPayload, members: Readonly<Record<string, unknown>>) => {
    const software_statement = await sign({ iss: issuer, ...claims });
    return await outcomeOf(await postRegistration(server, { ...publicClient, ...members, software_statement }));
  };
  await forEachCase<[JWTPayload, Readonly<Record<string, unknown>>, string]>([
    [{ redirect_uris: [uri, other] }, { redirect_uris: [other] }, "201"],
    [{ redirect_uris: [uri] }, { redirect_uris: [uri, other] }, "400 invalid_redirect_uri"],
    [{ redirect_uris: [uri] }, { redirect_uris: other }, "400 invalid_redirect_uri"],
    [{ redirect_uris: uri }, { redirect_uris: [`${uri}/`] }, "400 invalid_redirect_uri"],
    [{}, { redirect_uris: [uri] }, "400 invalid_redirect_uri"],
    [
      { redirect_uris: [uri] },
      { redirect_uris: [uri], post_logout_redirect_uris: [uri] },
      "400 invalid_client_metadata",
    ],
    [{ redirect_uris: [uri], post_logout_redirect_uris: [uri] }, {
      redirect_uris: null,
      post_logout_redirect_uris: [uri],
    }, "201"],
  ], async ([claims, members, expected]) => assertEquals(await outcome(claims, members), expected));

  // Also where a registration is replaced.
  const software_statement = await sign({ iss: issuer, redirect_uris: [uri] });
  const client = await register(server, { ...publicClient, redirect_uris: [uri], software_statement });
  const { client_id } = client;
  const put = await manage(server, "PUT", client, {
    ...publicClient,
    client_id,
    redirect_uris: [other],
    software_statement,
  });
  assertEquals(await outcomeOf(put), "400 invalid_redirect_uri");
});

test("[DR-10] a statement that is invalid or of another issuer is rejected", async () => {
  const server = await testServer({ registration: trusting });
  const other = await generateKeyPair("ES256");
  const unsigned = `${btoa('{"alg":"none"}')}.${btoa(JSON.stringify({ iss: issuer }))}.`.replaceAll("=", "");
  const cases: readonly (readonly [unknown, string])[] = [
    ["not a JWT", "invalid_software_statement"],
    [5, "invalid_software_statement"],
    [unsigned, "invalid_software_statement"],
    [await sign({ iss: issuer }, other.privateKey), "invalid_software_statement"],
    [await sign({ iss: issuer, exp: 1 }), "invalid_software_statement"],
    [await sign({ iss: "https://other.example" }), "unapproved_software_statement"],
    [await sign({}), "unapproved_software_statement"],
  ];
  await forEachCase(cases, async ([software_statement, error]) => {
    const { outcome, explanation } = await reject(server, { ...publicClient, software_statement });
    assertEquals([outcome, explanation.rule], [`400 ${error}`, "DR-10"]);
  });
  const { explanation } = await reject(server, {
    ...publicClient,
    software_statement: await sign({ iss: "https://other.example" }),
  });
  assertEquals(explanation.received, "iss https://other.example");
  assertMatch(explanation.expected!, /signed by https:\/\/publisher\.example$/);
});

test("[DR-10] the keys of an issuer may be behind a URL", async () => {
  const fetched: string[] = [];
  const jwks_uri = "https://publisher.example/jwks";
  const server = await testServer({
    registration: { softwareStatementIssuers: [{ issuer, jwks_uri }] },
    outbound: async (url) => {
      fetched.push(url);
      return await Promise.resolve(Response.json({ keys: [await exportJWK(publicKey)] }));
    },
  });
  for (let i = 0; i < 2; i++) {
    const { redirect_uris } = publicClient;
    const software_statement = await sign({ iss: issuer, redirect_uris, client_name: `Signed ${i}` });
    assertEquals((await register(server, { ...publicClient, software_statement })).client_name, `Signed ${i}`);
  }
  assertEquals(fetched, [jwks_uri]);
});

test("[DR-10] a server that trusts no issuer ignores statements, and says so", async () => {
  const server = await testServer();
  const client = await register(server, {
    ...publicClient,
    software_statement: await sign({ iss: issuer, client_name: "S" }),
  });
  assertEquals([client.client_name, client.software_statement], [undefined, undefined]);
  const warnings = server.events.flatMap((event) => event.type === "warning" ? [event.explanation.rule] : []);
  assertEquals(warnings, ["DR-10"]);
});

test("[DR-01] scripts of other origins may register clients and manage them", async () => {
  const server = await testServer();
  const preflight = await server.get("/oauth2/register/x", {
    method: "OPTIONS",
    headers: { origin: "https://app.example" },
  });
  assertEquals(preflight.headers.get("access-control-allow-methods"), "GET, HEAD, PUT, DELETE, OPTIONS");
  const response = await postRegistration(server, {});
  assertEquals(response.headers.get("access-control-allow-origin"), "*");
});

test("[DR-01] the issuer's path is part of both addresses", async () => {
  const server = await testServer({ issuer: "https://as.test/tenant" });
  const client = await register(server);
  assert(client.registration_client_uri.startsWith("https://as.test/tenant/oauth2/register/"));
});

test("[CA-06, DR-02] every endpoint rejects a client that registered before this start by 401, and says so", async () => {
  const former = await testServer();
  const methods = ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"] as const;
  const endpoints = ["token", "revoke", "introspect", "par", "device_authorization", "backchannel_authentication"];
  const hosts: readonly LatchkeyOptions[] = [{}, { store: sharedStore() }, realHost];
  for (const options of hosts) {
    const server = await testServer(options);
    for (const method of methods) {
      const id = (await register(former, { ...publicClient, grant_types: undefined })).client_id;
      const assertion = [{ alg: "ES256" }, { iss: id, sub: id }].map((part) => btoa(JSON.stringify(part)));
      const credentials: Record<typeof method, readonly [Fields, Record<string, string>]> = {
        none: [{ client_id: id }, {}],
        client_secret_basic: [{}, basic(id, "lost")],
        client_secret_post: [{ client_id: id, client_secret: "lost" }, {}],
        private_key_jwt: [{
          client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
          client_assertion: `${assertion.join(".").replaceAll("=", "")}.AAAA`,
        }, {}],
      };
      const [fields, headers] = credentials[method];
      for (const endpoint of endpoints) {
        const response = await server.post(`/oauth2/${endpoint}`, { ...fields, token: "x" }, headers);
        const place = `${method} at ${endpoint} of ${server.as.issuer}`;
        if (response.status === 404) continue;
        assertEquals(await getOutcome(response), "401 invalid_client", place);
        const { earlier = "", fix } = getRejections(server.events).at(-1)!.explanation;
        assertMatch(
          earlier,
          options.store ? /with this id; it was removed since$/ : /before this start; the store/,
          place,
        );
        assertMatch(fix ?? "", /^Register the client again\./, place);
      }
    }
  }
});
