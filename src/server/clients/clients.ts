/**
 * The clients of a server: the registered ones, and those that extensions add. This file validates clients, and reads
 * them from metadata (RFC 7591 §2) and stored records.
 */

import { hasStanding, permissions, type StandingHolder } from "../config/standing.ts";
import { assertNoIssues } from "../../core/rules/configuration_error.ts";
import type { Policy } from "../../core/policy/policy.ts";
import type { Server } from "../../core/server.ts";
import { type Client, clientFromMetadata, type ClientPolicy, hasUriAt } from "../../core/clients/clients.ts";
import type { FetchingServer } from "../fetching/fetching.ts";
import { type CreateRepository, memoryRepository, type Repository, type SerializedEntry } from "./repository.ts";
import { decodeBase64url } from "../../core/keys/crypto.ts";
import { digest } from "../../core/keys/secrets.ts";
import { authMethodsOf, type ClientEntry, type ClientMetadata, type HostedClient } from "../config/client_metadata.ts";
import { asServerPolicy, type ServerPolicy, tightenPolicy } from "../config/server_policy.ts";
import { validateRedirectUri } from "../config/uri_issues.ts";
import { validateClient, validateClientAudience } from "../config/validate_client.ts";

/** @internal The registered clients of a server. */
export type ClientRepository = Repository<ClientMetadata, HostedClient>;

/**
 * The clients of a server. `find` also finds the clients that extensions add; changes and `registered` concern
 * registered clients only.
 *
 * @internal
 */
export interface ServerClients extends ClientRepository {
  /** See `Clients` in `core/clients/clients.ts`. */
  find(id: string, server?: FetchingServer): HostedClient | undefined | Promise<HostedClient | undefined>;
  /** See `Clients` in `core/clients/clients.ts`. */
  findHolder(id: string, server?: FetchingServer): HostedClient | undefined | Promise<HostedClient | undefined>;
  readonly registered: ClientRepository;
  /** See `Clients` in `core/clients/clients.ts`. Trusted are clients of the operator; `allowedOrigins` count too. */
  hasPagesAt(origin: string): boolean;
  /** See `ServerRepository`. */
  readAsIfStored(id: string): Promise<void>;
  /** The prefix of the ids of this issuer's records of clients and users. */
  readonly recordPrefix: string;
  /** The clients in memory that are not registered, because their metadata is elsewhere. */
  externalClients(): readonly HostedClient[];
  /** Removes these clients from memory, so that their metadata is fetched again. */
  forgetExternalClients(): void;
}

/** The client of an id in a repository or in memory: no metadata document is fetched. */
export async function findKnownClient(
  { registered, known }: Pick<Server["clients"], "registered" | "known">,
  id: string,
): Promise<HostedClient | undefined> {
  return await registered.find(id) ?? known().get(id);
}

/** Maximum number of clients that a page searches, besides those in memory. */
export const maxSearchedClients = 1000;

/** The clients that a page of a user searches. */
export async function searchedClients({ clients }: Pick<Server, "clients">): Promise<ReadonlySet<Client>> {
  return new Set([...clients.known().values(), ...await clients.list({ limit: maxSearchedClients })]);
}

/** What the clients of a server depend on. */
export interface ClientsOptions {
  readonly policy: Policy;
  readonly clients: readonly ClientMetadata[];
  readonly audience: string;
  readonly recordPrefix: string;
  /** Creates the repository. Default: in memory. */
  readonly createRepository?: CreateRepository;
}

/** Creates the clients of a server without extensions. */
export function serverClients(
  { policy, clients, audience, recordPrefix, createRepository = memoryRepository }: ClientsOptions,
): ServerClients {
  // The server validates the configured clients together when it starts.
  let parse = (entry: ClientEntry) => parseEntry(policy, entry);
  const registered = createRepository<ClientEntry, HostedClient>(clients, {
    kind: "client",
    acceptsExpiring: false,
    idOf: (client) => client.id,
    parse: (entry) => parse(entry),
    serialize: serializeClient,
    generationOf: ({ generation }) => generation,
    assignGeneration: (client, generation) => void Object.assign(client, { generation }),
  });
  parse = (entry) => parseClient(policy, audience, entry);
  return {
    ...registered,
    registered,
    recordPrefix,
    findHolder: registered.find,
    hasPagesAt(origin) {
      if (asServerPolicy(policy).allowedOrigins.includes(origin)) return true;
      const clients = [...registered.known().values()];
      return hasUriAt(clients.filter((client) => hasStanding(client, permissions.haveTrustedPages.from)), origin);
    },
    externalClients: () => [],
    forgetExternalClients() {},
  };
}

/**
 * Validates and parses a client that is registered, or that {@link serializeClient} wrote.
 *
 * @throws {ConfigurationError} With one sentence for each problem.
 */
export function parseClient(policy: Policy, audience: string, entry: ClientEntry): HostedClient {
  const { client_secret_digest, registration: _, ...metadata } = entry;
  const validated = client_secret_digest === undefined
    ? metadata
    : { ...metadata, client_secret: client_secret_digest };
  assertNoIssues([...validateClient(validated, policy), ...validateClientAudience(validated, audience)]);
  return parseEntry(policy, entry);
}

