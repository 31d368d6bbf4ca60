/** The client_credentials grant type (OAuth 2.1 §4.2): a confidential client acts on its own behalf. */

import { hasAccess, requestsAccess } from "../request/access.ts";
import { observeResources, readResources, resolveScope } from "../request/scope.ts";
import { standardClaims } from "../claims.ts";
import type { Client } from "../clients/repository.ts";
import { reject } from "../reject.ts";
import { randomId } from "../secrets.ts";
import type { Server } from "../server.ts";
import type { AuthenticatedRequest, Authorization } from "./authenticated_request.ts";

/** Scope values that only a user can grant. */
const userScopes = ["openid", "offline_access", ...Object.keys(standardClaims)];

/** Authorizes the client without a user: no refresh token, no ID token, no scope value about a user. */
export async function authorizeClientCredentials(
  server: Server,
  request: AuthenticatedRequest,
): Promise<Authorization> {
  const { client, parameters } = request;
  if (!client.confidential) throw reject("CC-01");
  const requestedScope = parameters.get("scope");
  const { access } = server.requestParts;
  const own = requestsAccess(server, parameters) ? await access?.readOwn(server, request) : undefined;
  const needsNoScope = own !== undefined && hasAccess(server, own);
  const scope = requestedScope === undefined
    ? needsNoScope ? [] : defaultScope(server, client)
    : resolveScope(server, client, requestedScope, "client");
  if (scope.some(isUserScope)) throw reject("CC-02", { userScopes, requested: requestedScope });
  const resources = await readResources(server, parameters);
  observeResources(server, client, parameters);
  const issued = own && await access?.issue(own, resources);
  return { client, scope, resources, ...issued, grantId: randomId(server.randomBytes) };
}

function isUserScope(value: string): boolean {
  return userScopes.includes(value);
}

/** The default scope without values that need a user or that the client may not have; empty if none is left. */
function defaultScope(server: Server, client: Client): readonly string[] {
  const scope = server.settings.defaultScope.filter((value) => !isUserScope(value) && client.allowsScope(value));
  const possible = client.ownScope.filter((value) => !isUserScope(value));
  if (scope.length === 0 && possible.length > 0) server.observe?.(server, client.id, "AZ-16", { possible });
  return scope;
}
