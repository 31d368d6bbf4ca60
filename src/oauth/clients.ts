/** The clients and users a server knows: registered from metadata, found by id, changed at any time. */

import type { ClientAuthMethod, ClientMetadata, User } from "./client.ts";
import type { SigningAlgorithm } from "./keys.ts";
import { matchesRedirectUri } from "./redirect_uri.ts";
import { splitScope } from "./scope.ts";
import { digest } from "./secrets.ts";

/** A client as the rules use it. */
export interface Client {
  /** The `client_id`. */
  readonly id: string;
  /** The `client_name`, shown to people. */
  readonly name?: string;
  /** Whether it can keep a secret and must prove who it is. */
  readonly confidential: boolean;
  /** The one method it may prove itself by. */
  readonly authMethod: ClientAuthMethod;
  /** The digest of the secret; absent for a public client. */
  readonly secretDigest?: Promise<string>;
  /** Seconds since the epoch; absent when the secret does not expire. */
  readonly secretExpiresAt?: number;
  /** As registered. */
  readonly redirectUris: readonly string[];
  /** The grants it may use. */
  readonly grantTypes: readonly string[];
  /** The response types it may ask for. */
  readonly responseTypes: readonly string[];
  /** Every scope value it may ask for. */
  readonly scope: readonly string[];
  /** Signs its id tokens. */
  readonly idTokenAlg: SigningAlgorithm;
  /** Whether it must send a code challenge although it is confidential. */
  readonly requirePkce: boolean;
  /** Whether it may ask for a redirect to the requested URI. */
  mayUse(redirectUri: string): boolean;
}

/** Things found by their id. */
export interface Registry<Written, Known> {
  /** `undefined` when there is none of that id. */
  find(id: string): Known | undefined;
  /** Registers one, replacing one of the same id. */
  set(written: Written): Known;
  /** Whether there was one to remove. */
  delete(id: string): boolean;
  /** All of them, in the order they were registered. */
  all(): readonly Known[];
}

/** The clients of a server. */
export type Clients = Registry<ClientMetadata, Client>;

/** The users of a server; the first one is who `login: "auto"` logs in. */
export type Users = Registry<User, User>;

/** Makes a registry that holds its things in memory. */
export function registry<Written, Known>(
  initial: readonly Written[],
  id: (written: Written) => string,
  know: (written: Written) => Known,
): Registry<Written, Known> {
  const byId = new Map(initial.map((written) => [id(written), know(written)]));
  return {
    find: (wanted) => byId.get(wanted),
    set(written) {
      const known = know(written);
      byId.set(id(written), known);
      return known;
    },
    delete: (unwanted) => byId.delete(unwanted),
    all: () => [...byId.values()],
  };
}

/** Reads metadata into a client, with the defaults of RFC 7591 §2. The metadata must be free of faults. */
export function knowClient(
  metadata: ClientMetadata,
  server: { readonly scopes: readonly string[]; readonly alg: SigningAlgorithm },
): Client {
  const secret = metadata.client_secret;
  const authMethod = metadata.token_endpoint_auth_method ?? (secret === undefined ? "none" : "client_secret_basic");
  const confidential = authMethod !== "none";
  const redirectUris = [...(metadata.redirect_uris ?? [])];
  const native = !confidential || metadata.application_type === "native";
  return {
    id: metadata.client_id,
    name: metadata.client_name,
    confidential,
    authMethod,
    secretDigest: secret === undefined ? undefined : digest(secret),
    secretExpiresAt: metadata.client_secret_expires_at || undefined,
    redirectUris,
    grantTypes: metadata.grant_types ?? ["authorization_code"],
    responseTypes: metadata.response_types ?? ["code"],
    scope: metadata.scope === undefined ? server.scopes : splitScope(metadata.scope),
    idTokenAlg: metadata.id_token_signed_response_alg ?? server.alg,
    requirePkce: metadata.require_pkce === true,
    mayUse: (redirectUri) => redirectUris.some((registered) => matchesRedirectUri(registered, redirectUri, native)),
  };
}
