/** Finds an undecided backchannel authentication request. */

import type { Server } from "../../oauth/server.ts";
import { findPending, type PendingRequest } from "../polled/polled_request.ts";
import { cibaGrant } from "./settings.ts";

/** The request of an id; `undefined` without an undecided one. The page shows the result. */
export function findRequest(server: Server, id: string, page: string): Promise<PendingRequest | undefined> {
  return findPending(server, cibaGrant, id, { uri: `${page}?request_id=${id}` });
}
