/**
 * Client authentication by JWT: a statement that the client signs, once, for this server alone (groups JC and CA).
 *
 * @extensions ciba, par
 */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { exportJWK, type JWK, type JWTPayload, SignJWT } from "jose";
import { Buffer } from "node:buffer";
import { createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import { test } from "node:test";
import * as oauth from "oauth4webapi";
import { ConfigurationError, memoryStore } from "../../../../src/mod.ts";
import type { ClientMetadata, LatchkeyOptions } from "../../../../src/mod.ts";
import type { TraceEvent } from "../../../../src/server/trace.ts";
import { basicHeader, confidentialClient, countOutcomes, refreshTokens, testClients } from "../../client_endpoints.ts";
import type { Tokens } from "../../client_endpoints.ts";
import { otherForms } from "../../client_jwts.ts";
import {
  assertTokenResponse,
  basic,
  forEachCase,
  getOutcome,
  getRejections,
  observedStore,
  testServer,
  webRequest,
  webToken,
} from "../../../kit.ts";
import type { Fields, TestServer } from "../../../kit.ts";
import { clientKeyPair } from "../../../rsa_keys.ts";
import { storePairs } from "../../store_pairs.ts";
import { latchkey } from "../../../secret_leak_check.ts";
import { sample } from "../../../sample.ts";

const start = Date.UTC(2026, 0, 1) / 1000;
const issuer = "https://as.test";
const type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const secret = "a secret that is long enough for every algorithm there is, HS512 too: 0123456789";
const secretKey = new TextEncoder().encode(secret);

const keyAlgorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
const secretAlgorithms = ["HS256", "HS384", "HS512"];

/** A key pair, whose public half a client can register. */
interface Pair {
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
  readonly pem: string;
}

async function makePair(alg: string): Promise<Pair> {
  const { privateKey, publicKey } = await clientKeyPair(alg);
  const jwk = await exportJWK(publicKey);
  const pem = createPublicKey({ key: { ...jwk }, format: "jwk" }).export({ format: "pem", type: "spki" });
  return { privateKey, jwk, pem: pem.toString() };
}

const made = new Map<string, Promise<Pair>>();

/** The pair of this name and algorithm, such as `"rsa RS256"`; made once. */
function pairOf(name: string): Promise<Pair> {
  let pair = made.get(name);
  if (pair === undefined) made.set(name, pair = makePair(name.split(" ")[1]!));
  return pair;
}

function keyClient(client_id: string, keys: readonly JWK[], more: Partial<ClientMetadata> = {}): ClientMetadata {
  const grant_types = ["client_credentials", "authorization_code", "refresh_token"];
  const redirect_uris = ["https://web.example/cb"];
  const jwks = { keys: keys.map((key) => ({ ...key })) };
  return { client_id, jwks, token_endpoint_auth_method: "private_key_jwt", grant_types, redirect_uris, ...more };
}

function secretClient(client_id: string, more: Partial<ClientMetadata> = {}): ClientMetadata {
  const grant_types = ["client_credentials", "authorization_code", "refresh_token"];
  return confidentialClient(client_id, {
    client_secret: secret,
    token_endpoint_auth_method: "client_secret_jwt",
    grant_types,
    ...more,
  });
}

/** `key` has an ES256 key, `key2` another one; `shared` and `shared2` have a secret, the same one. */
async function signers(...more: readonly ClientMetadata[]): Promise<LatchkeyOptions> {
  return {
    ...testClients,
    clients: [
      ...testClients.clients,
      keyClient("key", [{ ...(await pairOf("key ES256")).jwk, kid: "k1" }]),
      keyClient("key2", [{ ...(await pairOf("key2 ES256")).jwk, kid: "k1" }]),
      secretClient("shared"),
      secretClient("shared2"),
      ...more,
    ],
  };
}

let drawn = 0;

/** What changes a good assertion; `undefined` leaves a claim or header out. */
interface Change {
  readonly claims?: Record<string, unknown>;
  readonly header?: Record<string, unknown>;
  readonly key?: CryptoKey | Uint8Array;
}

/** An assertion of a client, `key` or one with a secret, good for a minute. */
async function assertionOf(client_id: string, { claims, header, key }: Change = {}): Promise<string> {
  const hashed = client_id.startsWith("shared");
  const payload = {
    ...{ iss: client_id, sub: client_id, aud: issuer, jti: `jti-${drawn++}`, iat: start, exp: start + 60 },
    ...claims,
  };
  const alg = hashed ? "HS256" : "ES256";
  const own = key ?? (hashed ? secretKey : (await pairOf(`${client_id} ES256`)).privateKey);
  return await new SignJWT(payload as JWTPayload).setProtectedHeader({ alg, ...header }).sign(own);
}

/** Asks for a token by client credentials with an assertion. */
function ask(b: TestServer, client_assertion: string, fields: Fields = {}, headers = {}): Promise<Response> {
  const all = { grant_type: "client_credentials", client_assertion_type: type, client_assertion, ...fields };
  return b.post("/oauth2/token", all, headers);
}

async function tried(b: TestServer, client_id: string, change: Change = {}): Promise<string> {
  return await getOutcome(await ask(b, await assertionOf(client_id, change)));
}

const rejected = "401 invalid_client";
/** The outcome of a wrong assertion at an endpoint (RFC 7662 §2.3: 401 at introspection). */
const rejectedAt = (path: string) => path === "/oauth2/introspect" ? "401 invalid_client" : rejected;
const both = ["key", "shared"] as const;

/** A request to each endpoint with client authentication, 200 for a permitted client. */
const endpoints: readonly (readonly [path: string, fields: Fields])[] = [
  ["/oauth2/token", { grant_type: "client_credentials" }],
  ["/oauth2/revoke", { token: "x" }],
  ["/oauth2/introspect", { token: "x" }],
];

test("[JC-01, JC-03] both methods work at every endpoint, with and without client_id, once per assertion", async () => {
  const b = await testServer(await signers());
  for (const client of both) {
    for (const [path, fields] of endpoints) {
      for (const client_id of [undefined, client, ""]) {
        const sent = { ...fields, client_id, client_assertion_type: type, client_assertion: await assertionOf(client) };
        assertEquals(await getOutcome(await b.post(path, sent)), "200");
        for (const [other, more] of endpoints) {
          assertEquals(await getOutcome(await b.post(other, { ...sent, ...more })), rejectedAt(other), "a replay");
        }
      }
    }
  }
});

test("[JC-01, CA-10] both methods exchange codes and refresh tokens that client_id alone could not", async () => {
  const b = await testServer(await signers());
  for (const client_id of both) {
    const proof = async () => ({ client_assertion_type: type, client_assertion: await assertionOf(client_id) });
    const code = await b.code({ ...webRequest, client_id });
    assertEquals(await getOutcome(await b.token({ ...webToken, code, client_id })), rejected);
    const tokens = await assertTokenResponse(await b.token({ ...webToken, code, ...await proof() })) as Tokens;
    assertEquals(
      (await refreshTokens(b, tokens.refresh_token, { client_id, ...await proof() })).refresh_token,
      tokens.refresh_token,
    );
    const stolen = { grant_type: "refresh_token", refresh_token: tokens.refresh_token, client_id };
    assertEquals(await getOutcome(await b.post("/oauth2/token", stolen)), rejected);
  }
});

test("[JC-01] client_assertion_type has exactly one value, and neither parameter comes alone", async () => {
  const b = await testServer(await signers());
  await forEachCase([
    ...[undefined, "", "x", type.toUpperCase(), `${type} `, ` ${type}`, `${type}\0`, type.slice(0, -1), `${type}s`],
    "urn:ietf:params:oauth:client-assertion-type:saml2-bearer",
    "urn:ietf:params:oauth:grant-type:jwt-bearer",
    "jwt-bearer",
  ], async (client_assertion_type) => {
    for (const client of both) {
      const assertion = await assertionOf(client);
      for (const client_id of [undefined, client]) {
        const result = await getOutcome(await ask(b, assertion, { client_assertion_type, client_id }));
        assertMatch(result, /^(?:400 invalid_request|401 invalid_client)$/);
      }
      assertEquals(await getOutcome(await ask(b, assertion)), "200", "the attempt has used it up");
    }
  });
  for (const client_assertion of [undefined, ""]) {
    for (const client_id of [undefined, "key", "shared", "spa"]) {
      const fields = { grant_type: "client_credentials", client_id, client_assertion, client_assertion_type: type };
      assertMatch(
        await getOutcome(await b.post("/oauth2/token", fields)),
        /^(?:400 invalid_request|401 invalid_client)$/,
      );
    }
  }
});

test("[JC-01, TK-08] client_id with an assertion must equal its sub", async () => {
  const b = await testServer(await signers());
  await forEachCase(
    ["key2", "shared", "web", "spa", "unknown", "KEY", "key ", "key\0", "__proto__"],
    async (client_id) => {
      assertMatch(
        await getOutcome(await ask(b, await assertionOf("key"), { client_id })),
        /^400 invalid_request$|^401 /,
      );
    },
  );
  assertEquals(b.events.filter((event) => event.type === "tokens_issued"), []);
});

test("[CA-09, JC-01] an assertion with another method of authentication is 400 invalid_request, even if both are correct", async () => {
  const b = await testServer(await signers());
  for (const client of both) {
    await forEachCase<[Fields, Record<string, string>]>([
      [{}, basicHeader("web")],
      [{}, basic(client, secret)],
      [{ client_secret: secret }, {}],
      [{ client_id: client, client_secret: secret }, {}],
      [{ client_id: "poster", client_secret: "poster-secret" }, {}],
      [{}, { authorization: "Bearer x" }],
      [{ client_assertion: "x" }, basicHeader("web")],
      [{ client_assertion: undefined }, basicHeader("web")],
    ], async ([fields, headers]) => {
      assertEquals(await getOutcome(await ask(b, await assertionOf(client), fields, headers)), "400 invalid_request");
    });
  }
});

test("[JC-01, TK-03, TK-04] the assertion is sent once and in the body", async () => {
  const b = await testServer(await signers());
  for (const client of both) {
    const one = await assertionOf(client);
    for (const pair of [[one, one], [one, "x"], [one, ""], [one, await assertionOf(client)]]) {
      assertEquals(await getOutcome(await ask(b, one, { client_assertion: pair })), "400 invalid_request");
    }
    assertEquals(await getOutcome(await ask(b, one, { client_assertion_type: [type, type] })), "400 invalid_request");
    const query = `?client_assertion_type=${encodeURIComponent(type)}&client_assertion=${one}`;
    const inQuery = await b.post(`/oauth2/token${query}`, { grant_type: "client_credentials" });
    assertEquals(await getOutcome(inQuery), "400 invalid_request");
    assertEquals(await getOutcome(await ask(b, one)), "200");
  }
});

test("[CA-10, CA-16, CA-17] a client registered for assertions is rejected with any other authentication", async () => {
  const b = await testServer(await signers());
  const fields = { grant_type: "client_credentials" };
  await forEachCase<[Fields, Record<string, string>]>([
    [{ client_id: "key" }, {}],
    [{ client_id: "shared" }, {}],
    [{}, basic("key", "")],
    [{}, basic("key", "undefined")],
    [{}, basic("shared", encodeURIComponent(secret))],
    [{}, basic("shared", "")],
    [{ client_id: "shared", client_secret: secret }, {}],
    [{ client_id: "key", client_secret: "x" }, {}],
  ], async ([more, headers]) => {
    assertEquals(
      await getOutcome(await b.post("/oauth2/token", { ...fields, ...more }, headers)),
      "authorization" in headers ? "401 invalid_client" : rejected,
    );
  });
});

test("[CA-10, JC-04] a client registered for another method is rejected with an assertion", async () => {
  const b = await testServer(await signers());
  const { privateKey: key } = await pairOf("key ES256");
  for (const [client_id, known] of [["web", "web-secret"], ["poster", "poster-secret"], ["spa", ""], ["spa", secret]]) {
    const claims = { iss: client_id, sub: client_id };
    const hashed = new TextEncoder().encode(known || "\0");
    assertEquals(await tried(b, "shared", { claims, key: hashed }), rejected, "with its secret");
    assertEquals(await tried(b, "key", { claims, key }), rejected);
  }
});

test("[CA-10] keys registered beside another method do not authenticate the client", async () => {
  const keys = [{ ...(await pairOf("key ES256")).jwk, kid: "k1" }];
  const { grant_types } = keyClient("key", keys);
  const jwks = { keys };
  const method = "token_endpoint_auth_method";
  const b = await testServer(
    await signers(
      confidentialClient("basic", { jwks, grant_types }),
      confidentialClient("posted", { jwks, grant_types, [method]: "client_secret_post" }),
      secretClient("hashed", { jwks }),
      keyClient("public", keys, { [method]: "none" }),
    ),
  );
  await forEachCase(["basic", "posted", "hashed", "public"], async (client_id) => {
    assertEquals(await tried(b, "key", { claims: { iss: client_id, sub: client_id } }), rejected);
  });
});

test("[JC-02, JC-03, JC-05] each claim that is wrong, missing or of a wrong type is rejected", async () => {
  const b = await testServer(await signers());
  const defects: Record<string, readonly unknown[]> = {
    iss: [undefined, "", "unknown", "web", issuer, 1, null, ["key"], {}, "key "],
    sub: [undefined, "", "unknown", "web", "spa", issuer, 1, null, ["key"], {}, "__proto__", "constructor"],
    aud: [undefined, "", null, 1, {}, [], [""], [null], [[issuer]], "unknown"],
    exp: [undefined, null, "", String(start + 60), true, {}, [start + 60], 0, -1, 1e308, start - 60, start + 3601],
    nbf: [null, "", String(start), true, {}, start + 60, 1e308],
    iat: [null, "", String(start), true, {}, start + 60, 1e308],
    jti: [undefined],
  };
  for (const client of both) {
    await forEachCase(
      Object.entries(defects).flatMap(([name, values]) => values.map((value) => [name, value] as const)),
      async ([name, value]) => {
        assertEquals(await tried(b, client, { claims: { [name]: value } }), rejected);
      },
    );
    assertEquals(await tried(b, client), "200");
  }
});

test("[CA-07, JC-02, JC-03, JC-04, JC-05] the fix of a rejected assertion names what is wrong with it", async () => {
  const b = await testServer({ ...await signers() });
  const wrongKey = (await pairOf("key2 ES256")).privateKey;
  const wrongSecret = new TextEncoder().encode("another secret of more than 32 bytes");
  const reasons: readonly (readonly [string, Change, RegExp])[] = [
    ...["iss", "sub", "aud", "exp", "jti"].map((claim) =>
      [`no ${claim}`, { claims: { [claim]: undefined } }, new RegExp(`\\b${claim}\\b`)] as const
    ),
    ["another iss", { claims: { iss: "web" } }, /^Set iss to the client_id\.$/],
    ["an unknown sub", { claims: { sub: "unknown" } }, /^Set iss and sub to the client_id/],
    ["another aud", { claims: { aud: "https://other.example" } }, /^Set aud to https:\/\/as\.test, as a string\.$/],
    ["one more aud", { claims: { aud: [issuer, "https://other.example"] } }, /^Set aud to https:\/\/as\.test,/],
    ["expired", { claims: { exp: start - 60 } }, /with exp a minute ahead/],
    ["too long", { claims: { exp: start + 3601 } }, /^Set exp at most 3600 seconds ahead/],
    ["from the future", { claims: { iat: start + 60 } }, /^Compare the clock/],
    ["not yet valid", { claims: { nbf: start + 60 } }, /^Compare the clock .*nbf/],
    ["an empty jti", { claims: { jti: "" } }, /new random jti/],
    ["another typ", { header: { typ: "at+jwt" } }, /^Leave typ out/],
  ];
  const headers: readonly (readonly [header: string, fix: RegExp])[] = [
    ["null", /^Send one signed JWT/],
    ["{}", /^Sign with an expected algorithm/],
    ['{"alg":"none"}', /^Sign with an expected algorithm/],
  ];
  const fixOf = async (request: Promise<Response>) => {
    assertEquals(await getOutcome(await request), rejected);
    return getRejections(b.events).at(-1)!.explanation.fix!;
  };
  for (const client of both) {
    await forEachCase(reasons, async ([, change, fix]) => {
      assertMatch(await fixOf(assertionOf(client, change).then((assertion) => ask(b, assertion))), fix);
    });
    const used = await assertionOf(client);
    await ask(b, used);
    assertMatch(await fixOf(ask(b, used)), /new random jti/);
    assertMatch(await fixOf(ask(b, `${used.slice(0, -2)}==`)), /^Send one signed JWT/);
    const [header, ...others] = used.split(".") as [string, string, string];
    const { alg } = JSON.parse(Buffer.from(header, "base64url").toString());
    const critical = [JSON.stringify({ alg, crit: ["urn:x"], "urn:x": 1 }), /^Leave crit/] as const;
    // Without an algorithm of a secret, the client is not "shared".
    for (const [text, fix] of [critical, ...client === "key" ? headers : []]) {
      assertMatch(await fixOf(ask(b, [Buffer.from(text).toString("base64url"), ...others].join("."))), fix, text);
    }
  }
  const [key, shared] = [
    await fixOf(ask(b, await assertionOf("key", { key: wrongKey }))),
    await fixOf(ask(b, await assertionOf("shared", { key: wrongSecret }))),
  ];
  assertMatch(key, /private key of the client/);
  assertMatch(shared, /client_secret/);
  assertMatch(await fixOf(ask(b, await assertionOf("key", { header: { kid: "other" } }))), /send its alg and kid/);
  const signedWithSecret = await assertionOf("key", { key: wrongSecret, header: { alg: "HS256" } });
  assertMatch(await fixOf(ask(b, signedWithSecret)), /token_endpoint_auth_method|expected algorithm/);
  const hs256 = secretClient("sharedHs256", { token_endpoint_auth_signing_alg: "HS256" });
  const registered = await testServer(await signers(hs256));
  const otherAlg = await ask(registered, await assertionOf("sharedHs256", { header: { alg: "HS512" } }));
  assertEquals(await getOutcome(otherAlg), rejected);
  assertMatch(getRejections(registered.events).at(-1)!.explanation.fix!, /expected algorithm/);
});

test("[JC-02] iss and sub must both name the same client", async () => {
  const b = await testServer(await signers());
  for (const [one, two] of [["key", "key2"], ["shared", "shared2"]] as const) {
    assertEquals(await tried(b, one, { claims: { sub: two } }), rejected);
    assertEquals(await tried(b, one, { claims: { iss: two } }), rejected);
    assertEquals(await tried(b, two, { claims: { sub: one } }), rejected);
  }
  const { privateKey: key } = await pairOf("key2 ES256");
  assertEquals(await tried(b, "key", { key }), rejected, "signed with another client's key of the same kid");
});

test("[JC-02] a client clock may be a few seconds ahead, but not a minute", async () => {
  const b = await testServer(await signers());
  for (const client of both) {
    await forEachCase<[Record<string, unknown>, string]>([
      [{ nbf: start + 8 }, "200"],
      [{ iat: start + 8 }, "200"],
      [{ iat: start + 8, nbf: start + 8, exp: start + 68 }, "200"],
      [{ iat: start + 8.5, nbf: start + 7.25, exp: start + 60.75 }, "200"],
      [{ nbf: start + 60, exp: start + 120 }, rejected],
      [{ iat: start + 60, exp: start + 120 }, rejected],
      [{ nbf: start - 60, iat: start - 60 }, "200"],
      [{ iat: undefined }, "200"],
      [{ iat: undefined, nbf: start }, "200"],
      [{ exp: start + 1 }, "200"],
      [{ exp: start + 300 }, "200"],
      [{ exp: start + 3630 }, rejected],
      [{ exp: start - 60, iat: start - 120 }, rejected],
    ], async ([claims, expected]) => assertEquals(await tried(b, client, { claims }), expected));
  }
});

test("[JC-02] exp must be in the future, and at most 3600 seconds ahead; more than 300 cause a warning", async () => {
  const b = await testServer(await signers());
  const warnings = () => b.events.filter((event) => event.type === "warning" && event.explanation.rule === "JC-02");
  await forEachCase([-11, -9, -1, 0, 3601, 3609, 3611], async (seconds) => {
    for (const client of both) {
      assertEquals(await tried(b, client, { claims: { exp: start + seconds, iat: start - 60 } }), rejected);
    }
  });
  await forEachCase([[1, 0], [300, 0], [301, 1], [3600, 1]], async ([seconds, expected]) => {
    for (const client of both) {
      const before = warnings().length;
      assertEquals(await tried(b, client, { claims: { exp: start + seconds!, iat: start - 60 } }), "200");
      assertEquals(warnings().length - before, expected);
    }
  });
  // The clock of the client is ahead.
  assertEquals(await tried(b, "key", { claims: { exp: start + 3608, iat: start + 8 } }), "200");
  assertEquals(await tried(b, "key", { claims: { exp: start + 3609, iat: start + 8 } }), rejected);
});

test("[JC-02] the server's clock decides", async () => {
  const b = await testServer(await signers());
  const [early, late] = [await assertionOf("key"), await assertionOf("key")];
  const future = await assertionOf("key", { claims: { iat: start + 86_400, exp: start + 86_460 } });
  assertEquals(await getOutcome(await ask(b, future)), rejected);
  b.advance(40);
  assertEquals(await getOutcome(await ask(b, early)), "200");
  b.advance(80);
  assertEquals(await getOutcome(await ask(b, late)), rejected);
  b.advance(86_400 - 120);
  assertEquals(await getOutcome(await ask(b, future)), "200");
});

for (const [name, open] of Object.entries(storePairs)) {
  test(`[JC-03] one of a hundred concurrent uses of one assertion on two servers succeeds (${name})`, async () => {
    const [store, again] = await open();
    const options = await signers();
    const servers = [await testServer({ ...options, store }), await testServer({ ...options, store: again })] as const;
    for (const client of both) {
      const one = await assertionOf(client);
      const responses = await Promise.all(Array.from({ length: 100 }, (_, i) => ask(servers[i % 2]!, one)));
      assertEquals(await countOutcomes(responses), { "200": 1, [rejected]: 99 });
      const mixed = await assertionOf(client);
      const elsewhere = await Promise.all(
        endpoints.flatMap(([path, fields]) =>
          servers.map((b) => b.post(path, { ...fields, client_assertion_type: type, client_assertion: mixed }))
        ),
      );
      const outcomes = await countOutcomes(elsewhere);
      assertEquals([outcomes["200"], outcomes[rejected]], [1, 5]);
    }
    for (const b of servers) await b.as.close();
  });
}

test("[JC-03] an assertion is accepted once until it expires, even after the store deletes expired records", async () => {
  for (const client of both) {
    for (const lifetime of [60, 300, 3600]) {
      const b = await testServer(await signers());
      const one = await assertionOf(client, { claims: { exp: start + lifetime } });
      assertEquals(await getOutcome(await ask(b, one)), "200");
      for (let second = 1; second <= lifetime + 60; second++) {
        b.advance(1);
        // Every second near the end; before and after it once between two deletions, which come once a minute.
        if (second % 59 !== 0 && Math.abs(second - lifetime) > 10) continue;
        assertEquals(await getOutcome(await ask(b, one)), rejected, `after ${second} s`);
      }
    }
  }
});

test("[JC-03] a fraction of a second in exp leaves no gap in which the jti is forgotten but the assertion still valid", async () => {
  for (const fraction of [0.01, 0.5, 0.99]) {
    const b = await testServer(await signers());
    const one = await assertionOf("key", { claims: { exp: start + 60 + fraction } });
    assertEquals(await getOutcome(await ask(b, one)), "200");
    b.advance(55);
    for (let i = 0; i < 200; i++) {
      b.advance(0.1);
      // Each tenth of a second near exp and the end of its tolerance, else each second.
      if (i % 10 !== 0 && Math.abs(i - 50) > 15 && Math.abs(i - 150) > 15) continue;
      await b.get("/oauth2/jwks");
      assertEquals(await getOutcome(await ask(b, one)), rejected, `${(55 + (i + 1) / 10).toFixed(1)} s later`);
    }
  }
});

test("[JC-03] replay detection uses the jti, not the text: another signature over the same jti is a replay", async () => {
  const b = await testServer(await signers());
  for (const client of both) {
    const claims = { jti: `same-${client}` };
    assertEquals(await tried(b, client, { claims }), "200");
    assertEquals(await tried(b, client, { claims: { ...claims, exp: start + 61 } }), rejected);
    assertEquals(await tried(b, client, { claims, header: { typ: "JWT" } }), rejected);
  }
});

test("[JC-03] the same jti may be used by different clients, and no two jti share a storage key", async () => {
  const b = await testServer(await signers());
  for (const client of ["key", "key2", "shared", "shared2"]) {
    for (const jti of ["x", "x ", "X", " x", "key x", "x\0", "\u00e9", "e\u0301", "x".repeat(2000), "constructor"]) {
      assertEquals(await tried(b, client, { claims: { jti } }), "200", `${client} ${jti.slice(0, 20)}`);
    }
  }
  const names = ["a", "a b"].map((id) => secretClient(id));
  const spaced = await testServer(await signers(...names));
  const say = (id: string, jti: string) => tried(spaced, "shared", { claims: { iss: id, sub: id, jti } });
  assertEquals([await say("a", "b c"), await say("a b", "c")], ["200", "200"]);
});

test("[JC-03] jti must be a non-empty string (RFC 7519 §4.1.7)", async () => {
  const b = await testServer(await signers());
  await forEachCase([null, "", 1, true, {}, [], ["x"]], async (jti) => {
    for (const client of both) assertEquals(await tried(b, client, { claims: { jti } }), rejected);
  });
});

test("[JC-03] a rejected assertion does not consume its jti", async () => {
  const b = await testServer(await signers());
  const claims = { jti: "precious" };
  const { privateKey: foreign } = await pairOf("key2 ES256");
  assertEquals(await tried(b, "key", { claims, key: foreign }), rejected);
  assertEquals(await tried(b, "key", { claims: { ...claims, aud: "unknown" } }), rejected);
  assertEquals(await tried(b, "key", { claims: { ...claims, exp: start - 60 } }), rejected);
  assertEquals(await tried(b, "key", { claims }), "200");
});

test("[JC-03] the client is rejected if the store cannot report whether the jti was used", async () => {
  let broken = "";
  const store = observedStore(memoryStore(), (verb, [kind]) => {
    if (verb === broken && kind === "used_identifier") throw new Error(`${verb} fails`);
  });
  const b = await testServer({ ...await signers(), store });
  for (const client of both) {
    broken = "add";
    assertEquals(await tried(b, client), "500 server_error");
    broken = "";
    assertEquals(await tried(b, client), "200");
  }
});

test("[JC-04] every algorithm that suits method and key is accepted, and each key only with its own", async () => {
  const clients: ClientMetadata[] = [];
  for (const alg of keyAlgorithms) {
    clients.push(keyClient(alg, [{ ...(await pairOf(`pair ${alg}`)).jwk, kid: "k", alg }]));
  }
  const b = await testServer(await signers(...clients));
  await forEachCase(keyAlgorithms, async (alg) => {
    const { privateKey: key } = await pairOf(`pair ${alg}`);
    for (const kid of ["k", undefined]) assertEquals(await tried(b, alg, { key, header: { alg, kid } }), "200");
    for (const other of sample(keyAlgorithms.filter((one) => one !== alg), 3, keyAlgorithms.indexOf(alg))) {
      const { privateKey } = await pairOf(`pair ${other}`);
      assertEquals(await tried(b, alg, { key: privateKey, header: { alg: other, kid: "k" } }), rejected, other);
    }
  });
  await forEachCase(
    secretAlgorithms,
    async (alg) => assertEquals(await tried(b, "shared", { header: { alg } }), "200"),
  );
});

test("[JC-04] a key registered for one algorithm, use or operation is rejected for another", async () => {
  const rsa = await pairOf("rsa RS256");
  const { privateKey: signsPs } = await (async () => {
    const { subtle } = crypto;
    const parameters = { name: "RSA-PSS", hash: "SHA-256" };
    const jwk = await exportJWK(rsa.privateKey);
    return { privateKey: await subtle.importKey("jwk", jwk as JsonWebKey, parameters, false, ["sign"]) };
  })();
  const ec = await pairOf("key ES256");
  const b = await testServer(
    await signers(
      keyClient("rs", [{ ...rsa.jwk, alg: "RS256" }]),
      keyClient("any", [rsa.jwk]),
      keyClient("ps", [{ ...rsa.jwk, alg: "PS256" }]),
      keyClient("enc", [{ ...ec.jwk, use: "enc" }]),
      keyClient("ops", [{ ...ec.jwk, key_ops: ["deriveBits"] }]),
    ),
  );
  const as = (id: string, alg: string, key: CryptoKey) => tried(b, id, { key, header: { alg } });
  assertEquals(await as("rs", "RS256", rsa.privateKey), "200");
  assertEquals(await as("rs", "PS256", signsPs), rejected);
  assertEquals(await as("ps", "RS256", rsa.privateKey), rejected);
  assertEquals(await as("ps", "PS256", signsPs), "200");
  assertEquals([await as("any", "RS256", rsa.privateKey), await as("any", "PS256", signsPs)], ["200", "200"]);
  assertEquals([await as("enc", "ES256", ec.privateKey), await as("ops", "ES256", ec.privateKey)], [
    rejected,
    rejected,
  ]);
});

test("[JC-04] only the algorithm that a client registered is accepted", async () => {
  const { jwk, privateKey } = await pairOf("key ES256");
  const rsa = await pairOf("rsa RS256");
  const keys = [jwk, rsa.jwk];
  const b = await testServer(
    await signers(
      keyClient("es", keys, { token_endpoint_auth_signing_alg: "ES256" }),
      keyClient("rs", keys, { token_endpoint_auth_signing_alg: "RS256" }),
      secretClient("shared512", { token_endpoint_auth_signing_alg: "HS512" }),
    ),
  );
  for (const [id, alg] of [["es", "ES256"], ["rs", "RS256"]] as const) {
    assertEquals(await tried(b, id, { key: privateKey }), alg === "ES256" ? "200" : rejected);
    assertEquals(
      await tried(b, id, { key: rsa.privateKey, header: { alg: "RS256" } }),
      alg === "RS256" ? "200" : rejected,
    );
  }
  assertEquals(await tried(b, "shared512"), rejected);
  assertEquals(await tried(b, "shared512", { header: { alg: "HS384" } }), rejected);
  assertEquals(await tried(b, "shared512", { header: { alg: "HS512" } }), "200");
});

test("[JC-04] HS* keyed with public data of the client is rejected", async () => {
  const rsa = await pairOf("rsa RS256");
  const registered = { ...(await pairOf("key ES256")).jwk, kid: "k1" };
  const b = await testServer(await signers(keyClient("rsa", [{ ...rsa.jwk, kid: "k1" }])));
  const texts = (jwk: JWK, pem: string) => [
    ...[pem, pem.trim(), pem.replaceAll("\n", ""), pem.split("\n").slice(1, -2).join("\n")],
    ...[JSON.stringify(jwk), JSON.stringify({ keys: [jwk] }), jwk.x ?? jwk.n!, "k1", "", "key", "undefined", "null"],
  ];
  for (
    const [client_id, jwk, pem] of [["key", registered, (await pairOf("key ES256")).pem], [
      "rsa",
      rsa.jwk,
      rsa.pem,
    ]] as const
  ) {
    await forEachCase(texts(jwk, pem), async (text) => {
      for (const alg of secretAlgorithms) {
        for (const kid of ["k1", undefined]) {
          const key = new TextEncoder().encode(text || "\0");
          assertEquals(await tried(b, client_id, { key, header: { alg, kid } }), rejected);
        }
      }
      const raw = Buffer.from(text, "base64");
      if (raw.length > 0) {
        assertEquals(await tried(b, client_id, { key: new Uint8Array(raw), header: { alg: "HS256" } }), rejected);
      }
    });
  }
});

test("[JC-04] none, unknown and misspelt algorithms are rejected, signed or not", async () => {
  const b = await testServer(await signers());
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  for (const client of both) {
    const [header, , signature] = (await assertionOf(client)).split(".") as [string, string, string];
    const payload = () =>
      encoded({ iss: client, sub: client, aud: issuer, jti: `n${drawn++}`, iat: start, exp: start + 60 });
    await forEachCase(
      [
        "none",
        "None",
        "NONE",
        "nOnE",
        "",
        undefined,
        null,
        0,
        "es256",
        "hs256",
        "ES256K",
        "HS1",
        "HS256 ",
        "HS",
        "dir",
        ["HS256"],
        {},
      ],
      async (alg) => {
        for (const last of ["", signature, "AA"]) {
          assertEquals(await getOutcome(await ask(b, `${encoded({ alg })}.${payload()}.${last}`)), rejected);
        }
      },
    );
    await forEachCase(["", signature.slice(0, -4), "AAAA", Buffer.alloc(64).toString("base64url")], async (last) => {
      assertEquals(await getOutcome(await ask(b, `${header}.${payload()}.${last}`)), rejected);
    });
  }
});

test("[JC-04] client_secret_jwt is never verified with a public key, private_key_jwt never with a secret", async () => {
  const b = await testServer(await signers());
  const { privateKey: key, jwk } = await pairOf("key ES256");
  const rsa = await pairOf("rsa RS256");
  for (const client of ["shared", "web"]) {
    const claims = { iss: client, sub: client };
    assertEquals(await tried(b, "shared", { claims, key, header: { alg: "ES256", jwk } }), rejected);
    assertEquals(
      await tried(b, "shared", { claims, key: rsa.privateKey, header: { alg: "RS256", kid: "k1" } }),
      rejected,
    );
  }
  for (const alg of secretAlgorithms) {
    assertEquals(await tried(b, "key", { key: secretKey, header: { alg } }), rejected);
  }
  const wrong = [
    "shared-secret",
    secret.slice(1),
    secret.slice(0, -1),
    `${secret} `,
    secret.toUpperCase(),
    encodeURIComponent(secret),
  ];
  await forEachCase(
    wrong,
    async (text) => assertEquals(await tried(b, "shared", { key: new TextEncoder().encode(text) }), rejected),
  );
});

test("[JC-04] crit headers and other JOSE serializations are rejected", async () => {
  const b = await testServer(await signers());
  for (const client of both) {
    const good = await assertionOf(client);
    const [header, payload, signature] = good.split(".") as [string, string, string];
    await forEachCase([
      ...[
        "x",
        ".",
        "..",
        "...",
        "a.b.c",
        "....",
        `${good}.`,
        `.${good}`,
        `${good}.x`,
        `${header}.${payload}`,
        ` ${good}`,
      ],
      ...[good.replaceAll(".", ","), `${payload}.${header}.${signature}`],
      ...[
        JSON.stringify({ protected: header, payload, signature }),
        `${header}.e30.${signature}`,
        `${header}..${signature}`,
      ],
      ...[`e30.${payload}.${signature}`, `bnVsbA.${payload}.${signature}`, `${header}.bnVsbA.${signature}`, "🔑.🔑.🔑"],
      "a".repeat(60_000),
    ], async (text) => assertEquals(await getOutcome(await ask(b, text)), rejected));
    const claims = { iss: client, sub: client, aud: issuer, jti: `crit-${client}`, exp: start + 60 };
    const demanding = { alg: client === "key" ? "ES256" : "HS256", crit: ["urn:x"], "urn:x": 1 };
    const key = client === "key" ? (await pairOf("key ES256")).privateKey : secretKey;
    const critical = await new SignJWT(claims).setProtectedHeader(demanding).sign(key, { crit: { "urn:x": true } });
    assertEquals(await getOutcome(await ask(b, critical)), rejected);
    assertEquals(await getOutcome(await ask(b, good)), "200");
  }
});

test("[JC-05] aud is exactly the issuer or the token endpoint, as a string or an array", async () => {
  for (const own of [issuer, "https://as.test/t1", "https://as.test:8443"]) {
    const b = await testServer({ ...await signers(), issuer: own });
    const strict = await testServer({ ...await signers(), issuer: own, assertionAudience: "issuer" });
    for (const client of both) {
      const aud = async (value: unknown) => await tried(b, client, { claims: { aud: value } });
      const strictly = async (value: unknown) => await tried(strict, client, { claims: { aud: value } });
      assertEquals([await aud(own), await aud([own])], ["200", "200"]);
      assertEquals([await strictly(own), await strictly([own])], ["200", "200"]);
      assertEquals(
        b.events.filter(({ type, ...event }) => type === "warning" && "client" in event && event.client === client),
        [],
      );
      const endpoint = `${own}/oauth2/token`;
      assertEquals([await aud(endpoint), await aud([endpoint])], ["200", "200"]);
      const warnings = b.events.filter((event) => event.type === "warning" && event.client === client);
      assertEquals(warnings.length, 2);
      const { explanation } = warnings[0] as Extract<TraceEvent, { type: "warning" }>;
      assertEquals([explanation.rule, explanation.expected, explanation.received], [
        "JC-05",
        `aud = ${own}, the issuer`,
        endpoint,
      ]);
      assertEquals([await strictly(endpoint), await strictly([endpoint])], [rejected, rejected]);
      for (const values of [[own, endpoint], [endpoint, own], [endpoint, endpoint], [own, own]]) {
        assertEquals([await aud(values), await strictly(values)], [
          "200",
          values.includes(endpoint) ? rejected : "200",
        ]);
        const { explanation } = b.events.filter((event) => event.type === "warning").at(-1)!;
        assertEquals([explanation.rule, explanation.received], ["JC-05", values.join(" ")]);
        assertMatch(explanation.reason!, /has several values/);
      }
      await forEachCase<unknown>([
        ...[
          `${own}/`,
          `${own}/oauth2/token/`,
          `${own}/oauth2/introspect`,
          `${own}/oauth2/revoke`,
          `${own}/.well-known/openid-configuration`,
          `${own} `,
        ],
        ...[
          own.toUpperCase(),
          own.replace("https:", "http:"),
          own.slice(0, -1),
          "https://evil.example",
          "as.test",
          client,
        ],
        ...[[own, "https://evil.example"], ["https://evil.example", own], [endpoint, "https://evil.example"], [
          own,
          "",
        ]],
        ...[
          [own, null],
          [[own]],
          { 0: own },
          `${own} https://evil.example`,
          `${own},x`,
          [],
        ],
      ], async (value) => assertEquals([await aud(value), await strictly(value)], [rejected, rejected]));
    }
  }
});

test("[JC-05] every endpoint accepts the issuer or the token endpoint URL as aud", async () => {
  const b = await testServer(await signers());
  await forEachCase(endpoints, async ([path, fields]) => {
    const ask = async (aud: string) =>
      (await b.post(path, {
        client_assertion_type: type,
        client_assertion: await assertionOf("key", { claims: { aud } }),
        ...fields,
      })).status;
    assertEquals(await ask(`${issuer}/oauth2/token`), 200);
    if (path !== "/oauth2/token") assertEquals(await ask(issuer + path), Number(rejectedAt(path).slice(0, 3)));
  });
});

test("[JC-05] PAR and the backchannel accept their own URL as aud, with a warning; stricter settings do not", async () => {
  const ciba = "urn:openid:params:grant-type:ciba";
  const keys = [{ ...(await pairOf("key ES256")).jwk, kid: "k1" }];
  const client = keyClient("key", keys, { grant_types: ["authorization_code", "client_credentials", ciba] });
  const own: readonly (readonly [path: string, fields: Fields])[] = [
    ["/oauth2/par", { response_type: "code", client_id: "key", scope: "read" }],
    ["/oauth2/backchannel_authentication", { scope: "openid", login_hint: "alice" }],
  ];
  const options = { clients: [client], users: [{ sub: "alice" }], issuer };
  const ask = async (b: TestServer, [path, fields]: (typeof own)[number], aud: unknown) => {
    const client_assertion = await assertionOf("key", { claims: { aud } });
    const response = await b.post(path, { client_assertion_type: type, client_assertion, ...fields });
    return response.ok ? "accepted" : await getOutcome(response);
  };
  for (const endpoint of own) {
    const b = await testServer(options);
    const url = issuer + endpoint[0];
    for (const aud of [url, [url]]) assertEquals(await ask(b, endpoint, aud), "accepted");
    const warnings = b.events.flatMap((event) => event.type === "warning" ? [event.explanation] : []);
    const audiences = warnings.filter(({ rule }) => rule === "JC-05").map(({ received }) => received);
    assertEquals(audiences, [url, url]);
    assertEquals(await ask(b, endpoint, [url, issuer]), "accepted");
    const others = own.filter((other) => other !== endpoint).map(([path]) => issuer + path);
    await forEachCase<unknown>(
      [...others, `${url}/`, [url, others[0]], `${issuer}/oauth2/introspect`],
      async (aud) => assertMatch(await ask(b, endpoint, aud), /invalid_client/),
    );
    for (const assertionAudience of ["issuer", "issuer-string"] as const) {
      const strict = await testServer({ ...options, assertionAudience });
      assertMatch(await ask(strict, endpoint, url), /invalid_client/);
      assertEquals(await ask(strict, endpoint, issuer), "accepted");
    }
  }
  const b = await testServer(options);
  const elsewhere = await tried(b, "key", { claims: { aud: `${issuer}/oauth2/par` } });
  assertMatch(elsewhere, /invalid_client/);
});

test("[JC-05] an unknown assertionAudience is a configuration error, and so is the former setting", async () => {
  for (const assertionAudience of ["Issuer", "token-endpoint", "", true, 0]) {
    const options = { assertionAudience } as unknown as LatchkeyOptions;
    const { issues } = await assertRejects(() => latchkey(options), ConfigurationError);
    assertEquals(issues.map(({ path }) => path), ["assertionAudience"]);
  }
  const former = { acceptTokenEndpointAudience: true } as LatchkeyOptions;
  const { issues } = await assertRejects(() => latchkey(former), ConfigurationError);
  assertEquals(issues.map(({ received }) => received), ['"acceptTokenEndpointAudience"']);
});

test("[JC-07] typ is client-authentication+jwt or JWT in any case, or absent", async () => {
  const b = await testServer(await signers());
  for (const client of both) {
    const typ = (value: unknown) => tried(b, client, { header: { typ: value } });
    await forEachCase(
      [undefined, "JWT", "jwt", "client-authentication+jwt", "Client-Authentication+JWT", "application/jwt"],
      async (value) => assertEquals(await typ(value), "200"),
    );
    await forEachCase<unknown>(
      ["at+jwt", "dpop+jwt", "oauth-authz-req+jwt", "logout+jwt", "", " ", "JWT ", "jwt+jwt", "application/", 1, null, {
        toString: 1,
      }, ["JWT"]],
      async (value) => assertEquals(await typ(value), rejected),
    );
  }
});

test("[JC-06] keys inside the assertion are ignored, and nothing is fetched for them", async () => {
  const b = await testServer(await signers());
  const { privateKey: key, jwk } = await pairOf("evil ES256");
  const url = "https://evil.example/jwks.json";
  const real = globalThis.fetch;
  const asked: unknown[] = [];
  globalThis.fetch = (target) => {
    asked.push(target);
    return Promise.resolve(Response.json({ keys: [{ ...jwk, kid: "k1" }] }));
  };
  try {
    await forEachCase<Record<string, unknown>>([
      { jwk },
      { jwk: { ...jwk, kid: "k1" }, kid: "k1" },
      { jku: url },
      { jku: url, kid: "k1" },
      { x5u: url },
      { x5c: ["MIIB"] },
      { kid: url },
      { kid: "../k1" },
      { kid: "__proto__" },
      { kid: "k1" },
      {},
    ], async (header) => assertEquals(await tried(b, "key", { key, header }), rejected));
    for (const header of [{ jku: url, kid: "k1" }, { x5u: url }]) {
      assertEquals(await tried(b, "key", { header }), "200");
    }
    assertEquals(await tried(b, "key", { header: { jwk } }), "200", "signed with the registered key, with any header");
  } finally {
    globalThis.fetch = real;
  }
  assertEquals(asked, []);
});

test("[JC-06] an unknown kid is rejected even if the key itself is registered", async () => {
  const b = await testServer(await signers());
  await forEachCase(["k2", "K1", "k1 ", "1"], async (kid) => {
    assertEquals(await tried(b, "key", { header: { kid } }), rejected);
  });
  for (const kid of ["k1", undefined]) assertEquals(await tried(b, "key", { header: { kid } }), "200");
});

test("[JC-06] kid selects one of several keys; added and removed keys take effect immediately", async () => {
  const [one, two] = [await pairOf("key ES256"), await pairOf("key2 ES256")];
  const [a, z] = [{ ...one.jwk, kid: "a" }, { ...two.jwk, kid: "z" }];
  const b = await testServer(await signers(keyClient("turn", [a, z])));
  const say = (kid: string, { privateKey: key }: Pair) => tried(b, "turn", { key, header: { kid } });
  assertEquals([await say("a", one), await say("z", two)], ["200", "200"]);
  assertEquals([await say("a", two), await say("z", one)], [rejected, rejected]);
  b.as.clients.set(keyClient("turn", [z]));
  assertEquals([await say("a", one), await say("z", two)], [rejected, "200"]);
  b.as.clients.set(keyClient("turn", [{ ...one.jwk, kid: "z" }]));
  assertEquals([await say("z", one), await say("z", two)], ["200", rejected]);
});

test("[JC-06] without kid up to eight suitable keys are tried, and kid selects one", async () => {
  const names = Array.from({ length: 9 }, (_, i) => `many${i} ES256`);
  const pairs = await Promise.all(names.map(pairOf));
  const rsa = await pairOf("key RS256");
  const b = await testServer(
    await signers(
      keyClient("two", [pairs[0]!.jwk, pairs[1]!.jwk]),
      keyClient("mixed", [rsa.jwk, pairs[0]!.jwk, { ...pairs[1]!.jwk, kid: "named" }, {
        ...pairs[2]!.jwk,
        use: "enc",
      }]),
      keyClient("many", pairs.map(({ jwk }) => jwk)),
      keyClient("same", [{ ...pairs[0]!.jwk, kid: "k" }, { ...pairs[1]!.jwk, kid: "k" }]),
    ),
  );
  const by = (client: string, { privateKey: key }: Pair, more: Change = {}) =>
    tried(b, client, {
      key,
      ...more,
      header: { alg: key.algorithm.name === "ECDSA" ? "ES256" : "RS256", ...more.header },
    });
  assertEquals([await by("two", pairs[0]!), await by("two", pairs[1]!), await by("two", pairs[2]!)], [
    "200",
    "200",
    rejected,
  ]);
  assertEquals(await by("two", pairs[1]!, { claims: { aud: "https://evil.example" } }), rejected);
  assertEquals(await by("two", pairs[1]!, { claims: { exp: start - 60 } }), rejected);
  assertEquals(await by("two", pairs[1]!, { header: { kid: "other" } }), rejected);
  const mixed = [rsa, ...pairs.slice(0, 3)].map((pair) => by("mixed", pair));
  assertEquals(await Promise.all(mixed), ["200", "200", "200", rejected]);
  assertEquals([await by("many", pairs[7]!), await by("many", pairs[8]!)], ["200", rejected]);
  assertEquals([await by("same", pairs[1]!, { header: { kid: "k" } }), await by("same", pairs[2]!)], ["200", rejected]);
});

test("[JC-06] the server rejects a client's private key and a client without any key at startup", async () => {
  const { privateKey, jwk } = await pairOf("key ES256");
  const method = { token_endpoint_auth_method: "private_key_jwt" as const };
  const broken: ClientMetadata[] = [
    keyClient("x", [await exportJWK(privateKey)]),
    keyClient("x", [jwk, { kty: "oct", k: "c2VjcmV0" }]),
    keyClient("x", []),
    { client_id: "x", redirect_uris: ["https://x.example/cb"], ...method },
    { ...keyClient("x", [jwk]), client_secret: "both" },
    { ...secretClient("x"), client_secret: undefined },
  ];
  await forEachCase(broken, async (client) => {
    await assertRejects(() => latchkey({ issuer, clients: [client] }), ConfigurationError);
  });
});

test("[JC-04] registration rejects an algorithm that the method cannot use", async () => {
  const { jwk } = await pairOf("key ES256");
  const broken: ClientMetadata[] = [
    keyClient("x", [jwk], { token_endpoint_auth_signing_alg: "none" }),
    keyClient("x", [jwk], { token_endpoint_auth_signing_alg: "HS256" }),
    keyClient("x", [jwk], { token_endpoint_auth_signing_alg: "es256" }),
    secretClient("x", { token_endpoint_auth_signing_alg: "RS256" }),
    secretClient("x", { token_endpoint_auth_signing_alg: "none" }),
  ];
  await forEachCase(broken, async (client) => {
    await assertRejects(() => latchkey({ issuer, clients: [client] }), ConfigurationError);
  });
});

test("[CA-15] assertions signed with the secret are rejected from client_secret_expires_at on", async () => {
  const b = await testServer(await signers(secretClient("shared-brief", { client_secret_expires_at: start + 100 })));
  const at = (seconds: number) =>
    tried(b, "shared-brief", { claims: { iat: start + seconds, exp: start + seconds + 60 } });
  assertEquals(await at(0), "200");
  b.advance(99);
  assertEquals(await at(99), "200");
  b.advance(1);
  assertEquals(await at(100), rejected);
});

test("[CA-07] on a real host every rejected assertion gets the same response, and the trace has the reason", async () => {
  const issuer = "https://login.example.com";
  const b = await testServer({ ...await signers(), issuer, insecure: ["auto-login"] });
  const assertionFor: typeof assertionOf = (id, { claims, ...options } = {}) =>
    assertionOf(id, { ...options, claims: { aud: issuer, ...claims } });
  const { privateKey: foreign } = await pairOf("evil ES256");
  const used = await assertionFor("key");
  await ask(b, used);
  const assertions = [
    used,
    "x",
    await assertionFor("key", { claims: { iss: "unknown", sub: "unknown" } }),
    await assertionFor("key", { claims: { iss: "web", sub: "web" } }),
    await assertionFor("key", { key: foreign }),
    await assertionFor("key", { header: { kid: "k9" } }),
    await assertionFor("key", { claims: { aud: "unknown" } }),
    await assertionFor("key", { claims: { exp: start - 60 } }),
    await assertionFor("key", { claims: { exp: start + 9999 } }),
    await assertionFor("key", { claims: { jti: undefined } }),
    await assertionFor("key", { key: secretKey, header: { alg: "HS256" } }),
    await assertionFor("shared", { key: new TextEncoder().encode("guess") }),
  ];
  b.events.length = 0;
  const bodies = new Set<string>();
  for (const assertion of assertions) {
    const response = await ask(b, assertion);
    bodies.add(await response.clone().text());
    assertEquals(await getOutcome(response), rejected);
  }
  assertEquals(bodies.size, 1);
  assertEquals(getRejections(b.events).length, assertions.length);
  assert(new Set(getRejections(b.events).map(({ explanation }) => explanation.reason)).size >= 7);
});

test("[HT-15, CA-14] neither store nor trace receives an assertion or a secret", async () => {
  const observed: string[] = [];
  const store = observedStore(memoryStore(), (verb, args) => observed.push(JSON.stringify([verb, ...args])));
  const b = await testServer({ ...await signers(), store });
  const assertions = [
    await assertionOf("key"),
    await assertionOf("shared"),
    await assertionOf("shared", { claims: { aud: "unknown" } }),
    await assertionOf("key", { key: secretKey, header: { alg: "HS256" } }),
  ];
  for (const one of [...assertions, ...assertions]) {
    await ask(b, one);
    await ask(b, one, { client_assertion_type: one });
    await ask(b, one, { client_id: one });
    await b.post(`/oauth2/token?client_assertion=${one}`, {});
  }
  const all = observed.join("\n") + JSON.stringify(b.events);
  for (const one of assertions) assert(!all.includes(one.split(".")[2]!), "an assertion was logged");
  assert(!all.includes(secret), "a secret was logged");
});

test("[JC-01, JC-05, SC-12] assertions of oauth4webapi are accepted for both methods", async () => {
  const b = await testServer(await signers());
  const server = { issuer, token_endpoint: `${issuer}/oauth2/token` };
  const over = { [oauth.customFetch]: (url: string, init: object) => b.as.fetch(new Request(url, init)) };
  const skew = { [oauth.clockSkew]: Math.round(start - Date.now() / 1000) };
  const { privateKey } = await pairOf("key ES256");
  const methods = [
    ["key", oauth.PrivateKeyJwt(privateKey)],
    ["key", oauth.PrivateKeyJwt({ key: privateKey, kid: "k1" })],
    ["shared", oauth.ClientSecretJwt(secret)],
  ] as const;
  for (const [client_id, auth] of methods) {
    const client = { client_id, ...skew };
    const result = await oauth.clientCredentialsGrantRequest(server, client, auth, {}, over);
    assertEquals((await oauth.processClientCredentialsResponse(server, client, result)).scope, "read");
  }
});

test("[JC-06] keys behind a jwks_uri are fetched once, and once more for an unknown kid", async () => {
  const jwks_uri = "https://client.example/jwks.json";
  const [first, second] = [await pairOf("remote ES256"), await pairOf("remote2 ES256")];
  const served = [{ ...first.jwk, kid: "one" }];
  const asked: string[] = [];
  let result = () => Response.json({ keys: served });
  const remote: ClientMetadata = {
    client_id: "remote",
    jwks_uri,
    redirect_uris: ["https://web.example/cb"],
    grant_types: ["client_credentials"],
  };
  const open = () =>
    testServer({
      issuer,
      clients: [remote],
      outbound: (url, { redirect }) => {
        asked.push(`${url} ${redirect}`);
        return Promise.resolve(result());
      },
    });
  const b = await open();
  const say = (kid: string, key = first.privateKey) => tried(b, "remote", { header: { kid }, key });
  assertEquals(await say("one"), "200");
  assertEquals(await say("one"), "200");
  assertEquals(asked, [`${jwks_uri} manual`]);
  served.push({ ...second.jwk, kid: "two" });
  // So shortly after the first fetch an unknown kid fetches nothing.
  assertEquals(await say("two", second.privateKey), rejected);
  assertEquals(asked.length, 1);

  const other = await open();
  const there = (kid: string, key: typeof first.privateKey) =>
    assertionOf("remote", { header: { kid }, key }).then((one) => ask(other, one)).then(getOutcome);
  assertEquals(await there("two", second.privateKey), "200");
  assertEquals(await there("one", second.privateKey), rejected);
  assertEquals(asked.length, 2);

  for (
    const bad of [
      () => new Response("no", { status: 404 }),
      () => Response.json({ keys: "none" }),
      () => new Response(null, { status: 302, headers: { location: "https://evil.example/" } }),
    ]
  ) {
    result = bad;
    const broken = await open();
    assertEquals(
      await getOutcome(await ask(broken, await assertionOf("remote", { header: { kid: "one" } }))),
      rejected,
    );
  }
});

test("[JC-06] a failing jwks_uri is fetched once in 30 seconds, its body is discarded, and earlier keys stay valid", async () => {
  const { jwk, privateKey } = await pairOf("remote ES256");
  let asked = 0;
  let letGo = 0;
  const broken = () => new Response(new ReadableStream({ pull() {}, cancel: () => void letGo++ }), { status: 500 });
  const good = () => Response.json({ keys: [{ ...jwk, kid: "one" }] });
  let result: () => Response | Promise<Response> = broken;
  const b = await testServer({
    issuer,
    clients: [{
      client_id: "remote",
      jwks_uri: "https://client.example/jwks.json",
      grant_types: ["client_credentials"],
    }],
    outbound: async () => {
      asked++;
      return await result();
    },
  });
  let passed = 0;
  const advance = (seconds: number) => {
    passed += seconds;
    b.advance(seconds);
  };
  const say = (kid: string) => {
    const claims = { iat: start + passed, exp: start + passed + 60 };
    return tried(b, "remote", { claims, header: { kid }, key: privateKey });
  };
  for (const fail of [broken, () => Promise.reject(new TypeError("no route")), () => new Response("{}")]) {
    result = fail;
    asked = 0;
    for (let i = 0; i < 50; i++) assertEquals(await say("one"), rejected);
    advance(29);
    assertEquals([await say("one"), asked], [rejected, 1]);
    advance(1);
  }
  assertEquals(letGo, 1);
  const { reason, fix } = getRejections(b.events)[0]!.explanation;
  assertEquals(reason, "the keys of client remote cannot be used");
  assertMatch(fix!, /^Make the server of this URL respond/);
  result = good;
  assertEquals([await say("one"), asked], ["200", 2]);
  // An unknown key is fetched once, and if that fails the known ones stay valid.
  advance(31);
  result = broken;
  for (let i = 0; i < 5; i++) assertEquals([await say("two"), await say("one"), asked], [rejected, "200", 3]);
  advance(31);
  assertEquals([await say("two"), await say("two"), asked], [rejected, rejected, 4]);
  // What is too old counts no more.
  advance(600);
  assertEquals([await say("one"), await say("one"), asked], [rejected, rejected, 5]);
});

test("[JC-06] a jwks_uri needs https or a test host, and excludes jwks", async () => {
  const { jwk } = await pairOf("key ES256");
  const real = { issuer: "https://auth.corp.com", insecure: ["auto-login"] as const };
  const places = async (more: Partial<ClientMetadata>, options: LatchkeyOptions = { issuer }) => {
    const client = { client_id: "x", redirect_uris: ["https://web.example/cb"], ...more };
    try {
      await (await latchkey({ ...options, clients: [client] })).close();
      return [];
    } catch (error) {
      return (error as ConfigurationError).issues.map(({ path }) => path);
    }
  };
  assertEquals(await places({ jwks_uri: "https://client.widgets.com/jwks" }), []);
  assertEquals(await places({ jwks_uri: "http://localhost:3000/jwks" }), []);
  assertEquals(await places({ jwks_uri: "http://localhost:3000/jwks" }, real), []);
  assertEquals(await places({ jwks_uri: "http://app:3000/jwks" }), []);
  // The server's network would decide whose keys these are.
  for (
    const jwks_uri of ["http://app:3000/jwks", "http://keys.corp.internal/jwks", "http://host.docker.internal/jwks"]
  ) {
    assertEquals(await places({ jwks_uri }, real), ["clients[0].jwks_uri"]);
  }
  for (
    const jwks_uri of [
      "http://client.widgets.com/jwks",
      "http://keys.corp.internal/jwks",
      "ftp://x.example/",
      "/jwks",
      "file:///etc/passwd",
    ]
  ) {
    assertEquals(await places({ jwks_uri }), ["clients[0].jwks_uri"]);
  }
  assertEquals(await places({ jwks_uri: "https://x.example/jwks", jwks: { keys: [{ ...jwk }] } }), [
    "clients[0].jwks_uri",
  ]);
});

test("[JC-04] a fetched key with another form of a member is not used; one with further operations is", async () => {
  for (const alg of keyAlgorithms) {
    const { jwk, privateKey } = await pairOf(`key ${alg}`);
    const members = Object.entries(jwk).filter(([name]) => name !== "kid" && name !== "alg");
    const faulty = members.flatMap(([name, value]) =>
      otherForms(String(value)).map((form) => ({ ...jwk, [name]: form }))
    );
    const good = { ...jwk, ext: "x", key_ops: ["sign", "verify", "x"] };
    const sets = [[good], [...faulty, good], ...faulty.map((key) => [key])];
    const server = await testServer({
      issuer,
      clients: sets.map((_, i) => ({
        client_id: `client ${i}`,
        jwks_uri: `https://client.example/${i}`,
        grant_types: ["client_credentials"],
      })),
      outbound: (url) => Promise.resolve(Response.json({ keys: sets[Number(new URL(url).pathname.slice(1))] })),
    });
    await forEachCase(sets.entries(), async ([i]) => {
      const id = `client ${i}`;
      const assertion = await assertionOf(id, { header: { alg }, key: privateKey });
      assertEquals(await getOutcome(await ask(server, assertion)), i < 2 ? "200" : rejected);
    });
    assertEquals(server.events.filter(({ type }) => type === "internal_error"), []);
  }
});

test("[JC-04] an unsuitable key is rejected at registration with its path, and behind a jwks_uri on use", async () => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });
  const short = { privateKey, jwk: publicKey.export({ format: "jwk" }) as JWK };
  const b = await testServer();
  const faultsOf = (...keys: readonly JWK[]) => {
    try {
      b.as.clients.set(keyClient("rsa", keys));
    } catch (error) {
      return (error as ConfigurationError).issues.map(({ path, received }) => `${path}: ${received}`);
    }
    return [];
  };
  const { jwk } = await pairOf("key ES256");
  assertEquals(faultsOf({ ...jwk }, short.jwk), ["jwks.keys[1].n: 1024 bits"]);
  const { jwk: whole } = await pairOf("rsa RS256");
  const modulus = Buffer.from(whole.n!, "base64url");
  modulus[0] = 0x7f;
  assertEquals(faultsOf({ ...whole, n: modulus.toString("base64url") }), ["jwks.keys[0].n: 2047 bits"]);
  assertEquals(faultsOf({ ...short.jwk, n: `AAAA${short.jwk.n}` }), ["jwks.keys[0].n: leading zeros"]);
  assertEquals(faultsOf({ ...whole, e: "AQ" }), ["jwks.keys[0].e: the number 1"]);
  assertEquals(faultsOf(whole, { ...whole, e: "Aw", n: Buffer.alloc(384, 0xff).toString("base64url") }), []);

  // Coordinates of another curve: some runtimes import such a key.
  const { jwk: edwards } = await pairOf("key EdDSA");
  assertEquals(faultsOf({ ...jwk, crv: "P-384" }), ["jwks.keys[0].x: 43 characters", "jwks.keys[0].y: 43 characters"]);
  assertEquals(faultsOf({ ...jwk, x: jwk.x!.replace(/.$/, "+") }), ["jwks.keys[0].x: a string that is not base64url"]);
  assertEquals(faultsOf({ ...edwards }), []);
  assertEquals(faultsOf({ ...jwk, alg: "ES384" }), ['jwks.keys[0].alg: "ES384"']);
  assertEquals(faultsOf({ ...edwards, crv: "Ed448", alg: "EdDSA" }, { ...whole, use: "tls", alg: "RS256" }), []);
  assertEquals(faultsOf({ kty: "EC", x: jwk.x, y: jwk.y }), ["jwks.keys[0].crv: nothing"]);
  assertEquals(faultsOf({ crv: "P-256", x: jwk.x, y: jwk.y } as JWK), ["jwks.keys[0].kty: nothing"]);
  // The y of points of orders 1, 2, 4 and 8, also not reduced: with such a public key, anyone can sign.
  const ys = [
    ...["00", "01"].map((first) => first.padEnd(64, "0")),
    ...["ec", "ed", "ee"].map((first) => `${first.padEnd(62, "f")}7f`),
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  ];
  for (const y of ys) {
    for (const sign of [0, 0x80]) {
      const bytes = Buffer.from(y, "hex");
      bytes[31]! += sign;
      assertMatch(faultsOf({ ...edwards, x: bytes.toString("base64url") }).join(), /x: an unsafe point/, y);
    }
  }

  const jwks_uri = "https://client.example/jwks.json";
  const claims = { iss: "rsa", sub: "rsa", aud: issuer, jti: "short", iat: start, exp: start + 60 };
  const parts = [{ alg: "RS256", kid: "short" }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString("base64url")
  );
  const signature = sign("sha256", Buffer.from(parts.join(".")), short.privateKey).toString("base64url");
  const explain = async (...keys: readonly unknown[]) => {
    const remote = await testServer({
      issuer,
      clients: [{ client_id: "rsa", jwks_uri, grant_types: ["client_credentials"] }],
      outbound: () => Promise.resolve(Response.json({ keys })),
    });
    assertEquals(await getOutcome(await ask(remote, [...parts, signature].join("."))), rejected);
    assertEquals(remote.events.filter(({ type }) => type === "internal_error"), []);
    const { expected, received } = getRejections(remote.events)[0]!.explanation;
    return `${expected}; ${received}`;
  };
  const shortKey = { ...short.jwk, kid: "short" };
  for (const others of [[], [whole], [{ ...whole, e: "AQ" }, ...Array(9).fill(whole)]]) {
    assertMatch(await explain(...others, shortKey), /"short" \(a key with an unsuitable n .* found 1024 bits\)/);
  }
  // What the key lacks.
  const others = [{ use: "enc" }, { alg: "RS384" }, { kty: "RSB" }, { key_ops: ["sign"] }];
  for (const other of others) {
    const [[name, value]] = Object.entries(other) as [[string, string | string[]]];
    const shown = typeof value === "string" ? `${name} "${value}"` : `${name} without verify`;
    assertMatch(await explain({ ...whole, ...other, kid: "short" }), new RegExp(`; .*"short" \\(a key with ${shown}`));
  }
  assertMatch(await explain({ ...whole, kid: "other" }), /the JWT's kid "short"; .*"other" \(a key for RS256\)/);
  assertMatch(await explain(), /; an empty key set$/);
  // The document may be of a host that must not be read (SSRF), so its text is not quoted.
  for (const entry of ["internal text", 1, null, []]) {
    assertEquals(await explain(shortKey, entry), `a JSON Web Key Set from ${jwks_uri}; other JSON`);
  }
});
