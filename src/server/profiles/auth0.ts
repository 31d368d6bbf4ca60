/** What differs from the standards at Auth0. */

import { emptyHeadResponse } from "../../core/http/message.ts";
import type { App } from "../app.ts";
import { endpointUrl } from "../../core/http/endpoint.ts";
import type { ClaimsFacts, Members } from "../config/provider_functions.ts";
import { canonicalUri, isAbsoluteUri } from "../../platform/http/absolute_uri.ts";
import { parameters } from "../../core/http/params.ts";
import type { Server } from "../../core/server.ts";
import type { HostedServer } from "../hosted_server.ts";
import { withOrganization } from "./auth0_organization.ts";
import { asText, defined, withChangedBody } from "./shared/members.ts";
import { grantOwnScope } from "./shared/own_scope.ts";
import type { Provider } from "./shared/provider.ts";
import { webMessage } from "./shared/web_message.ts";
import { auth0LogOut } from "./auth0_logout.ts";

export function auth0Provider(): Provider {
  const messages = webMessage("web_message", (response) => ({ type: "authorization_response", response }));
  let app: App;
  /** Without an API, access tokens are for userinfo; with one, for both. */
  const audienceOf = (server: Server) =>
    server.audience === server.issuer ? endpointUrl({ app, server }, "userinfo") : server.audience;
  return {
    ...messages,
    setup(assembled, changes) {
      messages.setup(assembled, changes);
      app = assembled;
    },
    routes: ({ site: { base } }) => [{
      name: "auth0_logout",
      path: `${base}/v2/logout`,
      methods: ["GET", "HEAD"],
      caller: "browser",
      title: "Logout",
      errors: "page",
      role: "step",
      parameters: parameters("client_id", "returnTo", "federated"),
      // A HEAD request must not end the session.
      load: () => Promise.resolve({ GET: auth0LogOut, HEAD: () => emptyHeadResponse }),
    }],
    extend: (server) => ({
      ...server,
      ...withOrganization(server),
      resources: withSentSpelling(server),
      // https://auth0.com/docs/get-started/authentication-and-authorization-flow/client-credentials-flow: all scope
      // values that the application is granted for the API.
      grantTypes: server.grantTypes.map(grantOwnScope),
    }),
    forRequest: (server) => ({ audience: audienceOf(server) }),
    claims: (claims, facts) => auth0Claims(audienceOf(facts.server), claims, facts),
    originalClaims: (claims) => claims.gty === machine.gty ? { ...claims, sub: claims.azp } : claims,
    // https://auth0.com/docs/secure/tokens/access-tokens/get-access-tokens
    request: (request, { endpoint }) =>
      (endpoint === "authorization_endpoint" || endpoint === "token_endpoint") &&
        request.parameters.some(([name]) => name === "audience")
        ? {
          ...request,
          parameters: request.parameters.map(([name, value]) => [name === "audience" ? "resource" : name, value]),
        }
        : request,
    // auth0/go-auth0 test/data/recordings/authentication: TestLoginWithAuthCode, and those WithPKCE
    error(response, { endpoint, rejection, parameters }) {
      if (endpoint !== "token_endpoint") return response;
      if (rejection?.error === "invalid_grant") return { ...response, status: 403 };
      if (rejection?.error !== "invalid_client") return response;
      const isForManagement = parameters.some(([name, value]) => name === "resource" && value.endsWith("/api/v2/"));
      // https://auth0.com/docs/api/management/v2, which this server does not have.
      const text = isForManagement
        ? "Unauthorized. This server has no Management API: use the calls of --control on, which need no token"
        : "Unauthorized";
      const described = { error: "access_denied", error_description: text };
      return { ...withChangedBody(response, (body) => ({ ...body, ...described })), status: 401 };
    },
  };
}

/**
 * Auth0 copies the identifier of an API, character by character: any text. A configured resource has its own spelling.
 */
function withSentSpelling({ resources }: HostedServer): HostedServer["resources"] {
  if (resources.configured !== undefined) return resources;
  const find = (name: string) => !isAbsoluteUri(name) || resources.find(name) === canonicalUri(name) ? name : undefined;
  return Object.create(resources, { find: { value: find } });
}

/** Custom claims need a URL as their name: https://auth0.com/docs/secure/tokens/json-web-tokens/create-custom-claims */
const namespaced = /^https?:\/\//;

/** The last time that a `Date` can have, in seconds. */
const maxDateSeconds = 8.64e12;

/** https://auth0.com/docs/secure/tokens/access-tokens/access-token-profiles: the token of a client without a user. */
const machine = { gty: "client-credentials" };

/** The claims of https://auth0.com/docs/secure/tokens/access-tokens and /id-tokens/id-token-structure */
function auth0Claims(
  audience: string,
  claims: Members,
  { kind, client, user, grant: { resources, scope } }: ClaimsFacts<Server>,
): Members {
  if (kind !== "access_token" && kind !== "id_token" && kind !== "userinfo") return claims;
  const custom = Object.fromEntries(Object.entries(user ?? {}).filter(([name]) => namespaced.test(name)));
  const organization = defined({ org_id: user?.org_id, org_name: user?.org_name });
  if (kind === "access_token") {
    const audiences = resources.length === 0 || scope.includes("openid") ? [...resources, audience] : resources;
    return {
      ...{ ...claims, ...custom, ...organization, azp: client.id },
      aud: audiences.length === 1 ? audiences[0] : audiences,
      ...user === undefined && claims.sub === client.id && { ...machine, sub: `${client.id}@clients` },
    };
  }
  if (kind === "id_token") Object.assign(custom, organization);
  if (user === undefined || !scope.includes("profile")) return { ...claims, ...custom };
  const { sub, nickname = user.preferred_username ?? asText(user.email ?? sub).split("@")[0], updated_at = 0 } = user;
  return {
    ...{ ...claims, ...custom, nickname },
    // A text, where OpenID Connect Core §5.1 has a number. A user may have a number that is no date.
    updated_at: typeof updated_at === "number" && Math.abs(updated_at) <= maxDateSeconds
      ? new Date(updated_at * 1000).toISOString()
      : updated_at,
  };
}
