/**
 * DPoP nonces (RFC 9449 §8, §9). They are stateless: each is the MAC of a time window. Instances with one secret accept
 * each other's nonces, and nothing is stored.
 */

import { cryptography, encodeBase64url } from "../../../core/keys/crypto.ts";
import { constantTimeEqual } from "../../../core/keys/secrets.ts";
import type { Server } from "../../../core/server.ts";
import { computeMac } from "../../../core/sessions/session.ts";

/** The nonces of one kind of endpoint. Times are in milliseconds since the epoch. */
export interface Nonces {
  /** The nonce for the next proofs. */
  current(now: number): Promise<string>;
  /** Whether a proof may have this nonce: the current or the previous nonce. */
  accepts(nonce: string, now: number): Promise<boolean>;
}

/**
 * Milliseconds after which the nonce changes. A nonce is accepted for at least this time, and for at most twice as
 * long.
 */
const windowMs = 120_000;

/** The time, in milliseconds since the epoch, from which the server rejects every nonce that it accepts now. */
export function noncesExpireAt(now: number): number {
  return now + 2 * windowMs;
}

function noncesByMac(mac: (window: string) => string | Promise<string>): Nonces {
  const nonceAt = async (time: number) => await mac(String(Math.floor(time / windowMs)));
  return {
    current: nonceAt,
    async accepts(nonce, now) {
      return constantTimeEqual(nonce, await nonceAt(now)) || constantTimeEqual(nonce, await nonceAt(now - windowMs));
    },
  };
}

/**
 * The nonces of a server: one kind for the token endpoint and PAR, another one for its protected resources, because a
 * resource must not accept a nonce of an authorization server (RFC 9449 §9).
 */
export function serverNonces(server: Server, kind: "client" | "resource"): Nonces {
  return noncesByMac((window) => computeMac(server, `dpop nonce ${kind}`, window));
}

export function resourceNonces(secret: string): Nonces {
  return noncesByMac(async (window) => encodeBase64url(await cryptography().hmac(secret, window)));
}
