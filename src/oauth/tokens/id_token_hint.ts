/** ID tokens of this server as hints about an earlier login. */

import { isIssuerHost } from "../config/issuer_urls.ts";
import { secondsNow } from "../keys/jwt.ts";
import type { Server } from "../server.ts";
import { verifyOwnJwt } from "./verification.ts";

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
