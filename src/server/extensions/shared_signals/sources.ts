/** The events that follow from what happens at this server. */

import { sessionIdFor } from "../../token/subjects.ts";
import type { User } from "../../../core/clients/client.ts";
import { eventTypes } from "./event_types.ts";
import { transmit } from "./transmit.ts";
import { userSubject } from "./streams.ts";
import type { HostedServer } from "../../hosted_server.ts";
import type { SessionTracker } from "../../token/session_tracker.ts";

/** Sends `session-revoked` for each session that has ended, with the `sid` of the client's ID tokens (CAEP §3.1). */
export async function sendSessionsRevoked(server: HostedServer, sub: string, sids: readonly string[]): Promise<void> {
  const user: User = await server.users.find(sub) ?? { sub };
  await Promise.all(sids.map((sid) =>
    transmit(server, {
      ...{ type: eventTypes["session-revoked"], user },
      subject: async (client) => ({
        format: "complex",
        user: await userSubject(server, client, sub),
        session: { format: "opaque", id: await sessionIdFor(server, client, sid) },
      }),
    })
  ));
}

/** Sends the events of a user who was removed, has another password, or whose tokens were revoked. */
export async function sendAccessEnded(
  server: HostedServer,
  user: User,
  cause: Parameters<NonNullable<SessionTracker<HostedServer>["accessEnded"]>>[2],
): Promise<void> {
  const admin = { initiating_entity: "admin" };
  if (cause === "removed") await transmit(server, { type: eventTypes["account-purged"], user });
  if (cause === "password changed") {
    const members = { credential_type: "password", change_type: "update", ...admin };
    await transmit(server, { type: eventTypes["credential-change"], user, members });
  }
  // Without a session, the subject is the user with all sessions.
  await transmit(server, { type: eventTypes["session-revoked"], user, members: admin });
}
