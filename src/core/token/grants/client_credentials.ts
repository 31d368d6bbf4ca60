/** The client_credentials grant type (OAuth 2.1 §4.2): a confidential client acts on its own behalf. */

import { resolveScope } from "../../authorize/scope.ts";
import { standardClaims } from "../../clients/claims.ts";
import { type Client, policyOf } from "../../clients/clients.ts";
import { parameters, splitScope } from "../../http/params.ts";
import { reject } from "../../rules/reject.ts";
import { randomId } from "../../keys/secrets.ts";
import type { GrantType, Server } from "../../server.ts";
import type { AuthenticatedRequest, Authorization } from "./authenticated_request.ts";

/** Scope values that only a user can grant. */
export const userScopes: readonly string[] = ["openid", "offline_access", ...Object.keys(standardClaims)];

/** Issues a token to the client itself. */
export const clientCredentials: GrantType = {
  type: "client_credentials",
  parameters: parameters("scope"),
  authorize: (server, request) => authorizeClientCredentials(server, request),
};

/**
 * Authorizes the client without a user: no refresh token, no ID token, no scope value about a user.
 *
 * @param needsScope Whether a request without scope receives the default scope. Default: true.
 */
export function authorizeClientCredentials(
  server: Server,
  { client, params }: AuthenticatedRequest,
  needsScope = true,
): Authorization {
  if (!client.confidential) throw reject("CC-01");
  const requestedScope = params.get("scope");
  const scope = requestedScope === undefined
    ? needsScope ? defaultScope(server, client) : []
    : scopeWithoutUser(server, client, requestedScope);
  if (scope.some(isUserScope)) throw reject("CC-02", { userScopes, requested: requestedScope });
  return {
    ...{ client, scope, grantId: randomId(server.randomBytes) },
    // A response without scope would mean: all that was requested (RFC 6749 §5.1).
    ...requestedScope !== undefined && scope.length === 0 && { responseMembers: { scope: "" } },
  };
}

function scopeWithoutUser(server: Server, client: Client, requested: string): readonly string[] {
  const left = withoutUserScopes(server, client, requested, userScopes);
  return left === "" ? [] : resolveScope(server.policy, client, left, server.passed);
}

/**
 * The requested scope without the values that only a user can grant, if the policy ignores them (RFC 6749 §3.3);
 * otherwise the requested scope.
 *
 * @param excluded The values that only a user can grant.
 * @returns An empty text if no value is left.
 */
export function withoutUserScopes(
  server: Server,
  client: Client,
  requested: string,
  excluded: readonly string[],
): string {
  if (!policyOf(server, client).ignoresUserScopes) return requested;
  const values = splitScope(requested);
  const left = values.filter((value) => !excluded.includes(value));
  if (left.length === values.length) return requested;
  server.observe(server, client.id, "CC-02", { requested, left });
  return left.join(" ");
}

function isUserScope(value: string): boolean {
  return userScopes.includes(value);
}

/** The default scope without values that need a user or that the client may not have; empty if none is left. */
function defaultScope(server: Server, client: Client): readonly string[] {
  const scope = server.policy.defaultScope.filter((value) => !isUserScope(value) && client.allowsScope(value));
  const possible = client.scope.filter((value) => !isUserScope(value));
  if (scope.length === 0 && possible.length > 0) server.observe(server, client.id, "AZ-16", { possible });
  return scope;
}
