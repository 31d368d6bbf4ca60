/**
 * The JWT bearer grant: assertions of trusted issuers are exchanged for access tokens (group JB).
 *
 * @extensions assertion_authentication
 */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { exportSPKI, generateKeyPair, importJWK, SignJWT } from "jose";
import { test } from "node:test";
import * as oauth from "oauth4webapi";
import { ConfigurationError, type LatchkeyOptions } from "../../../../src/mod.ts";
import type { TrustedIssuer } from "../../../../src/server/extensions/assertion_grants/settings.ts";
import { storeKinds } from "../../../platform/store/store_kinds.ts";
import { countOutcomes, fetchIntrospection, findLastRule, publicTokens, testClients } from "../../client_endpoints.ts";
import { clientKeyPair } from "../../../rsa_keys.ts";
import { exchangeAssertion, foreignIssuer, jwtBearer, startSeconds } from "../../foreign_issuer.ts";
import type { AssertionChange } from "../../foreign_issuer.ts";
import {
  assertTokenResponse,
  decodeClaims,
  forEachCase,
  getOutcome,
  getRejections,
  realHost,
  testServer,
} from "../../../kit.ts";
import type { Fields } from "../../../kit.ts";
import { bearerClients, rejected, trustingServer } from "./trusting_server.ts";

test("[JB-11, JB-12, TK-09] an assertion is exchanged for an access token of its user, without refresh token and ID token", async () => {
  const { idp, server } = await trustingServer();
  const assertion = await idp.assertion("alice", { claims: { auth_time: startSeconds - 60 } });
  const response = await assertTokenResponse(await exchangeAssertion(server, assertion, { scope: "read write" }));
  const { access_token, ...members } = response;
  assertEquals<unknown>(members, { token_type: "Bearer", expires_in: 3600, scope: "read write" });
  const { iss, sub, client_id, scope, aud, auth_time, sid } = decodeClaims(access_token);
  assertEquals([iss, sub, client_id, scope, aud], [
    "https://as.test",
    "alice",
    "gateway",
    "read write",
    "https://as.test",
  ]);
  assertEquals([auth_time, sid], [startSeconds - 60, undefined]);
  assertEquals((await fetchIntrospection(server, access_token)).sub, "alice");
  assertEquals((await assertTokenResponse(await exchangeAssertion(server, assertion))).scope, "read");
});

test("[JB-12, SC-05] oauth4webapi sends an assertion and accepts the response", async () => {
  const { idp, server } = await trustingServer();
  const as = { issuer: server.as.issuer, token_endpoint: `${server.as.issuer}/oauth2/token` };
  const client = { client_id: "gateway" };
  const response = await oauth.genericTokenEndpointRequest(
    as,
    client,
    oauth.ClientSecretBasic("gateway-secret"),
    jwtBearer,
    { assertion: await idp.assertion("alice"), scope: "read write" },
    { [oauth.customFetch]: (url, init) => server.as.fetch(new Request(url, init as RequestInit)) },
  );
  const { scope, expires_in, ...tokens } = await oauth.processGenericTokenEndpointResponse(as, client, response);
  assertEquals([scope, expires_in, Object.keys(tokens).sort()], ["read write", 3600, ["access_token", "token_type"]]);
});

test("[JB-01] a request has exactly one assertion, which is a signed JWT", async () => {
  const { idp, server } = await trustingServer();
  const assertion = await idp.assertion("alice");
  const [header, payload, signature] = assertion.split(".");
  const json = (value: unknown) => btoa(JSON.stringify(value)).replace(/=+$/, "");
  await forEachCase<[Fields, string]>([
    [{}, "400 invalid_request"],
    [{ assertion: "" }, "400 invalid_request"],
    [{ assertion: [assertion, assertion] }, "400 invalid_request"],
    [{ assertion: "x" }, rejected],
    [{ assertion: "a.b.c" }, rejected],
    [{ assertion: `${header}.${payload}` }, rejected],
    [{ assertion: `${header}.${payload}.${signature}=` }, rejected],
    [{ assertion: `${header}.${payload}.${signature}.x.y` }, rejected],
    [{ assertion: `${json(["ES256"])}.${payload}.${signature}` }, rejected],
    [{ assertion: `${header}.${json("alice")}.${signature}` }, rejected],
    [{ assertion: `${header}.${json(null)}.${signature}` }, rejected],
  ], async ([fields, expected]) => {
    assertEquals(await getOutcome(await exchangeAssertion(server, undefined, fields)), expected);
  });
});

