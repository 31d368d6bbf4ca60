/** The clients of a server: the registered ones, and those whose `client_id` is the URL of a metadata document. */

import { chain, type MaybePromise } from "../maybe_promise.ts";
import { boundedCache } from "../bounded_cache.ts";
import type { Sender } from "../sender.ts";
import type { Client, ClientRepository } from "./repository.ts";

/**
 * The clients of a server. `find` also finds the client of a metadata document, and fetches the document if necessary;
 * changes and lists contain registered clients only.
 */
export interface ServerClients extends ClientRepository {
  /**
   * The client of an id; `undefined` if it is unknown.
   *
   * @param sender The sender of the request that names the client, if a document may be fetched because of it.
   * @throws {OAuthError} If the document cannot be used.
   */
  find(id: string, sender?: Sender): MaybePromise<Client | undefined>;
  /** The registered clients alone. */
  readonly registered: ClientRepository;
  /** Whether a `client_id` may be the URL of a metadata document. */
  readonly acceptsDocuments: boolean;
  /**
   * The client of an issued token; `undefined` if it no longer exists. A metadata document that was fetched before is
   * not fetched again, however old it is.
   *
   * @param sender The sender of a request that names the client, without a token or for a redirect: then an expired
   *   document is fetched again.
   */
  findHolder(id: string, sender?: Sender): MaybePromise<Client | undefined>;
  /** Records that something was issued to a client: fetches for it no longer share their limits with other clients. */
  recordUse(id: string): void;
  /** Whether something was issued to a client, as far as this instance remembers. */
  isInUse(id: string): boolean;
  /** The clients of the metadata documents in memory. */
  documentClients(): readonly Client[];
  /** Removes the metadata documents from memory, so that each is fetched again. */
  forgetDocuments(): void;
}

/** The clients of metadata documents. */
export interface DocumentClients {
  /**
   * Fetches and parses a document, whether or not it is cached.
   *
   * @param isInUse Whether something was issued to the client.
   * @throws {OAuthError} `invalid_client`, with the broken rule.
   */
  find(url: string, isInUse: boolean, sender?: Sender): Promise<Client>;
  /** Keeps a cached document, however many documents of clients that are not in use are fetched. */
  keep(url: string): void;
  /** The cached client, if its document need not be fetched again. */
  findFresh(url: string): Client | undefined;
  /** The cached client, even if its document has expired. */
  findCached(url: string): Client | undefined;
  /** Every cached client. The same array until one of them changes. */
  list(): readonly Client[];
  /** Removes every cached client. */
  clear(): void;
}

/** Maximum number of clients that are known to be in use. */
const maxUsedClients = 10_000;

/**
 * Adds the clients of metadata documents to the registered ones. The code for them is loaded with the first such
 * client.
 *
 * @param loadDocuments Loads the code for documents. Absent: a `client_id` is never a URL of a document.
 */
export function serverClients(
  registered: ClientRepository,
  loadDocuments?: () => Promise<DocumentClients>,
): ServerClients {
  const used = boundedCache<true>(maxUsedClients);
  const uses = { recordUse: (id: string) => used.set(id, true), isInUse: (id: string) => used.get(id) === true };
  const base = { ...registered, ...uses, registered, documentClients: () => [], forgetDocuments: () => {} };
  if (loadDocuments === undefined) return { ...base, acceptsDocuments: false, findHolder: registered.find };
  let documents: DocumentClients | undefined;
  let loading: Promise<DocumentClients> | undefined;
  let all:
    | { readonly registered: readonly Client[]; readonly documents: readonly Client[]; readonly list: Client[] }
    | undefined;

  async function fetchClient(id: string, isInUse: boolean, sender?: Sender): Promise<Client> {
    documents ??= await (loading ??= loadDocuments!());
    return await documents.find(id, isInUse, sender);
  }

  return {
    ...registered,
    ...uses,
    registered,
    acceptsDocuments: true,
    recordUse(id) {
      uses.recordUse(id);
      documents?.keep(id);
    },
    find: (id, sender) =>
      isUrl(id)
        ? chain(
          registered.find(id),
          (client) => client ?? documents?.findFresh(id) ?? fetchClient(id, uses.isInUse(id), sender),
        )
        : registered.find(id),
    findHolder: (id, sender) =>
      isUrl(id)
        ? chain(
          registered.find(id),
          (client) =>
            client ?? (sender === undefined ? documents?.findCached(id) : documents?.findFresh(id)) ??
              fetchClient(id, sender === undefined || uses.isInUse(id), sender).catch(() => undefined),
        )
        : registered.find(id),
    findCached: (id) => registered.findCached(id) ?? documents?.findCached(id),
    allCached() {
      if (documents === undefined) return registered.allCached();
      const parts = { registered: registered.allCached(), documents: documents.list() };
      if (all?.registered !== parts.registered || all.documents !== parts.documents) {
        all = { ...parts, list: [...parts.registered, ...parts.documents] };
      }
      return all.list;
    },
    documentClients: () => documents?.list() ?? [],
    forgetDocuments: () => documents?.clear(),
  };
}

/** Whether an id looks like a URL; `document_url.ts` checks later whether it may be the URL of a document. */
function isUrl(id: string): boolean {
  return /^https?:\/\//i.test(id);
}

/** Detail of a rejection for a removed client: `a client of this id existed until reset()`. */
export function describeRemovedClient(clients: ClientRepository, id: string | undefined): string | undefined {
  const removalCause = id === undefined ? undefined : clients.removedBy(id);
  return removalCause && `a client of this id existed until ${removalCause}`;
}
