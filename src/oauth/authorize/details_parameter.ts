/** The parameter `authorization_details` (RFC 9396). Only a request that uses it loads the code for it. */

import type { Client } from "../clients/repository.ts";
import type { Params } from "../params.ts";
import type { Server } from "../server.ts";

const name = "authorization_details";

/** Whether a request has the parameter, and the server types for it. */
export function hasDetails({ settings }: Server, params: Params): boolean {
  return settings.authorizationDetails !== undefined && params.get(name) !== undefined;
}

/** The code of rich authorization requests. */
export function loadDetails(): Promise<typeof import("./authorization_details.ts")> {
  return import("./authorization_details.ts");
}

/** Warns about an accepted request with the parameter, if the server has no types for it. */
export function warnIgnoredDetails(server: Server, client: Client, params: Params): void {
  if (server.settings.authorizationDetails !== undefined || params.get(name) === undefined) return;
  const reason = `${name} is ignored, because this server has no types of authorization details`;
  const explanation = { rule: "RA-15" as const, reason, expected: "scope, or the setting authorizationDetails" };
  server.trace({ type: "warning", at: server.now(), client: client.id, explanation });
}
