/**
 * Introspection: token data for permitted clients, and nothing for others (group IN).
 *
 * @extensions dpop, pairwise
 */

import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { jwtVerify, SignJWT } from "jose";
import { Buffer } from "node:buffer";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import type { ClientMetadata } from "../../../src/mod.ts";
import {
  assertAcceptsFormsOnly,
  assertAuthenticatesClients,
  assertParametersOnce,
  basicHeader,
  confidentialClient,
  fetchIntrospection,
  publicClient,
  publicTokens,
  refresh,
  refreshTokens,
  testClients,
  userinfo,
  webTokens,
} from "../client_endpoints.ts";
import {
  assertTokenResponse,
  basic,
  decodeClaims,
  fetchKeySet,
  forEachCase,
  getOutcome,
  getRejections,
  type ListedOptions,
  testServer,
} from "../../kit.ts";
import { clientKey, tokenProof } from "../client_jwts.ts";
import type { Fields, TestServer } from "../../kit.ts";

const day = 86_400;
const inactive = { active: false };
const [one, two] = ["https://one.example", "https://two.example"] as const;

function server(client_id: string, ...serves: string[]): ClientMetadata {
  return { client_id, client_secret: `${client_id}-secret`, grant_types: ["client_credentials"], serves };
}

/** The test clients with a server for each resource, and one of each client with opaque tokens. */
const served: ListedOptions = {
  ...testClients,
  clients: [
    ...testClients.clients,
    server("one", one),
    server("two", two),
    server("both", one, two),
    server("outsider"),
    publicClient("opaque", { access_token_format: "opaque" }),
    publicClient("pair", { subject_type: "pairwise" }),
    confidentialClient("webopaque", { access_token_format: "opaque" }),
  ],
};

function introspect(
  b: TestServer,
  fields: Fields,
  headers: Record<string, string> = basicHeader("api"),
): Promise<Response> {
  return b.post("/oauth2/introspect", fields, headers);
}

test("[IN-01] introspection accepts only POST with a form, each parameter once", async () => {
  const b = await testServer(served);
  const { access_token: token } = await publicTokens(b);
  const good = { path: "/oauth2/introspect", fields: { token }, headers: basicHeader("api") };
  await assertAcceptsFormsOnly(b, good);
  await assertParametersOnce(b, good);
});

test("[IN-01] a missing token is 400 invalid_request", async () => {
  const b = await testServer(served);
  await forEachCase<Fields>(
    [{}, { token: "" }, { Token: "x" }, { token_type_hint: "access_token" }, { access_token: "x" }],
    async (fields) => {
      assertEquals(await getOutcome(await introspect(b, fields)), "400 invalid_request");
    },
  );
});

test("[IN-01] missing credentials, wrong ones and a public client are 401 with a challenge", async () => {
  const b = await testServer(served);
  const { access_token, refresh_token } = await publicTokens(b);
  for (const token of [access_token, refresh_token, "x"]) {
    await assertAuthenticatesClients(b, { path: "/oauth2/introspect", fields: { token }, headers: {} });
    // Also the client whose token it is, and also when nothing is asked.
    for (const fields of [{ token, client_id: "spa" }, { token, client_id: "other" }, { client_id: "spa" }]) {
      assertEquals(await getOutcome(await introspect(b, fields, {})), "401 invalid_client");
    }
  }
  assert(getRejections(b.events).every(({ endpoint }) => endpoint === "/oauth2/introspect"));
});

test("[IN-01, CA-01, CA-16] a confidential client authenticates by its own method and may introspect its own tokens", async () => {
  const b = await testServer(served);
  const { access_token: token } = await webTokens(b);
  assertEquals((await fetchIntrospection(b, token, "web")).active, true);
  assertEquals((await (await introspect(b, { token, client_id: "web" }, basicHeader("web"))).json()).active, true);
  const poster = { client_id: "poster", client_secret: "poster-secret" };
  const uri = { redirect_uri: "https://poster.example/cb" };
  const posted = await assertTokenResponse(
    await b.token({ code: await b.code({ client_id: "poster", ...uri }), ...uri, ...poster }),
  );
  assertEquals((await (await introspect(b, { token: posted.access_token, ...poster }, {})).json()).active, true);
});

