/**
 * The samples of Cognito: a web application with openid-client, as the console of a user pool shows it, and an API with
 * aws-jwt-verify, at the origins of a user pool.
 *
 * https://docs.aws.amazon.com/cognito/latest/developerguide/getting-started-user-pools-application-other-options.html
 * and https://github.com/awslabs/aws-jwt-verify. Amplify is in `tests/browser/cognito_browser.ts`.
 */

import { assertEquals, assertRejects } from "@std/assert";
import { CognitoJwtVerifier } from "aws-jwt-verify";
import express from "express";
import * as client from "openid-client";
import { testLatchkey } from "../../../testing/test_latchkey.ts";
import { redirectUri, secret } from "../provider_server.ts";
import { testSample } from "./sample.ts";
import { callApi, openSampleBrowser, serveSample } from "./web_sample.ts";

const source = "https://docs.aws.amazon.com/cognito/latest/developerguide/" +
  "getting-started-user-pools-application-other-options.html";
const userPoolId = "us-east-1_example";
const issuer = `https://cognito-idp.us-east-1.amazonaws.com/${userPoolId}`;
const domain = "https://mydomain.auth.us-east-1.amazoncognito.com";
const logoutUri = "https://app.example/bye";

/** What the handlers use of Express. */
// deno-lint-ignore no-explicit-any
type Any = any;

testSample("cognito", "openid-client, aws-jwt-verify", source, async (step) => {
  const api = express();
  await using resource = await serveSample(api);
  await using as = await testLatchkey({
    profile: "cognito",
    scopes: ["openid", "email", "phone", "profile", "aws.cognito.signin.user.admin", "notes/read"],
    clients: [{
      ...{ client_id: "web", client_secret: secret, grant_types: ["authorization_code", "refresh_token"] },
      ...{ redirect_uris: [redirectUri], post_logout_redirect_uris: [logoutUri] },
    }],
    users: [{ sub: "alice", email: "alice@app.example", email_verified: true, phone_number: "+15550100" }],
  });
  using _ = as.installFetch({ origins: "real" });
  const config = await client.discovery(new URL(issuer), "web", secret);

  // Its fetcher of keys is `node:https`: they are loaded before, as its README shows.
  const jwks = await (await fetch(`${issuer}/.well-known/jwks.json`)).json();
  const serve = (path: string, scope?: string) => {
    const verifier = CognitoJwtVerifier.create({ userPoolId, tokenUse: "access", clientId: "web", scope });
    verifier.cacheJwks(jwks);
    api.get(path, async (request: Any, response: Any) => {
      try {
        response.json(await verifier.verify(request.header("authorization")?.replace("Bearer ", "") ?? ""));
      } catch {
        response.status(403).json({ statusCode: 403, message: "Forbidden" });
      }
    });
  };
  serve("/private");
  serve("/notes", "notes/read");

  const visit = openSampleBrowser();
  const logIn = async (scope: string) => {
    const [state, nonce] = [client.randomState(), client.randomNonce()];
    const url = client.buildAuthorizationUrl(config, { redirect_uri: redirectUri, scope, state, nonce });
    const { urls } = await visit(url.href, redirectUri);
    return await client.authorizationCodeGrant(config, urls.at(-1)!, { expectedState: state, expectedNonce: nonce });
  };
  const first = await step("log in", async () => {
    const tokens = await logIn("email openid phone");
    const user = await client.fetchUserInfo(config, tokens.access_token, "alice");
    assertEquals([tokens.claims()?.["cognito:username"], user.email], ["alice", "alice@app.example"]);
    return tokens;
  });
  const second = await step("second scope, silently", async () => await logIn("openid notes/read"));
  await step("API verifies the token", async () => {
    const { body } = await callApi(`${resource.url}/private`, first.access_token);
    const { username, scope } = JSON.parse(body);
    assertEquals([username, scope], ["alice", "email openid phone"]);
    const tokens = [undefined, first.access_token, first.id_token, second.access_token];
    const calls = await Promise.all(tokens.map((token) => callApi(`${resource.url}/notes`, token)));
    assertEquals(calls.map(({ status }) => status), [403, 403, 403, 200]);
  });
  await step("log out", async () => {
    const query = new URLSearchParams({ client_id: "web", logout_uri: logoutUri });
    const { urls } = await visit(`${domain}/logout?${query}`, logoutUri);
    assertEquals(urls.map(({ origin }) => origin), [domain, "https://app.example"]);
    await assertRejects(() => client.refreshTokenGrant(config, first.refresh_token!));
  });
});
