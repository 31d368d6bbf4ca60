/** The end of a session in tests, by one of its ID tokens. */

import { isPairwise, sessionIdFor } from "../server/token/subjects.ts";
import type { HostedServer } from "../server/hosted_server.ts";
import { logoutStore, type SessionClientRecord } from "../server/extensions/client_logout/records.ts";
import { userForHint } from "../server/clients/login_hint.ts";
import type { TestControl } from "./test_control.ts";
import { unknownUserError } from "./user_decisions.ts";
import { readIdTokenHint } from "../core/keys/verification.ts";

/** Maximum number of clients in sessions that are compared with the ID token of a pairwise client. */
const maxComparedClients = 10_000;

/**
 * Ends the session of an ID token, or the sessions of a user that clients with a logout URI know.
 *
 * @throws {TypeError} If it is not an ID token of a session of this server, or there is no such user.
 */
export async function endSessionOf(
  server: HostedServer,
  session: Parameters<TestControl["endSession"]>[0],
): Promise<void> {
  if (typeof session === "string") await server.endSession(server, await sessionOf(server, session));
  else await endSessionsOf(server, session.sub);
  // A test finds what was posted to clients.
  await server.background.finished();
}

async function endSessionsOf(server: HostedServer, name: string): Promise<void> {
  const user = await userForHint(server, name);
  if (user === undefined) throw unknownUserError(server.users, name);
  const { sub } = user;
  const sids = (await Promise.all(server.sessionWatchers.map((watcher) => watcher.findSessions(server, sub)))).flat();
  for (const sid of new Set(sids)) await server.endSession(server, { sid, sub });
}

async function sessionOf(server: HostedServer, idToken: string): Promise<Pick<SessionClientRecord, "sid" | "sub">> {
  const { clientId, sid, sub } = await readIdTokenHint(server, idToken) ?? {};
  const client = clientId === undefined ? undefined : await server.clients.findHolder(clientId);
  if (client === undefined || sid === undefined || sub === undefined) {
    throw new TypeError("endSession: expected an ID token that this server issued in a session, received another text");
  }
  if (!isPairwise(client)) return { sid, sub };
  // The sid of a pairwise client does not reveal the session.
  for (const { value } of await logoutStore(server).list("session_client", { prefix: "", limit: maxComparedClients })) {
    if (value.clientId === client.id && await sessionIdFor(server, client, value.sid) === sid) {
      return value;
    }
  }
  throw new TypeError("endSession: expected the ID token of a pairwise client with a logout URI, received another one");
}
