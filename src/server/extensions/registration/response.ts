/** The client information response (RFC 7591 §3.2.1, RFC 7592 §3). */

import type { RegisteredClient } from "./registration.ts";

/**
 * Describes a registered client: its metadata with all defaults, its id and its credentials. The secret is present only
 * if it was just issued or sent, because the server keeps only its digest.
 *
 * @param uri The URL of its registration.
 */
export function clientInformation(
  { client, accessToken, secret }: RegisteredClient,
  uri: string,
): Readonly<Record<string, unknown>> {
  const { metadata, registration, authMethod, secretDigest } = client;
  return {
    ...metadata,
    client_id_issued_at: registration!.issuedAt,
    client_secret: secret,
    client_secret_expires_at: secretDigest === undefined ? undefined : metadata.client_secret_expires_at ?? 0,
    token_endpoint_auth_method: authMethod,
    software_statement: registration!.softwareStatement,
    registration_access_token: accessToken,
    registration_client_uri: uri,
  };
}
