/** The public keys of a client: how they are fetched, and what the client learns if the fetch fails. */

import { FetchLimitError } from "./fetch_limiter.ts";
import { findKeyProblem, type KeyFetcher, type KeyOwner, type LimitFetch, NoSuitableKey } from "./remote_keys.ts";
import { DocumentError } from "./outbound.ts";
import type { FetchingServer } from "./fetching.ts";
import { embeddedRequest } from "./sender.ts";
import type { Client } from "../../core/clients/clients.ts";

/** The arguments by which `remoteKeys` and `keySets` find the keys of a client. */
export function keysOf(
  server: FetchingServer,
  client: Client & { readonly metadata: KeyOwner },
): [fetcher: KeyFetcher, owner: KeyOwner, limit?: LimitFetch] {
  const isInUse = client.standing !== "unknown" || server.fetching.isInUse(client.id);
  // The operator chose the URLs of configured clients.
  const limit: LimitFetch | undefined = client.standing === "configured" ? undefined : (url, fetch) => {
    const { expected, received } = embeddedRequest;
    if (server.sender?.isEmbedded && !isInUse) throw new DocumentError(expected, received);
    return server.fetching.limiter.run(url, { isInUse, address: server.sender?.address }, fetch);
  };
  const { keys, unusedKeys } = server.fetching;
  return [isInUse ? keys : unusedKeys, client.metadata, limit];
}

/** Why keys could not be fetched, or used. The texts describe the attempt. */
export interface KeyFailure {
  readonly reason: string;
  readonly expected: string;
  readonly received: string;
  readonly fix?: string;
  /** True if the response could tell an unknown client about a fetch, or a registered one about fetched keys (SSRF). */
  readonly detailsInTraceOnly: boolean;
}

/** Describes an error of the keys of a client; `undefined` if it is another one. */
export function describeKeyFailure(
  { id, standing, metadata }: Client & { readonly metadata: KeyOwner },
  cause: unknown,
): KeyFailure | undefined {
  const isUnsuitable = cause instanceof NoSuitableKey;
  if (!(isUnsuitable || cause instanceof DocumentError || cause instanceof FetchLimitError)) return undefined;
  const { expected, received } = cause;
  return {
    reason: isUnsuitable ? `no key of client ${id} suits the JWT` : `the keys of client ${id} cannot be used`,
    ...{ expected, received, ...findKeyProblem(metadata, cause) },
    detailsInTraceOnly: standing === "unknown" ||
      isUnsuitable && standing !== "configured" && metadata.jwks_uri !== undefined,
  };
}
