/** The demo clients follow the issuer, unless they were changed. */

import type { ResolvedSettings } from "../config/resolve_settings.ts";
import type { ClientRepository } from "../clients/clients.ts";

/** Returns the function that moves them. */
export function demoClientMover(
  clients: ClientRepository,
  { hasDemoClients, clientsAt }: Pick<ResolvedSettings, "clientsAt" | "hasDemoClients">,
): (issuer: string) => void {
  const unchanged = new Map(clients.known());
  return (issuer) => {
    for (const client of hasDemoClients ? clientsAt(issuer) : []) {
      const id = client.client_id;
      if (clients.known().get(id) !== unchanged.get(id)) continue;
      // It is configured, and so changes in memory, immediately.
      clients.set(client);
      unchanged.set(id, clients.known().get(id)!);
    }
  };
}
