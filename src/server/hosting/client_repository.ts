/** The repository of clients: validation, and conversion from metadata (RFC 7591 §2) and stored records. */

import { assertNoIssues } from "../config/config_issue.ts";
import type { Policy } from "../../core/policy.ts";
import { canonicalUri } from "../../core/resource_list.ts";
import { splitScope } from "../../core/params.ts";
import { grantTypesFor } from "../../core/request/response_type.ts";
import { memoryRepository } from "./records/repository.ts";
import type { CreateRepository, Repository, SerializedEntry } from "./records/repository.ts";
import { digest } from "../../core/secrets.ts";
import { authMethodsOf, type ClientEntry, type ClientMetadata } from "../../core/clients/client.ts";
import { type ServerPolicy, tightenPolicy } from "../config/server_policy.ts";
import { matchesRedirectUri } from "../../core/redirect_uri.ts";
import { validateRedirectUri } from "../config/uri_issues.ts";
import type { Client } from "../../core/clients/repository.ts";
import { standingOfRegistration } from "../../core/clients/standing.ts";
import { validateClient, validateClientAudience } from "../config/validate_client.ts";

/** @internal The registered clients of a server. */
export type ClientRepository = Repository<ClientMetadata, Client>;

/**
 * Creates the repository.
 *
 * @param configured The configured clients.
 * @param create Default: in memory.
 */
export function clientRepository(
  settings: Policy,
  { clients, audience }: { readonly clients: readonly ClientMetadata[]; readonly audience: string },
  create: CreateRepository = memoryRepository,
): ClientRepository {
  // The server validates the configured clients together when it starts.
  let parse = (entry: ClientEntry) => parseEntry(settings, entry);
  const repository = create<ClientEntry, Client>(clients, {
    kind: "client",
    acceptsExpiring: false,
    getId: (entry) => entry.client_id,
    idOf: (client) => client.id,
    parse: (entry) => parse(entry),
    serialize: serializeClient,
    generationOf: ({ generation }) => generation,
    assignGeneration: (client, generation) => void Object.assign(client, { generation }),
  });
  parse = (entry) => parseClient(settings, audience, entry);
  return repository;
}

/**
 * Validates and parses a client that is registered, or that {@link serializeClient} wrote.
 *
 * @throws {ConfigurationError} With one sentence for each problem.
 */
export function parseClient(settings: Policy, audience: string, entry: ClientEntry): Client {
  const { client_secret_digest, registration: _, ...metadata } = entry;
  const validated = client_secret_digest === undefined
    ? metadata
    : { ...metadata, client_secret: client_secret_digest };
  assertNoIssues([...validateClient(validated, settings), ...validateClientAudience(validated, audience)]);
  return parseEntry(settings, entry);
}

/**
 * Serializes a client for the store: with a digest of its secret, unless the secret is the key of its assertions.
 */
async function serializeClient(client: ClientEntry): Promise<SerializedEntry> {
  const { client_secret: secret, ...others } = client;
  if (secret === undefined) return { ...others };
  if (client.token_endpoint_auth_method === "client_secret_jwt") return { ...client };
  return { ...others, client_secret_digest: await digest(secret) };
}

function parseEntry(settings: Policy, entry: ClientEntry): Client {
  const { client_secret_digest: secretDigest, registration, ...metadata } = entry;
  const policy = tightenPolicy(settings, metadata);
  const read = (metadata: ClientMetadata) => clientFromMetadata(metadata, policy);
  const client = secretDigest === undefined
    ? read(metadata)
    : { ...read({ ...metadata, client_secret: secretDigest }), secretDigest, pendingSecret: undefined };
  if (policy !== settings) Object.assign(client, { policy });
  if (registration === undefined) return client;
  return Object.assign(client, { registration, ...standingOfRegistration(registration, client.authMethod) });
}

/** The settings that a client depends on. */
export type ClientPolicy = Pick<
  ServerPolicy,
  "allows" | "clientScopes" | "userScopes" | "alg" | "acceptsAny" | "subjectTypes" | "insecureAllowHttpRedirectUris"
>;

/** Reads metadata into a client, with the defaults of RFC 7591 §2. The metadata must be valid. */
export function clientFromMetadata(
  metadata: ClientMetadata,
  server: ClientPolicy,
): Client {
  const { client_secret: secret, ...publicMetadata } = metadata;
  const { subject_type = "public" } = metadata;
  const authMethods = authMethodsOf(metadata);
  const [authMethod] = authMethods;
  const confidential = authMethod !== "none";
  const redirectUris = [...(metadata.redirect_uris ?? [])];
  const { localUrls } = server.allows;
  const isNative = !confidential || metadata.application_type === "native";
  const hasRedirectUri = (requested: string) =>
    redirectUris.some((registered) => matchesRedirectUri(registered, requested, isNative, localUrls));
  const redirectUriIssue = (requested: string) =>
    validateRedirectUri(requested, server.insecureAllowHttpRedirectUris, localUrls);
  const ownScope = metadata.scope === undefined ? server.userScopes : splitScope(metadata.scope);
  const scope = metadata.scope === undefined
    ? server.userScopes
    : ownScope.filter((value) => !server.clientScopes.includes(value));
  const acceptsAnyScope = metadata.scope === undefined && server.acceptsAny.includes("scopes");
  const digested = secret === undefined ? undefined : digest(secret);
  const client: Client = {
    metadata: publicMetadata,
    id: metadata.client_id,
    standing: "configured",
    name: metadata.client_name,
    confidential,
    authMethod,
    authMethods,
    secretDigest: digested,
    pendingSecret: digested instanceof Promise ? secret : undefined,
    assertionSecret: authMethod === "client_secret_jwt" ? secret : undefined,
    subjectType: server.subjectTypes.includes(subject_type) ? subject_type : "public",
    redirectUris,
    grantTypes: metadata.grant_types ?? grantTypesFor(metadata.response_types ?? ["code"]),
    scope,
    ownScope,
    idTokenAlg: metadata.id_token_signed_response_alg ?? server.alg,
    serves: (metadata.serves ?? []).map(canonicalUri),
    hasRedirectUri,
    allowsRedirectUri: hasRedirectUri,
    ...server.acceptsAny.includes("redirectUris") && {
      redirectUriIssue,
      allowsRedirectUri: (requested: string) => hasRedirectUri(requested) || redirectUriIssue(requested) === undefined,
    },
    allowsScope: acceptsAnyScope ? (token) => !server.clientScopes.includes(token) : (token) => scope.includes(token),
  };
  // Replaces the promise by its value, so that later callers need not wait.
  if (digested instanceof Promise) {
    digested.then((secretDigest) => Object.assign(client, { secretDigest, pendingSecret: undefined }));
  }
  return client;
}
