/**
 * The samples of Auth0 for Express: a web application that calls an API, and the API.
 *
 * https://github.com/auth0-samples/auth0-express-webapp-sample and
 * https://github.com/auth0-samples/auth0-express-api-samples (01-Authorization-RS256)
 */

import { assertEquals, assertMatch } from "@std/assert";
import express from "express";
import openidConnect from "express-openid-connect";
import { testLatchkey } from "../../../testing/test_latchkey.ts";
import { secret } from "../provider_server.ts";
import { importUntyped, testSample } from "./sample.ts";
import { callApi, openSampleBrowser, serveSample } from "./web_sample.ts";

const audience = "https://api.example";
const source = "https://github.com/auth0-samples/auth0-express-webapp-sample";

const { auth, requiresAuth } = openidConnect;
const { auth: checkJwt, requiredScopes } = await importUntyped("express-oauth2-jwt-bearer");

/** What the handlers use of Express and of express-openid-connect. */
// deno-lint-ignore no-explicit-any
type Any = any;

testSample("auth0", "express-openid-connect, express-oauth2-jwt-bearer", source, async (step) => {
  const [web, api] = [express(), express()];
  await using site = await serveSample(web);
  await using resource = await serveSample(api);
  await using as = await testLatchkey({
    profile: "auth0",
    scopes: ["openid", "profile", "email", "offline_access", "read:messages", "write:messages"],
    clients: [{
      ...{ client_id: "web", client_secret: secret, grant_types: ["authorization_code", "refresh_token"] },
      ...{ redirect_uris: [`${site.url}/callback`], post_logout_redirect_uris: [site.url] },
    }],
    users: [{ sub: "auth0|alice", name: "Alice Adams", email: "alice@app.example", org_id: "org_acme" }],
  });
  await as.listen({ port: 0 });

  web.use(auth({
    ...{ authRequired: false, auth0Logout: true, issuerBaseURL: as.issuer, baseURL: site.url },
    ...{ clientID: "web", clientSecret: secret, secret: "the secret of the application itself" },
    authorizationParams: {
      ...{ response_type: "code", audience, organization: "org_acme" },
      scope: "openid profile email offline_access read:messages",
    },
  }));
  web.get("/", (request: Any, response: Any) => response.json({ isAuthenticated: request.oidc.isAuthenticated() }));
  web.get("/profile", requiresAuth(), (request: Any, response: Any) => response.json(request.oidc.user));
  web.get("/token", requiresAuth(), (request: Any, response: Any) => response.json(request.oidc.accessToken));
  web.get("/more", (_request: Any, response: Any) =>
    response.oidc.login({
      returnTo: "/token",
      authorizationParams: {
        prompt: "none",
        scope: "openid profile email offline_access read:messages write:messages",
      },
    }));

  api.get(
    "/api/private",
    checkJwt({ issuerBaseURL: as.issuer, audience }),
    (request: Any, response: Any) => response.json(request.auth.payload),
  );
  api.get(
    "/api/private-scoped",
    checkJwt({ issuerBaseURL: as.issuer, audience }),
    requiredScopes("write:messages"),
    (_request: Any, response: Any) => response.json({ message: "Hello" }),
  );
  api.use((error: Any, _request: Any, response: Any, _next: Any) =>
    response.set(error.headers).status(error.status).json({ message: error.message })
  );

  const visit = openSampleBrowser();
  const first = await step("log in", async () => {
    const user = JSON.parse((await visit(`${site.url}/profile`)).text);
    assertEquals([user.sub, user.nickname, user.org_id], ["auth0|alice", "alice", "org_acme"]);
    return JSON.parse((await visit(`${site.url}/token`)).text).access_token;
  });
  const second = await step("second scope, silently", async () => {
    const { text, urls } = await visit(`${site.url}/more`);
    assertMatch(urls[1]!.href, /prompt=none/);
    return JSON.parse(text).access_token;
  });
  await step("API verifies the token", async () => {
    const { body } = await callApi(`${resource.url}/api/private`, first);
    const { sub, org_id } = JSON.parse(body);
    assertEquals([sub, org_id], ["auth0|alice", "org_acme"]);
    const scoped = `${resource.url}/api/private-scoped`;
    const calls = await Promise.all([undefined, first, second].map((token) => callApi(scoped, token)));
    assertEquals(calls.map(({ status }) => status), [401, 403, 200]);
  });
  await step("log out", async () => {
    const { text, urls } = await visit(`${site.url}/logout`);
    assertMatch(urls[1]!.pathname, /^\/v2\/logout$/);
    assertEquals([urls.at(-1)!.origin, text], [site.url, JSON.stringify({ isAuthenticated: false })]);
  });
});
