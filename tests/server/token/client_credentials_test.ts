/**
 * Client credentials: tokens without a user, distinguishable from a user's (group CC).
 *
 * @extensions pairwise
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { jwtVerify } from "jose";
import { test } from "node:test";
import type { LatchkeyOptions } from "../../../src/mod.ts";
import {
  assertAcceptsFormsOnly,
  assertAuthenticatesClients,
  assertCors,
  assertParametersOnce,
  basicHeader,
  confidentialClient,
  fetchIntrospection,
  publicClient,
  testClients,
  userinfo,
} from "../client_endpoints.ts";
import {
  assertTokenResponse,
  decodeClaims,
  fetchKeySet,
  forEachCase,
  getOutcome,
  getRejections,
  testServer,
} from "../../kit.ts";
import type { Fields, TestServer, TokenResponseBody } from "../../kit.ts";

const machine = { grant_types: ["client_credentials"], redirect_uris: undefined };

/** `machine` has JWTs, `opaque` has not; a user is spelt like each of them. */
const machines: LatchkeyOptions = {
  scopes: ["openid", "profile", "email", "address", "phone", "read", "write", "offline_access"],
  defaultScope: "read",
  clients: [
    ...testClients.clients,
    confidentialClient("opaque", { ...machine, access_token_format: "opaque" }),
    confidentialClient("pair", { ...machine, subject_type: "pairwise", sector_identifier_uri: "https://pair.example" }),
    confidentialClient("writer", { ...machine, scope: "write" }),
    publicClient("machine-public", { grant_types: ["client_credentials", "authorization_code"] }),
    { ...machine, client_id: "postman", client_secret: "s", token_endpoint_auth_method: "client_secret_post" },
  ],
  users: ["alice", "machine", "opaque", "pair"].map((sub) => ({
    sub,
    name: `User ${sub}`,
    email: `${sub}@a.example`,
  })),
};

/** Requests a token, by default as `machine`. */
function ask(b: TestServer, fields: Fields = {}, headers = basicHeader("machine")): Promise<Response> {
  return b.post("/oauth2/token", { grant_type: "client_credentials", ...fields }, headers);
}

async function tokenOf(b: TestServer, client_id: string, fields: Fields = {}): Promise<TokenResponseBody> {
  return await assertTokenResponse(await ask(b, fields, basicHeader(client_id)));
}

test("[CC-01] a registered confidential client gets a valid signed token for itself", async () => {
  const b = await testServer({ alg: "ES256", ...machines });
  const result = await tokenOf(b, "machine", { scope: "read write" });
  assertEquals([result.token_type, result.expires_in, result.scope], ["Bearer", 3600, "read write"]);
  const { payload, protectedHeader } = await jwtVerify(result.access_token, await fetchKeySet(b), {
    issuer: "https://as.test",
    audience: "https://as.test",
    typ: "at+jwt",
    currentDate: new Date(Date.UTC(2026, 0, 1)),
  });
  assertEquals(protectedHeader.alg, "ES256");
  assertEquals([payload.sub, payload.client_id, payload.scope], ["machine", "machine", "read write"]);
  const posted = await ask(b, { client_id: "postman", client_secret: "s" }, {});
  assertEquals(decodeClaims((await assertTokenResponse(posted)).access_token).sub, "postman");
  const issued = b.events.filter((event) => event.type === "tokens_issued");
  assertEquals(issued.map(({ client, sub, grantType }) => [client, sub, grantType]), [
    ["machine", "machine", "client_credentials"],
    ["postman", "postman", "client_credentials"],
  ]);
});

test("[CC-01] public clients and unregistered clients are rejected", async () => {
  const b = await testServer(machines);
  await forEachCase<[Fields, Record<string, string>, RegExp]>([
    [{ client_id: "machine-public" }, {}, /^(400 unauthorized_client|401 invalid_client)$/],
    [{ client_id: "spa" }, {}, /^(400 unauthorized_client|401 invalid_client)$/],
    [{ client_id: "machine-public", client_secret: "x" }, {}, /^401 invalid_client$/],
    [{}, basicHeader("web"), /^400 unauthorized_client$/],
    [{ client_id: "machine" }, {}, /^401 invalid_client$/],
    [{}, {}, /^401 invalid_client$/],
  ], async ([fields, headers, expected]) => {
    assertMatch(await getOutcome(await ask(b, fields, headers)), expected);
    assertMatch(await getOutcome(await ask(b, { ...fields, scope: "openid" }, headers)), expected);
  });
  assertEquals(b.events.filter(({ type }) => type === "tokens_issued"), []);
});

