/**
 * The samples of Okta: a login with okta-auth-js, and the resource server of its samples for Express.
 *
 * The API does the checks of https://developer.okta.com/docs/guides/validate-access-tokens/nodejs/main/ with jose:
 * @okta/jwt-verifier needs an old version of @types/node, which would replace the global types of this project.
 *
 * https://github.com/okta/okta-auth-js (README) and https://github.com/okta/samples-nodejs-express-4 (resource-server).
 * okta-auth-js in a browser is in `tests/browser/okta_browser.ts`.
 */

import { assert, assertEquals } from "@std/assert";
import { buildAuthorizeParams, getWellKnown, OktaAuth, type TokenParams } from "@okta/okta-auth-js";
import express from "express";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { testLatchkey } from "../../../testing/test_latchkey.ts";
import { redirectUri } from "../provider_server.ts";
import { testSample } from "./sample.ts";
import { callApi, openSampleBrowser, serveSample } from "./web_sample.ts";

const source = "https://github.com/okta/samples-nodejs-express-4";
const postLogoutRedirectUri = "https://app.example/bye";

/** What the handlers use of Express, and a function that the types of okta-auth-js lack. */
// deno-lint-ignore no-explicit-any
type Any = any;

testSample("okta", "@okta/okta-auth-js, jose", source, async (step) => {
  const api = express();
  await using resource = await serveSample(api);
  await using as = await testLatchkey({
    profile: "okta",
    scopes: ["openid", "profile", "email", "offline_access", "messages.read"],
    clients: [{
      ...{ client_id: "spa", redirect_uris: [redirectUri], post_logout_redirect_uris: [postLogoutRedirectUri] },
      grant_types: ["authorization_code", "refresh_token"],
    }],
    users: [{ sub: "00u1alice", preferred_username: "alice@app.example", email: "alice@app.example" }],
  });
  await as.listen({ port: 0 });
  const okta = new OktaAuth({ issuer: as.issuer, clientId: "spa", redirectUri, scopes: ["openid", "profile"] });
  const keys = createRemoteJWKSet(new URL(`${as.issuer}/v1/keys`));
  const serve = (path: string, scope?: string) =>
    api.get(path, async (request: Any, response: Any) => {
      const [, token = ""] = /Bearer (.+)/.exec(request.headers.authorization ?? "") ?? [];
      try {
        const { payload } = await jwtVerify(token, keys, { issuer: as.issuer, audience: "api://default" });
        assertEquals(payload.cid, "spa");
        if (scope !== undefined) assert((payload.scp as string[]).includes(scope), "insufficient scope");
        response.json(payload);
      } catch (error) {
        response.status(401).send((error as Error).message);
      }
    });
  serve("/secure");
  serve("/api/messages", "messages.read");

  const visit = openSampleBrowser();
  const logIn = async (options: TokenParams = {}) => {
    const params = await okta.token.prepareTokenParams(options);
    const { authorization_endpoint } = await getWellKnown(okta);
    const { urls } = await visit(authorization_endpoint + buildAuthorizeParams(params), redirectUri);
    const authorizationCode = urls.at(-1)!.searchParams.get("code")!;
    return (await okta.token.exchangeCodeForTokens({ ...params, authorizationCode })).tokens;
  };
  const first = await step("log in", async () => {
    const tokens = await logIn();
    assertEquals([tokens.idToken!.claims.sub, tokens.accessToken!.scopes], ["00u1alice", ["openid", "profile"]]);
    return tokens;
  });
  const second = await step("second scope, silently", async () => {
    const { accessToken } = await logIn({ prompt: "none", scopes: ["openid", "messages.read"] });
    assertEquals(accessToken!.scopes, ["openid", "messages.read"]);
    return accessToken!.accessToken;
  });
  await step("API verifies the token", async () => {
    const { accessToken } = first.accessToken!;
    const { body } = await callApi(`${resource.url}/secure`, accessToken);
    const { sub, cid, uid } = JSON.parse(body);
    assertEquals([sub, cid, uid], ["alice@app.example", "spa", "00u1alice"]);
    const messages = `${resource.url}/api/messages`;
    const calls = await Promise.all([undefined, accessToken, second].map((token) => callApi(messages, token)));
    assertEquals(calls.map(({ status }) => status), [401, 401, 200]);
    assertEquals(calls[1]!.body, "insufficient scope");
  });
  await step("log out", async () => {
    const { urls } = await visit(
      (okta as Any).getSignOutRedirectUrl({ idToken: first.idToken, postLogoutRedirectUri }),
      postLogoutRedirectUri,
    );
    assert(urls[0]!.href.startsWith(`${as.issuer}/v1/logout?`));
    assertEquals(urls.at(-1)!.href, postLogoutRedirectUri);
  });
});
