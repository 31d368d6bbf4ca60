/** ID tokens of this server as hints about an earlier login. */

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
 * Reads an ID token of this server as a hint: signature and issuer are verified, expiry is not (§3.1.2.1). A key that
 * is no longer published is accepted for the maximum lifetime of a login's tokens only, because it may have been
 * rotated after a leak.
 */
export async function readIdTokenHint(server: Server, token: string): Promise<IdTokenHint | undefined> {
  const { session, refresh_token } = server.settings.lifetimes;
  const payload = await verifyOwnJwt(server, token, () => ({
    issuer: server.issuer,
    typ: "JWT",
    requiredClaims: ["exp", "iat"],
    // Verified as of the time it was issued, so that expiry is ignored.
    currentDate: readIssuedAt(token),
  }), Math.max(session, refresh_token));
  const { sub, aud, sid, exp } = payload ?? {};
  if (typeof sub !== "string" || typeof aud !== "string") return undefined;
  return { sub, clientId: aud, ...typeof sid === "string" && { sid }, isExpired: secondsNow(server) >= exp! };
}

function readIssuedAt(token: string): Date {
  const { iat } = JSON.parse(atob(token.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/")));
  return new Date(iat * 1000);
}
