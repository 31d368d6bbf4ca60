/** A driver of openid-client (version 6). */

import type { TestClient } from "../../testing/clients.ts";
import type { ClientDriver } from "../driver.ts";
import { defaultScope, type DriverOptions, methodOf, secondsPerDay } from "./options.ts";

/** Options of {@link openidClientDriver}. */
export interface OpenidClientOptions extends DriverOptions {
  /**
   * Whether the client verifies the signature of ID tokens, with `enableNonRepudiationChecks`. Default: false, as in
   * the library, which relies on TLS.
   */
  readonly verifySignature?: boolean;
}

/** The members of openid-client that the driver uses. */
export interface OpenidClientModule {
  /** The key of the option for a `fetch`. */
  readonly customFetch: symbol;
  /** Fetches the metadata. */
  discovery(
    server: URL,
    clientId: string,
    metadata: undefined,
    authentication: unknown,
    options: Readonly<Record<PropertyKey, unknown>>,
  ): Promise<unknown>;
  /** The configuration of one issuer and client. */
  readonly Configuration: new (
    metadata: never,
    clientId: string,
    clientMetadata: undefined,
    authentication: never,
  ) => unknown;
  /** The cached keys of a configuration, and when they were fetched, in seconds since the epoch. */
  getJwksCache(config: never): { readonly jwks: unknown; readonly uat: number } | undefined;
  /** Sets the cached keys. */
  setJwksCache(config: never, keys: never): void;
  /** No authentication. */
  None(): unknown;
  /** `client_secret_basic`. */
  ClientSecretBasic(secret: string): unknown;
  /** `client_secret_post`. */
  ClientSecretPost(secret: string): unknown;
  /** Verifies signatures of ID tokens. */
  enableNonRepudiationChecks(config: never): void;
  /** A code verifier. */
  randomPKCECodeVerifier(): string;
  /** The code challenge of a verifier. */
  calculatePKCECodeChallenge(verifier: string): Promise<string>;
  /** A state. */
  randomState(): string;
  /** A nonce. */
  randomNonce(): string;
  /** The URL of the authorization request. */
  buildAuthorizationUrl(config: unknown, parameters: Record<string, string>): URL;
  /** Exchanges the code of a callback. */
  authorizationCodeGrant(
    config: unknown,
    callback: URL,
    checks: Readonly<Record<string, unknown>>,
  ): Promise<OpenidClientTokens>;
  /** Requests userinfo. */
  fetchUserInfo(
    config: unknown,
    accessToken: string,
    sub: string,
  ): Promise<Readonly<Record<string, unknown>> & { readonly sub: string }>;
  /** Refreshes tokens. */
  refreshTokenGrant(config: unknown, refreshToken: string): Promise<OpenidClientTokens>;
}

/** The members of a token response that the driver uses. */
export interface OpenidClientTokens {
  /** The access token. */
  readonly access_token: string;
  /** The refresh token. */
  readonly refresh_token?: string;
  /** The claims of the ID token. */
  claims(): { readonly sub: string } | undefined;
}

/**
 * Drives [openid-client](https://github.com/panva/openid-client) as its documentation describes: discovery once a day
 * for each issuer, PKCE, state, nonce, userinfo with the `sub` of the ID token, refreshes. The application keeps its
 * refresh token if a response has no new one.
 *
 * @param openid The module: `import * as openid from "openid-client"`.
 *
 * @example
 * ```ts ignore
 * const report = await checkClient(openidClientDriver(openid));
 * ```
 */
export function openidClientDriver(openid: OpenidClientModule, options: OpenidClientOptions = {}): ClientDriver {
  const { name = "openid-client", client: registration, scope = defaultScope, verifySignature = false } = options;
  const configs = new Map<string, unknown>();

  function authenticationOf(client: TestClient): unknown {
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
    name,
    client: registration,
    verifiesIdTokenSignature: verifySignature,
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
          const keys = openid.getJwksCache(config as never);
          const { serverMetadata } = config as { serverMetadata(): unknown };
          const aged = new openid.Configuration(
            serverMetadata.call(config) as never,
            client.client_id,
            undefined,
            authenticationOf(client) as never,
          );
          (aged as Record<symbol, unknown>)[openid.customFetch] = fetch;
          if (verifySignature) openid.enableNonRepudiationChecks(aged as never);
          if (keys !== undefined) openid.setJwksCache(aged as never, { ...keys, uat: keys.uat - seconds } as never);
          configs.set(issuer, aged);
        },
      };
    },
  };
}
