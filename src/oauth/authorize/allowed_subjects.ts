/**
 * Finds users by their subjects for a client. It reads the store for each subject, so a request causes it only with
 * credentials, or where a login needs none.
 */

import type { Client } from "../clients/repository.ts";
import type { Server } from "../server.ts";
import { subjectFor } from "../users/subject.ts";

/** Number of users whose pairwise subjects are compared, besides those in memory. */
const maxPairwiseCandidates = 1000;

/** The users, by `sub` on this server, whose subject for the client is in every list. */
export async function allowedSubjects(
  server: Server,
  client: Client,
  [first = [], ...others]: readonly (readonly string[])[],
): Promise<readonly string[]> {
  const common = first.filter((sub) => others.every((demand) => demand.includes(sub)));
  const allowedSubs = new Set(common);
  const subs: string[] = [];
  if (client.sector === undefined) {
    for (const sub of allowedSubs) if (await server.users.find(sub) !== undefined) subs.push(sub);
  } else {
    // Bounded: a store may have any number of users.
    const candidates = new Set([
      ...server.users.allCached(),
      ...await server.users.list({ limit: maxPairwiseCandidates }),
    ]);
    for (const { sub } of candidates) {
      if (allowedSubs.has(await subjectFor(server, client, sub))) subs.push(sub);
    }
  }
  return subs;
}
