/** The identity of a client that no operator registered, as its users know it. Consents depend on it. */

import type { ClientMetadata, HostedClient } from "../config/client_metadata.ts";

/** A digest that changes with the redirect URIs, the method or the keys of a client that no operator registered. */
export function clientIdentity({ document, registration }: HostedClient): string | undefined {
  return document?.identity ?? registration?.identity;
}

/** Whether a change concerns what identifies the client to its users. */
export function hasNewIdentity(former: Partial<ClientMetadata>, metadata: Partial<ClientMetadata>): boolean {
  const [before, after] = [former, metadata].map(
    ({ redirect_uris, token_endpoint_auth_method, jwks, jwks_uri }) =>
      JSON.stringify([redirect_uris, token_endpoint_auth_method, jwks, jwks_uri]),
  );
  return before !== after;
}
