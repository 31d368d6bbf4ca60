/** Verification of JWTs that this server has signed (RFC 7519 §7.2). */

import { isIssuerHost } from "../config/issuer_urls.ts";
import { secondsNow } from "../keys/jwt.ts";
import type { Server } from "../server.ts";
import type { JWTPayload, JWTVerifyGetKey, JWTVerifyOptions } from "jose";

/** Loaded with the first token to verify. */
let jose: typeof import("jose") | undefined;

/** Canonical base64url: no padding, unused bits zero, so each byte sequence has one encoding (RFC 4648 §3.5). */
const base64urlPart = /(?:[\w-]{4})*(?:[\w-]{4}|[\w-]{2}[AEIMQUYcgkosw048]|[\w-][AQgw])/.source;

/** Three such parts (RFC 7515 §7.1). */
export const compactJws: RegExp = new RegExp(`^${base64urlPart}\\.${base64urlPart}\\.${base64urlPart}$`);

/**
 * The claims of a JWT that a key of this server has signed and that is valid by these options; `undefined` for any
 * other token.
 *
 * @param options Called once the token has the form of a JWT. If it throws, the token is invalid.
 * @param leewaySeconds Seconds for which a key is accepted after it is no longer published.
 * @throws If the keys cannot be read.
 */
export async function verifyOwnJwt(
  { keys }: Server,
  token: string,
  options: () => JWTVerifyOptions,
  leewaySeconds = 0,
): Promise<JWTPayload | undefined> {
  // The library accepts padding and non-zero unused bits, which are other encodings of the same token.
  if (!compactJws.test(token)) return undefined;
  let lookupFailure: unknown;
  const key: JWTVerifyGetKey = async ({ kid, alg }) => {
    const publicKey = await keys.verificationKey(kid, alg, leewaySeconds).catch((failure) =>
      void (lookupFailure = failure)
    );
    if (publicKey === undefined) throw new Error("no key of this server fits");
    return publicKey;
  };
  const { jwtVerify } = jose ??= await import("jose");
  try {
    return (await jwtVerify(token, key, options())).payload;
  } catch {
    if (lookupFailure !== undefined) throw lookupFailure;
    return undefined;
  }
}

/** An earlier login, according to an ID token. */
export interface IdTokenHint {
  readonly sub: string;
  /** The client it was issued to. */
  readonly clientId: string;
  readonly sid?: string;
  /** Whether it has expired: an old one may have been found in a log. */
  readonly isExpired: boolean;
}

/**
 * Reads an ID token of this server as a hint: signature and issuer are verified, expiry is not (§3.1.2.1). The issuer
 * may be another name of the server: the browser may use another one than the client. A key that
 * is no longer published is accepted for the maximum lifetime of a login's tokens only, because it may have been
 * rotated after a leak.
 */
export async function readIdTokenHint(server: Server, token: string): Promise<IdTokenHint | undefined> {
  const { session, refresh_token } = server.settings.lifetimes;
  const payload = await verifyOwnJwt(server, token, () => ({
    issuer: readIssuer(server, token),
    typ: "JWT",
    requiredClaims: ["exp", "iat"],
    // Verified as of the time it was issued, so that expiry is ignored.
    currentDate: readIssuedAt(token),
  }), Math.max(session, refresh_token));
  const { sub, aud, sid, exp } = payload ?? {};
  if (typeof sub !== "string" || typeof aud !== "string") return undefined;
  return { sub, clientId: aud, ...typeof sid === "string" && { sid }, isExpired: secondsNow(server) >= exp! };
}

/** The issuer that the token must have. */
function readIssuer({ issuer, settings }: Server, token: string): string {
  if (!settings.isIssuerFromHost) return issuer;
  const { origin, hostname } = new URL(readClaims(token).iss);
  return isIssuerHost(settings, hostname) ? origin : issuer;
}

function readIssuedAt(token: string): Date {
  return new Date(readClaims(token).iat * 1000);
}

/** The claims before the token is verified. */
function readClaims(token: string): { readonly iss: string; readonly iat: number } {
  return JSON.parse(atob(token.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/")));
}
