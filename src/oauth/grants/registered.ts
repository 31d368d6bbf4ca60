/** What is left of a grant under what is registered now: the configuration may have changed since it was approved. */

import type { RequestedClaims } from "../../store/store.ts";
import { mayBeRequested, narrowRequestedClaims } from "../claims.ts";
import type { Client } from "../clients.ts";
import { OAuthError } from "../errors.ts";
import { registeredResources } from "../resources.ts";
import type { Server } from "../server.ts";

/** How much was granted. */
interface Granted {
  readonly scope: readonly string[];
  /** Empty: the server's default audience. */
  readonly resources: readonly string[];
  /** The claims requested by name, if any. */
  readonly claims?: RequestedClaims;
}

/**
 * Leaves out scope values that the client may not have any more, claims that need them, and resources that are gone, and
 * warns the operator. The scope may be empty afterwards, which no grant type accepts.
 *
 * @throws {OAuthError} `invalid_target` where no resource is left: the default audience is none of them.
 */
export function stillRegistered(server: Server, client: Client, granted: Granted): Granted {
  const scope = registeredScope(client, granted.scope);
  const resources = registeredResources(server, granted.resources);
  if (resources.length === 0 && granted.resources.length > 0) {
    throw new OAuthError("invalid_target", "none of the granted resources is known here any more", {
      rule: "RI-05",
      expected: "a grant for a resource that this server issues tokens for",
      received: granted.resources.join(" "),
    });
  }
  if (scope.length < granted.scope.length || resources.length < granted.resources.length) {
    server.trace({
      type: "warning",
      at: server.now(),
      client: client.id,
      why: {
        rule: "RT-09",
        reason: "the grant holds more than is registered now, and the rest is left out",
        expected: [...scope, ...resources].join(" "),
        received: [...granted.scope, ...granted.resources].join(" "),
      },
    });
  }
  const claims = granted.claims &&
    narrowRequestedClaims(granted.claims, (name) => mayBeRequested(server.claims, name, client.scope));
  return { scope, resources, claims };
}

/** The scope values among those granted that the client may still have; they are some of the server's. */
export function registeredScope(client: Client, granted: readonly string[]): readonly string[] {
  return granted.filter((token) => client.scope.includes(token));
}