/** Serializes a client for the store: with a digest of its secret, unless the secret is the key of its assertions. */
async function serializeClient(client: ClientEntry): Promise<SerializedEntry> {
  const { client_secret: secret, ...others } = client;
  if (secret === undefined) return { ...others };
  if (client.token_endpoint_auth_method === "client_secret_jwt") return { ...client };
  return { ...others, client_secret_digest: await digest(secret) };
}

function parseEntry(policy: Policy, entry: ClientEntry): HostedClient {
  const { client_secret_digest: secretDigest, registration, ...metadata } = entry;
  const ofClient = tightenPolicy(policy, metadata);
  const read = (metadata: ClientMetadata) => hostedClient(metadata, ofClient);
  const client = secretDigest === undefined
    ? read(metadata)
    : { ...read({ ...metadata, client_secret: secretDigest }), secretDigest, pendingSecret: undefined };
  if (ofClient !== policy) Object.assign(client, { policy: ofClient });
  if (registration === undefined) return client;
  return Object.assign(client, { registration, ...standingOfRegistration(registration, client.authMethod) });
}

/** The part of the policy that a client depends on. */
export type HostedClientPolicy =
  & ClientPolicy
  & Pick<ServerPolicy, "acceptsAny" | "clientScopes" | "insecure" | "subjectTypes">;

/**
 * Reads valid metadata into a client. If the server accepts any, it may send any redirect URI that could be registered,
 * except endpoints of the server, and without `scope` any scope value; no user can grant it the scope values of
 * extensions.
 */
export function hostedClient(metadata: ClientMetadata, server: HostedClientPolicy): HostedClient {
  const client: HostedClient = clientFromMetadata(metadata, server, authMethodsOf(metadata));
  if (metadata.client_secret !== undefined) replaceBySecretDigest(client, metadata.client_secret);
  if (client.authMethod === "client_secret_jwt") {
    Object.assign(client, { assertionSecret: metadata.client_secret });
  }
  const acceptsAnyScope = server.acceptsAny.includes("scopes");
  if (acceptsAnyScope && metadata.scope === undefined) Object.assign(client, { allowsScope: () => true });
  const { clientScopes, subjectTypes } = server;
  const { subject_type: type = "public" } = metadata;
  Object.assign(client, { subjectType: subjectTypes.includes(type) ? type : "public" });
  if (clientScopes.length > 0) {
    const { scope, allowsScope } = client;
    const isOfUsers = (token: string) => !clientScopes.includes(token);
    Object.assign(client, {
      ownScope: scope,
      scope: scope.filter(isOfUsers),
      allowsScope: (token: string) => isOfUsers(token) && allowsScope(token),
    });
  }
  if (acceptsAnyScope) Object.assign(client, { allowsUnknownScope: client.allowsScope });
  if (!server.acceptsAny.includes("redirectUris")) return client;
  const redirectUriIssue: HostedClient["redirectUriIssue"] = (requested, { isOwnEndpoint }) =>
    validateRedirectUri(requested, server.insecure.includes("http-redirect-uris"), server.allows.localUrls) ??
      (isOwnEndpoint?.(requested) ? ownEndpointIssue : undefined);
  const allowsRedirectUri: HostedClient["allowsRedirectUri"] = (requested, ofRequest) =>
    client.hasRedirectUri(requested) || redirectUriIssue(requested, ofRequest) === undefined;
  return Object.assign(client, { redirectUriIssue, allowsRedirectUri });
}

const ownEndpointIssue = {
  expected: "a page of the client, or /authorized of this server",
  hint: "Send a redirect URI of your application.",
};

/**
 * Replaces the secret by its digest once that is computed. Until then redaction compares the secret itself, because it
 * cannot wait.
 */
async function replaceBySecretDigest(client: HostedClient, pendingSecret: string): Promise<void> {
  Object.assign(client, { pendingSecret });
  Object.assign(client, { secretDigest: await client.secretDigest, pendingSecret: undefined });
}

/** The standing of a client that registered itself (RFC 7591), with this authentication method. */
function standingOfRegistration(
  { usedInitialAccessToken, softwareStatement }: {
    readonly usedInitialAccessToken: boolean;
    readonly softwareStatement?: string;
  },
  authMethod: string,
): StandingHolder {
  if (usedInitialAccessToken) return { standing: "approved" };
  if (softwareStatement === undefined) return { standing: "unknown" };
  // The server verified the statement at the registration.
  const payload = decodeBase64url(softwareStatement.split(".")[1]!);
  const approvedMembers = Object.keys(JSON.parse(new TextDecoder().decode(payload)));
  const hasKey = approvedMembers.includes("jwks") || approvedMembers.includes("jwks_uri");
  return { standing: hasKey && authMethod === "private_key_jwt" ? "approved" : "unknown", approvedMembers };
}
