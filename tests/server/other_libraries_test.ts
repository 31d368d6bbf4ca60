/**
 * Journeys with the libraries that applications use: oidc-client-ts, Passport and Auth.js, over a socket (group SC).
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { customFetch } from "@auth/core";
import { after, test } from "node:test";
import { ErrorResponse, InMemoryWebStorage, OidcClient, WebStorageStateStore } from "oidc-client-ts";
import OpenIDConnectStrategy from "passport-openidconnect";
import type { Latchkey, LatchkeyOptions } from "../../src/mod.ts";
import { authJsApplication, getRedirectLocation, loginWithPassport, openBrowser } from "./applications.ts";
import { getForm } from "./browser.ts";
import { latchkey } from "../secret_leak_check.ts";

const callback = "https://app.example/cb";
const goodbye = "https://app.example/bye";
const authCallback = "https://app.example/auth/callback/latchkey";

const opened: Latchkey[] = [];
after(() => Promise.all(opened.map((as) => as.close())));

/** A server with a client for each library and default settings, listening. */
async function serve(options: LatchkeyOptions = {}): Promise<Latchkey> {
  const grant_types = ["authorization_code", "refresh_token"];
  const secret = {
    client_secret: "a-secret-of-32-characters-or-more",
    redirect_uris: [callback, authCallback],
    grant_types,
  };
  const as = await latchkey({
    clients: [
      { client_id: "spa", redirect_uris: [callback], post_logout_redirect_uris: [goodbye], grant_types },
      { client_id: "basic", ...secret },
      { client_id: "post", ...secret, token_endpoint_auth_method: "client_secret_post" },
    ],
    users: [{ sub: "alice", name: "Alice Adams", email: "alice@example.com", email_verified: true }],
    ...options,
  });
  opened.push(as);
  await as.listen({ port: 0 });
  return as;
}

test("[SC-01, SC-12] oidc-client-ts logs in, reads userinfo, refreshes, revokes, stays logged in and logs out", async () => {
  const { issuer } = await serve();
  const visit = openBrowser();
  const client = new OidcClient({
    authority: issuer,
    client_id: "spa",
    redirect_uri: callback,
    post_logout_redirect_uri: goodbye,
    scope: "openid profile email offline_access",
    loadUserInfo: true,
    stateStore: new WebStorageStateStore({ store: new InMemoryWebStorage() }),
  });
  const login = async (more: { prompt?: string; max_age?: number; nonce?: string } = {}) => {
    const { url } = await client.createSigninRequest({ state: { page: "/x" }, ...more });
    return await client.processSigninResponse(await getRedirectLocation(await visit(url)));
  };
  const first = await login({ nonce: "n0nce" });
  assertEquals([first.profile.sub, first.profile.name, first.profile.email], [
    "alice",
    "Alice Adams",
    "alice@example.com",
  ]);
  assertEquals([first.userState, first.scope, first.token_type], [
    { page: "/x" },
    "openid profile email offline_access",
    "Bearer",
  ]);
  const { refresh_token, id_token, scope, profile, session_state } = first;
  const state = { refresh_token: refresh_token!, id_token, scope, profile, session_state, data: {} };
  const renewed = await client.useRefreshToken({ state });
  assert(renewed.access_token !== first.access_token && renewed.refresh_token !== first.refresh_token);
  await client.revokeToken(renewed.access_token, "access_token");
  const response = await fetch(`${issuer}/oauth2/userinfo`, {
    headers: { authorization: `Bearer ${renewed.access_token}` },
  });
  assertEquals((await response.json()).error, "invalid_token");
  const silent = await login({ prompt: "none", max_age: 1000 });
  assertEquals([silent.profile.sub, silent.profile.sid], [first.profile.sub, first.profile.sid]);
  const { url } = await client.createSignoutRequest({ id_token_hint: silent.id_token!, state: { back: true } });
  const farewell = await client.processSignoutResponse(await getRedirectLocation(await visit(url)));
  assertEquals([farewell.error, farewell.userState], [null, { back: true }]);
  const rejected = await assertRejects(() => login({ prompt: "none" }));
  assert(rejected instanceof ErrorResponse);
  assertEquals(rejected.error, "login_required");
});

