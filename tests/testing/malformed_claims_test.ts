/** Access tokens whose claims have wrong types: test keys are public, so others can sign tokens. */

import { assert, assertEquals } from "@std/assert";
import { CompactSign, decodeJwt, decodeProtectedHeader, importJWK } from "jose";
import { test } from "node:test";
import type { TestLatchkeyOptions } from "../../src/testing/mod.ts";
import { builtInKeys } from "../../src/testing/built_in_keys.ts";
import { basic } from "../kit.ts";
import { sample } from "../sample.ts";
import { testLatchkey } from "./test_latchkey.ts";

const secret = "a-secret-of-32-characters-or-more";
const exchange = "urn:ietf:params:oauth:grant-type:token-exchange";
const accessTokenType = "urn:ietf:params:oauth:token-type:access_token";
const client = {
  client_id: "web",
  client_secret: secret,
  redirect_uris: ["https://app.example/cb"],
  grant_types: ["authorization_code", exchange],
};

/** Claims that an access token may have. */
const members = [
  ...["aud", "client_id", "scope", "iat", "exp", "nbf", "jti", "sub", "auth_time", "acr", "amr", "sid", "cnf"],
  ...["userinfo_claims", "userinfo_values", "authorization_details", "act", "may_act", "email"],
];

/** No primitive can be made of it. */
const unprintable = { toString: 1, valueOf: 1 };

const values: readonly unknown[] = [
  ...[null, true, 5, -1, 1e308, "", "text", "\0", [], [null], [5], ["text"], [[]], [{}], {}, unprintable, [
    unprintable,
  ]],
  ...[{ jkt: 5 }, { jkt: unprintable }, { "x5t#S256": null }, { "x5t#S256": unprintable }, { email: 5 }, {
    email: null,
  }],
  ...[[{ type: 5 }], [{ type: "payment", locations: [unprintable] }], [{ type: "payment", locations: unprintable }]],
];

/** JSON that Node can read, but not write. */
const deep = "[".repeat(5000) + "]".repeat(5000);

/** Claims with which a token is not valid. */
const invalid = [
  ...[{ cnf: "text" }, { cnf: null }, { userinfo_claims: [5] }, { userinfo_claims: {} }, { userinfo_values: [] }],
  ...[{ userinfo_values: { email: 5 } }, { authorization_details: {} }, { authorization_details: null }, {
    authorization_details: [null],
  }],
  ...[{ aud: ["https://api.example", unprintable] }, { x: "deep" }],
];

async function start(options: TestLatchkeyOptions = {}) {
  const as = await testLatchkey({
    alg: "EdDSA",
    clients: [client],
    tokenExchange: {},
    dpop: {},
    authorizationDetails: { payment: { schema: { properties: {} } } },
    ...options,
  });
  const sample = await as.mint.accessToken({ client: "web" });
  const { kid } = decodeProtectedHeader(sample);
  const key = await importJWK(builtInKeys.EdDSA.find((key) => key.kid === kid)!.jwk, "EdDSA");
  const sign = (claims: Readonly<Record<string, unknown>>) => {
    const text = JSON.stringify({ ...decodeJwt(sample), ...claims }).replace('"deep"', deep);
    return new CompactSign(new TextEncoder().encode(text))
      .setProtectedHeader({ alg: "EdDSA", kid, typ: "at+jwt" }).sign(key);
  };
  const post = (path: string, fields: Readonly<Record<string, string>>) =>
    as.fetch(path, { method: "POST", body: new URLSearchParams(fields), headers: basic("web", secret) });
  const requests: Readonly<Record<string, (token: string) => Promise<Response>>> = {
    userinfo: (token) => as.fetch("/oauth2/userinfo", { headers: { authorization: `Bearer ${token}` } }),
    "userinfo by DPoP": (token) =>
      as.fetch("/oauth2/userinfo", { headers: { authorization: `DPoP ${token}`, dpop: "text" } }),
    introspection: (token) => post("/oauth2/introspect", { token }),
    "exchange of the subject": (token) =>
      post("/oauth2/token", { grant_type: exchange, subject_token: token, subject_token_type: accessTokenType }),
    "exchange of the actor": (token) =>
      post("/oauth2/token", {
        ...{ grant_type: exchange, subject_token: sample, subject_token_type: accessTokenType },
        ...{ actor_token: token, actor_token_type: accessTokenType },
      }),
    // Last: it ends the grant.
    revocation: (token) => post("/oauth2/revoke", { token }),
  };
  return { as, sign, requests };
}

test("[BR-02] no claim of a wrong type makes an endpoint fail", async () => {
  await assertNoFailure(members);
});

test("[BR-02] no claim of a wrong type makes an endpoint fail, whatever names the profile gives to claims", async () => {
  await assertNoFailure(["azp", "scp", "sub"], { profile: "entra" });
  await assertNoFailure(["azp"], { profile: "keycloak" });
  await assertNoFailure(["cid", "scp", "uid"], { profile: "okta" });
});

async function assertNoFailure(members: readonly string[], options?: TestLatchkeyOptions): Promise<void> {
  const { as, sign, requests } = await start(options);
  for (const [place, member] of members.entries()) {
    for (const value of sample(values, 4, place)) {
      const token = await sign({ [member]: value });
      for (const [name, send] of Object.entries(requests)) {
        const { status } = await send(token);
        assert(status < 500, `${name}: ${status} for ${member}: ${JSON.stringify(value)}`);
      }
    }
  }
  await as.close();
}

test("[BR-02, IN-02] a token with a claim of a wrong type is not valid", async () => {
  const { as, sign, requests } = await start();
  assertEquals((await requests.userinfo!(await sign({}))).status, 200);
  for (const claims of invalid) {
    const token = await sign(claims);
    const response = await requests.userinfo!(token);
    assertEquals([response.status, (await response.json()).error], [401, "invalid_token"]);
    assertEquals(await (await requests.introspection!(token)).json(), { active: false });
  }
  await as.close();
});
