/** The public keys of a client: how they are fetched, and what the client learns if the fetch fails. */

import { FetchLimitError } from "./fetch_limiter.ts";
import type { KeyFetcher, KeyOwner, LimitFetch } from "./remote_keys.ts";
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

export const refetchNote = "After a correction, wait 30 seconds: Latchkey does not fetch the keys of a URL more often.";

/** Why keys could not be fetched, or used. The texts describe the attempt. */
export interface KeyFetchFailure {
  readonly reason: string;
  readonly expected: string;
  readonly received: string;
  readonly fix?: string;
  /** The response to an unknown client must not reveal what its URL led to (SSRF). */
  readonly detailsInTraceOnly: boolean;
}

/** Describes an error of {@link keysOf}; `undefined` if it is another one. */
export function describeKeyFetchFailure({ id, standing }: Client, cause: unknown): KeyFetchFailure | undefined {
  if (!(cause instanceof DocumentError || cause instanceof FetchLimitError)) return undefined;
  const { expected, received } = cause;
  return {
    reason: `the keys of client ${id} cannot be used`,
    ...{ expected, received, fix: cause instanceof DocumentError ? `${cause.fix} ${refetchNote}` : undefined },
    detailsInTraceOnly: standing === "unknown",
  };
}
