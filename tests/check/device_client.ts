/**
 * A small client on a device without a browser (RFC 8628), with every check, and copies of it with one mistake each.
 */

import { createLocalJWKSet, decodeJwt, jwtVerify } from "jose";
import type { ClientDriver, ClientSession, DeviceJourney } from "../../src/check/mod.ts";
import { smallClient } from "./small_client.ts";

/** A mistake of a copy. */
export type DeviceMistake =
  | "polls every second"
  | "does not slow down"
  | "forgets that it slowed down"
  | "polls after the end"
  | "restarts without an end"
  | "never stops"
  | "believes every interval"
  | "opens every URI"
  | "checks nothing";

type Members = Record<string, unknown>;

/**
 * The driver of the correct client, or of a copy with a mistake.
 *
 * @param restarts How often it requests new codes after `expired_token` (RFC 8628 §3.5).
 */
export function deviceClient(mistake?: DeviceMistake, restarts = 0): ClientDriver {
  const has = (...mistakes: DeviceMistake[]) =>
    mistake === "checks nothing" || mistakes.some((name) => name === mistake);

  return {
    ...smallClient(),
    name: mistake ?? "client on a device",
    readsClock: true,
    async logInDevice(journey: DeviceJourney): Promise<ClientSession> {
      const left = has("restarts without an end") ? 40 : restarts;
      for (let restart = 0;; restart++) {
        try {
          return await logIn(journey);
        } catch (error) {
          if (restart === left || (error as Error).message !== "expired_token") throw error;
        }
      }
    },
  };

  async function logIn(journey: DeviceJourney): Promise<ClientSession> {
    const { issuer, fetch, client: { client_id }, sleep, open, now } = journey;

    async function send(url: string, init?: RequestInit): Promise<Members> {
      return await (await fetch(url, { redirect: "manual", ...init } as RequestInit)).json();
    }

    const post = (url: string, fields: Record<string, string>) =>
      send(url, { method: "POST", body: new URLSearchParams({ client_id, ...fields }) });

    const metadata = await send(`${issuer}/.well-known/oauth-authorization-server`) as Record<string, string>;
    if (metadata.issuer !== issuer) throw new Error("wrong issuer");
    const started = await post(metadata.device_authorization_endpoint!, { scope: "openid" });
    const { device_code, user_code, verification_uri, verification_uri_complete, expires_in, interval } = started;
    if (!has()) {
      for (const [name, value] of Object.entries({ device_code, user_code, verification_uri })) {
        if (typeof value !== "string" || value === "") throw new Error(`no ${name}`);
      }
    }
    const startedAt = now();
    const uri = String(verification_uri_complete ?? verification_uri);
    // A URL that is text for a shell has characters that the host of an https URL cannot have.
    if (has("opens every URI") || URL.canParse(uri) && uri.startsWith("https://")) open(uri);
    let seconds = has("believes every interval")
      ? Number(interval ?? 0)
      : typeof interval === "number" && interval > 0
      ? interval
      : 5;
    if (has("polls every second")) seconds = 1;
    for (;;) {
      await sleep(seconds * 1000);
      const isExpired = now() - startedAt > Number(expires_in) * 1000;
      if (isExpired && !has("never stops")) throw new Error("the codes have expired");
      const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
      const tokens = await post(metadata.token_endpoint!, { grant_type, device_code: String(device_code) });
      const { error } = tokens;
      if (error === undefined) {
        const token = String(tokens.id_token);
        const { sub } = has()
          ? decodeJwt(token)
          : (await jwtVerify(token, createLocalJWKSet(await send(metadata.jwks_uri!) as never), {
            algorithms: [journey.client.id_token_signed_response_alg ?? "RS256"],
            issuer,
            audience: client_id,
            requiredClaims: ["iss", "aud", "exp", "iat"],
            currentDate: new Date(now()),
          })).payload;
        const headers = { authorization: `Bearer ${tokens.access_token}` };
        const info = await send(metadata.userinfo_endpoint!, { headers });
        if (typeof sub !== "string" || info.sub !== sub && !has()) {
          throw new Error("no user");
        }
        return { sub };
      }
      if (error === "slow_down" && !has("does not slow down")) seconds += 5;
      else if (has("forgets that it slowed down")) seconds = 5;
      const continues = error === "slow_down" || error === "authorization_pending" || has("polls after the end");
      if (!continues) throw new Error(String(error));
    }
  }
}