test("[JB-02] every invalid assertion has the same response; the trace names the rule", async () => {
  const { idp, server } = await trustingServer({}, realHost);
  const other = await foreignIssuer();
  const bodies = new Set<string>();
  await forEachCase<[AssertionChange, string]>([
    [{ claims: { iss: "https://other.test" } }, "JB-03"],
    [{ claims: { exp: startSeconds - 1 } }, "JB-04"],
    [{ claims: { aud: "https://other.test" } }, "JB-05"],
    [{ key: other.privateKey }, "JB-06"],
    [{ header: { typ: "at+jwt" } }, "JB-07"],
    [{ claims: { sub: "unknown" } }, "JB-09"],
  ], async ([change, rule]) => {
    const claims = { aud: realHost.issuer, ...change.claims };
    const response = await exchangeAssertion(server, await idp.assertion("alice", { ...change, claims }));
    bodies.add(`${response.status} ${await response.text()}`);
    assertEquals(findLastRule(server), rule);
    assert(getRejections(server.events).at(-1)!.explanation.expected);
  });
  assertEquals(bodies.size, 1, [...bodies].join("\n"));
  assertMatch([...bodies][0]!, /^400 .*"invalid_grant".*\[JB-02\]/);
});

test("[JB-03] iss is compared character by character, and no unknown issuer or header causes a fetch", async () => {
  const fetched: string[] = [];
  const idp = await foreignIssuer();
  const server = await testServer({
    ...testClients,
    clients: bearerClients,
    trustedIssuers: [{ issuer: idp.issuer, jwks_uri: "https://idp.test/jwks", users: "sub" }],
    outbound: (url) => {
      fetched.push(String(url));
      return Promise.resolve(Response.json({ keys: [idp.jwk] }));
    },
  });
  await forEachCase(
    ["https://idp.test/", "https://IDP.test", "https://idp.test:443", "http://idp.test", "", undefined, [
      "https://idp.test",
    ]],
    async (iss) => {
      const assertion = await idp.assertion("alice", { claims: { iss } });
      assertEquals(await getOutcome(await exchangeAssertion(server, assertion)), rejected);
      assertEquals(findLastRule(server), "JB-03");
    },
  );
  assertEquals(fetched, []);
  const attacker = await foreignIssuer();
  const header = { jku: "https://evil.test/jwks", x5u: "https://evil.test/x5u", jwk: attacker.jwk };
  const forged = await attacker.assertion("alice", { claims: { iss: idp.issuer }, header });
  assertEquals(await getOutcome(await exchangeAssertion(server, forged)), rejected);
  assertEquals(fetched, ["https://idp.test/jwks"]);
  assertEquals(await getOutcome(await exchangeAssertion(server, await idp.assertion("alice"))), "200");
  assertEquals(fetched, ["https://idp.test/jwks"]);
});

