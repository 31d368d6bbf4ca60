/** Subject identifiers: the same for every client, or one per sector (OpenID Connect Core §8). */

import { chain } from "../maybe_promise.ts";
import type { MaybePromise } from "../maybe_promise.ts";
import type { Client } from "../clients/repository.ts";
import { digest } from "../secrets.ts";
import type { Server } from "../server.ts";
import { serverSecret } from "../keys/server_secret.ts";

/** The kinds there are. */
export const subjectTypes = ["public", "pairwise"] as const;

/** How a user is called towards a client; always the same for the same two, also after a restart on the same store. */
export function subjectFor(server: Server, { sector }: Client, sub: string): MaybePromise<string> {
  if (sector === undefined) return sub;
  return chain(serverSecret(server, "pairwise"), (secret) => digest(`${secret} ${sector} ${sub}`));
}

/** How a session is called towards a client: one name for all would show that two pairwise subjects are one person. */
export function sessionIdFor(server: Server, client: Client, sid: string): MaybePromise<string> {
  return client.sector === undefined ? sid : subjectFor(server, client, `session ${sid}`);
}
