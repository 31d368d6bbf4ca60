/** Refresh tokens (OAuth 2.1 §4.3): issued to clients that are registered for them, rotated for public clients. */

import { grantOf } from "../../store/grant.ts";
import type { RefreshTokenRecord } from "../../store/store.ts";
import type { AuthenticatedRequest } from "../grants/authenticated_request.ts";
import { digest, randomId, randomToken, storageKey } from "../../keys/secrets.ts";
import type { Server } from "../../server.ts";
import type { Issue } from "../steps.ts";

/** Issues the first refresh token of a grant, or the refresh token that the grant type has chosen. */
export const issueRefreshToken: Issue<Server> = async (server, _issued, authorization, _now, request) => {
  const { client, subject, scope, grantId, refresh } = authorization;
  if (refresh !== undefined) return refresh.token === undefined ? {} : { refresh_token: refresh.token };
  if (subject?.sid === undefined || !client.grantTypes.includes("refresh_token")) return {};
  if (server.policy.refresh.onlyOffline && !scope.includes("offline_access")) return {};
  const token = server.newToken(server, "refresh_token");
  const grant = await grantOf(server, authorization, subject);
  const endsAt = grant.approvedAt + server.policy.lifetimes.refresh_token * 1000;
  const validUntil = idleExpiresAt(server, endsAt);
  const salt = randomId(server.randomBytes);
  await server.grants.storeRefreshToken(server, request, token, grantId, { grant, salt, validUntil, endsAt });
  return { refresh_token: token };
};

/** Stores a refresh token. A token that is already stored, consumed or not, stays unchanged. */
export async function storeRefreshToken(
  server: Server,
  _request: AuthenticatedRequest,
  token: string,
  grantId: string,
  record: RefreshTokenRecord,
): Promise<void> {
  // A consumed token is kept as long as the grant can last, so that a late replay still revokes the grant.
  const metadata = { grantId, expiresAt: record.endsAt };
  await server.store.add("refresh_token", await storageKey(server, token), record, metadata);
}

/** A random successor, new at each call. Its value is passed to `newToken`, as that of every successor. */
export function randomSuccessor(server: Server): string {
  return server.newToken(server, "refresh_token", randomToken(server.randomBytes));
}

/** The successor of a token: the same for every call, and not stored. */
export async function deriveSuccessor(server: Server, token: string, { salt }: RefreshTokenRecord): Promise<string> {
  return server.newToken(server, "refresh_token", await digest(`${salt} ${token}`));
}

export function successorRecord(server: Server, record: RefreshTokenRecord): RefreshTokenRecord {
  return { ...record, salt: randomId(server.randomBytes), validUntil: idleExpiresAt(server, record.endsAt) };
}

/**
 * When a refresh token that is issued or used now expires unless it is used again. Both are in milliseconds since the
 * epoch.
 */
export function idleExpiresAt(server: Server, endsAt: number): number {
  return Math.min(endsAt, server.now() + server.policy.lifetimes.refresh_token_idle * 1000);
}