test("[JB-04] an assertion needs sub and exp, and is accepted from nbf and iat until exp, within maxLifetime", async () => {
  const { idp, server } = await trustingServer();
  await forEachCase<[Record<string, unknown>, string]>([
    [{}, "200"],
    [{ iat: undefined }, "200"],
    [{ iat: startSeconds + 10, nbf: startSeconds + 10 }, "200"],
    [{ iat: startSeconds - 3500, exp: startSeconds + 100 }, "200"],
    [{ iat: startSeconds + 61 }, rejected],
    [{ nbf: startSeconds + 61 }, rejected],
    [{ iat: startSeconds - 3600, exp: startSeconds + 1 }, rejected],
    [{ exp: startSeconds + 3601 }, rejected],
    [{ iat: undefined, exp: startSeconds + 3601 }, rejected],
    [{ exp: startSeconds }, rejected],
    [{ exp: undefined }, rejected],
    [{ exp: "later" }, rejected],
    [{ exp: 1e300 }, rejected],
    [{ iat: "now" }, rejected],
    [{ sub: undefined }, rejected],
    [{ sub: "" }, rejected],
    [{ sub: ["alice"] }, rejected],
  ], async ([claims, expected]) => {
    const outcome = await getOutcome(await exchangeAssertion(server, await idp.assertion("alice", { claims })));
    assertEquals(outcome, expected);
    if (expected === rejected) {
      assertEquals(findLastRule(server), "JB-04");
      assert(getRejections(server.events).at(-1)!.explanation.received);
    }
  });
  const assertion = await idp.assertion("alice");
  server.advance(299.9);
  assertEquals(await getOutcome(await exchangeAssertion(server, assertion)), "200");
  server.advance(0.1);
  assertEquals(await getOutcome(await exchangeAssertion(server, assertion)), rejected);
  server.advance(60);
  await exchangeAssertion(server, assertion);
  const { expected, received } = getRejections(server.events).at(-1)!.explanation;
  const time = (seconds: number) => new Date((startSeconds + seconds) * 1000).toISOString();
  assertEquals([expected, received], [
    `exp after ${time(360)}, the time of this server`,
    `exp ${time(300)}`,
  ]);

  const long = await trustingServer({ maxLifetime: 86_400 });
  const daily = await long.idp.assertion("alice", { claims: { exp: startSeconds + 86_400 } });
  assertEquals(await getOutcome(await exchangeAssertion(long.server, daily)), "200");
});

test("[JB-05] aud contains the issuer or the token endpoint", async () => {
  const tokenEndpoint = "https://as.test/oauth2/token";
  const { idp, server } = await trustingServer();
  const strict = await testServer({
    ...testClients,
    clients: bearerClients,
    trustedIssuers: [idp.entry()],
    assertionAudience: "issuer",
  });
  await forEachCase<[unknown, string, string]>([
    ["https://as.test", "200", "200"],
    [["https://other.test", "https://as.test"], "200", "200"],
    [tokenEndpoint, "200", rejected],
    [[tokenEndpoint], "200", rejected],
    ["https://as.test/", rejected, rejected],
    ["https://other.test", rejected, rejected],
    [[], rejected, rejected],
    [undefined, rejected, rejected],
    [{ "https://as.test": 1 }, rejected, rejected],
  ], async ([aud, expected, expectedStrict]) => {
    const assertion = await idp.assertion("alice", { claims: { aud } });
    assertEquals(await getOutcome(await exchangeAssertion(server, assertion)), expected);
    assertEquals(await getOutcome(await exchangeAssertion(strict, assertion)), expectedStrict);
    if (expectedStrict === rejected) assertEquals(findLastRule(strict), "JB-05");
  });
});

test("[JB-06] a key of the issuer must have signed, by an accepted algorithm", async () => {
  const { idp, server } = await trustingServer();
  const publicKey = await importJWK(idp.jwk, "ES256") as CryptoKey;
  const pem = new TextEncoder().encode(await exportSPKI(publicKey));
  const unsigned = (await idp.assertion("alice")).split(".")[1];
  const none = `${btoa(JSON.stringify({ alg: "none" })).replace(/=+$/, "")}.${unsigned}.`;
  const { privateKey: rsa } = await clientKeyPair("RS256");
  const valid = await idp.assertion("alice");
  await forEachCase<string>([
    await idp.assertion("alice", { header: { alg: "HS256" }, key: pem }),
    none,
    await idp.assertion("alice", { header: { alg: "RS256" }, key: rsa }),
    await idp.assertion("alice", { header: { kid: "idp-2" } }),
    `${valid.slice(0, -4)}AAAA`,
    `${valid.split(".").slice(0, 2).join(".")}.`,
  ], async (assertion) => assertEquals(await getOutcome(await exchangeAssertion(server, assertion)), rejected));
  assertEquals(
    await getOutcome(await exchangeAssertion(server, await idp.assertion("alice", { header: { kid: undefined } }))),
    "200",
  );

  const picky = await testServer({
    ...testClients,
    clients: bearerClients,
    trustedIssuers: [idp.entry({ algorithms: ["RS256", "PS256"] })],
  });
  assertEquals(await getOutcome(await exchangeAssertion(picky, valid)), rejected);
  assertEquals(findLastRule(picky), "JB-06");
});

