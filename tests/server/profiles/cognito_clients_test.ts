/** The profile `cognito`, with clients of Cognito that know nothing of Latchkey, at the real origins in the process. */

import { assertEquals, assertRejects } from "@std/assert";
import Cognito from "@auth/core/providers/cognito";
import { AmazonCognito } from "arctic";
import { CognitoJwtVerifier } from "aws-jwt-verify";
import { test } from "node:test";
import { testLatchkey } from "../../testing/test_latchkey.ts";
import { authJsApplication, getRedirectLocation, openBrowser } from "../applications.ts";
import { verifier } from "../../kit.ts";
import { redirectUri, secret } from "./provider_server.ts";

const issuer = "https://cognito-idp.us-east-1.amazonaws.com/us-east-1_example";

async function cognito() {
  const as = await testLatchkey({
    profile: "cognito",
    clients: [{
      ...{ client_id: "web", client_secret: secret, grant_types: ["authorization_code", "refresh_token"] },
      redirect_uris: [redirectUri, "https://app.example/auth/callback/cognito"],
    }],
    users: [{
      sub: "alice",
      name: "Alice Adams",
      email: "alice@app.example",
      email_verified: true,
      groups: ["admins"],
    }],
  });
  const installed = as.installFetch({ origins: "real" });
  return {
    mint: as.mint,
    async [Symbol.asyncDispose]() {
      installed.uninstall();
      await as.close();
    },
  };
}

test("arctic logs in with its class AmazonCognito, and aws-jwt-verify accepts its tokens, each for its use", async () => {
  await using provider = await cognito();
  const client = new AmazonCognito("mydomain.auth.us-east-1.amazoncognito.com", "web", secret, redirectUri);
  const url = client.createAuthorizationURL("st4te", verifier, ["openid", "email"]);
  const callback = new URL(await getRedirectLocation(await openBrowser()(url)));
  const tokens = await client.validateAuthorizationCode(callback.searchParams.get("code")!, verifier);
  const jwks = await (await fetch(`${issuer}/.well-known/jwks.json`)).json();
  const verifierOf = (tokenUse: "access" | "id") => {
    const jwtVerifier = CognitoJwtVerifier.create({ userPoolId: "us-east-1_example", tokenUse, clientId: "web" });
    jwtVerifier.cacheJwks(jwks);
    return jwtVerifier;
  };
  const access = await verifierOf("access").verify(tokens.accessToken());
  assertEquals([access.username, access["cognito:groups"]], ["alice", ["admins"]]);
  const id = await verifierOf("id").verify(tokens.idToken());
  assertEquals([id["cognito:username"], id.email], ["alice", "alice@app.example"]);
  await assertRejects(() => verifierOf("id").verify(tokens.accessToken()));
  await verifierOf("access").verify(await provider.mint.accessToken());
  await verifierOf("id").verify(await provider.mint.idToken());
  const refreshed = await client.refreshAccessToken(tokens.refreshToken(), []);
  assertEquals(refreshed.hasRefreshToken(), false);
});

test("Auth.js logs in with its provider Cognito", async () => {
  await using _ = await cognito();
  const app = authJsApplication([Cognito({ clientId: "web", clientSecret: secret, issuer })]);
  const user = await app.logIn("cognito");
  assertEquals([user.name, user.email], ["Alice Adams", "alice@app.example"]);
});
