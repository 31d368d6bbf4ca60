/** The use of a client: something is issued to it. */

import { isPromise, type MaybePromise } from "../maybe_promise.ts";
import type { Server } from "../server.ts";
import type { Client } from "./repository.ts";

/**
 * Records that something is about to be issued to a client.
 *
 * @throws {OAuthError} If an extension prevents it.
 */
export function recordUse(server: Server, client: Client): MaybePromise<unknown> {
  if (client.standing === "unknown") server.clients.recordUse(client.id);
  const records = server.useRecorders.map((record) => record(server, client));
  return records.some(isPromise) ? Promise.all(records) : undefined;
}
