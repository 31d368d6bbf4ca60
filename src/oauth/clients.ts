/** The clients and users a server knows: registered from metadata, found by id, changed at any time. */

import type { ClientAuthMethod, ClientMetadata, User } from "./client.ts";
import type { SigningAlgorithm } from "./keys.ts";
import { matchesRedirectUri } from "./redirect_uri.ts";
import { canonicalUri } from "./resources.ts";
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
  /** The secret itself, only where it is the key of client assertions. */
  readonly assertionSecret?: string;
  /** The public keys of its client assertions. */
  readonly jwks?: NonNullable<ClientMetadata["jwks"]>;
  /** Where those keys are found instead. */
  readonly jwksUri?: string;
  /** The one algorithm of its client assertions, when it registered one. */
  readonly assertionAlg?: string;
  /** The sector its pairwise subjects are for; absent: its subjects are public. */
  readonly sector?: string;
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
  /** The form of its access tokens. */
  readonly accessTokenFormat: "jwt" | "opaque";
  /** Resources it serves, in their canonical spelling, whose tokens it may introspect. */
  readonly serves: readonly string[];
  /** Where the browser may be sent after logout. */
  readonly postLogoutRedirectUris: readonly string[];
  /** Signs its userinfo answers; absent: they are plain JSON. */
  readonly userinfoAlg?: SigningAlgorithm;
  /** Whether it must send a code challenge although it is confidential. */
  readonly requirePkce: boolean;
  /** Whether it may ask for a redirect to the requested URI. */
  mayUse(redirectUri: string): boolean;
}

/** Things found by their id. */
export interface Registry<Written, Known> {
  /** `undefined` when there is none of that id. */
  find(id: string): Known | undefined;
  /**
   * Registers one, replacing one of the same id.
   *
   * @throws {ConfigurationError} With one sentence per fault.
   */
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
  const { jwks, jwks_uri: jwksUri } = metadata;
  const authMethod = metadata.token_endpoint_auth_method ??
    (secret !== undefined
      ? "client_secret_basic"
      : jwks !== undefined || jwksUri !== undefined
      ? "private_key_jwt"
      : "none");
  const confidential = authMethod !== "none";
  const redirectUris = [...(metadata.redirect_uris ?? [])];
  const native = !confidential || metadata.application_type === "native";
  return {
    id: metadata.client_id,
    name: metadata.client_name,
    confidential,
    authMethod,
    secretDigest: secret === undefined ? undefined : digest(secret),
    assertionSecret: authMethod === "client_secret_jwt" ? secret : undefined,
    jwks,
    jwksUri,
    assertionAlg: metadata.token_endpoint_auth_signing_alg,
    sector: metadata.subject_type === "pairwise" ? sectorOf(metadata) : undefined,
    secretExpiresAt: metadata.client_secret_expires_at || undefined,
    redirectUris,
    grantTypes: metadata.grant_types ?? ["authorization_code"],
    responseTypes: metadata.response_types ?? ["code"],
    scope: metadata.scope === undefined ? server.scopes : splitScope(metadata.scope),
    idTokenAlg: metadata.id_token_signed_response_alg ?? server.alg,
    accessTokenFormat: metadata.access_token_format ?? "jwt",
    serves: (metadata.serves ?? []).map(canonicalUri),
    postLogoutRedirectUris: [...(metadata.post_logout_redirect_uris ?? [])],
    userinfoAlg: metadata.userinfo_signed_response_alg,
    requirePkce: metadata.require_pkce === true,
    mayUse: (redirectUri) => redirectUris.some((registered) => matchesRedirectUri(registered, redirectUri, native)),
  };
}

/** The host that pairwise subjects are for (OpenID Connect Core §8.1); `undefined` when there is no single one. */
export function sectorOf({ sector_identifier_uri, redirect_uris = [] }: ClientMetadata): string | undefined {
  const hosts = new Set(
    (sector_identifier_uri ? [sector_identifier_uri] : redirect_uris).map((uri) => new URL(uri).hostname),
  );
  return hosts.size === 1 ? [...hosts][0] || undefined : undefined;
}
