/** Subject identifiers: the same for every client, or one per sector (OpenID Connect Core §8). */

import { chain } from "../maybe_promise.ts";
import type { MaybePromise } from "../maybe_promise.ts";
import type { Client } from "../clients/repository.ts";
import type { Server } from "../server.ts";
import type { Subject } from "../../store/store.ts";

/** The subject of a user for a client. It is stable, also after a restart on the same store. */
export function subjectFor(server: Server, { sector, metadata }: Client, sub: string): MaybePromise<string> {
  if (sector === undefined) return sub;
  return server.subjectTypes.find(({ name }) => name === metadata.subject_type)!.subjectFor(server, sector, sub);
}

/** The session id for a client. A shared id would reveal that two pairwise subjects are the same user. */
export function sessionIdFor(server: Server, client: Client, sid: string): MaybePromise<string> {
  return client.sector === undefined ? sid : subjectFor(server, client, `session ${sid}`);
}

/** The subject and the session id for a client. */
export function identifiersFor(server: Server, client: Client, subject: Subject): MaybePromise<SubjectIdentifiers> {
  if (client.sector === undefined) return subject;
  const { sub, sid } = subject;
  return chain(
    subjectFor(server, client, sub),
    (pairwiseSub) =>
      chain(sid && sessionIdFor(server, client, sid), (pairwiseSid) => ({ sub: pairwiseSub, sid: pairwiseSid })),
  );
}

/** What identifies a user and their session to a client. */
type SubjectIdentifiers = Pick<Subject, "sub" | "sid">;
