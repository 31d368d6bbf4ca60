/** Subject identifiers: the same for every client, or one per sector (OpenID Connect Core §8). */

import type { Client } from "./clients.ts";
import { digest } from "./secrets.ts";
import type { Server } from "./server.ts";
import { serverSecret } from "./server_secret.ts";

/** The kinds there are. */
export const subjectTypes = ["public", "pairwise"] as const;

/** How a user is called towards a client; always the same for the same two, also after a restart on the same store. */
export async function subjectFor(server: Server, client: Client, sub: string): Promise<string> {
  if (client.sector === undefined) return sub;
  return await digest(`${await serverSecret(server, "pairwise")} ${client.sector} ${sub}`);
}

/** How a session is called towards a client: one name for all would show that two pairwise subjects are one person. */
export async function sessionFor(server: Server, client: Client, sid: string): Promise<string> {
  return client.sector === undefined ? sid : await subjectFor(server, client, `session ${sid}`);
}
