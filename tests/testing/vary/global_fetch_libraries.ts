/** One login of each client library that uses the global fetch, with what follows from it, for servers that vary. */

import { AuthClient } from "@auth0/auth0-auth-js";
import { ConfidentialClientApplication, CryptoProvider, ProtocolMode } from "@azure/msal-node";
import { OktaAuth } from "@okta/okta-auth-js";
import { CodeChallengeMethod, decodeIdToken, OAuth2Client } from "arctic";
import { JwtVerifier } from "aws-jwt-verify";
import { type CodeChallengeMethod as GoogleChallengeMethod, OAuth2Client as GoogleClient } from "google-auth-library";
import { assert, assertEquals } from "@std/assert";
import type { TestClientOptions } from "../../../src/testing/clients.ts";
import type { TestLatchkey } from "../../../src/testing/mod.ts";
import { challenge, verifier } from "../../kit.ts";
import { getRedirectLocation, openBrowser } from "../../server/applications.ts";
import { loginWithBetterAuth } from "../../server/profiles/better_auth_application.ts";
import type { VariedLogin } from "./varied_libraries.ts";

const redirectUri = "https://app.example/cb";
const scopes = ["openid", "profile", "email", "offline_access"];

interface Registered {
  readonly as: TestLatchkey;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Runs a login of a client, confidential by default, with the global fetch installed. */
function withInstalledFetch(
  logIn: (client: Registered) => Promise<void>,
  options: TestClientOptions = {},
): VariedLogin {
  return async (as) => {
    using _ = as.installFetch();
    const { client_id, client_secret } = as.client({ redirect_uri: redirectUri, confidential: true, ...options });
    const metadata = await (await fetch(`${as.issuer}/.well-known/openid-configuration`)).json();
    await logIn({ as, clientId: client_id, clientSecret: client_secret ?? "", metadata });
  };
}

/** Opens the authorization URL in a browser; returns the callback. */
async function authorize(url: string | URL): Promise<URL> {
  return new URL(await getRedirectLocation(await openBrowser()(url)));
}

/** The libraries that use the global fetch. */
export const librariesWithGlobalFetch: Readonly<Record<string, VariedLogin>> = {
  // aws-jwt-verify verifies the ID token, with keys that it is given: by itself it fetches them past the global fetch.
  "arctic, aws-jwt-verify": withInstalledFetch(async ({ as, clientId, clientSecret, metadata }) => {
    const client = new OAuth2Client(clientId, clientSecret, redirectUri);
    const { authorization_endpoint, token_endpoint } = metadata;
    const url = client.createAuthorizationURLWithPKCE(
      ...[authorization_endpoint!, "st4te", CodeChallengeMethod.S256, verifier, scopes] as const,
    );
    const code = (await authorize(url)).searchParams.get("code")!;
    const tokens = await client.validateAuthorizationCode(token_endpoint!, code, verifier);
    assertEquals((decodeIdToken(tokens.idToken()) as { sub: string }).sub, "alice");
    const jwtVerifier = JwtVerifier.create({ issuer: as.issuer, audience: clientId, jwksUri: metadata.jwks_uri! });
    jwtVerifier.cacheJwks(await (await fetch(metadata.jwks_uri!)).json());
    assertEquals((await jwtVerifier.verify(tokens.idToken())).sub, "alice");
    const refreshed = await client.refreshAccessToken(token_endpoint!, tokens.refreshToken(), []);
    const next = refreshed.hasRefreshToken() ? refreshed.refreshToken() : tokens.refreshToken();
    assert((await client.refreshAccessToken(token_endpoint!, next, [])).accessToken().length > 0);
  }),

  "auth0-auth-js": withInstalledFetch(async ({ as, clientId, clientSecret }) => {
    const client = new AuthClient({
      ...{ domain: new URL(as.issuer).host, clientId, clientSecret, customFetch: as.fetch as typeof fetch },
      // Otherwise every client in the process shares what it has discovered.
      discoveryCache: { ttl: 0 },
      authorizationParams: { redirect_uri: redirectUri, scope: scopes.join(" ") },
    });
    const { authorizationUrl, codeVerifier } = await client.buildAuthorizationUrl();
    const tokens = await client.getTokenByCode(await authorize(authorizationUrl), { codeVerifier });
    assertEquals(tokens.claims?.sub, "alice");
    const refreshed = await client.getTokenByRefreshToken({ refreshToken: tokens.refreshToken! });
    await client.getTokenByRefreshToken({ refreshToken: refreshed.refreshToken ?? tokens.refreshToken! });
  }),

  "better-auth": withInstalledFetch(async ({ as, clientId, clientSecret }) => {
    const discoveryUrl = `${as.issuer}/.well-known/openid-configuration`;
    const user = await loginWithBetterAuth({
      ...{ providerId: "latchkey", clientId, clientSecret, discoveryUrl, scopes, pkce: true },
      ...{ requireIdTokenVerification: true },
    });
    assert(user.email !== undefined);
  }, { redirect_uri: "https://app.example/api/auth/callback/latchkey" }),

  "google-auth-library": withInstalledFetch(async ({ as, clientId, clientSecret, metadata }) => {
    const client = new GoogleClient({
      transporterOptions: { fetchImplementation: as.fetch as typeof fetch },
      ...{ clientId, clientSecret, redirectUri, issuers: [metadata.issuer!] },
      endpoints: {
        oauth2AuthBaseUrl: metadata.authorization_endpoint!,
        oauth2TokenUrl: metadata.token_endpoint!,
        tokenInfoUrl: metadata.userinfo_endpoint!,
      },
    });
    const url = client.generateAuthUrl({
      ...{ scope: scopes, code_challenge: challenge, code_challenge_method: "S256" as GoogleChallengeMethod },
    });
    const code = (await authorize(url)).searchParams.get("code")!;
    const { tokens } = await client.getToken({ code, codeVerifier: verifier });
    assert(tokens.id_token, "no ID token: openid was not requested");
    client.setCredentials(tokens);
    await client.refreshAccessToken();
    await client.refreshAccessToken();
  }),

  "msal-node": withInstalledFetch(async ({ as, clientId, clientSecret }) => {
    const authority = as.issuer;
    const app = new ConfidentialClientApplication({
      auth: { clientId, clientSecret, authority, knownAuthorities: [new URL(authority).host] },
      system: { protocolMode: ProtocolMode.OIDC },
    });
    const nonce = new CryptoProvider().createNewGuid();
    const request = { scopes, redirectUri };
    const url = await app.getAuthCodeUrl({
      ...{ ...request, codeChallenge: challenge, codeChallengeMethod: "S256", nonce },
    });
    const code = (await authorize(url)).searchParams.get("code")!;
    const result = await app.acquireTokenByCode({ ...request, code, codeVerifier: verifier, nonce });
    assertEquals((result.idTokenClaims as { sub: string }).sub, "alice");
    const { account } = result;
    for (let i = 0; i < 2; i++) await app.acquireTokenSilent({ scopes, account: account!, forceRefresh: true });
  }),

  "okta-auth-js": withInstalledFetch(async ({ as, clientId, metadata }) => {
    let url = "";
    const items = new Map<string, string>();
    const storageProvider = {
      getItem: (key: string) => items.get(key),
      setItem: (key: string, value: string) => void items.set(key, value),
    };
    const sections = ["token", "cache", "transaction", "shared-transaction", "original-uri", "idx-response"];
    const okta = new OktaAuth({
      ...{ issuer: as.issuer, clientId, redirectUri, scopes, pkce: true },
      ...{ authorizeUrl: metadata.authorization_endpoint!, tokenUrl: metadata.token_endpoint! },
      ...{ userinfoUrl: metadata.userinfo_endpoint!, setLocation: (location) => void (url = location) },
      storageManager: Object.fromEntries(sections.map((name) => [name, { storageProvider }])),
    });
    const params = await okta.token.prepareTokenParams();
    await okta.token.getWithRedirect(params);
    const authorizationCode = (await authorize(url)).searchParams.get("code")!;
    const { tokens } = await okta.token.exchangeCodeForTokens({ ...params, authorizationCode });
    assertEquals(tokens.idToken?.claims.sub, "alice");
    const refreshed = await okta.token.renewTokensWithRefresh({ scopes }, tokens.refreshToken!);
    await okta.token.renewTokensWithRefresh({ scopes }, refreshed.refreshToken ?? tokens.refreshToken!);
  }, { confidential: false }),
};
