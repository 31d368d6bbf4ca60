/** The subject identifiers of users. */

import type { MaybePromise } from "../maybe_promise.ts";
import type { Subject } from "../store/store.ts";
import type { Client } from "../clients/repository.ts";
import type { Server } from "../server.ts";

/** The session id for a client. A shared id would reveal that two pairwise subjects are the same user. */
export function sessionIdFor(server: Server, client: Client, sid: string): MaybePromise<string> {
  return client.subjectType === "public" ? sid : server.subjectFor(server, client, `session ${sid}`);
}

/** The subject and the session id for a client. */
export function identifiersFor(server: Server, client: Client, subject: Subject): MaybePromise<SubjectIdentifiers> {
  return client.subjectType === "public" ? subject : pairwiseIdentifiers(server, client, subject);
}

async function pairwiseIdentifiers(
  server: Server,
  client: Client,
  { sub, sid }: Subject,
): Promise<SubjectIdentifiers> {
  return { sub: await server.subjectFor(server, client, sub), sid: sid && await sessionIdFor(server, client, sid) };
}

/** The identifiers of a user and of their session for a client. */
type SubjectIdentifiers = Pick<Subject, "sub" | "sid">;