test("[HT-06] introspection sends no Access-Control header, for any request", async () => {
  const b = await testServer(served);
  const origin = { origin: "https://elsewhere.test" };
  const responses = [
    await introspect(b, { token: "x" }, { ...basicHeader("api"), ...origin }),
    await introspect(b, {}, { ...basicHeader("api"), ...origin }),
    await introspect(b, { token: "x" }, { ...basic("api", "guess"), ...origin }),
    await b.get("/oauth2/introspect", { headers: origin }),
    await b.get("/oauth2/introspect", {
      method: "OPTIONS",
      headers: {
        ...origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization",
      },
    }),
  ];
  assertEquals(responses.map(({ status }) => status), [200, 400, 401, 405, 405]);
  for (const { headers } of responses) {
    assertEquals([...headers.keys()].filter((name) => name.startsWith("access-control-")), []);
  }
});

test("[IN-02] an invalid token is exactly active: false", async () => {
  const b = await testServer(served);
  const { access_token, refresh_token, id_token } = await publicTokens(b);
  const code = await b.code();
  const [header, payload, signature] = access_token.split(".") as [string, string, string];
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const { kid } = JSON.parse(Buffer.from(header, "base64url").toString());
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const claims = decodeClaims(access_token);
  const foreign = await new SignJWT(claims).setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid }).sign(privateKey);
  const jwk = { kty: "EC", crv: "P-256", x: "AA", y: "AA" };
  const keys = await (await b.get("/oauth2/jwks")).text();
  const shared = await new SignJWT(claims).setProtectedHeader({ alg: "HS256", typ: "at+jwt", kid })
    .sign(new TextEncoder().encode(keys));
  await forEachCase([
    ...["x", ".", "..", "a.b.c", "__proto__", "constructor", "null", "\0", "🔑", "a".repeat(60_000), "....."],
    ...[code, id_token, foreign, shared, `${header}.${payload}.`, `${header}.${payload}`, `${access_token}A`],
    ...[
      `${encoded({ alg: "none", typ: "at+jwt", kid })}.${payload}.`,
      `${encoded({ alg: "none" })}.${payload}.${signature}`,
    ],
    ...[
      `${header}.${encoded({ ...claims, sub: "bob" })}.${signature}`,
      `${header}.${encoded({ active: true })}.${signature}`,
    ],
    ...[`${encoded({ alg: "ES256", typ: "at+jwt", jwk })}.${payload}.${signature}`, access_token.toLowerCase()],
    ...[`${encoded({ alg: "RS256", typ: "at+jwt", kid })}.${payload}.${signature}`, ` ${access_token}`],
    ...[refresh_token.slice(1), `${refresh_token}=`, `Bearer ${access_token}`],
  ], async (token) => {
    for (const caller of ["api", "web", "outsider"]) assertEquals(await fetchIntrospection(b, token, caller), inactive);
  });
  assertEquals([(await fetchIntrospection(b, access_token)).active, await getOutcome(await b.token({ code }))], [
    true,
    "200",
  ]);
});

