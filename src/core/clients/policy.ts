/**
 * The policy that applies to one client. For a client with a profile, it is at least as strict as the policy of the
 * server and the profile. A check that knows the client reads it by {@link policyOf}.
 */

import type { Policy } from "../policy.ts";
import type { Server } from "../server.ts";
import type { Client } from "./repository.ts";

/** The policy for the requests of a client: the policy of the server, or a stricter one by the client's own profile. */
export function policyOf(server: Pick<Server, "settings">, client: Client): Policy {
  return client.policy ?? server.settings;
}
