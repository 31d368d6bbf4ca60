/** Pairwise subjects (OpenID Connect Core §8.1). */

import { serverSecret } from "../../../core/session/session.ts";
import { digest } from "../../../core/secrets.ts";
import type { Server } from "../../../core/server.ts";

/** The subject of a user for a sector. */
export async function pairwiseSubject(server: Server, sector: string, sub: string): Promise<string> {
  return await digest(`${await serverSecret(server, "pairwise")} ${sector} ${sub}`);
}
