/** Pairwise subjects (OpenID Connect Core §8.1). */

import { serverSecret } from "../../oauth/session/session.ts";
import { digest } from "../../oauth/secrets.ts";
import type { Server } from "../../oauth/server.ts";

/** The subject of a user for a sector. */
export async function pairwiseSubject(server: Server, sector: string, sub: string): Promise<string> {
  return await digest(`${await serverSecret(server, "pairwise")} ${sector} ${sub}`);
}
