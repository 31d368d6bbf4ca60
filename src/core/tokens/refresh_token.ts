/** Refresh tokens (OAuth 2.1 §4.3): issued to clients that are registered for them, rotated for public clients. */

import { grantNow } from "../grant.ts";
import type { RefreshTokenRecord } from "../store/store.ts";
import type { RefreshLifetimeMember } from "../policy.ts";
import type { Client } from "../clients/repository.ts";
import { isPromise } from "../maybe_promise.ts";
import { digest, newToken, randomId, storageKey, withChecksum } from "../secrets.ts";
import type { Server, TokenIssuer } from "../server.ts";

/** Issues the first refresh token of a grant, or the refresh token that the grant type has chosen. */
export const refreshToken: TokenIssuer = async (server, authorization, _now, _issued, { provenKey }) => {
  const { client, subject, scope, grantId, refresh: nextRefreshToken } = authorization;
  if (nextRefreshToken !== undefined) {
    const { token, endsAt, validUntil } = nextRefreshToken;
    return token === undefined
      ? {}
      : { refresh_token: token, ...endsAt && validUntil && lifetimeMembers(server, endsAt, validUntil) };
  }
  if (subject?.sid === undefined || !client.grantTypes.includes("refresh_token")) return {};
  if (server.settings.refresh.onlyOffline && !scope.includes("offline_access")) return {};
  const token = server.takeFixedValue("refresh_token") ?? newToken(server, "refresh_token");
  const grant = authorization.grant ?? await grantNow(server, authorization, subject);
  const endsAt = grant.approvedAt + server.settings.lifetimes.refresh_token * 1000;
  const validUntil = idleExpiresAt(server, endsAt);
  const dpopJkt = keyOfRefreshToken(client, provenKey);
  const salt = randomId(server.randomBytes);
  await storeRefreshToken(server, token, grantId, { grant, dpopJkt, salt, validUntil, endsAt });
  return { refresh_token: token, ...lifetimeMembers(server, endsAt, validUntil) };
};

/** The values of `refresh_token_expiration_types_supported` for the configured members. */
export function expirationTypes({ settings }: Server): readonly string[] {
  const types = { refresh_token_timeout: "token_timeout", authorization_expires_in: "authorization" };
  return Object.entries(types).flatMap(([name, type]) =>
    settings.refresh.lifetimeMembers.some((member) => member === name) ? [type] : []
  );
}

/** The configured members with the rest of both lifetimes, in whole seconds. */
export function lifetimeMembers(
  { settings, now }: Server,
  endsAt: number,
  validUntil: number,
): { readonly [Name in RefreshLifetimeMember]?: number } {
  const secondsUntil = (time: number) => Math.floor((time - now()) / 1000);
  return Object.fromEntries(
    settings.refresh.lifetimeMembers.map((name) => [
      name,
      secondsUntil(name === "authorization_expires_in" ? endsAt : validUntil),
    ]),
  );
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
  const key = storageKey(server, token);
  await server.store.add("refresh_token", isPromise(key) ? await key : key, record, metadata);
}

/** The successor of a token: the same for every call, and not stored. */
export async function deriveSuccessor(server: Server, token: string, { salt }: RefreshTokenRecord): Promise<string> {
  return newToken(server, "refresh_token", withChecksum(await digest(`${salt} ${token}`)));
}

export function successorRecord(server: Server, record: RefreshTokenRecord): RefreshTokenRecord {
  return { ...record, salt: randomId(server.randomBytes), validUntil: idleExpiresAt(server, record.endsAt) };
}

/**
 * When a refresh token that is issued or used at a time, by default now, expires unless it is used again. Both are in
 * milliseconds since the epoch.
 */
export function idleExpiresAt(server: Server, endsAt: number, issuedAt: number = server.now()): number {
  return Math.min(endsAt, issuedAt + server.settings.lifetimes.refresh_token_idle * 1000);
}
