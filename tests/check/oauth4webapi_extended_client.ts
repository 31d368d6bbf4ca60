/** A driver of oauth4webapi with pushed requests, signed responses, DPoP, registration and devices. */

import * as oauth from "oauth4webapi";
import type { ClientDriver, ClientJourney, ClientSession, DeviceJourney } from "../../src/check/mod.ts";

/** What the client uses. */
export type OauthExtension = "par" | "jarm" | "dpop" | "registration";

/**
 * The driver. Where the library leaves a decision to its caller, the caller follows the documentation of the library.
 */
export function oauth4webapiExtendedClient(uses: readonly OauthExtension[]): ClientDriver {
  const registrations = new Map<string, oauth.Client>();

  async function prepare({ issuer: issuerText, client: { client_id }, redirectUri, fetch }: ClientJourney) {
    const options = { [oauth.customFetch]: fetch as typeof globalThis.fetch };
    const issuer = new URL(issuerText);
    const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
    let client: oauth.Client = registrations.get(issuerText) ?? { client_id };
    if (uses.includes("registration") && !registrations.has(issuerText)) {
      const metadata = {
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: "none",
        grant_types: ["authorization_code", "urn:ietf:params:oauth:grant-type:device_code"],
        scope: "openid",
      };
      const response = await oauth.dynamicClientRegistrationRequest(as, metadata, options);
      client = await oauth.processDynamicClientRegistrationResponse(response);
      registrations.set(issuerText, client);
    }
    const keys = uses.includes("dpop") ? await oauth.generateKeyPair("ES256") : undefined;
    const DPoP = keys && oauth.DPoP(client, keys);
    return { as, client, options: { ...options, DPoP } };
  }

  type Prepared = Awaited<ReturnType<typeof prepare>>;

  /** Sends a request, and once more if the server demands a nonce, which the library keeps. */
  async function send<Result>(request: () => Promise<Response>, read: (response: Response) => Promise<Result>) {
    try {
      return await read(await request());
    } catch (error) {
      if (!oauth.isDPoPNonceError(error)) throw error;
      return await read(await request());
    }
  }

  async function getUser({ as, client, options }: Prepared, accessToken: string): Promise<string> {
    const { sub } = await send(
      () => oauth.userInfoRequest(as, client, accessToken, options),
      (response) => oauth.processUserInfoResponse(as, client, oauth.skipSubjectCheck, response),
    );
    return sub;
  }

  /** The library accepts a bearer token in response to a request with a proof. */
  function assertBound({ token_type }: oauth.TokenEndpointResponse): void {
    if (uses.includes("dpop") && token_type !== "dpop") throw new Error("the access token is not bound");
  }

  return {
    name: "oauth4webapi",
    async logIn(journey): Promise<ClientSession> {
      const { redirectUri, authorize, issuer } = journey;
      const prepared = await prepare(journey);
      const { as, client, options } = prepared;
      const verifier = oauth.generateRandomCodeVerifier();
      const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
      const parameters = new URLSearchParams({
        ...{
          client_id: client.client_id,
          redirect_uri: redirectUri,
          response_type: "code",
          scope: "openid",
          state,
          nonce,
        },
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        ...uses.includes("jarm") && { response_mode: "jwt" },
      });
      const url = new URL(as.authorization_endpoint!);
      if (uses.includes("par")) {
        const { request_uri } = await send(
          () => oauth.pushedAuthorizationRequest(as, client, oauth.None(), parameters, options),
          (response) => oauth.processPushedAuthorizationResponse(as, client, response),
        );
        url.search = String(new URLSearchParams({ client_id: client.client_id, request_uri }));
      } else {
        url.search = String(parameters);
      }
      try {
        const callback = new URL((await authorize(url)).url);
        const received = uses.includes("jarm")
          ? await oauth.validateJwtAuthResponse(as, client, callback, state, options)
          : oauth.validateAuthResponse(as, client, callback, state);
        const tokens = await send(
          () => oauth.authorizationCodeGrantRequest(as, client, oauth.None(), received, redirectUri, verifier, options),
          (response) => oauth.processAuthorizationCodeResponse(as, client, response, { expectedNonce: nonce }),
        );
        assertBound(tokens);
        return { sub: await getUser(prepared, tokens.access_token) };
      } catch (error) {
        registrations.delete(issuer);
        throw error;
      }
    },
    async logInDevice(journey: DeviceJourney): Promise<ClientSession> {
      const { sleep, open, now } = journey;
      const prepared = await prepare(journey);
      const { as, client, options } = prepared;
      const started = await oauth.processDeviceAuthorizationResponse(
        as,
        client,
        await oauth.deviceAuthorizationRequest(as, client, oauth.None(), { scope: "openid" }, options),
      );
      const { verification_uri_complete, verification_uri, device_code, expires_in } = started;
      const uri = verification_uri_complete ?? verification_uri;
      // Opening the URI, the interval and the lifetime are left to the caller.
      if (URL.canParse(uri) && new URL(uri).protocol === "https:") open(uri);
      const endsAt = now() + expires_in * 1000;
      for (let seconds = started.interval || 5; now() + seconds * 1000 < endsAt;) {
        await sleep(seconds * 1000);
        try {
          const tokens = await send(
            () => oauth.deviceCodeGrantRequest(as, client, oauth.None(), device_code, options),
            (response) => oauth.processDeviceCodeResponse(as, client, response),
          );
          assertBound(tokens);
          return { sub: await getUser(prepared, tokens.access_token) };
        } catch (error) {
          const code = error instanceof oauth.ResponseBodyError ? error.error : undefined;
          if (code !== "authorization_pending" && code !== "slow_down") throw error;
          if (code === "slow_down") seconds += 5;
        }
      }
      throw new Error("the codes have expired");
    },
  };
}
