/** Clients of unknown standing: the server shows an error to the user before it sends the error to such a client. */

import { redirectsToDevice } from "./redirect_uri.ts";
import { isPermitted } from "./clients/standing.ts";
import type { Context } from "./context.ts";
import { readSession } from "./session/session_cookie.ts";

/**
 * Whether an error must be shown to the user before it is sent to the client (open redirect, OAuth 2.1 §7.13.2): the
 * client is of unknown standing, it is not on the user's device, and the user has not logged in. A server on a test
 * host sends the error immediately, because its clients are under test.
 */
export async function isShownFirst(context: Context): Promise<boolean> {
  const { server, clientId, destination, endpoint } = context;
  if (destination?.mode === "poll") return false;
  // The pages for login and consent follow an interaction; only the authorization endpoint is in the metadata.
  if (endpoint?.metadataName === undefined) return false;
  const client = server.clients.known().get(clientId ?? "");
  if (client === undefined || isPermitted(server, client, "redirectBeforeLogin")) return false;
  if (redirectsToDevice(destination!.uri)) return false;
  return await readSession(context) === undefined;
}
