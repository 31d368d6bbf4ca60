/** The end of all sessions of a user. */

import type { User } from "../../core/clients/client.ts";
import type { HostedServer } from "../hosted_server.ts";
import { endSession } from "../../core/session/session.ts";

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
  await Promise.all([...new Set(sids)].map((sid) => endSession(server, { sid, sub })));
  await Promise.all(server.sessionWatchers.map((watcher) => watcher.accessEnded?.(server, user, cause)));
}
