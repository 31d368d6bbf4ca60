/** What a client keeps when its metadata changes: its secret, its registration, and its identity for users. */

import { randomId } from "../../core/keys/secrets.ts";
import type { Server } from "../../core/server.ts";
import type { ClientEntry, ClientMetadata, HostedClient } from "../config/client_metadata.ts";

export type ClientSecret = Pick<ClientEntry, "client_secret" | "client_secret_digest">;

/**
 * The secret that a client keeps with this authentication method: its digest, unless the secret is the HMAC key of
 * client assertions. `undefined` if the client has none, or if the method needs more than the known digest.
 */
export async function keptSecret(
  { secretDigest, assertionSecret }: HostedClient,
  method: string | undefined,
): Promise<ClientSecret | undefined> {
  if (method === "client_secret_jwt") {
    return assertionSecret === undefined ? undefined : { client_secret: assertionSecret };
  }
  return secretDigest === undefined ? undefined : { client_secret_digest: await secretDigest };
}

/** The registration of a client that registered itself, after a change of its metadata. */
export function keptRegistration(
  { randomBytes }: Pick<Server, "randomBytes">,
  { metadata: former, registration }: HostedClient,
  metadata: Partial<ClientMetadata>,
): Pick<ClientEntry, "registration"> {
  if (registration === undefined) return {};
  const isNew = identifyingMembers(former) !== identifyingMembers(metadata);
  return { registration: { ...registration, ...isNew && { identity: randomId(randomBytes) } } };
}

/**
 * A value that changes with the redirect URIs, the method or the keys of a client that no operator registered: users
 * know the client by them, so a consent counts only for the same value.
 */
export function clientIdentity({ document, registration }: HostedClient): string | undefined {
  return document?.identity ?? registration?.identity;
}

function identifyingMembers(
  { redirect_uris, token_endpoint_auth_method, jwks, jwks_uri }: Partial<ClientMetadata>,
): string {
  return JSON.stringify([redirect_uris, token_endpoint_auth_method, jwks, jwks_uri]);
}
