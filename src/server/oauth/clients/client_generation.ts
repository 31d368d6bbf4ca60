/** The generation of clients: see `records/generation.ts`. */

import type { MaybePromise } from "../../../platform/maybe_promise.ts";
import { entryOfGeneration } from "../records/generation.ts";
import type { Server } from "../server.ts";
import type { Client } from "./repository.ts";

/** The generation of a client; `undefined` if it has none. */
export function generationOfClient({ generation }: Client): string | undefined {
  return generation;
}

/**
 * The client, if something was issued to it and not to a former client of its id.
 *
 * @param generation The generation of the client at that time.
 */
export function clientOfGeneration(
  server: Pick<Server, "clients">,
  client: Client,
  generation: string | undefined,
): MaybePromise<Client | undefined> {
  return entryOfGeneration(server.clients, {
    ...{ id: client.id, entry: client, generation, generationOf: generationOfClient },
  });
}
