/** The end of a session, and of all sessions of a user. */

import type { User } from "../../core/clients/client.ts";
import type { HostedServer } from "../hosted_server.ts";
import type { LogoutFrames } from "../token/session_tracker.ts";
import type { EndingSession } from "../../core/server.ts";
import { endSession } from "../../core/sessions/session.ts";

/** Ends a session, and calls the watchers of sessions. */
export async function endWatchedSession(
  server: HostedServer,
  session: EndingSession,
): Promise<readonly LogoutFrames[]> {
  const { sid, sub, earlier = [] } = session;
  await endSession(server, session);
  const remaining = await Promise.all(
    server.sessionWatchers.map((watcher) => watcher.sessionsEnded(server, sub, [sid, ...earlier])),
  );
  return remaining.filter((frames) => frames !== undefined);
}

/**
 * Ends the sessions of a user who is removed or gets another password. That change does not wait for the logout of
 * clients.
 */
export function endSessionsOfChangedUsers(server: HostedServer): void {
  server.users.onSessionsEnded((user, cause) =>
    server.background.start("users", () => endUserSessions(server, user, cause))
  );
}

/**
 * Ends the watched sessions of a user who was removed or whose password was changed. Sessions are not stored; all other
 * sessions end when their cookie is read.
 */
export async function endUserSessions(
  server: HostedServer,
  user: User,
  cause: "removed" | "password changed",
): Promise<void> {
  const { sub } = user;
  const sids = (await Promise.all(server.sessionWatchers.map((watcher) => watcher.findSessions(server, sub)))).flat();
  await Promise.all([...new Set(sids)].map((sid) => server.endSession(server, { sid, sub })));
  await Promise.all(server.sessionWatchers.map((watcher) => watcher.accessEnded?.(server, user, cause)));
}
