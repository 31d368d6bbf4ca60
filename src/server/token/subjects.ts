/** The subject identifiers of users: those of pairwise clients differ for each sector (OpenID Connect Core §8). */

import type { Client } from "../../core/clients/clients.ts";
import type { Server } from "../../core/server.ts";
import type { HostedClient } from "../config/client_metadata.ts";

/** Whether the users of a client have another `sub` than at other clients. */
export function isPairwise({ subjectType }: HostedClient): boolean {
  return subjectType === "pairwise";
}

export async function subjectFor(server: Server, client: Client, sub: string): Promise<string> {
  return (await server.identifiers.issued(server, client, { sub })).sub;
}

/** The session id for a client. A shared id would reveal that two pairwise subjects are the same user. */
export async function sessionIdFor(server: Server, client: Client, sid: string): Promise<string> {
  return (await server.identifiers.issued(server, client, { sub: "", sid })).sid!;
}
