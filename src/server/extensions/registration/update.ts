/** Validates requests that replace a registration (RFC 7592 §2.2). */

import { constantTimeEqual, digest } from "../../../core/secrets.ts";
import type { Server } from "../../../core/server.ts";
import type { Client } from "../../../core/clients/repository.ts";
import { reject } from "./rules.ts";

/** The members of the response that only the server sets. */
const responseMembers = [
  "registration_access_token",
  "registration_client_uri",
  "client_secret_expires_at",
  "client_id_issued_at",
];

/**
 * Rejects a request that names another client or secret, or sets members that only the server sets.
 *
 * @throws {OAuthError} `invalid_request`.
 */
export async function assertUpdate(
  server: Server,
  client: Client,
  received: Readonly<Record<string, unknown>>,
): Promise<void> {
  const forbidden = responseMembers.filter((name) => Object.hasOwn(received, name));
  if (forbidden.length > 0) throw reject("DR-07", { problem: "members", names: forbidden });
  const { client_id: id, client_secret: secret } = received;
  if (id !== client.id) {
    throw reject("DR-07", { problem: "client_id", clientId: client.id, isSent: id !== undefined });
  }
  if (secret !== undefined && secret !== null && !await isSecretOf(client, secret)) {
    throw reject("DR-07", { problem: "client_secret" });
  }
  server.passed?.("DR-07", client.id);
}

async function isSecretOf(client: Client, secret: unknown): Promise<boolean> {
  if (typeof secret !== "string" || client.secretDigest === undefined) return false;
  return constantTimeEqual(await digest(secret), await client.secretDigest);
}
