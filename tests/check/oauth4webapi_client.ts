/** A driver of oauth4webapi with every check that it has, and those that it leaves to its caller. */

import * as oauth from "oauth4webapi";
import type { ClientDriver, ClientJourney, ClientSession } from "../../src/check/mod.ts";
import type { Fetch } from "../../src/testing/fetch.ts";
import { isInternal, readText } from "./limits.ts";
import { accessTokenHash } from "./small_crypto.ts";

/** A fetch that limits the size of a body. */
function boundedFetch(fetch: Fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input as string, init as RequestInit);
    const { status, headers } = response;
    return new Response(response.body && await readText(response), { status, headers });
  };
}

/** The driver; it keeps the keys of an issuer between logins. */
export function oauth4webapiClient(): ClientDriver {
  const keyCaches = new Map<string, oauth.JWKSCacheInput>();
  /** When the keys of an issuer were last fetched because one was unknown, in milliseconds since the epoch. */
  const lastRefetch = new Map<string, number>();
  /** The metadata of an issuer, until a login with it fails. */
  const knownMetadata = new Map<string, oauth.AuthorizationServer>();

  /** Verifies with the keys that are kept, and fetches them once more if they lack the key. */
  async function verifySignature(
    as: oauth.AuthorizationServer,
    response: Response,
    options: { readonly [oauth.customFetch]: typeof globalThis.fetch },
    isSecondTry = false,
  ): Promise<void> {
    let cache = keyCaches.get(as.issuer);
    if (cache === undefined) keyCaches.set(as.issuer, cache = {});
    try {
      await oauth.validateApplicationLevelSignature(as, response, { ...options, [oauth.jwksCache]: cache });
    } catch (error) {
      const isUnknownKey = (error as { code?: string }).code === "OAUTH_KEY_SELECTION_FAILED";
      if (isSecondTry || !isUnknownKey || Date.now() - (lastRefetch.get(as.issuer) ?? 0) < 60_000) throw error;
      lastRefetch.set(as.issuer, Date.now());
      keyCaches.delete(as.issuer);
      // The library keeps the keys by the object of the metadata too.
      await verifySignature({ ...as }, response, options, true);
    }
  }

  async function discover({ issuer: issuerText, fetch }: ClientJourney): Promise<oauth.AuthorizationServer> {
    const known = knownMetadata.get(issuerText);
    if (known !== undefined) return known;
    const issuer = new URL(issuerText);
    const response = await oauth.discoveryRequest(issuer, { [oauth.customFetch]: boundedFetch(fetch) });
    const as = await oauth.processDiscoveryResponse(issuer, response);
    if (as.issuer !== issuerText) throw new Error("the issuer of the metadata is spelt differently");
    if ([as.token_endpoint, as.jwks_uri, as.userinfo_endpoint].some((url) => url && isInternal(url))) {
      throw new Error("an endpoint is in an internal network");
    }
    knownMetadata.set(issuerText, as);
    return as;
  }

  return {
    name: "oauth4webapi",
    logIn: (journey) =>
      logIn(journey).catch((error) => {
        knownMetadata.delete(journey.issuer);
        throw error;
      }),
  };

  async function logIn(journey: ClientJourney): Promise<ClientSession> {
    const { client: { client_id, id_token_signed_response_alg = "RS256" }, redirectUri, fetch, authorize } = journey;
    const options = { [oauth.customFetch]: boundedFetch(fetch) };
    const as = await discover(journey);
    const client: oauth.Client = { client_id, id_token_signed_response_alg };
    const verifier = oauth.generateRandomCodeVerifier();
    const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
    const url = new URL(as.authorization_endpoint!);
    if (url.protocol !== "https:") throw new Error("the authorization endpoint is not an https URL");
    url.search = String(
      new URLSearchParams({
        client_id,
        redirect_uri: redirectUri,
        response_type: "code",
        scope: "openid profile email offline_access",
        state,
        nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      }),
    );
    const callback = new URL((await authorize(url)).url);
    const params = oauth.validateAuthResponse(
      as,
      client,
      callback,
      state,
    );
    const response = await oauth.authorizationCodeGrantRequest(
      as,
      client,
      oauth.None(),
      params,
      redirectUri,
      verifier,
      options,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, response, {
      expectedNonce: nonce,
      requireIdToken: true,
    });
    await verifySignature(as, response, options);
    const idToken = oauth.getValidatedIdTokenClaims(tokens)!;
    const { sub, iat, at_hash, azp = client_id } = idToken;
    if (azp !== client_id) throw new Error("azp is another client");
    if (sub === "") throw new Error("sub is empty");
    if (Math.abs(Date.now() / 1000 - iat) > 600) throw new Error("iat is too far from now");
    if (at_hash !== undefined && at_hash !== await accessTokenHash(tokens.access_token, id_token_signed_response_alg)) {
      throw new Error("at_hash is wrong");
    }
    const userinfoResponse = await oauth.userInfoRequest(as, client, tokens.access_token, options);
    const info = await oauth.processUserInfoResponse(as, client, sub, userinfoResponse);
    if (userinfoResponse.headers.get("content-type") === "application/jwt") {
      await verifySignature(as, userinfoResponse, options);
    }
    let refreshToken = tokens.refresh_token!;
    return {
      sub: info.sub,
      claims: { ...info, ...idToken },
      passTime(seconds) {
        lastRefetch.set(as.issuer, (lastRefetch.get(as.issuer) ?? 0) - seconds * 1000);
        const cache: { uat?: number } = keyCaches.get(as.issuer) ?? {};
        if (cache.uat === undefined) return;
        cache.uat -= seconds;
        // The library keeps the keys by the object of the metadata too.
        if (knownMetadata.has(as.issuer)) knownMetadata.set(as.issuer, { ...as });
      },
      async refresh() {
        const refreshResponse = await oauth.refreshTokenGrantRequest(as, client, oauth.None(), refreshToken, options);
        const refreshed = await oauth.processRefreshTokenResponse(as, client, refreshResponse);
        if (refreshed.id_token !== undefined) await verifySignature(as, refreshResponse, options);
        const refreshedSub = oauth.getValidatedIdTokenClaims(refreshed)?.sub ?? sub;
        if (refreshedSub !== sub) throw new Error("the ID token of the refresh is about another user");
        refreshToken = refreshed.refresh_token ?? refreshToken;
      },
    };
  }
}
