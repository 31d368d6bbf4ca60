/** Clients and users as a configuration file. */

import type { User } from "../../core/clients/client.ts";
import type { ClientMetadata } from "../../server/config/client_metadata.ts";
import { demoSecret } from "../../server/config/demo_entries.ts";
import type { ClaimRules } from "../../core/clients/claims.ts";
import type { Client } from "../../core/clients/clients.ts";
import { secretPlaceholder } from "../../server/config/validate_client.ts";
import type { Server } from "../../core/server.ts";
import { digest } from "../../core/keys/secrets.ts";
import type { DirectoryOptions } from "./admin_endpoint.ts";
import type { ConfigurationFile } from "./pages/configuration_lines.tsx";

/** The secret that a form generated for the client, if it is kept and the client still has it. */
export async function findGeneratedSecret(
  { generatedSecrets }: DirectoryOptions,
  client: Client,
): Promise<string | undefined> {
  const secret = generatedSecrets.get(client.id);
  return secret !== undefined && await client.secretDigest === await digest(secret) ? secret : undefined;
}

/** The secret of the demo, if it is that of the client. */
export async function findDemoSecret({ secretDigest }: Client): Promise<string | undefined> {
  return await secretDigest === await digest(demoSecret) ? demoSecret : undefined;
}

/** The secret that the page of the client shows. */
export async function findShownSecret(options: DirectoryOptions, client: Client): Promise<string | undefined> {
  return await findGeneratedSecret(options, client) ?? await findDemoSecret(client);
}

/**
 * The entry of a client.
 *
 * @param secret Its secret, if the page may show it. Default: a placeholder, because the server has only the digest.
 */
export function clientEntry({ metadata, secretDigest }: Client, secret = secretPlaceholder): ClientMetadata {
  const { client_id, ...members } = metadata;
  return { client_id, ...secretDigest !== undefined && { client_secret: secret }, ...members };
}

export function userEntry({ password: _, ...claims }: User): User {
  return claims as User;
}

/** The settings that say which tokens have claims of users. */
export interface ClaimPlaces {
  readonly idTokenClaims: ClaimRules["idToken"];
  readonly accessTokenClaims: readonly string[];
}

/** The settings of the server. */
export function claimPlaces({ claims: { idToken, accessToken } }: Server): ClaimPlaces {
  return { idTokenClaims: idToken, accessTokenClaims: accessToken };
}

/** The settings that differ from their defaults. */
export function changedPlaces(server: Server): Partial<ClaimPlaces> {
  const { idTokenClaims, accessTokenClaims } = claimPlaces(server);
  return {
    ...idTokenClaims !== "minimal" && { idTokenClaims },
    ...accessTokenClaims.length > 0 && { accessTokenClaims },
  };
}

export function configurationFile(
  entries: { readonly clients?: readonly ClientMetadata[]; readonly users?: readonly User[] } & Partial<ClaimPlaces>,
): ConfigurationFile {
  const text = JSON.stringify(entries, null, 2);
  return { text, placeholder: text.includes(secretPlaceholder) ? secretPlaceholder : undefined };
}