test("[IN-02] an expired, revoked or consumed token is exactly active: false, for its owner and for others", async () => {
  const b = await testServer(served);
  const first = await webTokens(b);
  const opaque = await webTokens(b, "webopaque");
  await forEachCase(
    [[first, "web"], [opaque, "webopaque"]] as const,
    async ([{ access_token, refresh_token }, owner]) => {
      assertEquals((await fetchIntrospection(b, access_token, owner)).active, true);
      assertEquals((await fetchIntrospection(b, refresh_token, owner)).active, true);
    },
  );
  b.advance(3599.999);
  for (const [{ access_token }, owner] of [[first, "web"], [opaque, "webopaque"]] as const) {
    assertEquals((await fetchIntrospection(b, access_token, owner)).active, true);
  }
  b.advance(0.001);
  for (const [{ access_token }, owner] of [[first, "web"], [opaque, "webopaque"]] as const) {
    for (const caller of [owner, "api"]) assertEquals(await fetchIntrospection(b, access_token, caller), inactive);
  }
  b.advance(7 * day - 3600.001);
  assertEquals((await fetchIntrospection(b, first.refresh_token, "web")).active, true);
  b.advance(0.001);
  assertEquals(await fetchIntrospection(b, first.refresh_token, "web"), inactive);
  const rotating = await testServer({ ...served, refresh: { rotateConfidential: true } });
  const used = await webTokens(rotating);
  const next = await refreshTokens(rotating, used.refresh_token, {}, basicHeader("web"));
  assertEquals(await fetchIntrospection(rotating, used.refresh_token, "web"), inactive);
  assertEquals((await fetchIntrospection(rotating, next.refresh_token, "web")).active, true);
  assertEquals(
    await getOutcome(await refresh(rotating, used.refresh_token, {}, basicHeader("web"))),
    "400 invalid_grant",
  );
  for (const { refresh_token, access_token } of [used, next]) {
    assertEquals(await fetchIntrospection(rotating, refresh_token, "web"), inactive);
    assertEquals(await fetchIntrospection(rotating, access_token, "web"), inactive);
  }
});

test("[IN-02] a token for a resource is active for its resource server and its client, and inactive for others", async () => {
  const b = await testServer(served);
  const tokens = {
    jwt: (await webTokens(b, "web", { resource: one })).access_token,
    opaque: (await webTokens(b, "webopaque", { resource: one })).access_token,
  };
  for (const [form, token] of Object.entries(tokens)) {
    const owner = form === "jwt" ? "web" : "webopaque";
    for (const caller of ["one", "both", owner]) {
      const { active, aud } = await fetchIntrospection(b, token, caller);
      assertEquals([active, aud], [true, one], caller);
    }
    for (const caller of ["two", "outsider", "api", "web2", "machine"]) {
      assertEquals(await fetchIntrospection(b, token, caller), inactive, caller);
    }
  }
});

test("[IN-02] a caller that may not see a valid token causes a warning that names the resource and serves", async () => {
  const b = await testServer(served);
  const { access_token: token } = await publicTokens(b, { resource: one });
  const warnings = () =>
    b.events.flatMap((event) => event.type === "warning" && event.explanation.rule === "IN-02" ? [event] : []);
  for (const caller of ["one", "both"]) await fetchIntrospection(b, token, caller);
  for (const unknown of ["x", `${token}A`]) await fetchIntrospection(b, unknown, "outsider");
  assertEquals(warnings(), []);
  for (const caller of ["outsider", "two"]) await fetchIntrospection(b, token, caller);
  assertEquals(
    warnings().map(({ client, explanation: { expected, received } }) => [client, expected, received]),
    [["outsider", `serves with ${one}`, "serves: nothing"], ["two", `serves with ${one}`, `serves: ${two}`]],
  );
  assertEquals(
    warnings()[0]!.explanation.fix,
    `Add "${one}" to serves of outsider in the configuration, or on the page of the client.`,
  );
});

test("[IN-02] a token for two resources is active for both servers; one of a public client for its resource only", async () => {
  const b = await testServer(served);
  const { access_token: token } = await publicTokens(b, { resource: [one, two] });
  for (const caller of ["one", "two", "both"]) {
    assertEquals((await fetchIntrospection(b, token, caller)).active, true, caller);
  }
  for (const caller of ["outsider", "api", "web"]) {
    assertEquals(await fetchIntrospection(b, token, caller), inactive, caller);
  }
});

