/** Where a logout may lead: URIs that the client has registered, or any on a server that accepts them. */

import { policyOf } from "../../core/clients/clients.ts";
import { serverPolicy } from "../config/server_policy.ts";
import type { RuleExplanation } from "../../core/rules/errors.ts";
import type { HostedClient } from "../config/client_metadata.ts";
import { warn } from "../trace.ts";
import type { Server } from "../../core/server.ts";

/**
 * Whether a logout of the client may lead to the URI.
 *
 * @param onAccepted Called if the client has not registered the URI, with the setting that accepts it.
 */
export function mayLogOutTo(
  server: Server,
  client: HostedClient | undefined,
  uri: string,
  onAccepted: (setting: "clients" | "redirectUris") => void,
): boolean {
  if (client?.metadata.post_logout_redirect_uris?.includes(uri)) return true;
  const setting = client?.isUnregistered ? "clients" : "redirectUris";
  const isAccepted = client !== undefined && serverPolicy(policyOf(server, client)).acceptsAny.includes(setting) &&
    client.allowsRedirectUri(uri);
  if (isAccepted) onAccepted(setting);
  return isAccepted;
}

/** Warns that a request was accepted only because a setting is `"any"`. */
export function warnAccepted(
  server: Pick<Server, "now" | "trace">,
  client: { readonly id: string },
  setting: "clients" | "redirectUris",
  explanation: RuleExplanation,
): void {
  const reason = `${explanation.reason}; it was accepted, because ${setting} is "any"`;
  warn(server, client.id, { ...explanation, reason });
}
