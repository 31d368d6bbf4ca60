/**
 * Dynamic client registration (RFC 7591) and its management (RFC 7592).
 *
 * 1. `access.ts` decides who may register, and authenticates the owner of a registration.
 * 2. `software_statement.ts` verifies a signed statement, whose claims replace those of the request.
 * 3. `metadata.ts` picks the members that a client may set, fills in the defaults and finds conflicts.
 * 4. This file issues id, secret and registration access token. The result is an ordinary client, stored as a record.
 * 5. `client_limit.ts` limits the number of clients, and evicts unused ones.
 */

import { registeredIdPrefix } from "../../clients/client_texts.ts";
import { constantTimeEqual, digest, randomId, randomToken } from "../../../core/keys/secrets.ts";
import { secondsNow } from "../../../core/keys/jwt.ts";
import type { HostedServer } from "../../hosted_server.ts";
import { keptRegistration, keptSecret } from "../../clients/changed_client.ts";
import type { ClientEntry, HostedClient } from "../../config/client_metadata.ts";
import { isSecretExpired } from "../../../core/clients/auth_method.ts";
import { issuesSecret, parseRegistration, resolveMetadata } from "./metadata.ts";
import { reject } from "./rules.ts";
import { registrationPolicy } from "./settings.ts";
import { readSoftwareStatement } from "./software_statement.ts";
import { limitClients, stopCounting } from "./client_limit.ts";
import { assertSector } from "./sector_identifier.ts";

/** A registered client, with the credentials that the server knows at this moment. */
export interface RegisteredClient {
  readonly client: HostedClient;
  readonly accessToken: string;
  /** The secret; absent for a client without one, and if only its digest is known. */
  readonly secret?: string;
}

/** The JSON object of a request. */
type ReceivedMetadata = Readonly<Record<string, unknown>>;

/**
 * Registers a client (RFC 7591 §3.1).
 *
 * @param isOpen Whether the request has no initial access token.
 * @param address The network address of the sender; `undefined` if unknown.
 * @throws {OAuthError} If the metadata or the software statement is invalid, or too many registered clients are in use.
 */
export async function registerClient(
  server: HostedServer,
  received: ReceivedMetadata,
  isOpen: boolean,
  address: string | undefined,
): Promise<RegisteredClient> {
  const statement = await readSoftwareStatement(server, received);
  const approval = { usedInitialAccessToken: !isOpen, softwareStatement: statement?.text };
  const metadata = resolveMetadata(server, received, { ...approval, claims: statement?.claims });
  const client_id = registeredIdPrefix + randomId(server.randomBytes);
  const secret = issuesSecret(metadata) ? newSecret(server) : undefined;
  const accessToken = randomToken(server.randomBytes);
  const entry: ClientEntry = {
    ...metadata,
    client_id,
    ...secret,
    registration: {
      issuedAt: secondsNow(server),
      tokenDigest: await digest(accessToken),
      ...approval,
    },
  };
  const parsed = parseRegistration(server, entry, received);
  await assertSector(server, parsed);
  if (isOpen) await limitClients(server, client_id, address);
  const client = await server.clients.set(entry);
  server.trace({ type: "client_registered", at: server.now(), client: client_id });
  server.passed("DR-01", client_id);
  return { client, accessToken, secret: secret?.client_secret };
}

/**
 * Replaces the metadata of a registered client and its registration access token (RFC 7592 §2.2). The secret stays,
 * unless it has expired, or the new authentication method needs another secret.
 *
 * @throws {OAuthError} If the request is invalid.
 */
export async function updateRegistration(
  server: HostedServer,
  former: HostedClient,
  received: ReceivedMetadata,
): Promise<RegisteredClient> {
  await assertUpdate(server, former, received);
  const statement = await readSoftwareStatement(server, received);
  const metadata = resolveMetadata(server, received, { ...former.registration!, claims: statement?.claims });
  const accessToken = randomToken(server.randomBytes);
  const entry: ClientEntry = {
    ...metadata,
    client_id: former.id,
    ...issuesSecret(metadata) && (await currentSecret(server, former, metadata, received) ?? newSecret(server)),
    registration: {
      ...keptRegistration(server, former, metadata).registration!,
      softwareStatement: statement?.text,
      tokenDigest: await digest(accessToken),
    },
  };
  const parsed = parseRegistration(server, entry, received);
  await assertSector(server, parsed);
  const client = await server.clients.update(
    former.id,
    (current) => Promise.resolve(hasTokenOf(former, current) ? entry : undefined),
  );
  if (client === undefined) throw reject("DR-06", { problem: "other token" });
  server.trace({ type: "client_updated", at: server.now(), client: client.id });
  return { client, accessToken, secret: entry.client_secret };
}

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
async function assertUpdate(
  server: HostedServer,
  client: HostedClient,
  received: ReceivedMetadata,
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
  server.passed("DR-07", client.id);
}

async function isSecretOf(client: HostedClient, secret: unknown): Promise<boolean> {
  if (typeof secret !== "string" || client.secretDigest === undefined) return false;
  return constantTimeEqual(await digest(secret), await client.secretDigest);
}

/** Whether a client still has its registration access token: of several changes with one token, one succeeds. */
function hasTokenOf(former: HostedClient, current: HostedClient): boolean {
  return current.registration?.tokenDigest === former.registration!.tokenDigest;
}

/**
 * Deletes a registered client (RFC 7592 §2.3). Its codes and tokens become invalid, because each use of a code or token
 * reads the client.
 *
 * @throws {OAuthError} `invalid_token` if another request has changed or deleted the client since it was read.
 */
export async function deleteRegistration(server: HostedServer, client: HostedClient): Promise<void> {
  const { id } = client;
  const reason = "the client deleted its registration";
  const isDeleted = await server.clients.delete(id, reason, (current) => hasTokenOf(client, current));
  if (!isDeleted) throw reject("DR-06", { problem: "other token" });
  await stopCounting(server, id);
  server.trace({ type: "client_deleted", at: server.now(), client: id, reason });
}

type SecretMembers = Pick<ClientEntry, "client_secret" | "client_secret_digest" | "client_secret_expires_at">;

function newSecret(server: HostedServer): SecretMembers & { readonly client_secret: string } {
  const { secretLifetime } = registrationPolicy(server);
  return {
    client_secret: randomToken(server.randomBytes),
    ...secretLifetime > 0 && { client_secret_expires_at: secondsNow(server) + secretLifetime },
  };
}

/** The current secret of the client: as sent, or its digest; `undefined` if the client has none or needs a new one. */
async function currentSecret(
  server: HostedServer,
  client: HostedClient,
  { token_endpoint_auth_method: method }: Partial<ClientEntry>,
  { client_secret: sent }: ReceivedMetadata,
): Promise<SecretMembers | undefined> {
  const { metadata, secretDigest, assertionSecret } = client;
  if (secretDigest === undefined || isSecretExpired(server, metadata)) return undefined;
  const { client_secret_expires_at: expiresAt } = metadata;
  const known = typeof sent === "string" ? sent : assertionSecret;
  const secret = known === undefined ? await keptSecret(client, method) : { client_secret: known };
  return secret && { ...secret, ...expiresAt && { client_secret_expires_at: expiresAt } };
}
