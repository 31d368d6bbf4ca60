/** The end of sessions: at logout, when another login replaces them, and when their user is removed. */

import type { Server } from "../server.ts";
import type { Session } from "./session.ts";
import type { LogoutFrames } from "./logout_frames.ts";

/**
 * Ends a session and revokes the grants that are bound to it. Then it calls the watchers of sessions, and waits for
 * them.
 *
 * @returns What remains to do in the browser.
 */
export async function endSession(
  server: Server,
  { sid, sub, earlier = [] }: Pick<Session, "sid" | "sub" | "earlier">,
): Promise<readonly LogoutFrames[]> {
  const now = server.now();
  const { sessionWatchers, store, settings: { lifetimes: { session, refresh_token } } } = server;
  const sids = [sid, ...earlier];
  for (const id of sids) await store.revoke(id, now + Math.max(session, refresh_token) * 1000);
  server.trace({ type: "session_ended", at: now, sid });
  const remaining = await Promise.all(sessionWatchers.map((watcher) => watcher.sessionsEnded(server, sub, sids)));
  return remaining.filter((frames) => frames !== undefined);
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
 * Ends the sessions of a user that are over because the user was removed or got another password, as far as they are
 * watched. Sessions are not stored; the others end when their cookie is read. It never rejects.
 */
export async function endUserSessions(server: Server, sub: string): Promise<void> {
  try {
    const sids = (await Promise.all(server.sessionWatchers.map((watcher) => watcher.findSessions(server, sub)))).flat();
    await Promise.all([...new Set(sids)].map((sid) => endSession(server, { sid, sub })));
  } catch (cause) {
    server.trace({ type: "internal_error", at: server.now(), endpoint: "users", cause });
  }
}
