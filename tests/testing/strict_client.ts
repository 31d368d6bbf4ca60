/** A strict client, oauth4webapi, with a server that has a fault injector. */

import * as oauth from "oauth4webapi";
import type { Latchkey, LatchkeyOptions } from "../../src/mod.ts";
import { faultInjector } from "../../src/testing/faults/fault_injector.ts";
import type { FaultInjector, FaultInjectorOptions } from "../../src/testing/faults/fault_injector.ts";
import { mcpServer } from "../../src/resource/mod.ts";
import { latchkey } from "../secret_leak_check.ts";

const redirectUri = "https://spa.example/cb";

/** What a login brought, once the client has believed all of it. */
export interface ValidatedLogin {
  readonly tokens: oauth.TokenEndpointResponse;
  readonly claims: oauth.IDToken;
  readonly info: oauth.UserInfoResponse;
}

/** A server, its board, and the client. */
export interface StrictClient {
  readonly as: Latchkey;
  readonly injector: FaultInjector;
  readonly fetch: typeof fetch;
  /** A whole login; rejects with what the client noticed. Keys are fetched when they are needed, and then kept. */
  logIn(fields?: Readonly<Record<string, string>>): Promise<ValidatedLogin>;
  /** A refresh; rejects with what the client noticed. */
  refresh(token: string): Promise<oauth.TokenEndpointResponse>;
  /** Requests a resource without a token, and its metadata; rejects with what the client noticed. */
  findResource(): Promise<oauth.ResourceServer>;
  /** Forgets the keys that were fetched. */
  forgetKeys(): void;
}

/** Puts up a server at `https://as.test` that signs with ES256, and a public client `spa` that may refresh. */
export async function strictClient(
  options: LatchkeyOptions = {},
  injectorOptions: FaultInjectorOptions = {},
): Promise<StrictClient> {
  const injector = faultInjector(injectorOptions);
  const as = await latchkey({
    issuer: "https://as.test",
    alg: "ES256",
    clients: [
      { client_id: "spa", redirect_uris: [redirectUri], grant_types: ["authorization_code", "refresh_token"] },
      { client_id: "web", client_secret: "web-secret", redirect_uris: ["https://web.example/cb"] },
    ],
    users: [{ sub: "alice", name: "Alice Adams", email: "alice@example.com" }],
    plugins: [injector.plugin, mcpServer("/mcp")],
    ...options,
  });
  const fetch =
    ((input: string | URL | Request, init?: RequestInit) =>
      as.fetch(new Request(input instanceof URL ? input.href : input, init))) as typeof globalThis.fetch;
  const client: oauth.Client = { client_id: "spa" };
  const clientAuth = oauth.None();
  let cache: oauth.JWKSCacheInput = {};
  const issuer = new URL(as.issuer);
  const requestOptions = { [oauth.customFetch]: fetch };

  const discover = async () =>
    await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, requestOptions));

  return {
    as,
    injector,
    fetch,
    async logIn(fields = {}) {
      const server = await discover();
      const verifier = oauth.generateRandomCodeVerifier();
      const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
      const query = new URLSearchParams({
        client_id: "spa",
        redirect_uri: redirectUri,
        response_type: "code",
        scope: "openid profile email",
        state,
        nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        ...fields,
      });
      const redirectResponse = await fetch(`${server.authorization_endpoint}?${query}`, { redirect: "manual" });
      const callbackParams = oauth.validateAuthResponse(
        server,
        client,
        new URL(redirectResponse.headers.get("location")!),
        state,
      );
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        clientAuth,
        callbackParams,
        redirectUri,
        verifier,
        requestOptions,
      );
      const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
        expectedNonce: nonce,
        requireIdToken: true,
      });
      await oauth.validateApplicationLevelSignature(server, response, { ...requestOptions, [oauth.jwksCache]: cache });
      const claims = oauth.getValidatedIdTokenClaims(tokens)!;
      const userinfoResponse = await oauth.userInfoRequest(server, client, tokens.access_token, requestOptions);
      return {
        tokens,
        claims,
        info: await oauth.processUserInfoResponse(server, client, claims.sub, userinfoResponse),
      };
    },
    async refresh(token) {
      const server = await discover();
      const response = await oauth.refreshTokenGrantRequest(server, client, clientAuth, token, requestOptions);
      return await oauth.processRefreshTokenResponse(server, client, response);
    },
    async findResource() {
      const resource = new URL("/mcp", as.issuer);
      await fetch(resource, { method: "POST", body: "{}" });
      const response = await oauth.resourceDiscoveryRequest(resource, requestOptions);
      return await oauth.processResourceDiscoveryResponse(resource, response);
    },
    forgetKeys: () => void (cache = {}),
  };
}

/** What the client noticed, in a word: the code of oauth4webapi, or the error that the server gave; `nothing`. */
export async function getDetectedError(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt;
    return "nothing";
  } catch (error) {
    const { code, error: oauthError, name, message } = error as Error & { code?: string; error?: string };
    return oauthError ?? code ?? `${name}: ${message}`;
  }
}
