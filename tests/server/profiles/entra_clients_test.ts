/** The profile `entra`, with clients of Entra that know nothing of Latchkey, at the real origin inside the process. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import MicrosoftEntraId from "@auth/core/providers/microsoft-entra-id";
import { ConfidentialClientApplication, CryptoProvider, ServerError } from "@azure/msal-node";
import { MicrosoftEntraId as ArcticEntraId } from "arctic";
import { test } from "node:test";
import * as client from "openid-client";
import { testLatchkey } from "../../testing/test_latchkey.ts";
import { authJsApplication, getRedirectLocation, openBrowser } from "../applications.ts";
import { challenge, decodeClaims, verifier } from "../../kit.ts";
import { getForm } from "../browser.ts";
import { redirectUri, secret } from "./provider_server.ts";

const tenant = "aaaabbbb-0000-cccc-1111-dddd2222eeee";

async function entra() {
  const as = await testLatchkey({
    profile: "entra",
    clients: [{
      ...{ client_id: "web", client_secret: secret },
      grant_types: ["authorization_code", "refresh_token", "implicit"],
      redirect_uris: [redirectUri, "https://app.example/auth/callback/microsoft-entra-id"],
      response_types: ["code", "id_token", "code id_token"],
    }],
    users: [{ sub: "alice", name: "Alice Adams", preferred_username: "alice@contoso.com", email: "alice@contoso.com" }],
  });
  const installed = as.installFetch({ origins: "real" });
  return {
    async [Symbol.asyncDispose]() {
      installed.uninstall();
      await as.close();
    },
  };
}

for (const authority of ["common", tenant]) {
  test(`msal-node logs in at ${authority}, renews silently, and reports AADSTS errors`, async () => {
    await using _ = await entra();
    const app = new ConfidentialClientApplication({
      auth: { clientId: "web", clientSecret: secret, authority: `https://login.microsoftonline.com/${authority}` },
    });
    const nonce = new CryptoProvider().createNewGuid();
    const url = await app.getAuthCodeUrl({
      ...{ scopes: ["User.Read"], redirectUri, codeChallenge: challenge, codeChallengeMethod: "S256", nonce },
    });
    const callback = new URL(await getRedirectLocation(await openBrowser()(url)));
    const code = callback.searchParams.get("code")!;
    const exchange = { code, scopes: ["User.Read"], redirectUri, codeVerifier: verifier, nonce };
    const result = await app.acquireTokenByCode(exchange);
    assertEquals([result.tenantId, result.account?.username], [tenant, "alice@contoso.com"]);
    const { oid } = result.idTokenClaims as { oid: string };
    assertEquals([result.uniqueId, result.account?.homeAccountId], [oid, `${oid}.${tenant}`]);
    const silent = await app.acquireTokenSilent({
      account: result.account!,
      scopes: ["User.Read"],
      forceRefresh: true,
    });
    assert(silent !== null && silent.accessToken !== result.accessToken);
    const error = await assertRejects(() => app.acquireTokenByCode(exchange), ServerError);
    assertEquals([error.errorCode, String(error.errorNo)], ["invalid_grant", "54005"]);
    assert(error.message.includes("AADSTS54005"), error.message);
  });
}

test("openid-client logs in at common, whose issuer is a template at this origin alone", async () => {
  await using _ = await entra();
  const config = await client.discovery(new URL("https://login.microsoftonline.com/common/v2.0"), "web", secret);
  const url = client.buildAuthorizationUrl(config, {
    ...{ redirect_uri: redirectUri, scope: "openid profile", state: "st4te" },
    ...{ code_challenge: challenge, code_challenge_method: "S256" },
  });
  const callback = new URL(await getRedirectLocation(await openBrowser()(url)));
  const checks = { pkceCodeVerifier: verifier, expectedState: "st4te" };
  const tokens = await client.authorizationCodeGrant(config, callback, checks);
  assertEquals(tokens.claims()?.tid, tenant);
});

/** The configuration of openid-client for the one tenant. */
const discover = () => client.discovery(new URL(`https://login.microsoftonline.com/${tenant}/v2.0`), "web", secret);

test("[HY-07, HY-08] openid-client logs in by code id_token, and checks c_hash, nonce and the second ID token", async () => {
  await using _ = await entra();
  const config = await discover();
  client.useCodeIdTokenResponseType(config);
  const checks = { expectedNonce: "n0nce", pkceCodeVerifier: verifier, expectedState: "st4te" };
  const request = {
    ...{ redirect_uri: redirectUri, scope: "openid profile", state: "st4te", nonce: "n0nce" },
    ...{ code_challenge: challenge, code_challenge_method: "S256" },
  };
  const url = client.buildAuthorizationUrl(config, request);
  assertEquals(url.searchParams.get("response_type"), "code id_token");
  const callback = new URL(await getRedirectLocation(await openBrowser()(url)));
  const tokens = await client.authorizationCodeGrant(config, callback, checks);
  assertEquals([tokens.claims()?.tid, tokens.claims()?.nonce], [tenant, "n0nce"]);
  // Posted to the application, as ASP.NET and passport-azure-ad ask for it.
  const posting = client.buildAuthorizationUrl(config, { ...request, response_mode: "form_post" });
  const { action, fields } = getForm(await (await openBrowser()(posting)).text());
  const body = new URLSearchParams(fields.map(([name, value]) => [name, value]));
  const posted = await client.authorizationCodeGrant(config, new Request(action, { method: "POST", body }), checks);
  assertEquals(posted.claims()?.sub, tokens.claims()?.sub);
});

test("[HY-03, HY-09] openid-client logs in by id_token, and rejects the response to another nonce", async () => {
  await using _ = await entra();
  const config = await discover();
  client.useIdTokenResponseType(config);
  const url = client.buildAuthorizationUrl(config, {
    ...{ redirect_uri: redirectUri, scope: "openid profile", state: "st4te", nonce: "n0nce" },
  });
  const callback = new URL(await getRedirectLocation(await openBrowser()(url)));
  const claims = await client.implicitAuthentication(config, callback, "n0nce", { expectedState: "st4te" });
  assertEquals([claims.tid, claims.preferred_username], [tenant, "alice@contoso.com"]);
  await assertRejects(() => client.implicitAuthentication(config, callback, "other", { expectedState: "st4te" }));
});

test("Auth.js logs in with its provider Microsoft Entra ID", async () => {
  await using _ = await entra();
  const app = authJsApplication([MicrosoftEntraId({ clientId: "web", clientSecret: secret })]);
  const user = await app.logIn("microsoft-entra-id");
  assertEquals([user.name, user.email], ["Alice Adams", "alice@contoso.com"]);
});

test("arctic logs in with its class MicrosoftEntraId, and refreshes", async () => {
  await using _ = await entra();
  const arctic = new ArcticEntraId("organizations", "web", secret, redirectUri);
  const url = arctic.createAuthorizationURL("st4te", verifier, ["openid", "profile", "offline_access"]);
  const callback = new URL(await getRedirectLocation(await openBrowser()(url)));
  const tokens = await arctic.validateAuthorizationCode(callback.searchParams.get("code")!, verifier);
  assertEquals(decodeClaims(tokens.idToken()).tid, tenant);
  const refreshed = await arctic.refreshAccessToken(tokens.refreshToken(), ["openid"]);
  assert(refreshed.refreshToken() !== tokens.refreshToken());
});
