/** Resource indicators (RFC 8707): requests name the resources that their access tokens are for. */

import type { AuthenticatedRequest, Authorization } from "../../core/token/grants/authenticated_request.ts";
import type { TokenSteps } from "../../core/token/steps.ts";
import { addUserClaims } from "../../core/token/tokens/mod.ts";
import type { Extension } from "../config/extension.ts";
import type { AuthorizationRequest } from "../../core/authorize/authorization_request.ts";
import { isObject } from "../../core/http/json_value.ts";
import { resourceParameter } from "../../core/authorize/checks.ts";
import type { CheckInput, GrantType, Server } from "../../core/server.ts";
import { resourceIndicatorsName as name, resourcesOf, withResources } from "../token/resources.ts";
import { withRequestedResources } from "../token/requested_resources.ts";
import type { HostedServer } from "../hosted_server.ts";
import { hostedResources } from "./hosted_resources.ts";

type HostedInput = CheckInput & { readonly server: HostedServer };

async function readResources(
  { server, params }: HostedInput,
  request: Partial<AuthorizationRequest>,
): Promise<Partial<AuthorizationRequest>> {
  return withResources(request, await server.resources.read(server, params));
}

/** The resources of a grant that the server still has, or those that a request names of them. */
const narrowed: TokenSteps<Server>["narrowed"] = [{
  name: "resources",
  async run(server: HostedServer, authorization, { client, params }, { value: { grant } }) {
    const granted = resourcesOf(grant);
    const kept = granted.length === 0 ? granted : await server.resources.keep(server, granted);
    if (kept.length < granted.length) {
      server.observe(server, client.id, "RT-09", { registered: kept, granted });
    }
    const resources = await server.resources.narrow(server, kept, params);
    return withResources({ ...authorization, grant: withResources(authorization.grant!, kept) }, resources);
  },
}];

/** A client that serves a resource may inspect the tokens for it. */
function withInspection(grants: Server["grants"]): Server["grants"] {
  return {
    ...grants,
    async mayInspect(server: HostedServer, client, token) {
      return await grants.mayInspect(server, client, token) ||
        token.audience.some((uri) => server.resources.isServedBy(client, uri));
    },
  };
}

type Authorize = (
  authorize: GrantType["authorize"],
) => (server: HostedServer, request: AuthenticatedRequest) => Promise<Authorization>;

const ofGrant: Authorize = (authorize) => async (server, request) => {
  const authorization = await authorize(server, request);
  server.resources.observe(server, request.client, request.params);
  return authorization;
};

/** Without an earlier approval: the token is for the resources of the request, unless the grant type names others. */
const ofRequest: Authorize = (authorize) => async (server, request) => {
  const authorization = await authorize(server, request);
  // The token endpoint rejects a result that is no object.
  if (!isObject(authorization) || resourcesOf(authorization).length > 0) return authorization;
  return await withRequestedResources(server, request, authorization);
};

/** Lets each grant type read the parameter. One that lists it among its own parameters reads it itself. */
function withParameter(grantType: GrantType): GrantType {
  const { type, parameters } = grantType;
  if (parameters.some(({ name }) => name === resourceParameter.name)) return grantType;
  const read = type === "authorization_code" || type === "refresh_token" ? ofGrant : ofRequest;
  const authorize = read((server, request) => grantType.authorize(server, request));
  return { ...grantType, parameters: [...parameters, resourceParameter], authorize };
}

/** The resources of an access token, and the claims about the user that they receive. */
const accessTokenClaims: TokenSteps<Server>["accessTokenClaims"] = [{
  name: "aud",
  changes: ["aud"],
  run(_server, _claims, authorization) {
    const resources = resourcesOf(authorization);
    return resources.length === 0 ? {} : { aud: resources.length === 1 ? resources[0]! : resources };
  },
}, {
  name: "user of resources",
  place: { instead: "user" },
  async run(server: HostedServer, claims, authorization, now, request) {
    const resources = resourcesOf(authorization);
    const names = resources.length === 0 ? undefined : server.resources.claimNames(server, resources);
    return await addUserClaims(server, claims, authorization, now, request, names);
  },
}];

/** Lets requests name the resources of the server. */
export const resourceIndicators: Extension = {
  name,
  requestChecks: [{
    rule: "RI-01",
    place: { instead: "RI-01" },
    parameters: [resourceParameter],
    read: readResources,
  }],
  steps: { narrowed, accessTokenClaims },
  extend: (server) => ({
    ...server,
    resources: hostedResources(server.policy),
    grants: withInspection(server.grants),
    grantTypes: server.grantTypes.map(withParameter),
  }),
};
