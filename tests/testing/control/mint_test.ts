/** Verbs that mint, and that change what is issued, by plain HTTP. */

import { assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import { verbs } from "../../../src/testing/control/verbs/mod.ts";
import { decodeProtectedHeader } from "jose";
import { testLatchkey } from "../test_latchkey.ts";
import { decodeClaims, forEachCase, verifier } from "../../kit.ts";
import { assertIssues, controlClient } from "./harness.ts";

async function start() {
  const as = await testLatchkey({ control: true, seed: 1 });
  const client = as.client({ client_id: "web", backchannel_logout_uri: "https://web.test/logout" });
  const postToken = async (fields: Record<string, string>) => {
    const body = new URLSearchParams({ client_id: "web", ...fields });
    return await (await as.fetch("/oauth2/token", { method: "POST", body })).json();
  };
  return { as, client, postToken, ...controlClient(as) };
}

test("every kind of token and code is minted, and the server accepts its own", async () => {
  const { as, post, postToken } = await start();
  const mint = async (kind: string, options: object = {}): Promise<string> => {
    const { status, body } = await post(`/mint/${kind}`, { client: "web", ...options });
    assertEquals(status, 200, JSON.stringify(body));
    return body.token;
  };
  const authTime = "2025-12-31T23:00:00Z";
  const accessToken = await mint("accessToken", { sub: "bob", scope: "openid", authTime, claims: { iss: null } });
  assertEquals(decodeClaims(accessToken).auth_time, Date.parse(authTime) / 1000);
  assertEquals("iss" in decodeClaims(accessToken), false);
  const idToken = decodeClaims(await mint("idToken", { accessToken: "x", nonce: "n" }));
  assertEquals([idToken.aud, idToken.nonce, typeof idToken.at_hash], ["web", "n", "string"]);
  assertEquals(Object.keys(decodeClaims(await mint("logoutToken")).events as object).length, 1);
  const refresh_token = await mint("refreshToken", { sub: "bob" });
  assertEquals((await postToken({ grant_type: "refresh_token", refresh_token })).token_type, "Bearer");
  const code = await mint("code", { verifier });
  const redirect_uri = "https://client.test/callback";
  const exchange = { grant_type: "authorization_code", code, code_verifier: verifier, redirect_uri };
  assertEquals((await postToken(exchange)).token_type, "Bearer");
  assertEquals(decodeClaims((await post("/mint/assertion", { sub: "bob" })).body.token).sub, "bob");
  assertEquals(decodeClaims(await mint("idJag", { scope: "read" })).client_id, "web");
  const { body } = await post("/mint/tokens", { client: "web", scope: "openid" });
  assertEquals(Object.keys(body).sort(), [
    ...["access_token", "expires_in", "id_token", "refresh_token", "scope", "token_type"],
  ]);
  const { keys } = await (await as.fetch("/oauth2/jwks")).json();
  const { kid } = decodeProtectedHeader(await mint("idToken", { signedBy: "unknown key" }));
  assertEquals(keys.some((key: { kid: string }) => key.kid === kid), false);
  await as.close();
});

test("[CO-05] wrong options of a minted token are a problem", async () => {
  const { post } = await start();
  const invalid: readonly [string, object, RegExp][] = [
    ["accessToken", { client: "other" }, /client: expected one of web, received other/],
    ["accessToken", { sub: "mallory" }, /sub: expected one of alice, bob, received mallory/],
    ["accessToken", { authTime: "noon" }, /authTime: expected a time/],
    ["accessToken", { alg: "HS256" }, /1 error/],
    ["accessToken", { lifetime: 60 }, /1 error/],
    ["idToken", { scope: "read" }, /a scope with openid/],
    ["code", {}, /expected a code verifier/],
    ["code", { client: 5 }, /1 error/],
    ["idToken", { signedBy: "some key" }, /./],
    ["idToken", { signedBy: { kty: "EC", crv: "P-256", x: "a", y: "b", d: "c" } }, /private key for EdDSA/],
    ["idToken", { signedBy: { kty: {}, d: "c" } }, /private key for EdDSA/],
    ["accessToken", { expiresIn: 1e16 }, /./],
  ];
  await forEachCase(invalid, async ([kind, options, detail]) => {
    const { status, body } = await post(`/mint/${kind}`, options);
    assertEquals(status, 400);
    assertMatch(body.detail, detail);
    assertIssues(body);
  });
});

test("each verb documents one name of user, ID token and metadata, and accepts the others", async () => {
  const { as, client, post } = await start();
  for (const { name, input } of verbs) {
    const undocumented = ["user", "id_token", "id_token_hint", "user_code", "auth_req_id"];
    assertEquals(Object.keys(input.members).filter((member) => undocumented.includes(member)), [], name);
  }
  const subOf = async (body: object) => decodeClaims((await post("/mint/accessToken", body)).body.token).sub;
  for (const name of ["sub", "user"]) assertEquals(await subOf({ client: "web", [name]: "bob" }), "bob", name);
  assertEquals(await subOf({ client_id: "web", user: "bob" }), "bob");
  for (const name of ["sub", "user"]) {
    assertEquals((await post("/decisions/loginNext", { [name]: "bob" })).status, 204, name);
    assertEquals((await as.logIn(client)).claims?.sub, "bob", name);
    assertEquals((await post("/revoke", { [name]: "bob" })).status, 200, name);
  }
  for (const name of ["idToken", "id_token", "id_token_hint"]) {
    const { tokens } = await as.logIn(client);
    assertEquals((await post("/endSession", { [name]: tokens.id_token })).status, 204, name);
  }
  for (const name of ["metadata", "claims"]) {
    await post("/issue/nextMetadata", { [name]: { service: name } });
    assertEquals((await (await as.fetch("/.well-known/openid-configuration")).json()).service, name);
  }
  const both = await post("/mint/accessToken", { sub: "alice", user: "bob" });
  assertEquals([both.status, both.body.errors[0].place], [400, "user"]);
});

test("claims of the next token, of every one, of userinfo and of metadata change; null removes a claim", async () => {
  const { as, client, post } = await start();
  await post("/issue/nextIdToken", { claims: { acr: "urn:example:silver", auth_time: null } });
  await post("/issue/everyAccessToken", { claims: { roles: ["admin"] } });
  await post("/issue/nextUserinfo", { claims: { sub: "mallory" } });
  await post("/issue/everyMetadata", { metadata: { scopes_supported: null, service: "x" } });
  const first = await as.logIn(client, { scope: "openid" });
  const second = await as.logIn(client, { scope: "openid" });
  assertEquals([first.claims?.acr, first.claims?.auth_time], ["urn:example:silver", undefined]);
  assertEquals(second.claims?.acr, undefined);
  for (const { tokens } of [first, second]) assertEquals(decodeClaims(tokens.access_token).roles, ["admin"]);
  const headers = { authorization: `Bearer ${first.tokens.access_token}` };
  const userinfo = async () => (await (await as.fetch("/oauth2/userinfo", { headers })).json()).sub;
  assertEquals([await userinfo(), await userinfo()], ["mallory", "alice"]);
  const metadata = await (await as.fetch("/.well-known/openid-configuration")).json();
  assertEquals([metadata.service, "scopes_supported" in metadata], ["x", false]);
  await post("/reset", { keep: ["clients"] });
  assertEquals(decodeClaims((await as.logIn(client)).tokens.access_token).roles, undefined);
  const wrong = await post("/issue/nextIdToken", { acr: "x" });
  assertEquals(wrong.body.errors.map(({ place }: { place: string }) => place), ["acr", "claims"]);
});