test("[SC-05, SC-09, SC-12] passport-openidconnect logs a user in, and rejects invalid responses", async () => {
  const { issuer } = await serve();
  const make = (clientSecret: string, more: object = {}) =>
    new OpenIDConnectStrategy(
      {
        issuer,
        authorizationURL: `${issuer}/oauth2/authorize`,
        tokenURL: `${issuer}/oauth2/token`,
        userInfoURL: `${issuer}/oauth2/userinfo`,
        clientID: "post",
        clientSecret,
        callbackURL: callback,
        scope: "profile email",
        nonce: true,
        maxAge: 100,
        skipUserProfile: false,
        ...more,
      },
      (
        iss: string,
        profile: { id: string; displayName: string },
        _context: unknown,
        _idToken: string,
        _accessToken: string,
        refreshToken: string,
        done: (error: null, user: object) => void,
      ) => done(null, { iss, id: profile.id, name: profile.displayName, refreshes: typeof refreshToken }),
    );
  const secret = "a-secret-of-32-characters-or-more";
  assertEquals(await loginWithPassport(make(secret)), {
    user: { iss: issuer, id: "alice", name: "Alice Adams", refreshes: "string" },
  });
  const wrong = await loginWithPassport(make("wrong"));
  assert("error" in wrong);
  assertEquals((wrong.error as Error & { code: string }).code, "invalid_client");
  const replayed = await loginWithPassport(make(secret), (url) => url.searchParams.set("code", "x"));
  assert("error" in replayed);
  assertEquals((replayed.error as Error & { code: string }).code, "invalid_grant");
  const none = await loginWithPassport(make(secret, { prompt: "none" }));
  assert("error" in none);
  assertEquals((none.error as Error & { code: string }).code, "login_required");
});

test("[CL-06, CL-03] Auth.js shows name and roles from the ID token alone, if ID tokens contain the userinfo claims", async () => {
  const users = [{ sub: "alice", name: "Alice Adams", email: "alice@example.com", roles: ["admin"] }];
  for (const idTokenClaims of ["like-userinfo", "minimal"] as const) {
    const as = await serve({ users, idTokenClaims });
    const app = authJsApplication([{
      id: "latchkey",
      name: "Latchkey",
      type: "oidc",
      issuer: as.issuer,
      clientId: "basic",
      clientSecret: "a-secret-of-32-characters-or-more",
      checks: ["pkce", "state", "nonce"],
      [customFetch]: fetch,
    }], {
      jwt: ({ token, profile }) => profile === undefined ? token : { ...token, roles: profile.roles },
      session: ({ session, token }) => ({ ...session, user: { ...session.user, roles: token.roles } as never }),
    });
    const user = await app.logIn();
    const [known] = users;
    assertEquals(
      user,
      idTokenClaims === "minimal" ? {} : { name: known!.name, email: known!.email, roles: known!.roles },
    );
  }
});

test("[SC-18] a form_post response over a socket is readable by any web server", async () => {
  const { issuer } = await serve();
  const url = new URL(`${issuer}/oauth2/authorize`);
  const state = `"><script>'&=+% ünï`;
  const request = { response_type: "code", client_id: "basic", redirect_uri: callback, scope: "openid", state };
  url.search = String(new URLSearchParams({ ...request, response_mode: "form_post" }));
  const { body } = getForm(await (await fetch(url)).text());
  const form = await new Request(callback, {
    method: "POST",
    body,
    headers: { "content-type": "application/x-www-form-urlencoded" },
  }).formData();
  assertEquals([...form.keys()].sort(), ["code", "iss", "state"]);
  assertEquals([form.get("state"), form.get("iss")], [state, issuer]);
});
