/**
 * Front-channel logout: the logout page shows a frame of each client that got an ID token in the session, so that the
 * client ends its own session in this browser (OpenID Connect Front-Channel Logout).
 */

import type { SessionClientRecord } from "../../store/session_records.ts";
import { appendToRedirectUri } from "../clients/redirect_uri.ts";
import type { Server } from "../server.ts";
import { sessionIdFor } from "../users/subject.ts";

/** A client that is logged out in a frame. */
export interface LogoutFrame {
  /** The name or ID of the client. */
  readonly client: string;
  /** Its `frontchannel_logout_uri`, with `iss` and `sid`. */
  readonly src: string;
}

/** The frames for logins that have ended, one for each client with a `frontchannel_logout_uri`. */
export async function logoutFrames(
  server: Server,
  logins: readonly SessionClientRecord[],
): Promise<readonly LogoutFrame[]> {
  if (!server.settings.clientLogout.frontChannel) return [];
  const frames = logins.map(async ({ clientId, sid }) => {
    const client = await server.clients.findHolder(clientId);
    const uri = client?.metadata.frontchannel_logout_uri;
    if (client === undefined || uri === undefined) return [];
    const identifiers = [["iss", server.issuer], ["sid", await sessionIdFor(server, client, sid)]] as const;
    return [{ client: client.name ?? client.id, src: appendToRedirectUri(uri, identifiers) }];
  });
  return (await Promise.all(frames)).flat();
}
