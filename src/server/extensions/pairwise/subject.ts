/** Pairwise subjects (OpenID Connect Core §8.1). */

import type { Client } from "../../../core/clients/repository.ts";
import { serverSecret } from "../../../core/session/session.ts";
import { digest } from "../../../core/secrets.ts";
import type { Server } from "../../../core/server.ts";
import { subjectsInAll } from "../../../core/subjects.ts";
import type { Subject } from "../../../core/store/store.ts";
import { subjectFor } from "../../entries/subjects.ts";

/** The subject of a user for a sector, and the id of their session: a shared id would reveal who the user is. */
export async function pairwiseIdentifiers(
  server: Server,
  sector: string,
  { sub, sid }: Pick<Subject, "sub" | "sid">,
): Promise<Pick<Subject, "sub" | "sid">> {
  const secret = await serverSecret(server, "pairwise");
  const derive = async (text: string) => await digest(`${secret} ${sector} ${text}`);
  return { sub: await derive(sub), sid: sid && await derive(`session ${sid}`) };
}

/** Maximum number of users whose pairwise subjects are compared, besides the users in memory. */
const maxPairwiseCandidates = 1000;

/** The users, by `sub` on this server, whose subject for the client is in every list. */
export async function findPairwise(
  server: Server,
  client: Client,
  demanded: readonly (readonly string[])[],
): Promise<readonly string[]> {
  const allowed = subjectsInAll(demanded);
  // Bounded: a store may have any number of users.
  const candidates = new Set([
    ...server.users.known().values(),
    ...await server.users.list({ limit: maxPairwiseCandidates }),
  ]);
  const subs: string[] = [];
  for (const { sub } of candidates) if (allowed.has(await subjectFor(server, client, sub))) subs.push(sub);
  return subs;
}
