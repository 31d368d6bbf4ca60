/** The subject identifiers of users: the same for each client, unless an extension replaces them. */

import type { Client, Users } from "./clients.ts";
import type { Subject } from "../store/store.ts";

/** The identifiers of a user and of their session. */
type Identifiers = Pick<Subject, "sub" | "sid">;

/** @internal The identifiers of users for clients (OpenID Connect Core §8). */
export interface SubjectIdentifiers<Server> {
  /** What a client receives of these identifiers. It is stable, also after a restart on the same store. */
  issued(server: Server, client: Client, identifiers: Identifiers): Identifiers | Promise<Identifiers>;
  /** The users, by `sub` on this server, whose subject for the client is in every list. */
  find(server: Server, client: Client, demanded: readonly (readonly string[])[]): Promise<readonly string[]>;
}

/** The same identifiers for every client: those of this server. */
export const publicIdentifiers: SubjectIdentifiers<{ readonly users: Users }> = {
  issued: (_server, _client, identifiers) => identifiers,
  async find({ users }, _client, demanded) {
    const subs: string[] = [];
    for (const sub of subjectsInAll(demanded)) if (await users.find(sub) !== undefined) subs.push(sub);
    return subs;
  },
};

/** The subjects that are in every list. */
export function subjectsInAll([first = [], ...others]: readonly (readonly string[])[]): ReadonlySet<string> {
  return new Set(first.filter((sub) => others.every((demand) => demand.includes(sub))));
}
