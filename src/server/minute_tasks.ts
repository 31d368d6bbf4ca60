/** The maintenance of each minute: keys, unused clients, and calls of clients to repeat. */

import { algorithmsInUse } from "../endpoints/jwks.ts";
import type { Server } from "../oauth/server.ts";

/** The tasks. Each loads the code of its feature only if there is something to do. */
export const minuteTasks: readonly ((server: Server) => Promise<void>)[] = [
  maintainKeys,
  deleteUnusedClients,
  repeatLogoutCalls,
];

/** Reads the keys of other instances, and creates the next key when the rotation interval is over. */
async function maintainKeys(server: Server): Promise<void> {
  const { keys, now, settings: { keys: { rotateEvery, lead } } } = server;
  await keys.refresh();
  if (rotateEvery === undefined) return;
  for (const alg of algorithmsInUse(server)) {
    if (await keys.newestSignsFrom(alg) + rotateEvery * 1000 <= now()) await keys.rotate(alg, lead);
  }
}

/** Deletes registered clients that were never used. */
async function deleteUnusedClients(server: Server): Promise<void> {
  const { recordPrefix, settings, store } = server;
  if (settings.registration.mode === "off" || await store.count("unused_registration", recordPrefix) === 0) return;
  await (await import("../oauth/clients/unused_registrations.ts")).deleteUnusedClients(server);
}

/** Repeats back-channel logout calls. */
async function repeatLogoutCalls(server: Server): Promise<void> {
  const { issuer, settings, store } = server;
  if (!settings.clientLogout.backChannel || await store.count("logout_call", `${issuer} `) === 0) return;
  await (await import("../oauth/session/client_logout.ts")).repeatLogoutCalls(server);
}
