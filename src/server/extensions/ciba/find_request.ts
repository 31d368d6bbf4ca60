/** Finds an undecided backchannel authentication request. */

import type { Server } from "../../../core/server.ts";
import { findPending, type PendingRequest } from "../polled/polled_request.ts";
import { cibaGrant } from "./settings.ts";

/** The undecided request of an id; `undefined` if there is none. The page then shows the result. */
export function findRequest(server: Server, id: string, page: string): Promise<PendingRequest | undefined> {
  return findPending(server, cibaGrant, id, { uri: `${page}?request_id=${id}` });
}