test("[JB-06] keys behind a jwks_uri are fetched once, and once more for an unknown kid", async () => {
  const [first, second] = [await foreignIssuer(), await foreignIssuer()];
  const keys: unknown[] = [first.jwk];
  let fetches = 0;
  let isDown = false;
  const server = await testServer({
    ...testClients,
    clients: bearerClients,
    trustedIssuers: [{ issuer: first.issuer, jwks_uri: "https://idp.test/jwks", users: "sub", maxLifetime: 86_400 }],
    outbound: () => {
      fetches++;
      return isDown ? Promise.reject(new TypeError("no route")) : Promise.resolve(Response.json({ keys }));
    },
  });
  const claims = { exp: startSeconds + 3600 };
  const send = async (assertion: Promise<string>) => await getOutcome(await exchangeAssertion(server, await assertion));
  assertEquals(await send(first.assertion("alice", { claims })), "200");
  keys.push({ ...second.jwk, kid: "idp-2" });
  const rotated = () => second.assertion("alice", { claims, header: { kid: "idp-2" } });
  assertEquals([await send(rotated()), fetches], [rejected, 1]);
  server.advance(31);
  assertEquals([await send(rotated()), await send(rotated()), fetches], ["200", "200", 2]);
  for (let i = 0; i < 20; i++) await send(first.assertion("alice", { claims, header: { kid: `unknown-${i}` } }));
  assertEquals(fetches, 2);
  isDown = true;
  server.advance(601);
  assertEquals([await send(first.assertion("alice", { claims })), findLastRule(server)], [rejected, "JB-06"]);
  const { reason, received, fix } = getRejections(server.events).at(-1)!.explanation;
  assertEquals([reason, received], [`the keys of ${first.issuer} cannot be used`, "no response (no route)"]);
  assertMatch(fix!, /^Make the server of this URL respond/);
});

test("[JB-07] tokens of another kind, and tokens that this server issued, are no assertions", async () => {
  const { idp, server } = await trustingServer();
  await forEachCase<[string | undefined, string]>([
    [undefined, "200"],
    ["JWT", "200"],
    ["application/jwt", "200"],
    ...["at+jwt", "AT+JWT", "application/at+jwt", "dpop+jwt", "logout+jwt", "client-authentication+jwt"].map((typ) =>
      [typ, rejected] as [string, string]
    ),
    ...["oauth-authz-req+jwt", "token-introspection+jwt", "oauth-id-jag+jwt", "secevent+jwt"].map((typ) =>
      [typ, rejected] as [string, string]
    ),
  ], async ([typ, expected]) => {
    const assertion = await idp.assertion("alice", { header: { typ } });
    assertEquals(await getOutcome(await exchangeAssertion(server, assertion)), expected);
  });
  const { access_token, id_token } = await publicTokens(server);
  for (const own of [access_token, id_token]) {
    assertEquals(await getOutcome(await exchangeAssertion(server, own)), rejected);
    assertEquals(findLastRule(server), "JB-07");
  }
  await assertRejects(
    () => testServer({ ...testClients, trustedIssuers: [{ ...idp.entry(), issuer: "https://as.test" }] }),
    ConfigurationError,
    "trustedIssuers[0].issuer",
  );
});

