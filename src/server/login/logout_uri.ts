/** Where a logout may lead: URIs that the client has registered, or any on a server that accepts them. */

import { policyOf } from "../../core/clients/policy.ts";
import type { Client } from "../../core/clients/repository.ts";
import type { Server } from "../../core/server.ts";

/**
 * Whether a logout of the client may lead to the URI.
 *
 * @param warn Called if the client has not registered the URI, with the setting that accepts it.
 */
export function mayLogOutTo(
  server: Server,
  client: Client | undefined,
  uri: string,
  warn: (setting: "clients" | "redirectUris") => void,
): boolean {
  if (client?.metadata.post_logout_redirect_uris?.includes(uri)) return true;
  const setting = client?.isUnregistered ? "clients" : "redirectUris";
  const isAccepted = client !== undefined && policyOf(server, client).acceptsAny.includes(setting) &&
    client.allowsRedirectUri(uri);
  if (isAccepted) warn(setting);
  return isAccepted;
}
