/** ID tokens (OpenID Connect Core §2): issued if `openid` was granted, and read back as hints. */

import { assertClaimsSize, claimsForScope, withRequestedClaims } from "../claims.ts";
import type { Subject } from "../grants/token_request.ts";
import { tokenHash } from "../keys/jwt.ts";
import type { Server, TokenIssuer } from "../server.ts";
import { sessionIdFor, subjectFor } from "../users/subject.ts";
import { claimsContext } from "./claims_context.ts";
import { verifyOwnJwt } from "./verification.ts";

/** The claims that ID tokens of this server may contain, besides claims about the user. */
export const idTokenClaims = ["iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "at_hash", "sid"] as const;

/**
 * Issues the ID token. It contains claims about the user only if they were requested by name for it, or if the server
 * is configured to include them; otherwise userinfo returns them (§5.4).
 */
export const idToken: TokenIssuer = async (server, authorization, now, issued) => {
  const { client, subject, scope } = authorization;
  if (subject === undefined || authorization.issue !== undefined || !scope.includes("openid")) return {};
  const { sub, nonce, authTime, sid } = subject;
  const claims = {
    iss: server.issuer,
    sub: await subjectFor(server, client, sub),
    aud: client.id,
    exp: now + server.lifetimes.id_token,
    iat: now,
    auth_time: Math.floor(authTime / 1000),
    nonce,
    at_hash: await tokenHash(client.idTokenAlg, issued.access_token!),
    sid: sid && await sessionIdFor(server, client, sid),
  };
  if (hasUserClaims(server, subject)) Object.assign(claims, await userClaims(server, subject, scope));
  const overriddenClaims = server.overrideClaims === undefined
    ? claims
    : server.overrideClaims("id_token", claims, await claimsContext(server, authorization));
  return { id_token: await server.sign("id_token", client.idTokenAlg, overriddenClaims) };
};

function hasUserClaims({ claims: rules }: Server, { claims: requested }: Subject): boolean {
  return requested !== undefined || rules.idToken !== "minimal";
}

/** The claims about the user; `undefined` if the user was removed. */
async function userClaims(
  { claims: rules, users }: Server,
  { sub, claims: requested }: Subject,
  scope: readonly string[],
): Promise<Record<string, unknown> | undefined> {
  const user = await users.find(sub);
  if (user === undefined) return undefined;
  const scopeClaims = rules.idToken === "minimal" ? {} : claimsForScope(rules, user, scope);
  const claims = requested === undefined
    ? scopeClaims
    : withRequestedClaims(user, scopeClaims, requested.id_token, requested.values?.id_token);
  assertClaimsSize(claims);
  return claims;
}

/** An earlier login, according to an ID token. */
export interface IdTokenHint {
  readonly sub: string;
  /** The client it was issued to. */
  readonly clientId: string;
  readonly sid?: string;
}

/**
 * Reads an ID token of this server as a hint: signature and issuer are verified, expiry is not (§3.1.2.1). A key that
 * is no longer published is accepted for the maximum lifetime of a login's tokens only, because it may have been
 * rotated after a leak.
 */
export async function readIdTokenHint(server: Server, token: string): Promise<IdTokenHint | undefined> {
  const { session, refresh_token } = server.lifetimes;
  const payload = await verifyOwnJwt(server, token, () => ({
    issuer: server.issuer,
    typ: "JWT",
    requiredClaims: ["exp", "iat"],
    // Verified as of the time it was issued, so that expiry is ignored.
    currentDate: readIssuedAt(token),
  }), Math.max(session, refresh_token));
  const { sub, aud, sid } = payload ?? {};
  if (typeof sub !== "string" || typeof aud !== "string") return undefined;
  return { sub, clientId: aud, ...typeof sid === "string" && { sid } };
}

function readIssuedAt(token: string): Date {
  const { iat } = JSON.parse(atob(token.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/")));
  return new Date(iat * 1000);
}