test("[JB-08] the client authenticates and is registered for the grant; public clients need allowPublicClients", async () => {
  const { idp, server } = await trustingServer({ clients: ["gateway", "cli"] });
  const assertion = await idp.assertion("alice");
  const body = (fields: Fields, headers = {}) =>
    server.post("/oauth2/token", { grant_type: jwtBearer, assertion, ...fields }, headers);
  await forEachCase<[Fields, string]>([
    [{ client_id: "gateway", client_secret: "gateway-secret" }, "200"],
    [{ client_id: "gateway", client_secret: "wrong" }, "401 invalid_client"],
    [{ client_id: "gateway" }, "401 invalid_client"],
    [{ client_id: "unknown" }, "401 invalid_client"],
    [{ client_id: "cli" }, "400 unauthorized_client"],
    [{}, "401 invalid_client"],
    [{ client_id: "reader", client_secret: "reader-secret" }, "400 unauthorized_client"],
    [{ client_id: "machine", client_secret: "machine-secret" }, "400 unauthorized_client"],
  ], async ([fields, expected]) => assertEquals(await getOutcome(await body(fields)), expected));
  // Without a valid assertion nothing reveals which issuers and clients are accepted.
  const invalid = { assertion: await idp.assertion("alice", { claims: { iss: "https://other.test" } }) };
  assertEquals(await getOutcome(await body({ client_id: "cli", ...invalid })), rejected);
  assertEquals(await getOutcome(await body(invalid)), rejected);

  const worker = "spiffe://shop/worker";
  const open = await testServer({
    ...testClients,
    clients: [...bearerClients, { client_id: "worker", grant_types: [jwtBearer], scope: "read" }],
    trustedIssuers: [idp.entry({
      allowPublicClients: true,
      subjects: { [worker]: { client: "worker" }, secret: { client: "gateway" }, gone: { client: "removed" } },
    })],
  });
  assertEquals(await getOutcome(await exchangeAssertion(open, assertion, { client_id: "cli" }, null)), "200");
  assertEquals(await getOutcome(await exchangeAssertion(open, assertion, {}, null)), "401 invalid_client");
  for (const fields of [{}, { client_id: "worker" }]) {
    const response = await exchangeAssertion(open, await idp.assertion(worker), fields, null);
    const { access_token, scope } = await assertTokenResponse(response);
    const { sub, client_id, auth_time, sid } = decodeClaims(access_token);
    assertEquals([sub, client_id, scope, auth_time, sid], ["worker", "worker", "read", undefined, undefined]);
  }
  for (const sub of ["secret", "gone"]) {
    assertEquals(
      await getOutcome(await exchangeAssertion(open, await idp.assertion(sub), {}, null)),
      "401 invalid_client",
    );
  }
});

test("[JB-08, CA-09] a client_assertion beside the assertion is one method of client authentication", async () => {
  const idp = await foreignIssuer();
  const { privateKey } = await generateKeyPair("ES256");
  const own = await foreignIssuer("signer");
  const server = await testServer({
    ...testClients,
    clients: [{ client_id: "signer", jwks: { keys: [own.jwk] }, grant_types: [jwtBearer] }],
    trustedIssuers: [idp.entry()],
  });
  const send = async (key = own.privateKey) =>
    getOutcome(
      await exchangeAssertion(server, await idp.assertion("alice"), {
        client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        client_assertion: await own.assertion("signer", { claims: { exp: startSeconds + 60 }, key }),
      }, null),
    );
  assertEquals([await send(), await send(privateKey)], ["200", "401 invalid_client"]);
});

