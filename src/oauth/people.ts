/** The people a server knows: those of its configuration, and those who were made up on its login page. */

import type { Soon } from "./soon.ts";
import type { User } from "./client.ts";
import { meet } from "./clients.ts";
import { shelfId } from "./secrets.ts";
import type { Server } from "./server.ts";

/** Finds a user; one who was made up is on the shelf, because another instance of the server may have met them. */
export function findUser(server: Server, sub: string): Soon<User | undefined> {
  return server.users.find(sub) ?? lookFor(server, sub);
}

async function lookFor(server: Server, sub: string): Promise<User | undefined> {
  await meet(server.users, sub);
  const known = server.users.find(sub);
  if (known !== undefined) return known;
  const kept = await server.store.get("person", await shelfId(server, sub));
  if (kept === undefined || server.now() >= kept.expiresAt) return undefined;
  return server.users.set(kept.value.user, false);
}

/**
 * Makes up a user, who stays for as long as anything that they allow may live.
 *
 * @returns `undefined` where there is one of that name already: nobody is replaced by being typed in.
 * @throws {ConfigurationError} With one sentence per fault in the user.
 */
export async function introduce(server: Server, user: User): Promise<User | undefined> {
  if (await findUser(server, user.sub) !== undefined) return undefined;
  const met = server.users.set(user, false);
  const { session, refresh_token } = server.lifetimes;
  const expiresAt = server.now() + Math.max(session, refresh_token) * 1000;
  const id = await shelfId(server, user.sub);
  return await server.store.add("person", id, { user: met }, { expiresAt }) ? met : undefined;
}
