/** The client_credentials grant type (OAuth 2.1 §4.2): a confidential client acts on its own behalf. */

import { hasAccess, issueAccess, readOwnAccess, requestsAccess } from "../authorize/access.ts";
import { observeResources, readResources, resolveScope } from "../authorize/scope.ts";
import { standardClaims } from "../claims.ts";
import type { Client } from "../clients/repository.ts";
import { OAuthError } from "../errors.ts";
import { warn } from "../warn.ts";
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
  if (!client.confidential) {
    throw new OAuthError("unauthorized_client", "only a confidential client may use client_credentials", {
      rule: "CC-01",
      expected: "a client that authenticates",
      received: "a public client",
    });
  }
  const requestedScope = parameters.get("scope");
  const access = requestsAccess(server, parameters) ? await readOwnAccess(server, request) : undefined;
  const needsNoScope = access !== undefined && hasAccess(server, access);
  const scope = requestedScope === undefined
    ? needsNoScope ? [] : defaultScope(server, client)
    : resolveScope(server, client, requestedScope, "client");
  if (scope.some(isUserScope)) {
    throw new OAuthError("invalid_scope", "scope contains a value that only a user can grant", {
      rule: "CC-02",
      expected: `none of: ${userScopes.join(" ")}`,
      received: requestedScope,
    });
  }
  const resources = await readResources(server, parameters);
  observeResources(server, client, parameters);
  const issued = access && await issueAccess(server, access, resources);
  return { client, scope, resources, ...issued, grantId: randomId(server.randomBytes) };
}

function isUserScope(value: string): boolean {
  return userScopes.includes(value);
}

/** The default scope without values that need a user or that the client may not have; empty if none is left. */
function defaultScope(server: Server, client: Client): readonly string[] {
  const scope = server.settings.defaultScope.filter((value) => !isUserScope(value) && client.allowsScope(value));
  const possible = client.ownScope.filter((value) => !isUserScope(value));
  if (scope.length === 0 && possible.length > 0) {
    warn(server, client.id, {
      rule: "AZ-16",
      reason: "scope is missing, and the default has no value for this client: the token has no scope",
      expected: `some of: ${possible.join(" ")}`,
      received: "no scope",
    });
  }
  return scope;
}
