/**
 * Records of the clients that got an ID token in a session, and of calls to repeat. Only clients with a logout URI are
 * recorded. The records outlive the process, and instances share them. `channels.ts` calls the clients.
 */

import type { ListedRecord } from "../../../core/store/store.ts";
import type { Client } from "../../../core/clients/clients.ts";
import { clientRecord } from "../../clients/generations.ts";
import { findRevoked } from "../../../core/store/grant.ts";
import { randomId, storageKey } from "../../../core/keys/secrets.ts";
import type { Server } from "../../../core/server.ts";
import { type LogoutCallRecord, logoutStore, type SessionClientRecord } from "./records.ts";
import { clientLogoutOf } from "./settings.ts";

/** A call to a client, and the number of earlier attempts. */
export type PendingLogoutCall = Omit<LogoutCallRecord, "dueAt">;

export type StoredCall = Pick<ListedRecord<LogoutCallRecord>, "id" | "value">;

/** The minimum delays before the repetitions of a call, in seconds. */
const repetitionDelaysSeconds = [60, 300, 1800];

/** Maximum time that a call stays in the store after it is due, in milliseconds. */
const maxOverdueMs = 24 * 3600 * 1000;

/** Maximum number of clients that are logged out with one session. */
const maxSessionClients = 100;

/** Maximum number of sessions of a removed user that are ended. */
const maxEndedSessions = 1000;

export async function listSessionClients(
  server: Server,
  sub: string,
  sids: readonly string[],
): Promise<readonly ListedRecord<SessionClientRecord>[]> {
  const records = sids.map(async (sid) => {
    const prefix = await sessionClientPrefix(server, sub, sid);
    return await logoutStore(server).list("session_client", { prefix, limit: maxSessionClients });
  });
  return (await Promise.all(records)).flat();
}

/** The ids of the sessions of a user that have this client, or any such client, and have not ended. */
export async function findSessions(server: Server, sub: string, clientId?: string): Promise<readonly string[]> {
  const prefix = await sessionClientPrefix(server, sub);
  const records = await logoutStore(server).list("session_client", { prefix, limit: maxEndedSessions });
  return records.filter(({ value, consumedAt }) =>
    consumedAt === undefined && (clientId === undefined || value.clientId === clientId)
  ).map(({ value }) => value.sid);
}

/** The prefix of the record ids of a session's clients; without `sid`, of all sessions of the user. */
async function sessionClientPrefix(server: Server, sub: string, sid?: string): Promise<string> {
  return `${await storageKey(server, `sessions ${sub}`)} ${sid === undefined ? "" : `${sid} `}`;
}

/** Records that a client gets an ID token in a session. */
export async function recordSessionClient(
  server: Server,
  client: Client,
  sub: string,
  sid: string,
): Promise<void> {
  const { issuer, names, policy: { lifetimes } } = server;
  const now = server.now();
  const record = clientRecord(client);
  const login: SessionClientRecord = { ...record, sub, sid, ...names.isIssuer && { issuer } };
  const id = await sessionClientPrefix(server, sub, sid) + JSON.stringify([record.clientId, record.clientGeneration]);
  const expiresAt = now + Math.max(lifetimes.session, lifetimes.refresh_token) * 1000;
  if (!await logoutStore(server).add("session_client", id, login, { expiresAt })) return;
  const hasEnded = await findRevoked(server, [sid]) !== undefined;
  // The session has ended after its code was issued, possibly just now: the client is called later.
  if (hasEnded) await claimSessionClients(server, [{ id, value: login, expiresAt }]);
}

/** Stores a call for later; returns `undefined` after the last attempt. */
export async function scheduleCall(server: Server, call: PendingLogoutCall): Promise<StoredCall | undefined> {
  const delay = repetitionDelaysSeconds[Math.max(0, call.attempts - 1)];
  if (delay === undefined) return undefined;
  const dueAt = server.now() + delay * 1000;
  // Sorts the ids by time.
  const id = `${logoutCallPrefix(server)}${String(dueAt).padStart(15, "0")} ${randomId(server.randomBytes)}`;
  const value = { ...call, dueAt };
  await logoutStore(server).put("logout_call", id, value, { expiresAt: dueAt + maxOverdueMs });
  return { id, value };
}

/** The prefix of the ids of the calls to repeat. */
export function logoutCallPrefix(server: Server): string {
  return `${server.names.storage} `;
}

/** A login that has ended, and the call that its client must get. */
interface ClaimedLogin {
  readonly login: SessionClientRecord;
  /** Absent if the server makes no calls. */
  readonly call?: StoredCall;
}

/**
 * Consumes the records of logins that have ended. Of several concurrent calls, on any instance, only one consumes each
 * record. The call of the client is stored before: if the process ends, maintenance makes it later.
 */
export async function claimSessionClients(
  server: Server,
  records: readonly ListedRecord<SessionClientRecord>[],
): Promise<readonly ClaimedLogin[]> {
  const { now } = server;
  const store = logoutStore(server);
  const claimed = records.map(async ({ id, value: login, consumedAt }) => {
    if (consumedAt !== undefined) return [];
    const call = clientLogoutOf(server).backChannel ? await scheduleCall(server, { ...login, attempts: 0 }) : undefined;
    if (await store.consume("session_client", id, now())) return [{ login, call }];
    if (call !== undefined) await store.delete("logout_call", call.id);
    return [];
  });
  return (await Promise.all(claimed)).flat();
}
