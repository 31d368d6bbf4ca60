/** Warns about an entry of another issuer without clients, where clients can exist that the operator does not know. */

import type { ConfigurationWarning } from "./config_issue.ts";
import type { ResolvedSettings } from "./resolve_settings.ts";

/**
 * The warnings about such entries.
 *
 * @param paths The paths of the entries.
 */
export function unlistedClientsWarnings(
  settings: Pick<ResolvedSettings, "extensions">,
  paths: readonly string[],
): ConfigurationWarning[] {
  if (!settings.extensions.some((extension) => extension.acceptsUnknownClients?.(settings))) return [];
  return paths.map((path) => ({
    path: `${path}.clients`,
    message:
      "the entry lists no clients, so only configured clients may use it, and no client that registered itself or has " +
      "a metadata document. List the clients.",
  }));
}