test("[CC-01, TK-06] a client registered only for client_credentials can neither exchange a code nor start the code flow", async () => {
  const b = await testServer(machines);
  const fields = { grant_type: "authorization_code", code: await b.code(), redirect_uri: "https://spa.example/cb" };
  assertEquals(await getOutcome(await ask(b, fields)), "400 unauthorized_client");
  assertEquals((await b.authorize({ client_id: "machine" })).status, 400);
});

test("[CC-02] the response never has a refresh token or an ID token", async () => {
  const b = await testServer(machines);
  const expected = ["access_token", "expires_in", "scope", "token_type"];
  await forEachCase<Fields>([
    {},
    { scope: "read" },
    { scope: "" },
    { scope: "write read", nonce: "n", prompt: "none", access_type: "offline", response_type: "id_token" },
    { sub: "alice", login_hint: "alice", username: "alice", user: "alice" },
    { refresh_token: "x", code: "x", code_verifier: "x", redirect_uri: "https://spa.example/cb" },
  ], async (fields) => {
    for (const client_id of ["machine", "opaque", "pair"]) {
      const result = await tokenOf(b, client_id, fields);
      assertEquals(Object.keys(result).sort(), expected);
      assertEquals((await fetchIntrospection(b, result.access_token)).sub, client_id);
    }
  });
});

test("[CC-02] a client registered for refresh tokens gets no refresh token here", async () => {
  const all = ["authorization_code", "refresh_token", "client_credentials"];
  const b = await testServer({ clients: [confidentialClient("web", { grant_types: all })] });
  assertEquals("refresh_token" in await tokenOf(b, "web", { scope: "read" }), false);
  const { access_token } = await tokenOf(b, "web");
  const fields = { grant_type: "refresh_token", refresh_token: access_token };
  assertEquals(await getOutcome(await b.post("/oauth2/token", fields, basicHeader("web"))), "400 invalid_grant");
});

test("[CC-02] scope that only a user can grant is 400 invalid_scope, alone and with other values", async () => {
  const b = await testServer(machines);
  await forEachCase(["openid", "profile", "email", "address", "phone", "offline_access"], async (personal) => {
    for (
      const scope of [personal, `read ${personal}`, `${personal} read`, `openid ${personal}`, `${personal} unknown`]
    ) {
      assertEquals(await getOutcome(await ask(b, { scope })), "400 invalid_scope");
    }
  });
  assertEquals(b.events.filter(({ type }) => type === "tokens_issued"), []);
  assertEquals(await getOutcome(await ask(b, { scope: "read" })), "200");
});

test("[CC-02, AZ-17] scope that is unknown, malformed or not the client's is 400 invalid_scope", async () => {
  const b = await testServer(machines);
  await forEachCase(
    ["admin", "read admin", "READ", 'read"', "read\\", "read\0", "read\twrite", " ", "__proto__", "*"],
    async (scope) => {
      assertEquals(await getOutcome(await ask(b, { scope })), "400 invalid_scope");
    },
  );
  assertEquals(await getOutcome(await ask(b, { scope: "read" }, basicHeader("writer"))), "400 invalid_scope");
  assertEquals((await tokenOf(b, "writer", { scope: "write" })).scope, "write");
});

test("[CC-02, AZ-16] without scope the client gets its part of the default, or with a warning a token without scope", async () => {
  const b = await testServer(machines);
  for (const scope of [undefined, ""]) assertEquals((await tokenOf(b, "machine", { scope })).scope, "read");
  const { access_token, ...others } = await tokenOf(b, "writer");
  assertEquals([decodeClaims(access_token).scope, others.scope], [undefined, undefined]);
  const warnings = b.events.flatMap((event) => event.type === "warning" ? [event.explanation] : []);
  assertEquals(warnings.map(({ rule, expected }) => [rule, expected]), [["AZ-16", "some of: write"]]);
  for (const defaultScope of ["", "openid profile"]) {
    const bare = await testServer({ ...machines, defaultScope });
    assertEquals("scope" in await tokenOf(bare, "machine"), false);
    assertEquals((await tokenOf(bare, "machine", { scope: "write" })).scope, "write");
  }
  const mixed = await testServer({ ...machines, defaultScope: "openid read email" });
  assertEquals((await tokenOf(mixed, "machine")).scope, "read");
});

