/** Refresh tokens (OAuth 2.1 §4.3): issued to clients registered for them, rotated for public ones. */

import { soon } from "../maybe_promise.ts";
import type { Soon } from "../maybe_promise.ts";
import type { RefreshTokenRecord } from "../../store/store.ts";
import { digest, drawName, drawSecret, shelfId } from "../secrets.ts";
import type { Server } from "../server.ts";
import { passwordMark } from "../session/session.ts";
import type { TokenIssuer } from "./issuer.ts";

/** Issues a first refresh token with every code, or hands on the one a refresh goes on with. */
export const refreshToken: TokenIssuer = (server, authorization) => {
  const { client, subject, scope, resources, grantedResources = resources, family, refresh } = authorization;
  if (refresh !== undefined) return { refresh_token: refresh.token };
  if (subject === undefined || !client.grantTypes.includes("refresh_token")) return {};
  if (server.refresh.onlyOffline && !scope.includes("offline_access")) return {};
  const token = drawSecret(server.random);
  const endsAt = (subject.approvedAt ?? server.now()) + server.lifetimes.refresh_token * 1000;
  const user = server.users.find(subject.sub);
  const shelve = (password: string | undefined) =>
    shelveRefreshToken(server, token, family, {
      clientId: client.id,
      sub: subject.sub,
      scope,
      resources: grantedResources,
      claims: subject.claims,
      authTime: subject.authTime,
      sid: subject.sid,
      password,
      consent: subject.consent,
      salt: drawName(server.random),
      validUntil: idleUntil(server, endsAt),
      endsAt,
    });
  return soon(soon(user && passwordMark(server, user), shelve), () => ({ refresh_token: token }));
};

/** Shelves a refresh token; one that is there already, spent or not, stays as it is. */
export async function shelveRefreshToken(
  server: Server,
  token: string,
  family: string,
  record: RefreshTokenRecord,
): Promise<void> {
  // A used token is remembered as long as what follows from it may live, so that a late replay still ends the family.
  await server.store.add("refresh_token", await shelfId(server, token), record, { family, expiresAt: record.endsAt });
}

/** The token that takes the place of another: the same one however often it is asked for, and unknown to the shelf. */
export function successorOf(token: string, { salt }: RefreshTokenRecord): Soon<string> {
  return digest(`${salt} ${token}`);
}

/** The record of the token that takes the place of another. */
export function succeed(server: Server, record: RefreshTokenRecord): RefreshTokenRecord {
  return { ...record, salt: drawName(server.random), validUntil: idleUntil(server, record.endsAt) };
}

/** When a token used or issued now is refused if nobody uses it, in milliseconds. */
export function idleUntil(server: Server, endsAt: number): number {
  return Math.min(endsAt, server.now() + server.lifetimes.refresh_token_idle * 1000);
}
