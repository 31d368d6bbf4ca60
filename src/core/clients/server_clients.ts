/** The clients of a server: the registered ones, and those that extensions add. */

import type { MaybePromise } from "../maybe_promise.ts";
import type { Store } from "../store/store.ts";
import { boundedCache } from "../bounded_cache.ts";
import type { RuleExplanation } from "../explanation.ts";
import type { Sender } from "../sender.ts";
import type { Client, ClientRepository } from "./repository.ts";

/**
 * The clients of a server. `find` also finds the clients that extensions add; changes and `registered` concern
 * registered clients only.
 *
 * @internal
 */
export interface ServerClients extends ClientRepository {
  /**
   * The client of an id; `undefined` if it is unknown.
   *
   * @param sender The sender of the request that names the client, if a document may be fetched because of it.
   * @throws {OAuthError} If the client cannot be used.
   */
  find(id: string, sender?: Sender): MaybePromise<Client | undefined>;
  /** The registered clients only. */
  readonly registered: ClientRepository;
  /** The prefix of the ids of this issuer's records of clients and users. */
  readonly recordPrefix: string;
  /**
   * The client of an issued token; `undefined` if it no longer exists. Metadata in memory is not fetched again, even if
   * it has expired.
   *
   * @param sender The sender of a request that names the client, without a token or for a redirect. Expired metadata is
   *   then fetched again.
   */
  findHolder(id: string, sender?: Sender): MaybePromise<Client | undefined>;
  /** Records that something was issued to a client: fetches for it no longer share their limits with other clients. */
  recordUse(id: string): void;
  /** Whether something was issued to a client, as far as this instance remembers. */
  isInUse(id: string): boolean;
  /** The clients in memory that are not registered, because their metadata is elsewhere. */
  externalClients(): readonly Client[];
  /** Removes these clients from memory, so that their metadata is fetched again. */
  forgetExternalClients(): void;
}

/** Maximum number of clients that are known to be in use. */
const maxUsedClients = 10_000;

/** Creates the clients of a server without extensions. */
export function serverClients(registered: ClientRepository, recordPrefix: string): ServerClients {
  const used = boundedCache<true>(maxUsedClients);
  return {
    ...registered,
    registered,
    recordPrefix,
    findHolder: registered.find,
    recordUse: (id) => used.set(id, true),
    isInUse: (id) => used.get(id) === true,
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
