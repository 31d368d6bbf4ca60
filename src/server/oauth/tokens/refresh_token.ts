/** Refresh tokens (OAuth 2.1 §4.3): issued to clients that are registered for them, rotated for public clients. */

import type { Grant, RefreshTokenRecord, Subject } from "../../../platform/store/store.ts";
import type { Client } from "../clients/repository.ts";
import type { Authorization } from "../grants/authenticated_request.ts";
import { digest, randomId, randomTokenAndId, storageKey } from "../secrets.ts";
import type { Server, TokenIssuer } from "../server.ts";
import { passwordFingerprint } from "../session/session.ts";
import { generationOf } from "../users/users.ts";

/** Issues the first refresh token of a grant, or the refresh token that the grant type has chosen. */
export const refreshToken: TokenIssuer = async (server, authorization, _now, _issued, { provenKey }) => {
  const { client, subject, scope, grantId, refresh: nextRefreshToken } = authorization;
  if (nextRefreshToken !== undefined) {
    return nextRefreshToken.token === undefined ? {} : { refresh_token: nextRefreshToken.token };
  }
  if (subject?.sid === undefined || !client.grantTypes.includes("refresh_token")) return {};
  if (server.settings.refresh.onlyOffline && !scope.includes("offline_access")) return {};
  const [randomValue, salt] = randomTokenAndId(server.randomBytes);
  const token = server.takeFixedValue?.("refresh_token") ?? randomValue;
  const grant = authorization.grant ?? await createGrant(server, authorization, subject);
  const endsAt = grant.approvedAt + server.settings.lifetimes.refresh_token * 1000;
  await storeRefreshToken(server, token, grantId, {
    grant,
    dpopJkt: keyOfRefreshToken(client, provenKey),
    salt,
    validUntil: idleExpiresAt(server, endsAt),
    endsAt,
  });
  return { refresh_token: token };
};

/** The grant of a grant type that stores none: approved now. */
export async function createGrant(
  server: Server,
  { client, scope, resources, claims }: Authorization,
  subject: Subject,
): Promise<Grant> {
  const user = await server.users.find(subject.sub);
  const password = user && await passwordFingerprint(server, user);
  const generation = user && generationOf(user);
  return {
    ...{ clientId: client.id, clientGeneration: client.generation },
    ...{ subject, scope, resources, claims, password, generation, approvedAt: server.now() },
  };
}

/**
 * The key that a new refresh token is bound to (RFC 9449 §5). A confidential client authenticates with each refresh,
 * and may change its key.
 */
export function keyOfRefreshToken({ confidential }: Client, provenKey: string | undefined): string | undefined {
  return confidential ? undefined : provenKey;
}

/** Stores a refresh token. A token that is already stored, consumed or not, stays unchanged. */
export async function storeRefreshToken(
  server: Server,
  token: string,
  grantId: string,
  record: RefreshTokenRecord,
): Promise<void> {
  // A consumed token is kept as long as the grant can last, so that a late replay still revokes the grant.
  const metadata = { grantId, expiresAt: record.endsAt };
  await server.store.add("refresh_token", await storageKey(server, token), record, metadata);
}

/** The successor of a token: the same for every call, and not stored. */
export async function deriveSuccessor(token: string, { salt }: RefreshTokenRecord): Promise<string> {
  return await digest(`${salt} ${token}`);
}

/** The record of a token's successor. */
export function successorRecord(server: Server, record: RefreshTokenRecord): RefreshTokenRecord {
  return { ...record, salt: randomId(server.randomBytes), validUntil: idleExpiresAt(server, record.endsAt) };
}

/** When a refresh token that is issued or used now expires unless it is used again, in milliseconds since the epoch. */
export function idleExpiresAt(server: Server, endsAt: number): number {
  return Math.min(endsAt, server.now() + server.settings.lifetimes.refresh_token_idle * 1000);
}
