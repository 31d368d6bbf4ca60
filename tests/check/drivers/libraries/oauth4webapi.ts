/** A driver of oauth4webapi (version 3). */

import type { TestClient } from "../../../../src/testing/clients.ts";
import type { ClientDriver } from "../../../../src/check/driver.ts";
import * as oauth from "oauth4webapi";
import { methodOf, scope, secondsPerDay, type SignatureOptions } from "./options.ts";

/**
 * Drives [oauth4webapi](https://github.com/panva/oauth4webapi) as its examples do: discovery once a day for each
 * issuer, PKCE, state, nonce, userinfo with the `sub` of the ID token, refreshes. The application keeps its refresh
 * token if a response has no new one.
 */
export function oauth4webapiDriver(
  { client: registration, verifySignature = false }: SignatureOptions = {},
): ClientDriver {
  const servers = new Map<string, oauth.AuthorizationServer>();
  /** The cache of keys of each issuer; `uat` is when they were fetched, in seconds since the epoch. */
  const keyCaches = new Map<string, oauth.JWKSCacheInput & { uat?: number }>();

  function authenticationOf(client: TestClient): oauth.ClientAuth {
    const { client_secret = "" } = client;
    switch (methodOf("oauth4webapiDriver", client)) {
      case "none":
        return oauth.None();
      case "client_secret_basic":
        return oauth.ClientSecretBasic(client_secret);
      case "client_secret_post":
        return oauth.ClientSecretPost(client_secret);
    }
  }

  async function discover(issuer: URL, requestOptions: oauth.DiscoveryRequestOptions) {
    return await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, requestOptions));
  }

  return {
    name: "oauth4webapi",
    client: registration,
    renew: () => oauth4webapiDriver({ client: registration, verifySignature }),
    async logIn({ issuer, client: registered, redirectUri, fetch, authorize }) {
      const requestOptions = { [oauth.customFetch]: fetch };
      const client: oauth.Client = { client_id: registered.client_id };
      const authentication = authenticationOf(registered);
      const as = servers.get(issuer) ?? await discover(new URL(issuer), requestOptions);
      servers.set(issuer, as);
      const keyCache = keyCaches.get(issuer) ?? {};
      keyCaches.set(issuer, keyCache);
      const verifier = oauth.generateRandomCodeVerifier();
      const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
      const url = new URL(as.authorization_endpoint!);
      // The library leaves the check of this URL to the application.
      if (!/^https?:$/.test(url.protocol)) {
        throw new Error(`authorization_endpoint: expected an http or https URL, received one with ${url.protocol}`);
      }
      const request = {
        client_id: client.client_id,
        redirect_uri: redirectUri,
        response_type: "code",
        scope,
        state,
        nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      };
      for (const [parameter, value] of Object.entries(request)) url.searchParams.set(parameter, value);
      const response = await oauth.authorizationCodeGrantRequest(
        as,
        client,
        authentication,
        oauth.validateAuthResponse(as, client, new URL((await authorize(url)).url), state),
        redirectUri,
        verifier,
        requestOptions,
      );
      const checks = { expectedNonce: nonce, requireIdToken: true };
      const tokens = await oauth.processAuthorizationCodeResponse(as, client, response, checks);
      const verify = async (received: Response) => {
        const verifyOptions = { ...requestOptions, [oauth.jwksCache]: keyCache };
        if (verifySignature) await oauth.validateApplicationLevelSignature(as, received, verifyOptions);
      };
      await verify(response);
      const idToken = oauth.getValidatedIdTokenClaims(tokens)!;
      const userinfo = await oauth.userInfoRequest(as, client, tokens.access_token, requestOptions);
      const claims = await oauth.processUserInfoResponse(as, client, idToken.sub, userinfo);
      let { refresh_token } = tokens;
      return {
        sub: claims.sub,
        claims: { ...claims, ...idToken },
        async refresh() {
          const refreshed = await oauth.refreshTokenGrantRequest(
            as,
            client,
            authentication,
            refresh_token!,
            requestOptions,
          );
          const refreshedTokens = await oauth.processRefreshTokenResponse(as, client, refreshed);
          if (oauth.getValidatedIdTokenClaims(refreshedTokens) !== undefined) await verify(refreshed);
          ({ refresh_token = refresh_token } = refreshedTokens);
        },
        passTime(seconds) {
          if (keyCache.uat !== undefined) keyCache.uat -= seconds;
          // The library also caches keys by the metadata object.
          if (seconds < secondsPerDay) servers.set(issuer, { ...as });
          else servers.delete(issuer);
        },
      };
    },
  };
}