test("[JB-09, CC-03] a subject is mapped by issuer and sub: to a user, by email, or to the client itself", async () => {
  const idp = await foreignIssuer();
  const users = [
    { sub: "alice", email: "alice@shop.test" },
    { sub: "bob", email: "shared@shop.test" },
    { sub: "carol", email: "shared@shop.test" },
    { sub: "dora", email: "dora@shop.test", email_verified: false },
  ];
  const server = await testServer({
    ...testClients,
    users,
    clients: bearerClients,
    trustedIssuers: [
      idp.entry({
        users: undefined,
        subjects: { u1: { user: "alice" }, u2: { user: "gone" }, job: {}, mine: { user: "bob", client: "gateway" } },
      }),
      idp.entry({ tenant: "acme", users: "email" }),
    ],
  });
  const subjectOf = async (sub: string, claims = {}, client = "gateway") => {
    const response = await exchangeAssertion(server, await idp.assertion(sub, { claims }), {}, client);
    return response.status === 200
      ? decodeClaims((await response.json()).access_token).sub
      : await getOutcome(response);
  };
  const acme = { tenant: "acme" };
  await forEachCase<[Parameters<typeof subjectOf>, string]>([
    [["u1"], "alice"],
    [["u2"], rejected],
    [["alice"], rejected],
    [["__proto__"], rejected],
    [["job"], "gateway"],
    [["job", {}, "reader"], "reader"],
    [["mine"], "bob"],
    [["mine", {}, "reader"], rejected],
    [["u1", acme], rejected],
    [["u1", { tenant: "other" }], rejected],
    [["x", { ...acme, email: "alice@shop.test" }], "alice"],
    [["x", { ...acme, email: "alice@shop.test", email_verified: true }], "alice"],
    [["x", { ...acme, email: "alice@shop.test", email_verified: false }], rejected],
    [["x", { ...acme, email: "alice@shop.test", email_verified: "false" }], rejected],
    [["x", { ...acme, email: "alice@shop.test", email_verified: 0 }], rejected],
    [["x", { ...acme, email: "dora@shop.test" }], rejected],
    [["x", { ...acme, email: "shared@shop.test" }], rejected],
    [["x", { ...acme, email: "ALICE@shop.test" }], rejected],
    [["alice", acme], rejected],
    [["x", { email: "alice@shop.test" }], rejected],
  ], async ([request, expected]) => assertEquals(await subjectOf(...request), expected));
  assertEquals(await subjectOf("u1"), "alice");
  await server.as.users.delete("alice");
  assertEquals([await subjectOf("u1"), findLastRule(server)], [rejected, "JB-09"]);
  // Scope values about a user are not for a service.
  const service = await exchangeAssertion(server, await idp.assertion("job"), { scope: "read profile" });
  assertEquals(await getOutcome(service), "400 invalid_scope");
});

test("[JB-09] on a real host an e-mail maps to a user only if the issuer says that it is verified, or the entry vouches for it", async () => {
  const users = [{ sub: "alice", email: "alice@shop.test" }, {
    sub: "dora",
    email: "dora@shop.test",
    email_verified: false,
  }];
  await forEachCase<[LatchkeyOptions, boolean | undefined, string, unknown, string]>([
    [realHost, undefined, "alice", undefined, rejected],
    [realHost, undefined, "alice", false, rejected],
    [realHost, undefined, "alice", true, "200"],
    [realHost, undefined, "dora", true, rejected],
    [realHost, false, "alice", undefined, rejected],
    [realHost, true, "alice", undefined, "200"],
    [realHost, true, "alice", false, rejected],
    [realHost, true, "dora", undefined, rejected],
    [{}, undefined, "alice", undefined, "200"],
    [{}, undefined, "alice", false, rejected],
    [{}, false, "alice", undefined, rejected],
    [{}, false, "alice", true, "200"],
  ], async ([options, assumeEmailVerified, name, email_verified, expected]) => {
    const { idp, server } = await trustingServer({ users: "email", assumeEmailVerified }, { users, ...options });
    const claims = { aud: server.as.issuer, email: `${name}@shop.test`, email_verified };
    const assertion = await idp.assertion("x", { claims });
    assertEquals(await getOutcome(await exchangeAssertion(server, assertion)), expected);
    if (expected === rejected) assertEquals(findLastRule(server), "JB-09");
  });
  await assertRejects(() => trustingServer({ assumeEmailVerified: true }), ConfigurationError, "users");
});

