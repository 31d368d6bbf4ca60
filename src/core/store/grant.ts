/** Grants: created at an approval, and revoked with everything issued for them; and the revocation of sessions. */

import { ProgramError } from "../rules/program_error.ts";
import type { Authorization } from "../token/grants/authenticated_request.ts";
import type { Client } from "../clients/clients.ts";
import { quoteValue } from "../http/quote_value.ts";
import type { NewGrant } from "../token/grants/grant_functions.ts";
import { suggest } from "../policy/suggest.ts";
import type { Server } from "../server.ts";
import type { Grant, RevocationRecord, Subject } from "./store.ts";

/** Returns the stored grant of an authorization. If its grant type stores none, creates one, approved now. */
export async function grantOf(
  server: Server,
  { client, scope, extensions, grant }: Authorization,
  subject: Subject,
): Promise<Grant> {
  return grant ?? await server.grants.create(server, client, { subject, scope, extensions });
}

/** @throws {ProgramError} If it has a value of an extension that the server does not have: it could never be used. */
export function createGrant({ now, extensionNames }: Server, { id: clientId }: Client, granted: NewGrant): Grant {
  const unknown = Object.keys(granted.extensions ?? {}).find((name) => !extensionNames.has(name));
  if (unknown !== undefined) {
    const meant = suggest(unknown, [...extensionNames]);
    throw new ProgramError(
      `expected a slot with the name of an extension of this server, received ${quoteValue(unknown)}. ` +
        (meant === undefined ? "Pass slot() the name of your extension." : `Did you mean ${meant}?`),
    );
  }
  // A grant type of a program may pass a whole user.
  const { sub, authTime, sid, extensions } = granted.subject;
  return { clientId, ...granted, subject: { sub, authTime, sid, extensions }, approvedAt: now() };
}

/**
 * Revokes everything issued for a grant and traces the reason.
 *
 * @param atLeastUntil The latest time at which something issued for it can be valid, in milliseconds since the epoch.
 */
export async function revokeGrant(
  server: Server,
  grantId: string,
  reason: string,
  atLeastUntil: number,
): Promise<void> {
  const { access_token, id_token } = server.policy.lifetimes;
  const now = server.now();
  const until = Math.max(atLeastUntil, now + Math.max(access_token, id_token) * 1000);
  await server.store.revoke(grantId, until, { reason, at: now });
  server.trace({ type: "grant_revoked", at: now, grantId, reason });
}

export function clientSessionId(clientId: string, sid: string): string {
  return `${clientId} ${sid}`;
}

/**
 * The first of these grants, consents and sessions that is revoked; `undefined` if none is. The lookups run
 * concurrently, so they take one round trip.
 */
export async function findRevoked(
  { store }: Server,
  ids: readonly (string | undefined)[],
): Promise<{ readonly id: string; readonly record: RevocationRecord } | undefined> {
  const known = ids.filter((id) => id !== undefined);
  const records = await Promise.all(known.map((id) => store.get("revocation", id)));
  const i = records.findIndex((record) => record !== undefined);
  return i < 0 ? undefined : { id: known[i]!, record: records[i]!.value };
}