test("[IN-02, RI-04] a resource server matches by the exact resource, not by prefix or spelling", async () => {
  const b = await testServer({
    ...served,
    clients: [
      ...served.clients!,
      server("path", `${one}/api`),
      server("sub", "https://x.one.example"),
      server("half", "https://one"),
    ],
  });
  const { access_token: token } = await publicTokens(b, { resource: one });
  const { access_token: below } = await publicTokens(b, { resource: `${one}/api` });
  for (const caller of ["path", "sub", "half"]) {
    assertEquals(await fetchIntrospection(b, token, caller), inactive, caller);
  }
  assertEquals([await fetchIntrospection(b, below, "one"), (await fetchIntrospection(b, below, "path")).active], [
    inactive,
    true,
  ]);
});

test("[IN-02] a refresh token is active only for its own client", async () => {
  const b = await testServer(served);
  const [spa, web] = [await publicTokens(b), await webTokens(b)];
  for (const caller of ["api", "web2", "one", "both", "outsider", "machine"]) {
    assertEquals(await fetchIntrospection(b, web.refresh_token, caller), inactive, caller);
    assertEquals(await fetchIntrospection(b, spa.refresh_token, caller), inactive, caller);
  }
  assertEquals(await fetchIntrospection(b, spa.refresh_token, "web"), inactive);
  assertEquals((await fetchIntrospection(b, web.refresh_token, "web")).active, true);
});

test("[IN-02] introspecting a used refresh token is not a use and revokes nothing", async () => {
  const b = await testServer({ ...served, refresh: { rotateConfidential: true } });
  const first = await webTokens(b);
  for (let i = 0; i < 5; i++) assertEquals((await fetchIntrospection(b, first.refresh_token, "web")).active, true);
  const second = await refreshTokens(b, first.refresh_token, {}, basicHeader("web"));
  for (let i = 0; i < 5; i++) assertEquals(await fetchIntrospection(b, first.refresh_token, "web"), inactive);
  assertEquals((await fetchIntrospection(b, second.access_token, "web")).active, true);
  await refreshTokens(b, second.refresh_token, {}, basicHeader("web"));
});

test("[IN-02] introspecting a refresh token does not extend its idle lifetime", async () => {
  const b = await testServer(served);
  const { refresh_token } = await webTokens(b);
  for (let i = 0; i < 7; i++) {
    assertEquals((await fetchIntrospection(b, refresh_token, "web")).active, true);
    b.advance(day);
  }
  assertEquals(await fetchIntrospection(b, refresh_token, "web"), inactive);
});

test("[IN-02] the tokens of a removed user are inactive", async () => {
  const b = await testServer(served);
  const tokens = [
    await webTokens(b, "web", { login_hint: "bob" }),
    await webTokens(b, "webopaque", { login_hint: "bob" }),
  ];
  const alice = await webTokens(b);
  b.as.users.delete("bob");
  for (const [i, { access_token, refresh_token }] of tokens.entries()) {
    assertEquals(
      await getOutcome(await refresh(b, refresh_token, {}, basicHeader(["web", "webopaque"][i]!))),
      "400 invalid_grant",
    );
    assertEquals((await userinfo(b, access_token)).status, 401);
    assertEquals(await fetchIntrospection(b, access_token), inactive, "an access token that userinfo rejects");
    assertEquals(await fetchIntrospection(b, refresh_token, ["web", "webopaque"][i]), inactive);
  }
  assertEquals((await fetchIntrospection(b, alice.access_token)).active, true);
});

test("[IN-02] the tokens of a removed client are inactive, including its client_credentials tokens", async () => {
  const b = await testServer(served);
  const { access_token } = await webTokens(b);
  const own = await assertTokenResponse(
    await b.post("/oauth2/token", { grant_type: "client_credentials" }, basicHeader("machine")),
  );
  b.as.clients.delete("web");
  b.as.clients.delete("machine");
  assertEquals((await userinfo(b, access_token)).status, 401);
  for (const token of [access_token, own.access_token]) assertEquals(await fetchIntrospection(b, token), inactive);
});

