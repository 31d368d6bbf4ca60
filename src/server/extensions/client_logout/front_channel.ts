/**
 * Front-channel logout: the logout page shows a frame of each client that received an ID token in the session. In this
 * frame, the client ends its own session in the browser (OpenID Connect Front-Channel Logout).
 */

import { sessionIdFor } from "../../entries/subjects.ts";
import { findClientOf } from "../../entries/generations.ts";
import { metadataOf } from "../../config/client_metadata.ts";
import { appendToRedirectUri } from "../../../core/redirect_uri.ts";
import type { Server } from "../../../core/server.ts";
import type { LogoutFrame } from "../../hosted_server.ts";
import type { SessionClientRecord } from "./records.ts";

/** The frames for logins that have ended, one for each client with a `frontchannel_logout_uri`. */
export async function logoutFrames(
  server: Server,
  logins: readonly SessionClientRecord[],
): Promise<readonly LogoutFrame[]> {
  const frames = logins.map(async (login) => {
    const { sid, issuer = server.issuer } = login;
    const client = await findClientOf(server, login);
    const uri = client && metadataOf(client).frontchannel_logout_uri;
    if (client === undefined || uri === undefined) return [];
    const identifiers = [["iss", issuer], ["sid", await sessionIdFor(server, client, sid)]] as const;
    return [{ client: client.name ?? client.id, src: appendToRedirectUri(uri, identifiers) }];
  });
  return (await Promise.all(frames)).flat();
}
