/** Ending a family: everything one approval bought, and whatever is issued for it later. */

import type { Server } from "../server.ts";

/** Ends it and tells the trace why. `atLeastUntil`, in milliseconds: the last moment something of it may live. */
export async function endFamily(server: Server, family: string, reason: string, atLeastUntil: number): Promise<void> {
  const { access_token, id_token } = server.lifetimes;
  const now = server.now();
  await server.store.revoke(family, Math.max(atLeastUntil, now + Math.max(access_token, id_token) * 1000));
  server.trace({ type: "family_ended", at: now, family, reason });
}

/**
 * Which of them have ended: families, and the consents and sessions that they rest on. All are looked up at once, so that
 * a store at the other end of a network is waited for once.
 */
export async function haveEnded(
  { store }: Server,
  ...names: readonly (string | undefined)[]
): Promise<readonly boolean[]> {
  const marks = names.map((name) => name === undefined ? undefined : store.get("ended_family", name));
  return (await Promise.all(marks)).map((mark) => mark !== undefined);
}