test("[IN-03] a valid access token is described with the members of RFC 7662, as issued, JWT or opaque", async () => {
  const b = await testServer(served);
  await forEachCase(["spa", "opaque", "web", "webopaque", "pair"], async (client_id) => {
    const web = client_id.startsWith("web");
    const { access_token, scope, id_token } = web
      ? await webTokens(b, client_id)
      : await publicTokens(b, { client_id });
    assertEquals(access_token.includes("."), client_id === "spa" || client_id === "web");
    const stated = await fetchIntrospection(b, access_token);
    assertEquals(stated.active, true);
    for (const name of ["client_id", "scope", "sub", "iss", "token_type"]) {
      assertEquals(typeof stated[name], "string", name);
    }
    for (const name of ["exp", "iat"]) assert(Number.isInteger(stated[name]), name);
    assertEquals([stated.client_id, stated.scope, stated.iss, stated.aud], [
      client_id,
      scope,
      "https://as.test",
      "https://as.test",
    ]);
    assertEquals([stated.sub, stated.token_type], [decodeClaims(id_token).sub, "Bearer"]);
    assertEquals([stated.iat, stated.exp], [Date.UTC(2026, 0, 1) / 1000, Date.UTC(2026, 0, 1) / 1000 + 3600]);
    for (const [name, value] of Object.entries(stated)) {
      assert(value !== null && value !== undefined, `${name} is ${value}`);
    }
    if (access_token.includes(".")) {
      for (const [name, value] of Object.entries(decodeClaims(access_token))) assertEquals(stated[name], value, name);
    }
  });
});

test("[IN-03] a narrowed token is described as narrowed, by the clock of its own response", async () => {
  const b = await testServer(served);
  const first = await publicTokens(b, { scope: "openid read write", resource: [one, two], nonce: "n" });
  b.advance(100);
  const second = await refreshTokens(b, first.refresh_token, { scope: "read", resource: two });
  const { scope, aud, iat, sub, nonce } = await fetchIntrospection(b, second.access_token, "two");
  assertEquals([scope, aud, iat, sub, nonce], ["read", two, Date.UTC(2026, 0, 1) / 1000 + 100, "alice", undefined]);
  assertEquals(await fetchIntrospection(b, second.access_token, "one"), inactive);
});

test("[IN-03] the caller's own refresh token is active and distinguishable from an access token", async () => {
  const b = await testServer(served);
  const { refresh_token } = await webTokens(b, "web", { scope: "openid read" });
  const stated = await fetchIntrospection(b, refresh_token, "web");
  assertEquals([stated.active, stated.client_id, stated.sub, stated.scope], [true, "web", "alice", "openid read"]);
  assertNotEquals(stated.token_type, "Bearer");
});

test("[IN-03, DO-07] a refresh token that is bound to a key is described with it", async () => {
  const key = await clientKey();
  const refreshing = {
    grant_types: ["authorization_code", "refresh_token"],
    redirect_uris: ["https://spa.example/cb"],
  };
  const b = await testServer({ clients: [{ client_id: "spa", ...refreshing }] });
  const bound = await assertTokenResponse(await b.token({ code: await b.code() }, { headers: await tokenProof(key) }));
  // Only a confidential client may inspect its refresh tokens, and those issued to it are bound to none.
  b.as.clients.set({ client_id: "spa", client_secret: "spa-secret", ...refreshing });
  const { refresh_token } = bound as unknown as { refresh_token: string };
  const stated = await fetchIntrospection(b, refresh_token, "spa");
  assertEquals([stated.active, stated.cnf], [true, { jkt: key.thumbprint }]);
});

