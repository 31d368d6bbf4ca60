/** Ending a family: everything one approval obtained, and whatever is issued for it later; and what else ends a grant. */

import type { CodeRecord, Entry, RefreshTokenRecord } from "../../store/store.ts";
import type { Client } from "../clients.ts";
import type { ErrorDetails } from "../errors.ts";
import { findUser } from "../people.ts";
import type { Server } from "../server.ts";
import { passwordMark } from "../session.ts";
import { registeredScope } from "./registered.ts";

/** Ends it and tells the trace why. `atLeastUntil`, in milliseconds: the last moment something of it may live. */
export async function endFamily(server: Server, family: string, reason: string, atLeastUntil: number): Promise<void> {
  const { access_token, id_token } = server.lifetimes;
  const now = server.now();
  await server.store.revoke(family, Math.max(atLeastUntil, now + Math.max(access_token, id_token) * 1000));
  server.trace({ type: "family_ended", at: now, family, reason });
}

/**
 * Which of them have ended: families, and the consents and sessions that they rest on. All are looked up at once, so that
 * a store at the other end of a network is waited for once.
 */
export async function haveEnded(
  { store }: Server,
  ...names: readonly (string | undefined)[]
): Promise<readonly boolean[]> {
  const marks = names.map((name) => name === undefined ? undefined : store.get("ended_family", name));
  return (await Promise.all(marks)).map((mark) => mark !== undefined);
}

/**
 * Why a code or a refresh token counts no more, although it was neither used nor has expired: its user is gone, its scope
 * is no longer registered, it was revoked or its consent taken back, or the session it belongs to is over.
 *
 * @returns Details for a rejection; `undefined` while it counts.
 */
export async function findEnd(
  server: Server,
  client: Client,
  { family, value }: Entry<CodeRecord | RefreshTokenRecord>,
): Promise<ErrorDetails | undefined> {
  const { sub, sid, consent, password } = value;
  const user = await findUser(server, sub);
  if (user === undefined) {
    return { rule: "CI-11", reason: "the user is no longer there", expected: `user ${sub}`, received: "no such user" };
  }
  const scope = registeredScope(client, value.scope);
  if (scope.length === 0) {
    const reason = "nothing of the granted scope is registered any more";
    return { rule: "RT-09", reason, expected: `some of: ${client.scope.join(" ")}`, received: value.scope.join(" ") };
  }
  // With offline_access it outlives the session.
  const bound = !scope.includes("offline_access");
  const [familyEnded, consentEnded, sessionEnded] = await haveEnded(server, family, consent, bound ? sid : undefined);
  if (familyEnded) return { rule: "RT-04", reason: "the grant was revoked", expected: "a grant that is still good" };
  if (consentEnded) return { rule: "CI-11", reason: "the consent was taken back", expected: "a consent that holds" };
  const expected = "a session that goes on, or offline_access";
  if (sessionEnded) return { rule: "LO-05", reason: "the session it belongs to has ended", expected };
  if (bound && password !== await passwordMark(server, user)) {
    return { rule: "LO-06", reason: "the user's password was changed since", expected };
  }
}
