/** The generation of clients: see `records/generation.ts`. */

import { entryOfGeneration } from "../records/generation.ts";
import type { Server } from "../server.ts";
import type { Client } from "./repository.ts";

/**
 * The client, if something was issued to it and not to a former client of its id.
 *
 * @param generation The generation of the client at that time.
 */
export async function clientOfGeneration(
  server: Pick<Server, "clients">,
  client: Client,
  generation: string | undefined,
): Promise<Client | undefined> {
  return await entryOfGeneration(server.clients, client.id, client, generation, (current) => current.generation);
}
