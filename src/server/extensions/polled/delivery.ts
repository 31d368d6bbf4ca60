/**
 * Polled requests: their grant type, the endpoint where clients start them, and their delivery. The first poll and the
 * first decision load the code for them.
 */

import type { EndpointOptions } from "../../config/extension.ts";
import type { Endpoint } from "../../endpoint.ts";
import type { HostedServer } from "../../hosted_server.ts";
import { type Delivery, deliveryTo, isPolled, pollMode } from "../../stored/delivery.ts";
import { clientAuthParameters } from "../../../core/token/client_auth.ts";
import type { LoadableGrantType } from "../../../core/token/grants/mod.ts";
import type { OptionalGrantType } from "../../config/server_policy.ts";
import { parameters } from "../../../core/http/params.ts";
import type { PolledGrant } from "./polled_grant.ts";

const load = () => import("./poll.ts");

/** The parameters of polled requests (RFC 8628 §3.1), besides those of client authentication and of extensions. */
const polledParameters = parameters("scope", "max_age", "login_hint", {
  name: "resource",
  repeatable: true,
});

/** The grant type of the requests of an extension. */
export function polledGrantType<Policy>(
  grant: PolledGrant,
  details: Omit<OptionalGrantType<Policy>, "type" | "checks">,
): LoadableGrantType<Policy> & OptionalGrantType<Policy> {
  const { type, parameter, rules } = grant;
  return {
    ...details,
    type,
    parameters: parameters(
      { name: parameter, secret: parameter, linksFlow: true },
      { name: "resource", repeatable: true },
    ),
    checks: ["TK-06", rules.client, "CI-11", "LO-05", "LO-06", "RT-09", rules.code],
    async load() {
      const { authorizePoll } = await load();
      return { authorize: (server: HostedServer, request) => authorizePoll(server, request, grant) };
    },
  };
}

/**
 * The endpoint where clients start the requests of an extension. Its path and its name in metadata contain its name.
 */
export function startEndpoint(
  { base, requestChecks }: EndpointOptions,
  name: string,
  { parameters = [], ...details }: Pick<
    Endpoint,
    "title" | "parameters" | "exampleParameters" | "responseParameters" | "load"
  >,
): Endpoint {
  const added = requestChecks.flatMap(({ redirectOnly, parameters = [] }) => redirectOnly ? [] : parameters);
  return {
    name,
    metadataName: `${name}_endpoint`,
    path: `${base}/oauth2/${name}`,
    methods: ["POST"],
    caller: "client",
    doneLabel: "started",
    errors: "json",
    role: "step",
    parameters: [...clientAuthParameters, ...polledParameters, ...added, ...parameters],
    ...details,
  };
}

/** A server that delivers decisions about the requests of an extension. */
export function withDelivery(server: HostedServer, grant: PolledGrant): HostedServer {
  const { issueResponse } = server.grants;
  return {
    ...server,
    deliveries: [...server.deliveries, polledDelivery(grant)],
    responseModes: new Map([...server.responseModes, [pollMode, { name: pollMode, carrier: "query" }]]),
    grants: {
      ...server.grants,
      async issueResponse(current: HostedServer, pending, granted) {
        const { destination } = pending;
        if (!isPolled(destination)) return await issueResponse(current, pending, granted);
        await deliveryTo(current, destination).approve(current, destination, granted);
        return [["result", "approved"]];
      },
    },
  };
}

function polledDelivery(grant: PolledGrant): Delivery {
  return {
    name: grant.name,
    mayReceive: (client) => client.grantTypes.includes(grant.type),
    approve: async (server, destination, approved) => (await load()).approve(server, grant, destination, approved),
    deny: async (server, destination) => (await load()).decide(server, grant, destination, {}),
    findDetails: async (server, destination) => (await load()).findDetails(server, grant, destination),
    describe: async (server, destination, address) =>
      (await load()).describePolledRequest(
        destination,
        await (await load()).getUndecided(server, grant, destination),
        address,
      ),
  };
}
