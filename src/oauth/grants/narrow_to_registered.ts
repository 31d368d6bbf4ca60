/** The part of a grant that is still registered: the configuration may have changed since the approval. */

import type { RequestedClaims } from "../../store/store.ts";
import { filterRequestedClaims, mayBeRequested } from "../claims.ts";
import type { Client } from "../clients/repository.ts";
import { OAuthError } from "../errors.ts";
import type { Server } from "../server.ts";

/** The granted resources and claims. */
interface GrantedAccess {
  /** Empty for the server's default audience. */
  readonly resources: readonly string[];
  /** The claims requested by name, if any. */
  readonly claims?: RequestedClaims;
}

/**
 * Removes resources that are no longer registered, and claims of scope values that the client may no longer have; warns
 * the operator if scope values or resources are missing.
 *
 * @param scope The part of the granted scope that is still registered.
 * @param resources The granted resources that are still registered.
 * @throws {OAuthError} `invalid_target` if no resource is left: the default audience does not replace them.
 */
export function narrowToRegistered(
  server: Server,
  client: Client,
  granted: GrantedAccess & { readonly scope: readonly string[] },
  scope: readonly string[],
  resources: readonly string[],
): GrantedAccess {
  if (resources.length === 0 && granted.resources.length > 0) {
    throw new OAuthError("invalid_target", "no granted resource is registered any more", {
      rule: "RI-05",
      expected: "a grant for a configured resource",
      received: granted.resources.join(" "),
    });
  }
  if (scope.length < granted.scope.length || resources.length < granted.resources.length) {
    server.trace({
      type: "warning",
      at: server.now(),
      client: client.id,
      explanation: {
        rule: "RT-09",
        reason: "the grant contains values that are no longer registered; they are left out",
        expected: [...scope, ...resources].join(" "),
        received: [...granted.scope, ...granted.resources].join(" "),
      },
    });
  } else {
    server.passed?.("RT-09", scope.join(" "));
  }
  const claims = granted.claims &&
    filterRequestedClaims(granted.claims, (name) => mayBeRequested(server.claims, name, client.scope));
  return { resources, claims };
}

/** The granted scope values that the server still has and the client may still have. */
export function registeredScope(client: Client, granted: readonly string[]): readonly string[] {
  return granted.filter((token) => client.scope.includes(token));
}
