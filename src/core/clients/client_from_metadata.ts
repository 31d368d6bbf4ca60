/** Clients, read from their metadata. */

import { canonicalUri } from "../resource_list.ts";
import { splitScope } from "../params.ts";
import type { Policy } from "../policy.ts";
import { matchesRedirectUri } from "../redirect_uri.ts";
import { digest } from "../secrets.ts";
import { authMethodsOf, type ClientMetadata, grantTypesFor } from "./client.ts";
import type { Client } from "./repository.ts";

/** The part of the policy that a client depends on. */
export type ClientPolicy = Pick<
  Policy,
  "allows" | "userScopes" | "alg" | "acceptsAny" | "subjectTypes"
>;

/** Reads metadata into a client, with the defaults of RFC 7591 §2. The metadata must be valid. */
export function clientFromMetadata(metadata: ClientMetadata, server: ClientPolicy): Client {
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
  const scope = metadata.scope === undefined ? server.userScopes : splitScope(metadata.scope);
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
    ownScope: scope,
    idTokenAlg: metadata.id_token_signed_response_alg ?? server.alg,
    serves: (metadata.serves ?? []).map(canonicalUri),
    hasRedirectUri,
    allowsRedirectUri: hasRedirectUri,
    allowsScope: acceptsAnyScope ? () => true : (token) => scope.includes(token),
  };
  // Replaces the promise by its value, so that later callers need not wait.
  if (digested instanceof Promise) {
    digested.then((secretDigest) => Object.assign(client, { secretDigest, pendingSecret: undefined }));
  }
  return client;
}