for (const [name, skip, create] of storeKinds) {
  test(`[JB-10] with singleUse one of twenty concurrent uses of an assertion on two servers succeeds (${name})`, {
    skip,
  }, async () => {
    const idp = await foreignIssuer();
    const open = create();
    const opened = [await open(), await open()];
    const servers = await Promise.all(
      opened.map((store) =>
        testServer({ ...testClients, clients: bearerClients, trustedIssuers: [idp.entry({ singleUse: true })], store })
      ),
    );
    const assertion = await idp.assertion("alice");
    // A failed attempt does not consume it.
    assertEquals(
      await getOutcome(await exchangeAssertion(servers[0]!, assertion, { scope: "nothing" })),
      "400 invalid_scope",
    );
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, i) => exchangeAssertion(servers[i % 2]!, assertion)),
    );
    assertEquals(await countOutcomes(responses), { "200": 1, [rejected]: 19 });
    assertEquals(findLastRule(servers[0]!), "JB-10");
    const { jti } = decodeClaims(assertion);
    const resigned = await idp.assertion("alice", { claims: { jti } });
    assertEquals(await getOutcome(await exchangeAssertion(servers[1]!, resigned)), rejected);
    assertEquals(await getOutcome(await exchangeAssertion(servers[1]!, await idp.assertion("alice"))), "200");
    const withoutJti = await idp.assertion("alice", { claims: { jti: undefined } });
    assertEquals(await getOutcome(await exchangeAssertion(servers[0]!, withoutJti)), rejected);
    for (const { as } of servers) await as.close();
  });
}

test("[JB-10] without singleUse an assertion can be used again until exp, and needs no jti", async () => {
  const { idp, server } = await trustingServer();
  const assertion = await idp.assertion("alice", { claims: { jti: undefined } });
  const tokens = new Set<string>();
  for (let i = 0; i < 3; i++) {
    tokens.add((await assertTokenResponse(await exchangeAssertion(server, assertion))).access_token);
    server.advance(60);
  }
  assertEquals(tokens.size, 3);
});

test("[JB-11] scope and resource stay within what the issuer's entry and the client allow", async () => {
  const api = "https://api.test";
  const { idp, server } = await trustingServer({ scopes: ["read", "write"], resources: [api, `${api}/b`] });
  await forEachCase<[Fields, string, string]>([
    [{}, "gateway", "read"],
    [{ scope: "write read" }, "gateway", "write read"],
    [{ scope: "read profile" }, "gateway", "400 invalid_scope"],
    [{ scope: "openid" }, "gateway", "400 invalid_scope"],
    [{ scope: "read offline_access" }, "gateway", "400 invalid_scope"],
    [{ scope: "unknown" }, "gateway", "400 invalid_scope"],
    [{ scope: "write" }, "reader", "400 invalid_scope"],
    [{ resource: "https://other.test" }, "gateway", "400 invalid_target"],
    [{ resource: "not a URI" }, "gateway", "400 invalid_target"],
  ], async ([fields, client, expected]) => {
    const response = await exchangeAssertion(server, await idp.assertion("alice"), fields, client);
    assertEquals(response.status === 200 ? (await response.json()).scope : await getOutcome(response), expected);
  });
  const audienceOf = async (fields: Fields) => {
    const response = await exchangeAssertion(server, await idp.assertion("alice"), fields);
    return decodeClaims((await assertTokenResponse(response)).access_token).aud;
  };
  assertEquals(await audienceOf({ resource: api }), api);
  assertEquals(await audienceOf({}), [api, `${api}/b`]);
  const open = await trustingServer();
  const anywhere = await exchangeAssertion(open.server, await open.idp.assertion("alice"), {
    resource: "https://x.test",
  });
  assertEquals(decodeClaims((await assertTokenResponse(anywhere)).access_token).aud, "https://x.test");
});

test("[JB-13] metadata lists the grant type exactly if an issuer is trusted, and discloses no issuer", async () => {
  const { idp, server } = await trustingServer();
  const path = "/.well-known/oauth-authorization-server";
  const text = await (await server.get(path)).text();
  assert(JSON.parse(text).grant_types_supported.includes(jwtBearer));
  assert(!text.includes(idp.issuer));
  for (const trustedIssuers of [undefined, []]) {
    const off = await testServer({ ...testClients, trustedIssuers });
    assert(!(await (await off.get(path)).json()).grant_types_supported.includes(jwtBearer));
    const response = await exchangeAssertion(off, await idp.assertion("alice"), {}, "web");
    assertEquals(await getOutcome(response), "400 unsupported_grant_type");
    await assertRejects(
      () => testServer({ clients: bearerClients, trustedIssuers }),
      ConfigurationError,
      "Add the setting trustedIssuers",
    );
  }
});