test("[IN-03] a pairwise client gets the same pairwise sub everywhere, never the real one", async () => {
  const clients = [...served.clients!, confidentialClient("webpair", { subject_type: "pairwise" })];
  const b = await testServer({ ...served, clients });
  const { access_token, refresh_token, id_token } = await webTokens(b, "webpair");
  const { sub } = decodeClaims(id_token);
  assertNotEquals(sub, "alice");
  assertEquals([
    (await fetchIntrospection(b, access_token)).sub,
    (await fetchIntrospection(b, refresh_token, "webpair")).sub,
  ], [
    sub,
    sub,
  ]);
  assert(!JSON.stringify(await fetchIntrospection(b, access_token)).includes("alice"));
});

test("[IN-03] a token_type_hint never matters: right, wrong, unknown or empty", async () => {
  const b = await testServer(served);
  const { access_token, refresh_token } = await webTokens(b);
  const opaque = await webTokens(b, "webopaque");
  await forEachCase(
    ["access_token", "refresh_token", "bogus", "", undefined, "__proto__", "id_token"],
    async (token_type_hint) => {
      for (
        const [token, caller] of [[access_token, "web"], [refresh_token, "web"], [
          opaque.access_token,
          "webopaque",
        ]] as const
      ) {
        assertEquals(
          (await (await introspect(b, { token, token_type_hint }, basicHeader(caller))).json()).active,
          true,
        );
      }
    },
  );
});

test("[IN-04] every response is uncached JSON, rejections too, and shows a revocation immediately", async () => {
  const b = await testServer(served);
  for (const client_id of ["web", "webopaque"]) {
    const first = await webTokens(b, client_id);
    const second = await refreshTokens(b, first.refresh_token, {}, basicHeader(client_id));
    assertEquals((await fetchIntrospection(b, first.access_token)).active, true);
    await b.post("/oauth2/revoke", { token: first.access_token }, basicHeader(client_id));
    assertEquals(await fetchIntrospection(b, first.access_token), inactive);
    assertEquals((await fetchIntrospection(b, second.access_token)).active, true);
    await b.post("/oauth2/revoke", { token: first.refresh_token }, basicHeader(client_id));
    assertEquals(await fetchIntrospection(b, second.access_token), inactive);
    assertEquals(await fetchIntrospection(b, first.refresh_token, client_id), inactive);
  }
  for (const response of [await introspect(b, { token: "x" }), await introspect(b, {}), await introspect(b, {}, {})]) {
    assertEquals(response.headers.get("cache-control"), "no-store");
    assertEquals(response.headers.get("x-content-type-options"), "nosniff");
    assertMatch(response.headers.get("content-type")!, /^application\/json\b/);
  }
});

test("[IN-04] a JWT that introspection reports as inactive may still verify: only revocation differs", async () => {
  const b = await testServer(served);
  const { access_token } = await publicTokens(b);
  await b.post("/oauth2/revoke", { client_id: "spa", token: access_token });
  await jwtVerify(access_token, await fetchKeySet(b), { currentDate: new Date(Date.UTC(2026, 0, 1)) });
  assertEquals(await fetchIntrospection(b, access_token), inactive);
});

test("[IN-02, JK-04] tokens stay active across a key rotation until they expire", async () => {
  const b = await testServer(served);
  const { access_token } = await publicTokens(b);
  await b.as.rotateKeys("ES256", 0);
  assertEquals((await fetchIntrospection(b, access_token)).active, true);
  b.advance(3599);
  assertEquals((await fetchIntrospection(b, access_token)).active, true);
  b.advance(1);
  assertEquals(await fetchIntrospection(b, access_token), inactive);
});

test("[HT-15] the trace never contains the introspected token", async () => {
  const b = await testServer(served);
  const { access_token, refresh_token } = await publicTokens(b);
  for (const token of [access_token, refresh_token]) {
    await introspect(b, { token });
    await introspect(b, { token }, {});
    await introspect(b, { token: [token, token] });
    await b.get(`/oauth2/introspect?token=${token}`, { method: "POST" });
    await b.get(`/oauth2/introspect/${token}`);
  }
  const logged = JSON.stringify(b.events);
  for (const secret of [access_token.split(".")[2]!, refresh_token]) assert(!logged.includes(secret));
});