test("[CC-03] the token has no auth_time, sid or other user claims, JWT or opaque", async () => {
  const b = await testServer(machines);
  for (const client_id of ["machine", "opaque", "pair"]) {
    const { access_token } = await tokenOf(b, client_id);
    const stated = [await fetchIntrospection(b, access_token), await fetchIntrospection(b, access_token, client_id)];
    if (client_id === "machine") stated.push(decodeClaims(access_token));
    else assert(!access_token.includes("."));
    for (const claims of stated) {
      assertEquals([claims.sub, claims.client_id], [client_id, client_id]);
      for (const name of ["auth_time", "sid", "nonce", "acr", "amr", "name", "email"]) assert(!(name in claims), name);
    }
  }
});

test("[CC-03] userinfo rejects the token even if a user has the client's id as sub, and names no user", async () => {
  const b = await testServer(machines);
  for (const client_id of ["machine", "opaque", "pair"]) {
    const response = await userinfo(b, (await tokenOf(b, client_id)).access_token);
    assertMatch(String(response.status), /^40[13]$/);
    assertMatch(response.headers.get("www-authenticate")!, /^Bearer .*error="(insufficient_scope|invalid_token)"/);
    assertEquals((await response.text()).includes("User "), false);
  }
});

test("[CC-03] userinfo rejects the token even with every scope value", async () => {
  const b = await testServer({
    ...machines,
    scopes: ["read", "write"],
    clients: [confidentialClient("machine", machine)],
  });
  const { access_token } = await tokenOf(b, "machine", { scope: "read write" });
  assertEquals((await userinfo(b, access_token)).status, 403);
});

test("[RI-03] client credentials name their resources in the token request", async () => {
  const b = await testServer(machines);
  const two = ["https://one.example", "https://two.example"];
  assertEquals(decodeClaims((await tokenOf(b, "machine", { resource: two[0] })).access_token).aud, two[0]);
  assertEquals(decodeClaims((await tokenOf(b, "machine", { resource: two })).access_token).aud, two);
  assertEquals(decodeClaims((await tokenOf(b, "machine", { resource: "" })).access_token).aud, "https://as.test");
  await forEachCase(
    ["one.example", "/one", "https://one.example/#x", "https://", "http://one.com"],
    async (resource) => {
      assertEquals(await getOutcome(await ask(b, { resource })), "400 invalid_target");
      assertEquals(await getOutcome(await ask(b, { resource: [two[0]!, resource] })), "400 invalid_target");
    },
  );
});

test("[TK-21, CC-01] the token is valid until exp, and revoking one token leaves the others active", async () => {
  const b = await testServer(machines);
  for (const client_id of ["machine", "opaque"]) {
    const [one, two] = [await tokenOf(b, client_id), await tokenOf(b, client_id)];
    assertEquals(
      await getOutcome(await b.post("/oauth2/revoke", { token: one.access_token }, basicHeader(client_id))),
      "200",
    );
    assertEquals((await fetchIntrospection(b, one.access_token)).active, false);
    b.advance(two.expires_in - 0.001);
    assertEquals((await fetchIntrospection(b, two.access_token)).active, true);
    b.advance(0.001);
    assertEquals((await fetchIntrospection(b, two.access_token)).active, false);
  }
});

test("[CC-01] a thousand tokens are all different", async () => {
  const b = await testServer(machines);
  for (const client_id of ["machine", "opaque"]) {
    const tokens = new Set<string>();
    for (let i = 0; i < 500; i++) tokens.add((await tokenOf(b, client_id)).access_token);
    assertEquals(tokens.size, 500);
  }
});

test("[TK-02, TK-03, TK-04, CC-01] the request is a form without repeated parameters, and identifies its client", async () => {
  const b = await testServer(machines);
  const fields = { grant_type: "client_credentials", scope: "read" };
  const good = { path: "/oauth2/token", fields, headers: basicHeader("machine") };
  await assertAcceptsFormsOnly(b, good);
  await assertParametersOnce(b, { ...good, fields: { grant_type: "client_credentials" } });
  await assertAuthenticatesClients(b, good);
  await assertCors(b, good);
  assert(getRejections(b.events).every(({ endpoint }) => endpoint === "/oauth2/token"));
});