test("[JB-03, JB-09] an entry that cannot work is rejected at the start, with one sentence for each problem", async () => {
  const idp = await foreignIssuer();
  const { jwks: _, ...withoutKeys } = idp.entry();
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const privateJwk = await crypto.subtle.exportKey("jwk", privateKey) as Record<string, unknown>;
  await forEachCase<[readonly unknown[], string]>([
    [[{}], "trustedIssuers[0].issuer"],
    [[withoutKeys], "trustedIssuers[0].jwks"],
    [[{ ...withoutKeys, jwks_uri: "http://idp.widgets.com/jwks" }], "trustedIssuers[0].jwks_uri"],
    [[idp.entry({ jwks_uri: "https://idp.test/jwks" })], "trustedIssuers[0].jwks_uri"],
    [[idp.entry({ jwks: { keys: [privateJwk] } })], "trustedIssuers[0].jwks.keys[0]"],
    [[idp.entry({ users: undefined })], "trustedIssuers[0].users"],
    [[idp.entry({ provision: true, users: "email" })], "trustedIssuers[0].provision"],
    [[idp.entry({ users: "aud_sub" })], "trustedIssuers[0].users"],
    [[idp.entry({ scopes: ["admin"] })], "trustedIssuers[0].scopes"],
    [[idp.entry({ algorithms: ["HS256"] })], "trustedIssuers[0].algorithms[0]"],
    [[idp.entry(), idp.entry()], "trustedIssuers[1].issuer"],
    [[idp.entry({ allowPublic: true } as Partial<TrustedIssuer>)], "trustedIssuers[0].allowPublic"],
  ], async ([trustedIssuers, path]) => {
    const options = { ...testClients, trustedIssuers } as LatchkeyOptions;
    const { issues } = await assertRejects(() => testServer(options), ConfigurationError);
    assertEquals(issues.map((issue) => issue.path), [path]);
  });
  await testServer({ ...testClients, trustedIssuers: [idp.entry(), idp.entry({ tenant: "acme" })] });
});

test("[JB-04] claims of a wrong JSON type are rejected", async () => {
  const { idp, server } = await trustingServer({ singleUse: true });
  const values: readonly unknown[] = [null, 0, -1, 1e300, "", "x", [], [null], {}, { a: 1 }, {
    toString: 1,
    valueOf: 1,
  }, true];
  const names = [
    "iss",
    "sub",
    "aud",
    "exp",
    "iat",
    "nbf",
    "jti",
    "auth_time",
    "tenant",
    "email",
    "email_verified",
    "scope",
    "resource",
    "cnf",
  ];
  await forEachCase(names.flatMap((name) => values.map((value) => [name, value] as const)), async ([name, value]) => {
    const assertion = await new SignJWT({
      ...{ iss: idp.issuer, sub: "alice", aud: "https://as.test", jti: `${name} ${JSON.stringify(value)}` },
      ...{ exp: startSeconds + 60, [name]: value },
    }).setProtectedHeader({ alg: "ES256", kid: "idp-1" }).sign(idp.privateKey);
    assertMatch(await getOutcome(await exchangeAssertion(server, assertion)), /^(?:200|400 invalid_\w+)$/);
  });
  const typed = { scope: ["read"], auth_time: "1767225600", jti: 5, email_verified: "true", resource: [1] };
  await forEachCase(Object.entries(typed), async ([name, value]) => {
    const assertion = await idp.assertion("alice", { claims: { [name]: value } });
    assertEquals(await getOutcome(await exchangeAssertion(server, assertion)), rejected);
    assertEquals(findLastRule(server), "JB-04");
  });
  const future = await idp.assertion("alice", { claims: { auth_time: startSeconds + 3600 } });
  assertEquals([await getOutcome(await exchangeAssertion(server, future)), findLastRule(server)], [rejected, "JB-04"]);
  const deep = `{"iss":${"[".repeat(15_000)}${"]".repeat(15_000)}}`;
  const unsigned = [`{"alg":"ES256"}`, deep, "x"].map((part) => btoa(part).replaceAll("=", "")).join(".");
  assertEquals(await getOutcome(await exchangeAssertion(server, unsigned)), rejected);
});
