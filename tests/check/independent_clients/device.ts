/** A device without a browser (RFC 8628). */

import type { ClientDriver, DeviceJourney } from "../../../src/check/mod.ts";
import { type Protocol, protocolClient, type Site, type Tokens } from "./protocol.ts";
import { assert, type Members, requestJson } from "./requests.ts";

/** The steps of the device. */
export interface DeviceSteps {
  /** The seconds to wait between two polls at first. */
  interval(started: Members): number;
  /** The seconds to wait after `slow_down`. */
  slowDown(seconds: number): number;
  /** Whether the codes have expired. */
  isExpired(started: Members, seconds: number): boolean;
  /** Whether the device polls again after an error. */
  continues(error: string): boolean;
  /** Opens or shows the URI. */
  show(started: Members, open: (url: string) => void): void;
  /** Whether the device waits before its first poll. */
  readonly waitsFirst: boolean;
}

export const correctDevice: DeviceSteps = {
  interval: ({ interval }) => typeof interval === "number" && interval > 0 && interval < 600 ? interval : 5,
  slowDown: (seconds) => seconds + 5,
  isExpired: ({ expires_in }, seconds) => seconds > Math.min(Number(expires_in) || 900, 3600),
  continues: (error) => error === "authorization_pending" || error === "slow_down",
  show({ verification_uri, verification_uri_complete }, open) {
    const uri = verification_uri_complete ?? verification_uri;
    if (typeof uri === "string" && URL.canParse(uri) && uri.startsWith("https://")) open(new URL(uri).href);
  },
  waitsFirst: true,
};

/** A driver of the device. */
export function deviceClient(name: string, protocol: Protocol, steps: DeviceSteps): ClientDriver {
  const sites = new Map<string, Site["kept"]>();
  const client = protocolClient(protocol);

  async function poll(site: Site, journey: DeviceJourney, started: Members): Promise<Tokens> {
    const { sleep, now } = journey;
    const startedAt = now();
    let seconds = steps.interval(started);
    for (let polls = 0;; polls++) {
      if (polls > 0 || steps.waitsFirst) await sleep(seconds * 1000);
      assert(!steps.isExpired(started, (now() - startedAt) / 1000), "the codes have expired");
      const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
      const device_code = String(started.device_code);
      try {
        return await client.requestTokens(site, { grant_type, device_code });
      } catch (error) {
        const code = String((error as { code?: string }).code);
        if (code === "slow_down") seconds = steps.slowDown(seconds);
        if (!steps.continues(code)) throw error;
      }
    }
  }

  return {
    name,
    readsClock: true,
    async logInDevice(journey) {
      const { issuer, client: registered, redirectUri, fetch, now, open } = journey;
      if (!sites.has(issuer)) sites.set(issuer, {});
      const { client_id, id_token_signed_response_alg: alg = "RS256" } = registered;
      const site: Site = { issuer, clientId: client_id, redirectUri, alg, fetch, now, kept: sites.get(issuer)! };
      try {
        const metadata = await client.discover(site);
        const started = await requestJson(site, String(metadata.device_authorization_endpoint), {
          method: "POST",
          body: new URLSearchParams({ client_id, scope: "openid profile offline_access" }),
        });
        for (const name of ["device_code", "user_code", "verification_uri"]) {
          assert(typeof started[name] === "string" && started[name] !== "", `no ${name}`);
        }
        steps.show(started, open);
        const tokens = await poll(site, journey, started);
        const idToken = await client.verify(site, tokens);
        const claims = protocol.mergeClaims(
          idToken,
          await protocol.requestUserinfo(site, metadata, tokens.access_token),
        );
        return { sub: String(claims.sub), claims };
      } catch (error) {
        site.kept.metadata = undefined;
        throw error;
      }
    },
  };
}
