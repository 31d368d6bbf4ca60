/**
 * Client ID metadata documents: clients without a registration. The `client_id` is the URL of a document with the
 * metadata of the client (draft-ietf-oauth-client-id-metadata-document-02).
 *
 * 1. `document_url.ts` checks the URL.
 * 2. This file fetches the document, once for concurrent requests and within the limits of `fetching/fetch_limiter.ts`,
 *    and caches its client for the time that `cache_lifetime.ts` computes. Failed fetches and invalid documents are not
 *    cached.
 * 3. `parse_document.ts` turns the document into a client.
 */

import { boundedCache } from "../../../platform/bounded_cache.ts";
import { OAuthError } from "../../../core/rules/errors.ts";
import { fetchLimiter, type FetchLimitError } from "../../fetching/fetch_limiter.ts";
import { DocumentError, fetchDocument } from "../../fetching/outbound.ts";
import type { HostedServer } from "../../hosted_server.ts";
import { embeddedRequest, isRemote, type Sender } from "../../fetching/sender.ts";
import type { HostedClient } from "../../config/client_metadata.ts";
import { isLocalUrl } from "../../config/uri_issues.ts";
import { asServerPolicy } from "../../config/server_policy.ts";
import { cacheLifetimeMs } from "./cache_lifetime.ts";
import { assertDocumentUrl } from "./document_url.ts";
import { parseDocument } from "./parse_document.ts";
import { type InvalidDocument, reject } from "./rules.ts";
import { explainInvalidDocument } from "./explain.ts";

export interface DocumentClients {
  /**
   * Fetches and parses a document, whether or not it is cached.
   *
   * @param isInUse Whether something was issued to the client.
   * @throws {OAuthError} `invalid_client`, with the broken rule.
   */
  find(url: string, isInUse: boolean, sender?: Sender): Promise<HostedClient>;
  /** Keeps a cached document, however many documents of clients that are not in use are fetched. */
  keep(url: string): void;
  /** The cached client, if its document need not be fetched again. */
  findFresh(url: string): HostedClient | undefined;
  /** The cached client, even if its document has expired. */
  findCached(url: string): HostedClient | undefined;
  /** Every cached client. The same array until one of them changes. */
  list(): readonly HostedClient[];
  /** Removes every cached client. */
  clear(): void;
}

/** Maximum number of cached documents of clients in use, and of all other clients. */
const maxDocuments = 1000;
const documentLimits = { accept: "application/json", maxBytes: 5 * 1024, timeoutMs: 5000 };
/** Milliseconds for which an expired document is still used while the limit of fetches prevents a new fetch. */
const maxStaleMs = 300_000;

/** Creates the clients of metadata documents. */
export function createDocumentClients(
  { issuer, now, fetching: { send }, trace, policy, audience }: HostedServer,
): DocumentClients {
  let cached = boundedCache<HostedClient>(maxDocuments);
  // They have a cache of their own, so that documents of other clients do not evict them.
  let kept = boundedCache<HostedClient>(maxDocuments);
  const findCached = (url: string) => kept.get(url) ?? cached.get(url);
  let list: readonly HostedClient[] | undefined;
  let fetching = new Map<string, Promise<HostedClient>>();
  let limiter = fetchLimiter(now);

  function findFresh(url: string): HostedClient | undefined {
    const client = findCached(url);
    return isValid(client, 0) ? client : undefined;
  }

  /** Whether a document has not expired for longer than this. If the clock was set back, it counts as expired. */
  function isValid(client: HostedClient | undefined, staleMs: number): client is HostedClient {
    const { fetchedAt, validUntil } = client?.document ?? { fetchedAt: 0, validUntil: -Infinity };
    return fetchedAt <= now() && now() < validUntil + staleMs;
  }

  async function fetchClient(url: string, isInUse: boolean, sender?: Sender): Promise<HostedClient> {
    assertDocumentUrl(url, { ...asServerPolicy(policy), issuer });
    if (sender !== undefined && (sender.page === "cross-site" || isRemote(sender)) && isLocalUrl(policy, url)) {
      const received = `a URL of a local host, in a request of ${
        isRemote(sender) ? "another machine" : "a page of another site"
      }`;
      throw notFetched({ isBlocked: true, expected: "a document on a public host", received });
    }
    if (sender?.isEmbedded && !isInUse) throw notFetched({ isBlocked: true, ...embeddedRequest });
    const fetchedAt = now();
    let fetched: ReturnType<typeof fetchDocument>;
    try {
      const cause = { isInUse, address: sender?.address };
      fetched = limiter.run(url, cause, () => fetchDocument(send, url, documentLimits));
    } catch (error) {
      const stale = findCached(url);
      // Otherwise a flood of fetches for other clients would block a client whose users are logging in.
      if (isValid(stale, maxStaleMs)) return stale;
      const { expected, received, retryAfter } = error as FetchLimitError;
      throw reject("MC-05", { expected, received }, { status: 429, retryAfter });
    }
    const traceFetch = (outcome: string) =>
      trace({ type: "metadata_document_fetched", at: now(), client: url, outcome });
    try {
      const { text, headers } = await fetched;
      const lifetimeMs = cacheLifetimeMs(headers);
      const validUntil = fetchedAt + lifetimeMs;
      const client = await parseDocument(
        { url, text, contentType: headers.get("content-type") },
        { ...policy, audience },
        {
          fetchedAt,
          validUntil,
        },
      );
      (isInUse || kept.get(url) !== undefined ? kept : cached).set(url, client);
      list = undefined;
      traceFetch(`valid for ${lifetimeMs / 1000} seconds`);
      return client;
    } catch (error) {
      const isInvalid = error instanceof OAuthError;
      const cause = isInvalid
        ? explainInvalidDocument(error.details.facts!() as InvalidDocument).reason
        : (error as DocumentError).received;
      traceFetch(`rejected: ${cause}`);
      throw error instanceof DocumentError ? notFetched(error) : error;
    }
  }

  return {
    find(url, isInUse, sender) {
      let promise = fetching.get(url);
      if (promise === undefined) {
        const current = fetching;
        promise = fetchClient(url, isInUse, sender).finally(() => current.delete(url));
        current.set(url, promise);
      }
      return promise;
    },
    findFresh,
    findCached,
    keep(url) {
      const client = cached.get(url);
      if (client === undefined) return;
      cached.delete(url);
      kept.set(url, client);
      list = undefined;
    },
    list: () => list ??= [...kept.values(), ...cached.values()],
    clear() {
      cached = boundedCache(maxDocuments);
      kept = boundedCache(maxDocuments);
      fetching = new Map();
      limiter = fetchLimiter(now);
      list = undefined;
    },
  };
}

/**
 * The error of a document that cannot be fetched. Only the trace has the reason: the reason would reveal hosts of this
 * network (SSRF).
 */
function notFetched(
  { isBlocked, expected, received, fix }: Pick<DocumentError, "isBlocked" | "expected" | "received"> & { fix?: string },
): OAuthError {
  const internalRule = isBlocked ? "MC-05" : "MC-04";
  return reject("MC-04", { expected, received, fix }, { internalRule, detailsInTraceOnly: true });
}
