/** Where a logout may lead: URIs that the client has registered, or any on a server that accepts them. */

import { policyOf } from "../../oauth/clients/policy.ts";
import type { Client } from "../../oauth/clients/repository.ts";
import { warnAccepted } from "../../oauth/notes.ts";
import type { Server } from "../../oauth/server.ts";
import type { RuleExplanation } from "../../oauth/trace.ts";

/** Whether a logout of the client may lead to the URI; warns if it is not registered. */
export function mayLogOutTo(
  server: Server,
  client: Client | undefined,
  uri: string,
  unregistered: RuleExplanation,
): boolean {
  if (client?.metadata.post_logout_redirect_uris?.includes(uri)) return true;
  const setting = client?.isUnregistered ? "clients" : "redirectUris";
  const isAccepted = client !== undefined && policyOf(server, client).acceptsAny.includes(setting) &&
    client.allowsRedirectUri(uri);
  if (isAccepted) warnAccepted(server, client, setting, unregistered);
  return isAccepted;
}
