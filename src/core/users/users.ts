/** Users: their generations and their subject identifiers. */

import { chain, type MaybePromise } from "../maybe_promise.ts";
import type { Subject } from "../store/store.ts";
import type { User } from "../clients/client.ts";
import type { Client } from "../clients/repository.ts";
import type { Server } from "../server.ts";

const generationByUser = new WeakMap<User, string>();

/** Sets the generation of a user who was just registered. */
export function assignGeneration(user: User, generation: string): void {
  generationByUser.set(user, generation);
}

/** The generation of a registered user; `undefined` for a configured user who was never removed. */
export function generationOf(user: User): string | undefined {
  return generationByUser.get(user);
}

/** The current generation of a user; `undefined` if the user has none, or does not exist. */
export function currentGeneration(server: Server, sub: string): MaybePromise<string | undefined> {
  return chain(server.users.find(sub), (user) => user && generationOf(user));
}

/**
 * The user for whom a code or token was issued.
 *
 * @param generation The generation of the user at that time.
 * @returns `undefined` if the user was removed, even if another user with the same subject was added since.
 */
export function findUser(
  server: Server,
  sub: string,
  generation: string | undefined,
): MaybePromise<User | undefined> {
  return chain(server.users.find(sub), (user) => user && generationOf(user) === generation ? user : undefined);
}

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
