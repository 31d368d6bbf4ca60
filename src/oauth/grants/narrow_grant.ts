/** The part of a grant that a token request receives: still registered, and requested. */

import type { GrantRecord, StoredRecord } from "../../store/store.ts";
import { hasAccess, narrowAccess, requestsAccess } from "../authorize/access.ts";
import { narrowResources, registeredResources } from "../authorize/resources.ts";
import { filterRequestedClaims, mayBeRequested } from "../claims.ts";
import type { Client } from "../clients/repository.ts";
import { OAuthError } from "../errors.ts";
import { isPromise } from "../maybe_promise.ts";
import type { Server } from "../server.ts";
import type { Authorization, TokenRequest } from "./token_request.ts";

/** The granted scope values that the server still has and the client may still have. */
export function registeredScope(client: Client, granted: readonly string[]): readonly string[] {
  return granted.filter((token) => client.allowsScope(token));
}

/**
 * The authorization for a grant: the configuration may have changed since the approval, so scope values, resources,
 * claims and other access that are no longer registered are left out. Warns the operator about them.
 *
 * @param scope The part of the granted scope that is still registered.
 * @throws {OAuthError} `invalid_target` if no resource is left: the default audience does not replace them. Or if the
 *   request asks for more than was granted. Or if no ID token can be encrypted for the client.
 */
export async function narrowGrant(
  server: Server,
  request: TokenRequest,
  { grantId, value: { grant, nonce } }: StoredRecord<GrantRecord>,
  scope: readonly string[],
): Promise<Authorization> {
  const { client, parameters } = request;
  const registered = registeredResources(server, grant.resources);
  const granted = isPromise(registered) ? await registered : registered;
  if (granted.length === 0 && grant.resources.length > 0) {
    throw new OAuthError("invalid_target", "no granted resource is registered any more", {
      rule: "RI-05",
      expected: "a grant for a configured resource",
      received: grant.resources.join(" "),
    });
  }
  const isRegistered = scope.length === grant.scope.length && granted.length === grant.resources.length;
  if (isRegistered) {
    server.passed?.("RT-09", scope.join(" "));
  } else {
    server.trace({
      type: "warning",
      at: server.now(),
      client: client.id,
      explanation: {
        rule: "RT-09",
        reason: "the grant contains values that are no longer registered; they are left out",
        expected: [...scope, ...granted].join(" "),
        received: [...grant.scope, ...grant.resources].join(" "),
      },
    });
  }
  const claims = grant.claims &&
    filterRequestedClaims(grant.claims, (name) => mayBeRequested(server.claims, name, client.scope));
  const narrowed = narrowResources(server, granted, parameters);
  const resources = isPromise(narrowed) ? await narrowed : narrowed;
  const access = hasAccess(server, grant) || requestsAccess(server, parameters)
    ? await narrowAccess(server, request, grant, resources)
    : undefined;
  const preparing = scope.includes("openid") && server.responseEncryption?.prepare(server, client, "id_token");
  if (preparing) await preparing;
  const isUnchanged = isRegistered && granted === grant.resources && claims === undefined && access === undefined;
  return {
    client,
    scope,
    resources,
    subject: grant.subject,
    claims,
    nonce,
    grantId: grantId!,
    grant: isUnchanged ? grant : { ...grant, scope, resources: granted, claims, ...access?.granted },
    ...access?.issued,
  };
}
