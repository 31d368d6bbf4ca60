/** The client_credentials grant (OAuth 2.1 §4.2): a confidential client acts for itself. */

import { standardClaims } from "../claims.ts";
import { OAuthError } from "../errors.ts";
import { readResources } from "../authorize/resources.ts";
import { settleScope } from "../authorize/scope.ts";
import { drawName } from "../secrets.ts";
import type { Grant } from "./grant.ts";

/** Scope values that only a user can grant. */
const ofUsers = ["openid", "offline_access", ...Object.keys(standardClaims)];

/** No refresh token, no id token, no user's scope. */
export const clientCredentials: Grant = {
  type: "client_credentials",
  authorize(server, client, params) {
    if (!client.confidential) {
      throw new OAuthError("unauthorized_client", "only a confidential client can act for itself", {
        rule: "CC-01",
        expected: "a client that authenticates",
        received: "a public client",
      });
    }
    // What a request without scope gets may hold what only a user can grant.
    const usual = server.defaultScope.filter((token) => !ofUsers.includes(token)).join(" ");
    const asked = params.get("scope") ?? (usual || undefined);
    const scope = settleScope(server, client, asked);
    const personal = scope.find((token) => ofUsers.includes(token));
    if (personal !== undefined) {
      throw new OAuthError("invalid_scope", "scope holds a value that only a user can grant", {
        rule: "CC-02",
        expected: `none of: ${ofUsers.join(" ")}`,
        received: asked ?? scope.join(" "),
      });
    }
    const resources = readResources(server, params);
    return Promise.resolve({ client, scope, resources, family: drawName(server.random) });
  },
};
