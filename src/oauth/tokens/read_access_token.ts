/** Reads access tokens of this server back: JWTs by their signature, opaque ones from the store. */

import { isRevoked } from "../grants/revoke_grant.ts";
import { storageKey } from "../secrets.ts";
import type { Server } from "../server.ts";
import type { AccessTokenClaims } from "./access_token.ts";
import { verifyOwnJwt } from "./verification.ts";

/** A valid access token. */
export interface AccessToken {
  readonly claims: AccessTokenClaims;
  /** The `sub` of the user on this server; absent without a user. */
  readonly user?: string;
}

/** Reads an access token of this server; `undefined` if it is unknown, expired or revoked. */
export async function readAccessToken(server: Server, token: string): Promise<AccessToken | undefined> {
  const verified = token.includes(".") ? await verifyJwt(server, token) : await findOpaque(server, token);
  if (verified === undefined) return undefined;
  const { claims, user } = verified;
  if (server.now() >= claims.exp * 1000) return undefined;
  if (await server.clients.findHolder(claims.client_id) === undefined) return undefined;
  if (user !== undefined && await server.users.find(user) === undefined) return undefined;
  const grantId = claims.jti.slice(0, claims.jti.indexOf("."));
  return (await isRevoked(server, grantId, claims.jti)).includes(true) ? undefined : verified;
}

async function verifyJwt(server: Server, token: string): Promise<AccessToken | undefined> {
  const payload = await verifyOwnJwt(server, token, () => ({
    issuer: server.issuer,
    typ: "at+jwt",
    currentDate: new Date(server.now()),
  }));
  if (payload === undefined) return undefined;
  const claims = payload as unknown as AccessTokenClaims;
  return { claims, user: claims.auth_time === undefined ? undefined : claims.sub };
}

async function findOpaque(server: Server, token: string): Promise<AccessToken | undefined> {
  const record = (await server.store.get("access_token", await storageKey(server, token)))?.value;
  return record && { claims: record.claims as unknown as AccessTokenClaims, user: record.user };
}
