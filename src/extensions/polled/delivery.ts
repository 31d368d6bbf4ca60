/** Delivers the decisions about polled requests. The code for them is loaded with the first decision. */

import type { Delivery } from "../../oauth/authorize/delivery.ts";
import type { Server } from "../../oauth/server.ts";
import type { PolledGrant } from "./polled_grant.ts";

const load = () => import("./polled_request.ts");

/** Delivers decisions about the requests of an extension. */
export function polledDelivery(grant: PolledGrant): Delivery<Server> {
  return {
    name: grant.name,
    mayReceive: (client) => client.grantTypes.includes(grant.type),
    approve: async (server, destination, approved) => (await load()).approve(server, grant, destination, approved),
    deny: async (server, destination) => (await load()).decide(server, grant, destination, {}),
    findAccess: async (server, destination) => (await load()).findAccess(server, grant, destination),
    describe: async (server, destination, address) =>
      (await load()).describe(destination, await (await load()).getUndecided(server, grant, destination), address),
  };
}
