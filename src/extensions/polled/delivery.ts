/** The grant type and the delivery of polled requests. The first poll and the first decision load the code for them. */

import type { Delivery } from "../../oauth/authorize/delivery.ts";
import type { LoadableGrantType } from "../../oauth/grants/mod.ts";
import { parameters } from "../../oauth/params.ts";
import type { Server } from "../../oauth/server.ts";
import type { PolledGrant } from "./polled_grant.ts";

const load = () => import("./polled_request.ts");

/** The grant type of the requests of an extension. */
export function polledGrantType(
  grant: PolledGrant,
  details: Omit<LoadableGrantType, "type" | "parameters" | "load">,
): LoadableGrantType {
  const { type, parameter } = grant;
  return {
    ...details,
    type,
    parameters: parameters(
      { name: parameter, secret: parameter, linksFlow: true },
      { name: "resource", repeatable: true },
    ),
    async load() {
      const { authorizePoll } = await import("./poll.ts");
      return { authorize: (server, request) => authorizePoll(server, request, grant) };
    },
  };
}

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
