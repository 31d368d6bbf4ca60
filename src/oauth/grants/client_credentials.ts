/** The client_credentials grant (OAuth 2.1 §4.2): a confidential client acts for itself. */

import { standardClaims } from "../claims.ts";
import { OAuthError } from "../errors.ts";
import { readResources } from "../authorize/resources.ts";
import { resolveScope } from "../authorize/scope.ts";
import { randomId } from "../secrets.ts";
import type { GrantType } from "./grant_type.ts";

/** Scope values that only a user can grant. */
const userScopes = ["openid", "offline_access", ...Object.keys(standardClaims)];

/** No refresh token, no id token, no user's scope. */
export const clientCredentials: GrantType = {
  type: "client_credentials",
  authorize(server, client, params) {
    if (!client.confidential) {
      throw new OAuthError("unauthorized_client", "only a confidential client may use client_credentials", {
        rule: "CC-01",
        expected: "a client that authenticates",
        received: "a public client",
      });
    }
    // What a request without scope gets may hold what only a user can grant.
    const defaultScope = server.defaultScope.filter((token) => !userScopes.includes(token)).join(" ");
    const requestedScope = params.get("scope") ?? (defaultScope || undefined);
    const scope = resolveScope(server, client, requestedScope);
    const userScope = scope.find((token) => userScopes.includes(token));
    if (userScope !== undefined) {
      throw new OAuthError("invalid_scope", "scope contains a value that only a user can grant", {
        rule: "CC-02",
        expected: `none of: ${userScopes.join(" ")}`,
        received: requestedScope ?? scope.join(" "),
      });
    }
    const resources = readResources(server, params);
    return Promise.resolve({ client, scope, resources, grantId: randomId(server.randomBytes) });
  },
};
