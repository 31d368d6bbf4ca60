/** A driver of openid-client (version 6). */

import type { TestClient } from "../../../../src/testing/clients.ts";
import type { ClientDriver } from "../../../../src/check/driver.ts";
import * as openid from "openid-client";
import { methodOf, scope, secondsPerDay, type SignatureOptions } from "./options.ts";

/**
 * Drives [openid-client](https://github.com/panva/openid-client) as its documentation describes: discovery once a day
 * for each issuer, PKCE, state, nonce, userinfo with the `sub` of the ID token, refreshes. The application keeps its
 * refresh token if a response has no new one.
 */
export function openidClientDriver(
  { client: registration, verifySignature = false }: SignatureOptions = {},
): ClientDriver {
  const configs = new Map<string, openid.Configuration>();

  function authenticationOf(client: TestClient): openid.ClientAuth {
    const { client_secret = "" } = client;
    switch (methodOf("openidClientDriver", client)) {
      case "none":
        return openid.None();
      case "client_secret_basic":
        return openid.ClientSecretBasic(client_secret);
      case "client_secret_post":
        return openid.ClientSecretPost(client_secret);
    }
  }

  return {
    name: "openid-client",
    client: registration,
    renew: () => openidClientDriver({ client: registration, verifySignature }),
    async logIn({ issuer, client, redirectUri, fetch, authorize }) {
      const config = configs.get(issuer) ??
        await openid.discovery(new URL(issuer), client.client_id, undefined, authenticationOf(client), {
          [openid.customFetch]: fetch,
          execute: verifySignature ? [openid.enableNonRepudiationChecks] : [],
        });
      configs.set(issuer, config);
      const pkceCodeVerifier = openid.randomPKCECodeVerifier();
      const [expectedState, expectedNonce] = [openid.randomState(), openid.randomNonce()];
      const url = openid.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope,
        state: expectedState,
        nonce: expectedNonce,
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: "S256",
      });
      const tokens = await openid.authorizationCodeGrant(config, new URL((await authorize(url)).url), {
        pkceCodeVerifier,
        expectedState,
        expectedNonce,
        idTokenExpected: true,
      });
      const { sub } = tokens.claims()!;
      const claims = await openid.fetchUserInfo(config, tokens.access_token, sub);
      let { refresh_token } = tokens;
      return {
        sub: claims.sub,
        claims: { ...claims, ...tokens.claims() },
        async refresh() {
          const refreshed = await openid.refreshTokenGrant(config, refresh_token!);
          refresh_token = refreshed.refresh_token ?? refresh_token;
        },
        passTime(seconds) {
          if (seconds >= secondsPerDay) return void configs.delete(issuer);
          const keys = openid.getJwksCache(config);
          const { client_id } = client;
          const aged = new openid.Configuration(
            config.serverMetadata(),
            client_id,
            undefined,
            authenticationOf(client),
          );
          aged[openid.customFetch] = fetch;
          if (verifySignature) openid.enableNonRepudiationChecks(aged);
          if (keys !== undefined) openid.setJwksCache(aged, { ...keys, uat: keys.uat - seconds });
          configs.set(issuer, aged);
        },
      };
    },
  };
}
