/** Clients and users as a configuration file. */

import type { ClientMetadata, User } from "../../server/oauth/clients/client.ts";
import type { Client } from "../../server/oauth/clients/repository.ts";

/**
 * The entry of a client.
 *
 * @param secret Its secret, if the page may show it. Default: a placeholder, because the server has only the digest.
 */
export function clientEntry({ metadata, secretDigest }: Client, secret = "THE_CLIENT_SECRET"): ClientMetadata {
  const { client_id, ...members } = metadata;
  return { client_id, ...secretDigest !== undefined && { client_secret: secret }, ...members };
}

/** The entry of a user, without the password. */
export function userEntry({ password: _, ...claims }: User): User {
  return claims as User;
}

/** The text of the file. */
export function configurationFile(
  entries: { readonly clients?: readonly ClientMetadata[]; readonly users?: readonly User[] },
): string {
  return JSON.stringify(entries, null, 2);
}
