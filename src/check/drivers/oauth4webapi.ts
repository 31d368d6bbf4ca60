/** A driver of oauth4webapi (version 3). */

import type { TestClient } from "../../testing/clients.ts";
import type { ClientDriver } from "../driver.ts";
import { defaultScope, type DriverOptions, methodOf, secondsPerDay } from "./options.ts";

/** Options of {@link oauth4webapiDriver}. */
export interface Oauth4webapiOptions extends DriverOptions {
  /**
   * Whether the client verifies the signature of ID tokens, with `validateApplicationLevelSignature`. Default: false,
   * as in the library, which relies on TLS.
   */
  readonly verifySignature?: boolean;
}

/** What identifies the client. */
export interface Oauth4webapiClient {
  /** The client ID. */
  readonly client_id: string;
}

/** The members of the metadata that the driver uses. */
export interface Oauth4webapiServer {
  /** The authorization endpoint. */
  readonly authorization_endpoint?: string;
}

/** The members of a token response that the driver uses. */
export interface Oauth4webapiTokens {
  /** The access token. */
  readonly access_token: string;
  /** The refresh token. */
  readonly refresh_token?: string;
}

/** The members of oauth4webapi that the driver uses. */
export interface Oauth4webapiModule {
  /** The key of the option for a `fetch`. */
  readonly customFetch: symbol;
  /** The key of the option for the cached keys of an issuer. */
  readonly jwksCache: symbol;
  /** Fetches the metadata. */
  discoveryRequest(issuer: URL, options: Readonly<Record<PropertyKey, unknown>>): Promise<Response>;
  /** Validates the metadata. */
  processDiscoveryResponse(issuer: URL, response: Response): Promise<Oauth4webapiServer>;
  /** No authentication. */
  None(): unknown;
  /** `client_secret_basic`. */
  ClientSecretBasic(secret: string): unknown;
  /** `client_secret_post`. */
  ClientSecretPost(secret: string): unknown;
  /** A code verifier. */
  generateRandomCodeVerifier(): string;
  /** The code challenge of a verifier. */
  calculatePKCECodeChallenge(verifier: string): Promise<string>;
  /** A state. */
  generateRandomState(): string;
  /** A nonce. */
  generateRandomNonce(): string;
  /** Validates the parameters of a callback. */
  validateAuthResponse(as: unknown, client: Oauth4webapiClient, callback: URL, state: string): URLSearchParams;
  /** Exchanges the code. */
  authorizationCodeGrantRequest(
    as: unknown,
    client: Oauth4webapiClient,
    authentication: unknown,
    parameters: URLSearchParams,
    redirectUri: string,
    verifier: string,
    options: Readonly<Record<PropertyKey, unknown>>,
  ): Promise<Response>;
  /** Validates the token response. */
  processAuthorizationCodeResponse(
    as: unknown,
    client: Oauth4webapiClient,
    response: Response,
    options: Readonly<Record<string, unknown>>,
  ): Promise<Oauth4webapiTokens>;
  /** Verifies the signature of the ID token of a response. */
  validateApplicationLevelSignature(
    as: unknown,
    response: Response,
    options: Readonly<Record<PropertyKey, unknown>>,
  ): Promise<void>;
  /** The claims of the ID token. */
  getValidatedIdTokenClaims(tokens: never): { readonly sub: string } | undefined;
  /** Requests userinfo. */
  userInfoRequest(
    as: unknown,
    client: Oauth4webapiClient,
    accessToken: string,
    options: Readonly<Record<PropertyKey, unknown>>,
  ): Promise<Response>;
  /** Validates the userinfo response. */
  processUserInfoResponse(
    as: unknown,
    client: Oauth4webapiClient,
    sub: string,
    response: Response,
  ): Promise<Readonly<Record<string, unknown>> & { readonly sub: string }>;
  /** Refreshes tokens. */
  refreshTokenGrantRequest(
    as: unknown,
    client: Oauth4webapiClient,
    authentication: unknown,
    refreshToken: string,
    options: Readonly<Record<PropertyKey, unknown>>,
  ): Promise<Response>;
  /** Validates the response to a refresh. */
  processRefreshTokenResponse(as: unknown, client: Oauth4webapiClient, response: Response): Promise<Oauth4webapiTokens>;
}

/**
 * Drives [oauth4webapi](https://github.com/panva/oauth4webapi) as its examples do: discovery once a day for each
 * issuer, PKCE, state, nonce, userinfo with the `sub` of the ID token, refreshes. The application keeps its refresh
 * token if a response has no new one.
 *
 * @param oauth The module: `import * as oauth from "oauth4webapi"`.
 *
 * @example
 * ```ts ignore
 * const report = await checkClient(oauth4webapiDriver(oauth, { verifySignature: true }));
 * ```
 */
export function oauth4webapiDriver(oauth: Oauth4webapiModule, options: Oauth4webapiOptions = {}): ClientDriver {
  const { name = "oauth4webapi", client: registration, scope = defaultScope, verifySignature = false } = options;
  const servers = new Map<string, Oauth4webapiServer>();
  /** The cache of keys of each issuer; `uat` is when they were fetched, in seconds since the epoch. */
  const keyCaches = new Map<string, { uat?: number }>();

  function authenticationOf(client: TestClient): unknown {
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

  async function discover(issuer: URL, requestOptions: Readonly<Record<PropertyKey, unknown>>) {
    return await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, requestOptions));
  }

  return {
    name,
    client: registration,
    verifiesIdTokenSignature: verifySignature,
    async logIn({ issuer, client: registered, redirectUri, fetch, authorize }) {
      const requestOptions = { [oauth.customFetch]: fetch };
      const client: Oauth4webapiClient = { client_id: registered.client_id };
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
      const idToken = oauth.getValidatedIdTokenClaims(tokens as never)!;
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
          if (oauth.getValidatedIdTokenClaims(refreshedTokens as never) !== undefined) await verify(refreshed);
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
