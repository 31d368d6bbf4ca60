/** The end of sessions: at logout, when another login replaces them, and when their user is removed. */

import type { SessionClientRecord } from "../../store/session_records.ts";
import type { Server } from "../server.ts";
import type { Session } from "./session.ts";
import { sessionClientPrefix } from "./session_clients.ts";

/** Maximum number of clients that are logged out with one session. */
const maxSessionClients = 100;

/** Maximum number of sessions of a removed user that are ended. */
const maxEndedSessions = 1000;

/**
 * Ends a session and revokes the grants that are bound to it. Then it calls the clients that got an ID token in it, and
 * waits for them no longer than `clientLogout.timeout`.
 *
 * @returns The logins of clients that this call has ended, for front-channel logout.
 */
export async function endSession(
  server: Server,
  { sid, sub, earlier = [] }: Pick<Session, "sid" | "sub" | "earlier">,
): Promise<readonly SessionClientRecord[]> {
  const now = server.now();
  const { store, settings: { clientLogout, lifetimes: { session, refresh_token } } } = server;
  const sids = [sid, ...earlier];
  for (const id of sids) await store.revoke(id, now + Math.max(session, refresh_token) * 1000);
  server.trace({ type: "session_ended", at: now, sid });
  if (!clientLogout.backChannel && !clientLogout.frontChannel) return [];
  const records = await Promise.all(sids.map(async (id) => {
    const prefix = await sessionClientPrefix(server, sub, id);
    return await store.list("session_client", { prefix, limit: maxSessionClients });
  }));
  // Only a server with such clients loads the code.
  if (records.flat().length === 0) return [];
  return await (await import("./client_logout.ts")).logOutClients(server, records.flat());
}

/**
 * Ends sessions that the cookie no longer contains after a new login, because logout could not end them later: the
 * session of another user, and the oldest ids beyond the limit of the cookie.
 */
export async function endForgottenSessions(server: Server, formerSession: Session, session: Session): Promise<void> {
  const { sub } = formerSession;
  const remaining = [session.sid, ...session.earlier ?? []];
  const [sid, ...earlier] = [formerSession.sid, ...formerSession.earlier ?? []].filter((name) =>
    !remaining.includes(name)
  );
  if (sid !== undefined) await endSession(server, { sid, sub, earlier });
}

/**
 * Ends the sessions of a user that are over because the user was removed or got another password, in which a client with
 * a logout URI got an ID token. Sessions are not stored; the others end when their cookie is read. It never rejects.
 */
export async function endUserSessions(server: Server, sub: string): Promise<void> {
  if (!server.settings.clientLogout.backChannel) return;
  try {
    const prefix = await sessionClientPrefix(server, sub);
    const records = await server.store.list("session_client", { prefix, limit: maxEndedSessions });
    const sids = new Set(records.filter(({ consumedAt }) => consumedAt === undefined).map(({ value }) => value.sid));
    await Promise.all([...sids].map((sid) => endSession(server, { sid, sub })));
  } catch (cause) {
    server.trace({ type: "internal_error", at: server.now(), endpoint: "users", cause });
  }
}
