/** The clients of a server: the registered ones, and those that extensions add. */

import type { HostedClient } from "../config/client_metadata.ts";
import type { RuleExplanation } from "../../core/rules/errors.ts";
import type { Store } from "../../core/store/store.ts";
import type { ClientRepository } from "./client_repository.ts";
import type { FetchingServer } from "../fetching/fetching.ts";
import { hasStanding, permissions } from "../standing.ts";
import { readAsIfStored } from "./repository.ts";

/**
 * The clients of a server. `find` also finds the clients that extensions add; changes and `registered` concern
 * registered clients only.
 *
 * @internal
 */
export interface ServerClients extends ClientRepository {
  /** See `Clients` in `core/clients/repository.ts`. */
  find(id: string, server?: FetchingServer): HostedClient | undefined | Promise<HostedClient | undefined>;
  /** See `Clients` in `core/clients/repository.ts`. */
  findHolder(id: string, server?: FetchingServer): HostedClient | undefined | Promise<HostedClient | undefined>;
  /** The registered clients only. */
  readonly registered: ClientRepository;
  /** See `Clients` in `core/clients/repository.ts`: those of the operator. */
  withPages(): readonly HostedClient[];
  /** Reads the store for an id that `find` does not look for there: see {@link readAsIfStored}. */
  readAsIfStored(server: FetchingServer, id: string): Promise<void>;
  /** The prefix of the ids of this issuer's records of clients and users. */
  readonly recordPrefix: string;
  /** The clients in memory that are not registered, because their metadata is elsewhere. */
  externalClients(): readonly HostedClient[];
  /** Removes these clients from memory, so that their metadata is fetched again. */
  forgetExternalClients(): void;
}

/** Creates the clients of a server without extensions. */
export function serverClients(registered: ClientRepository, recordPrefix: string): ServerClients {
  return {
    ...registered,
    registered,
    recordPrefix,
    findHolder: registered.find,
    withPages: () =>
      [...registered.known().values()].filter((client) => hasStanding(client, permissions.haveTrustedPages.from)),
    readAsIfStored: (server, id) => readAsIfStored(server, "client", registered, recordPrefix, id),
    externalClients: () => [],
    forgetExternalClients() {},
  };
}

/** The beginning of the ids of clients that registered themselves. */
export const registeredIdPrefix = "registered-";

/** Details of a rejection for a client that the server once had: `a client of this id existed until reset()`. */
export function describeRemovedClient(
  { clients, store }: { readonly clients: ClientRepository; readonly store: Pick<Store, "persistent"> },
  id: string | undefined,
): Pick<RuleExplanation, "earlier" | "fix"> {
  const removalCause = id === undefined ? undefined : clients.removedBy(id);
  if (removalCause !== undefined) return { earlier: `a client of this id existed until ${removalCause}` };
  if (id?.startsWith(registeredIdPrefix) !== true) return {};
  return store.persistent
    ? { earlier: "a client registered itself with this id; it was removed since", fix: "Register the client again." }
    : {
      earlier: "a client registered itself with this id before this start; the store in memory lost it",
      fix: "Register the client again. A persistent store, such as sqlite:latchkey.db, keeps registered clients.",
    };
}
