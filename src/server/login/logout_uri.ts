/** Where a logout may lead: URIs that the client has registered, or any on a server that accepts them. */

import { policyOf } from "../../core/clients/clients.ts";
import { asServerPolicy } from "../config/server_policy.ts";
import { type ErrorDetails, OAuthError } from "../../core/rules/errors.ts";
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
  const isAccepted = client !== undefined && asServerPolicy(policyOf(server, client)).acceptsAny.includes(setting) &&
    client.allowsRedirectUri(uri, server);
  if (isAccepted) onAccepted(setting);
  return isAccepted;
}

/** What a rejection of a URI says. */
type UriTexts = Required<Pick<ErrorDetails, "expected" | "publicExpected" | "fix">>;

/**
 * Requires that a logout of the client may lead to the URI in a parameter of a provider. Warns if only a setting
 * accepts it.
 *
 * @throws {OAuthError}
 */
export function assertLogoutUri(
  server: Server,
  client: HostedClient | undefined,
  [name, uri]: readonly [name: string, uri: string],
  { publicExpected, ...texts }: UriTexts,
): void {
  const reason = `${name} is not registered for this client`;
  const change = client && uri !== "" && { client_id: client.id, isNew: false, post_logout_redirect_uri: uri };
  const explanation = { rule: "LO-03", ...texts, received: uri, ...change && { change } } as const;
  const warnUnregistered = (setting: string) =>
    warn(server, client!.id, { ...explanation, reason: `${reason}; it was accepted, because ${setting} is "any"` });
  if (mayLogOutTo(server, client, uri, warnUnregistered)) return;
  throw new OAuthError("invalid_request", reason, { ...explanation, publicExpected });
}
