/** Subject identifiers: the same for every client, or one per sector (OpenID Connect Core §8). */

import type { User } from "./client.ts";
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

/** The user whom a client calls by a subject. Pairwise ones cannot be led back, so every user is tried. */
export async function findSubject(server: Server, client: Client, subject: string): Promise<User | undefined> {
  if (client.sector === undefined) return server.users.find(subject);
  for (const user of server.users.all()) if (await subjectFor(server, client, user.sub) === subject) return user;
  return undefined;
}
