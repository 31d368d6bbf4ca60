/** The repository of clients: what it accepts, and how a client is written to the store. */

import { assertNoIssues } from "../config/configuration_error.ts";
import type { ResolvedSettings } from "../config/settings.ts";
import type { ClientMetadata } from "./client.ts";
import { clientFromMetadata, deserializeClient, repository, serializeClient } from "./repository.ts";
import type { ClientRepository, SharedChanges } from "./repository.ts";
import { validateClient, validateClientAudience } from "./validate_client.ts";

/** Creates the repository of clients with those of the settings. */
export function clientRepository(settings: ResolvedSettings, sharing?: SharedChanges): ClientRepository {
  const parse = (metadata: ClientMetadata) => {
    assertNoIssues([...validateClient(metadata, settings), ...validateClientAudience(metadata, settings.audience)]);
    return clientFromMetadata(metadata, settings);
  };
  return repository(settings.clients, {
    collection: "clients",
    getId: (metadata) => metadata.client_id,
    parse,
    serialize: serializeClient,
    deserialize: (stored) => deserializeClient(stored, parse),
  }, sharing);
}

/** Gives the demo clients the redirect URIs of another issuer, except those that were changed meanwhile. */
export function moveDemoClients(
  clients: ClientRepository,
  from: readonly ClientMetadata[],
  to: readonly ClientMetadata[],
): void {
  for (const [i, metadata] of to.entries()) {
    const registered = clients.find(metadata.client_id);
    if (String(registered?.redirectUris) === String(from[i]!.redirect_uris)) clients.set(metadata, false);
  }
}
