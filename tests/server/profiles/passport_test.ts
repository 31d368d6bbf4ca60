/** Strategies of Passport for one provider each: only the origins of their URLs are changed. */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import Auth0 from "passport-auth0";
import { Strategy as GitHub } from "passport-github2";
import { Strategy as Google } from "passport-google-oauth20";
import Keycloak from "passport-keycloak-oauth2-oidc";
import { Strategy as Microsoft } from "passport-microsoft";
import okta from "passport-okta-oauth20";
import type { ProviderName } from "../../../src/server/config/provider_profile.ts";
import { forEachCase } from "../../kit.ts";
import { loginWithPassport } from "../applications.ts";
import { redirectUri, secret, serveProvider } from "./provider_server.ts";

/** The user as a strategy returns it: name and e-mail address have other places in each. */
interface Profile {
  readonly displayName?: string;
  readonly name?: string;
  readonly email?: string;
  readonly emails?: readonly { readonly value: string }[];
}

type Done = (error: null, user: Profile) => void;
// deno-lint-ignore no-explicit-any -- each strategy has a type of its own for profiles
const verify = (_accessToken: string, _refreshToken: string, profile: any, done: any) => done(null, profile);
/** passport-auth0 counts on the parameters of the token response. */
const verifyWithTokens = (_access: string, _refresh: string, _tokens: object, profile: Profile, done: Done) =>
  done(null, profile);

const web = { clientID: "web", clientSecret: secret, callbackURL: redirectUri };
const openid = { ...web, scope: ["openid", "profile", "email"], scopeSeparator: " ", state: true };

const strategies: readonly (readonly [ProviderName, (origin: string) => object])[] = [
  ["github", (origin) =>
    new GitHub({
      ...{ ...web, scope: ["user:email"], state: true, authorizationURL: `${origin}/login/oauth/authorize` },
      ...{ tokenURL: `${origin}/login/oauth/access_token`, userProfileURL: `${origin}/user` },
      userEmailURL: `${origin}/user/emails`,
    }, verify)],
  ["google", (origin) =>
    new Google({
      ...{ ...openid, authorizationURL: `${origin}/o/oauth2/v2/auth`, tokenURL: `${origin}/oauth2/v4/token` },
      userProfileURL: `${origin}/oauth2/v3/userinfo`,
    }, verify)],
  ["auth0", (origin) =>
    new Auth0({
      ...{ ...openid, domain: "acme.eu.auth0.com", authorizationURL: `${origin}/authorize` },
      ...{ tokenURL: `${origin}/oauth/token`, userInfoURL: `${origin}/userinfo`, expectedIssuer: `${origin}/` },
    }, verifyWithTokens)],
  ["entra", (origin) =>
    new Microsoft({
      ...{ ...openid, scope: ["openid", "User.Read"], authorizationURL: `${origin}/common/oauth2/v2.0/authorize` },
      ...{ tokenURL: `${origin}/common/oauth2/v2.0/token`, apiEntryPoint: origin },
    }, verify)],
  ["okta", (origin) => new okta.Strategy({ ...openid, audience: origin, authorizationId: "default" }, verify)],
  [
    "keycloak",
    (origin) =>
      new Keycloak(
        { ...openid, authServerURL: origin, realm: "myrealm", publicClient: "false", sslRequired: "none" },
        verify,
      ),
  ],
];

test("strategies of Passport log in and read the profile of the user", async () => {
  await forEachCase(strategies, async ([provider, create]) => {
    await using as = await serveProvider(provider);
    const outcome = await loginWithPassport(create(new URL(as.issuer).origin));
    assert("user" in outcome, `${provider}: ${JSON.stringify(outcome)} ${"error" in outcome && outcome.error.message}`);
    const { name, displayName = name, email, emails } = outcome.user as unknown as Profile;
    assertEquals([displayName, email ?? emails?.[0]?.value], ["Alice Adams", "alice@app.example"]);
  });
});
