/** Refresh tokens (OAuth 2.1 §4.3): issued to clients registered for them, rotated for public ones. */

import type { MaybePromise } from "../maybe_promise.ts";
import type { RefreshTokenRecord } from "../../store/store.ts";
import { digest, randomId, randomToken, storageKey } from "../secrets.ts";
import type { Server, TokenIssuer } from "../server.ts";
import { passwordFingerprint } from "../session/session.ts";

/** Issues the first refresh token of a grant, or the one that the grant type has decided. */
export const refreshToken: TokenIssuer = async (server, authorization) => {
  const { client, subject, scope, resources, grantedResources = resources, grantId, refresh: nextRefreshToken } =
    authorization;
  if (nextRefreshToken !== undefined) {
    return nextRefreshToken.token === undefined ? {} : { refresh_token: nextRefreshToken.token };
  }
  const sid = subject?.sid;
  if (subject === undefined || sid === undefined || !client.grantTypes.includes("refresh_token")) return {};
  if (server.refresh.onlyOffline && !scope.includes("offline_access")) return {};
  const token = randomToken(server.randomBytes);
  const endsAt = (subject.approvedAt ?? server.now()) + server.lifetimes.refresh_token * 1000;
  const user = await server.users.find(subject.sub);
  await storeRefreshToken(server, token, grantId, {
    clientId: client.id,
    sub: subject.sub,
    scope,
    resources: grantedResources,
    claims: subject.claims,
    authTime: subject.authTime,
    sid,
    password: user && await passwordFingerprint(server, user),
    consent: subject.consent,
    salt: randomId(server.randomBytes),
    validUntil: idleExpiresAt(server, endsAt),
    endsAt,
  });
  return { refresh_token: token };
};

/** Stores a refresh token; a stored one, consumed or not, stays unchanged. */
export async function storeRefreshToken(
  server: Server,
  token: string,
  grantId: string,
  record: RefreshTokenRecord,
): Promise<void> {
  // A consumed token is kept as long as the grant can last, so that a late replay still revokes the grant.
  await server.store.add("refresh_token", await storageKey(server, token), record, {
    grantId,
    expiresAt: record.endsAt,
  });
}

/** The successor of a token: the same for every call, and not stored. */
export function deriveSuccessor(token: string, { salt }: RefreshTokenRecord): MaybePromise<string> {
  return digest(`${salt} ${token}`);
}

/** The record of a token's successor. */
export function successorRecord(server: Server, record: RefreshTokenRecord): RefreshTokenRecord {
  return { ...record, salt: randomId(server.randomBytes), validUntil: idleExpiresAt(server, record.endsAt) };
}

/** When a token that is issued or used now expires if it is not used again, in milliseconds since the epoch. */
export function idleExpiresAt(server: Server, endsAt: number): number {
  return Math.min(endsAt, server.now() + server.lifetimes.refresh_token_idle * 1000);
}
