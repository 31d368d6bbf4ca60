/** The repository of clients: validation and serialization. */

import { assertNoIssues } from "../config/configuration_error.ts";
import type { ResolvedSettings } from "../config/resolve_settings.ts";
import { memoryRepository } from "../records/memory_repository.ts";
import type { CreateRepository, EntryDefinition } from "../records/repository.ts";
import type { ClientEntry, ClientMetadata } from "./client.ts";
import { clientFromMetadata, parseClientEntry, serializeClient } from "./client_from_metadata.ts";
import { tightenSettings } from "./policy.ts";
import type { Client, ClientRepository } from "./repository.ts";
import { validateClient, validateClientAudience } from "./validate_client.ts";

/**
 * Creates the repository with the clients of the settings.
 *
 * @param create Default: in memory.
 */
export function clientRepository(
  settings: ResolvedSettings,
  create: CreateRepository = memoryRepository,
): ClientRepository {
  let isStarting = true;
  const parseMetadata = (metadata: ClientMetadata) => {
    // The start has validated the configured clients together.
    if (!isStarting) {
      assertNoIssues([...validateClient(metadata, settings), ...validateClientAudience(metadata, settings.audience)]);
    }
    const policy = tightenSettings(settings, metadata);
    const client = clientFromMetadata(metadata, policy);
    return policy === settings ? client : Object.assign(client, { policy });
  };
  const definition: EntryDefinition<ClientMetadata, Client> = {
    kind: "client",
    acceptsExpiring: false,
    getId: (metadata) => metadata.client_id,
    idOf: (client) => client.id,
    parse: (entry: ClientEntry) => parseClientEntry(entry, parseMetadata),
    serialize: serializeClient,
    deserialize: (entry) => parseClientEntry(entry as unknown as ClientEntry, parseMetadata),
  };
  const repository = create(settings.clients, definition);
  isStarting = false;
  return repository;
}
