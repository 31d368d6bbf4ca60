/** Settings that the profile of a provider can have: paths, origins, and the form of tokens. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { test } from "node:test";
import { ConfigurationError, type LatchkeyOptions } from "../../src/mod.ts";
import { challenge, clients, decodeClaims, testServer, verifier } from "../kit.ts";

const registered = clients.map((client) => ({ ...client, grant_types: ["authorization_code", "refresh_token"] }));

function start(options: LatchkeyOptions) {
  return testServer({ clients: registered, ...options });
}

/** The tokens of a login of `web`. */
async function logIn(server: Awaited<ReturnType<typeof start>>) {
  const code = await server.code({
    ...{ client_id: "web", redirect_uri: "https://web.example/cb", scope: "openid read" },
    ...{ code_challenge: challenge, code_challenge_method: "S256" },
  });
  const response = await server.post("/oauth2/token", {
    ...{ grant_type: "authorization_code", code, redirect_uri: "https://web.example/cb", code_verifier: verifier },
  }, { authorization: `Basic ${btoa("web:web-secret")}` });
  return { code, tokens: await response.json() };
}

function refresh(server: Awaited<ReturnType<typeof start>>, refresh_token: string) {
  const form = { grant_type: "refresh_token", refresh_token };
  return server.post("/oauth2/token", form, { authorization: `Basic ${btoa("web:web-secret")}` });
}

test("tokenPrefixes: codes, opaque access tokens and refresh tokens begin with them, and work", async () => {
  const tokenPrefixes = { code: "4/0A", access_token: "ya29.", refresh_token: "1//0" };
  const server = await start({ accessTokenFormat: "opaque", tokenPrefixes });
  const { code, tokens } = await logIn(server);
  assertEquals([code.slice(0, 4), tokens.access_token.slice(0, 5), tokens.refresh_token.slice(0, 4)], [
    "4/0A",
    "ya29.",
    "1//0",
  ]);
  const headers = { authorization: `Bearer ${tokens.access_token}` };
  assertEquals((await (await server.get("/oauth2/userinfo", { headers })).json()).sub, "alice");
  assertEquals((await refresh(server, tokens.refresh_token)).status, 200);
});

test("tokenPrefixes: each further refresh token of a grant begins with the prefix too, and works", async () => {
  const ways = [{ rotateConfidential: true }, { rotateConfidential: true, grace: 10 }, { reuse: "another" }] as const;
  for (const way of ways) {
    const server = await start({ tokenPrefixes: { refresh_token: "ghr_" }, refresh: way });
    let { refresh_token: token } = (await logIn(server)).tokens;
    for (let i = 0; i < 3; i++) {
      const response = await (await refresh(server, token)).json();
      if ("grace" in way) {
        assertEquals((await (await refresh(server, token)).json()).refresh_token, response.refresh_token);
      }
      token = response.refresh_token;
      assertEquals(token.slice(0, 4), "ghr_", JSON.stringify({ way, i }));
    }
  }
});

test("[RT-04] refresh.reuse: a token stays valid, and a response has no other one or another one", async () => {
  const same = await start({ refresh: { reuse: "same" } });
  const { tokens } = await logIn(same);
  for (let i = 0; i < 2; i++) {
    const response = await refresh(same, tokens.refresh_token);
    assertEquals([response.status, (await response.json()).refresh_token], [200, undefined]);
  }
  const another = await start({ refresh: { reuse: "another" } });
  const first = (await logIn(another)).tokens.refresh_token;
  const second = (await (await refresh(another, first)).json()).refresh_token;
  assert(second !== first && second !== undefined);
  for (const token of [first, second]) assertEquals((await refresh(another, token)).status, 200);
});

test("accessTokenFormat decides about tokens for no resource; a client and a resource about their own", async () => {
  const server = await start({ accessTokenFormat: "opaque" });
  assertEquals((await logIn(server)).tokens.access_token.split(".").length, 1);
  const ofResource = await server.code({ resource: "https://api.example" });
  const { access_token } = await (await server.token({ code: ofResource })).json();
  assertEquals(decodeClaims(access_token).aud, "https://api.example");
  const jwtClient = registered.map((client) => ({ ...client, access_token_format: "jwt" as const }));
  const { tokens } = await logIn(await start({ clients: jwtClient, accessTokenFormat: "opaque" }));
  assertEquals(tokens.access_token.split(".").length, 3);
});

test("a path that begins with /.. leads out of the path of the issuer, and never above the host", async () => {
  const { get, as } = await start({
    issuer: "https://as.test/tenant/v2.0",
    paths: { token_endpoint: "/../oauth2/token", jwks_uri: "/../../keys", userinfo_endpoint: "/../../../me" },
  });
  const metadata = await (await get("/.well-known/openid-configuration")).json();
  assertEquals([metadata.token_endpoint, metadata.jwks_uri, metadata.userinfo_endpoint], [
    "https://as.test/tenant/oauth2/token",
    "https://as.test/keys",
    "https://as.test/me",
  ]);
  assertEquals((await as.fetch(new Request("https://as.test/keys"))).status, 200);
});

test("origins count only while the issuer is at the origin that they name", async () => {
  const origins = { issuer: "https://accounts.test", token_endpoint: "https://oauth2.test" };
  for (const [issuer, expected] of [["https://as.test", "https://as.test"], [origins.issuer, "https://oauth2.test"]]) {
    const { get } = await start({ issuer, origins });
    const metadata = await (await get("/.well-known/openid-configuration")).json();
    assertEquals(metadata.token_endpoint, `${expected}/oauth2/token`);
    assertEquals(metadata.jwks_uri, `${issuer}/oauth2/jwks`);
  }
});

test("an issuer on a real host rejects refresh.reuse", async () => {
  const real = { issuer: "https://login.widgets.com", insecure: ["auto-login"] as const };
  const error = await assertRejects(() => start({ ...real, refresh: { reuse: "same" } }), ConfigurationError);
  assertEquals(error.issues.map(({ path }) => path), ["refresh.reuse"]);
  assertMatch(error.issues[0]!.expected, /not a test host/);
});
