/**
 * One token, one spelling: base64url that stands for the same bytes is not the same token ([BR-05]).
 *
 * @extensions assertion_authentication
 */

import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { test } from "node:test";
import {
  basicHeader,
  fetchIntrospection,
  getSessionCookie,
  refresh,
  testClients,
  userinfo,
  webTokens,
} from "./client_endpoints.ts";
import { type Fields, forEachCase, getOutcome, testServer, webRequest, webToken } from "../kit.ts";
import { assertionOf, secretKey } from "./client_jwts.ts";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** The other texts that a forgiving decoder reads as the same bytes, of the part behind the last dot. */
function respelt(token: string): string[] {
  const last = token.slice(token.lastIndexOf(".") + 1);
  const unused = { 2: 4, 3: 2 }[last.length % 4] ?? 0;
  assert(unused > 0, "a token whose last character has no unused bits");
  const value = alphabet.indexOf(last.at(-1)!);
  const others = Array.from({ length: 2 ** unused - 1 }, (_, i) => token.slice(0, -1) + alphabet[value + i + 1]);
  for (const other of others) {
    const bytes = Buffer.from(other.slice(other.lastIndexOf(".") + 1), "base64url");
    assertEquals(bytes, Buffer.from(last, "base64url"));
    assertNotEquals(other, token);
  }
  const padded = `${token}${"=".repeat(4 - last.length % 4)}`;
  const standard = token.replaceAll("-", "+").replaceAll("_", "/");
  return [...others, padded, ...standard === token ? [] : [standard]];
}

for (const alg of ["ES256", "RS256", "EdDSA"] as const) {
  test(`[BR-05] an access token has exactly one encoding at userinfo, introspection and revocation (${alg})`, async () => {
    const b = await testServer({ ...testClients, alg });
    const { access_token } = await webTokens(b);
    await forEachCase(respelt(access_token), async (token) => {
      assertEquals((await userinfo(b, token)).status, 401);
      assertEquals(await fetchIntrospection(b, token, "web"), { active: false });
      assertEquals((await b.post("/oauth2/revoke", { token }, basicHeader("web"))).status, 200);
    });
    assertEquals((await userinfo(b, access_token)).status, 200, "revoking another spelling revoked nothing");
    assertEquals((await fetchIntrospection(b, access_token, "web")).active, true);
  });

  test(`[BR-05] an id_token_hint has exactly one encoding, at login and at logout (${alg})`, async () => {
    const b = await testServer({ ...testClients, alg });
    const login = await b.authorize({ ...webRequest, scope: "openid" });
    const cookie = getSessionCookie(login);
    const code = new URL(login.headers.get("location")!).searchParams.get("code")!;
    const { id_token } = await (await b.token({ ...webToken, code }, { headers: basicHeader("web") })).json();
    const authorize = async (id_token_hint: string) =>
      new URL(
        (await b.authorize({ ...webRequest, id_token_hint, prompt: "none" }, { headers: { cookie } })).headers
          .get("location")!,
      ).searchParams.get("error");
    await forEachCase(respelt(id_token), async (hint) => {
      assertEquals(await authorize(hint), "invalid_request");
      const query = new URLSearchParams({ id_token_hint: hint });
      assertEquals((await b.get(`/oauth2/logout?${query}`, { headers: { cookie } })).status, 400);
    });
    assertEquals(await authorize(id_token), null);
  });
}

test("[BR-05] opaque tokens, codes and refresh tokens have exactly one encoding", async () => {
  const b = await testServer({
    ...testClients,
    clients: [
      ...testClients.clients,
      { client_id: "opaque", redirect_uris: ["https://spa.example/cb"], access_token_format: "opaque" },
    ],
  });
  const opaque = await (await b.token({ client_id: "opaque", code: await b.code({ client_id: "opaque" }) })).json();
  await forEachCase(respelt(opaque.access_token), async (token) => {
    assertEquals((await userinfo(b, token)).status, 401);
    assertEquals(await fetchIntrospection(b, token), { active: false });
  });
  const code = await b.code();
  await forEachCase(respelt(code), async (other) => {
    assertEquals(await getOutcome(await b.token({ code: other })), "400 invalid_grant");
  });
  const { refresh_token } = await (await b.token({ code })).json();
  await forEachCase(respelt(refresh_token), async (other) => {
    assertEquals(await getOutcome(await refresh(b, other)), "400 invalid_grant");
    assertEquals((await b.post("/oauth2/revoke", { token: other, client_id: "spa" })).status, 200);
  });
  assertEquals((await refresh(b, refresh_token)).status, 200);
});

test("[BR-05] a session cookie has exactly one encoding", async () => {
  const b = await testServer(testClients);
  const cookie = getSessionCookie(await b.authorize());
  const silent = async (cookie: string) => {
    const response = await b.authorize({ prompt: "none", scope: "openid" }, { headers: { cookie } });
    return new URL(response.headers.get("location")!).searchParams.get("error");
  };
  assertEquals(await silent(cookie), null);
  await forEachCase(respelt(cookie), async (other) => assertEquals(await silent(other), "login_required"));
});

test("[BR-05] a client assertion has exactly one encoding", async () => {
  const client_secret = "a secret of more than thirty-two characters";
  const b = await testServer({
    clients: [{
      client_id: "signs",
      client_secret,
      token_endpoint_auth_method: "client_secret_jwt",
      grant_types: ["client_credentials"],
    }],
  });
  const assertion = await assertionOf("signs", await secretKey(client_secret));
  const ask = async (change: Fields = {}) =>
    await getOutcome(
      await b.post("/oauth2/token", { grant_type: "client_credentials", ...assertion, ...change }),
    );
  await forEachCase(
    respelt(assertion.client_assertion!),
    async (client_assertion) => assertEquals(await ask({ client_assertion }), "401 invalid_client"),
  );
  assertEquals(await ask(), "200");
});
