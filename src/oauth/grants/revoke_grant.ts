/** Revokes a grant with everything issued for it, and lists the other reasons that end a grant. */

import type { CodeRecord, RefreshTokenRecord, StoredRecord } from "../../store/store.ts";
import type { Client } from "../clients/repository.ts";
import type { ErrorDetails } from "../errors.ts";
import { findUser } from "../users/users.ts";
import type { Server } from "../server.ts";
import { passwordFingerprint } from "../session/session.ts";
import { registeredScope } from "./narrow_to_registered.ts";

/** Ends it and tells the trace why. `atLeastUntil`, in milliseconds: the last moment something of it may live. */
export async function revokeGrant(
  server: Server,
  grantId: string,
  reason: string,
  atLeastUntil: number,
): Promise<void> {
  const { access_token, id_token } = server.lifetimes;
  const now = server.now();
  await server.store.revoke(grantId, Math.max(atLeastUntil, now + Math.max(access_token, id_token) * 1000));
  server.trace({ type: "grant_revoked", at: now, grantId, reason });
}

/**
 * Which of them have ended: families, and the consents and sessions that they rest on. All are looked up at once, so that
 * a store at the other end of a network is waited for once.
 */
export async function isRevoked(
  { store }: Server,
  ...ids: readonly (string | undefined)[]
): Promise<readonly boolean[]> {
  const records = ids.map((name) => name === undefined ? undefined : store.get("ended_family", name));
  return (await Promise.all(records)).map((record) => record !== undefined);
}

/**
 * Why a code or refresh token that is neither used nor expired is invalid: its user was removed, its scope is no longer
 * registered, its grant or consent was revoked, or its session has ended.
 *
 * @returns Details for a rejection; `undefined` if it is valid.
 */
export async function findInvalidReason(
  server: Server,
  client: Client,
  { grantId, value }: StoredRecord<CodeRecord | RefreshTokenRecord>,
): Promise<ErrorDetails | undefined> {
  const { sub, sid, consent, password } = value;
  const user = await findUser(server, sub);
  if (user === undefined) {
    return { rule: "CI-11", reason: "the user was removed", expected: `user ${sub}`, received: "no such user" };
  }
  const scope = registeredScope(client, value.scope);
  if (scope.length === 0) {
    const reason = "no scope value of the grant is registered any more";
    return { rule: "RT-09", reason, expected: `some of: ${client.scope.join(" ")}`, received: value.scope.join(" ") };
  }
  // With offline_access it outlives the session.
  const isSessionBound = !scope.includes("offline_access");
  const [isGrantRevoked, isConsentRevoked, isSessionEnded] = await isRevoked(
    server,
    grantId,
    consent,
    isSessionBound ? sid : undefined,
  );
  if (isGrantRevoked) {
    return { rule: "RT-04", reason: "the grant was revoked", expected: "a grant that is not revoked" };
  }
  if (isConsentRevoked) {
    return { rule: "CI-11", reason: "the consent was revoked", expected: "a consent that is not revoked" };
  }
  const expected = "an active session, or offline_access";
  if (isSessionEnded) return { rule: "LO-05", reason: "the session it belongs to has ended", expected };
  if (isSessionBound && password !== await passwordFingerprint(server, user)) {
    return { rule: "LO-06", reason: "the user's password was changed after the login", expected };
  }
}
