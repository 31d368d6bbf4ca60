/** The client_credentials grant type (OAuth 2.1 §4.2): a confidential client acts on its own behalf. */

import { standardClaims } from "../claims.ts";
import { OAuthError } from "../errors.ts";
import { hasAccess, issueAccess, readOwnAccess, requestsAccess } from "../authorize/access.ts";
import { readResources, resolveScope, warnAboutResource } from "../authorize/scope.ts";
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
  // The default scope may contain values that only a user can grant.
  const defaultScope = server.settings.defaultScope.filter((token) => !userScopes.includes(token)).join(" ");
  const requestedScope = parameters.get("scope") ?? (defaultScope || undefined);
  const access = requestsAccess(server, parameters) ? await readOwnAccess(server, request) : undefined;
  const needsNoScope = parameters.get("scope") === undefined && access !== undefined && hasAccess(server, access);
  const scope = needsNoScope ? [] : resolveScope(server, client, requestedScope);
  const userScope = scope.find((token) => userScopes.includes(token));
  if (userScope !== undefined) {
    throw new OAuthError("invalid_scope", "scope contains a value that only a user can grant", {
      rule: "CC-02",
      expected: `none of: ${userScopes.join(" ")}`,
      received: requestedScope ?? scope.join(" "),
    });
  }
  const resources = await readResources(server, parameters);
  warnAboutResource(server, client, parameters);
  const issued = access && await issueAccess(server, access, resources);
  return { client, scope, resources, ...issued, grantId: randomId(server.randomBytes) };
}
