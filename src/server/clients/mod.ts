/** Clients and users that can be added, replaced and removed while the server runs. */

import { serverClaimRules } from "../config/received_claims.ts";
import type { ServerPolicy } from "../config/server_policy.ts";
import type { HostedServer } from "../hosted_server.ts";
import { type ClientsOptions, serverClients } from "./clients.ts";
import { serverUsers, type UsersOptions } from "./users.ts";

/** What the clients and users of a server depend on. */
interface EntryOptions extends ClientsOptions, Omit<UsersOptions, "claims" | "requirePasswords" | "acceptsGuests"> {
  readonly policy: ServerPolicy;
  /** Whether users log in on pages. */
  readonly hasPages: boolean;
}

/** The clients and users of a server, and the claims that are released about users. */
export function clientsAndUsers(options: EntryOptions): Pick<HostedServer, "claims" | "clients" | "users"> {
  const { policy, hasPages } = options;
  const openLogin = policy.loginMethods.includes("open");
  const claims = serverClaimRules(policy);
  return {
    claims,
    clients: serverClients(options),
    users: serverUsers({
      ...options,
      claims,
      requirePasswords: hasPages && !openLogin,
      acceptsGuests: hasPages && openLogin || policy.unknownLoginHint === "create",
    }),
  };
}
