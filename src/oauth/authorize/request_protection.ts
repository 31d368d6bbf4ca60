/** Requests that must be pushed (RFC 9126) or signed (RFC 9101). */

import { policyOf } from "../clients/policy.ts";
import type { Client } from "../clients/repository.ts";
import { byProfile } from "../config/profile.ts";
import { OAuthError } from "../errors.ts";
import type { MaybePromise } from "../maybe_promise.ts";
import type { PartRequest, Server } from "../server.ts";

/** Rejects a request that the server or the client requires to be pushed or signed, and that is not. */
export function requireProtection({ server, client, isPushed, isSigned }: PartRequest): MaybePromise<void> {
  if (!isPushed) rejectUnpushed(server, client);
  if (isSigned) return;
  if (policyOf(server, client).requireSignedRequestObject || client.metadata.require_signed_request_object) {
    return rejectUnsigned(server, client);
  }
}

async function rejectUnsigned(server: Server, client: Client): Promise<never> {
  throw (await import("./request_object.ts")).unsignedRequest(server, client);
}

function rejectUnpushed(server: Server, client: Client): void {
  const { requirePushedAuthorizationRequests: isRequired, profile } = policyOf(server, client);
  if (!client.metadata.require_pushed_authorization_requests && !isRequired) return;
  const decider = isRequired ? byProfile(profile, "requirePushedAuthorizationRequests") : "";
  throw new OAuthError("invalid_request", `the authorization request must be pushed${decider}`, {
    rule: "PA-07",
    reason: isRequired
      ? `the setting requirePushedAuthorizationRequests demands pushed authorization requests${decider}`
      : `client ${client.id} is registered with require_pushed_authorization_requests`,
    expected: "client_id and the request_uri of a pushed authorization request",
    received: "the parameters themselves",
  });
}
