/** The repository of clients: validation and serialization. */

import { assertNoIssues } from "../config/configuration_error.ts";
import type { ResolvedSettings } from "../config/settings.ts";
import { memoryRepository } from "../records/memory_repository.ts";
import type { CreateRepository, EntryDefinition } from "../records/repository.ts";
import type { ClientEntry, ClientMetadata } from "./client.ts";
import { clientFromMetadata, parseClientEntry, serializeClient } from "./client_from_metadata.ts";
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
  const parseMetadata = (metadata: ClientMetadata) => {
    assertNoIssues([...validateClient(metadata, settings), ...validateClientAudience(metadata, settings.audience)]);
    return clientFromMetadata(metadata, settings);
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
  return create(settings.clients, definition);
}
