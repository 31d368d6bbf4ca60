/**
 * The types of clients and users. `client.ts` has the types of their metadata; `core/token/client_auth.ts`
 * authenticates the client of a request, and `redirect_uri.ts` compares its redirect URI.
 */

import { splitScope } from "../http/params.ts";
import { matchesRedirectUri } from "./redirect_uri.ts";
import { digest } from "../keys/secrets.ts";
import {
  type AuthMethods,
  authMethodsOf,
  type ClientAuthMethod,
  type ClientMetadata,
  grantTypesFor,
  type User,
} from "./client.ts";
import type { Policy } from "../policy/policy.ts";
import type { SigningAlgorithm } from "../keys/signing_algorithm.ts";

/**
 * @internal Who made a client known: `configured`, the operator or the program; `approved`, a party that the operator
 * trusts; `unknown`, any party.
 */
export type Standing = "configured" | "approved" | "unknown";

/** A client, with all defaults. */
export interface Client {
  /** The registered metadata, without the secret. */
  readonly metadata: ClientMetadata;
  /** The `client_id`. */
  readonly id: string;
  /** Who made it known to this server. The whole server decides by it; in the core, every client is `configured`. */
  readonly standing: Standing;
  /** The `client_name`, shown to users. */
  readonly name?: string;
  /** Whether the client is confidential: it must authenticate. */
  readonly confidential: boolean;
  /** The registered method; the default of RFC 7591 §2 if its metadata names none. */
  readonly authMethod: ClientAuthMethod;
  /**
   * All accepted methods: Basic and post for a client with a secret that names no method, otherwise only the registered
   * one.
   */
  readonly authMethods: readonly ClientAuthMethod[];
  /** The digest of the secret; absent for a public client. */
  readonly secretDigest?: string | Promise<string>;
  /** The registered redirect URIs. */
  readonly redirectUris: readonly string[];
  /** The grant types that it may use. */
  readonly grantTypes: readonly string[];
  /** The scope values that it may request. */
  readonly scope: readonly string[];
  /** The signature algorithm of its ID tokens. */
  readonly idTokenAlg: SigningAlgorithm;
  /** Its policy, from the whole server, if it has a profile. Absent: that of the server. `policyOf` reads it. */
  readonly policy?: Policy;
  /** Whether a registered redirect URI matches the requested one. */
  hasRedirectUri(redirectUri: string): boolean;
  /** Whether the client may use a redirect URI at the server of a request. Default: a registered one. */
  allowsRedirectUri(redirectUri: string, server: object): boolean;
  /** Whether the client may request a scope value. Default: a registered one. */
  allowsScope(token: string): boolean;
  /**
   * Whether the client may request a scope value that the server does not have. Default: it may not. The whole server
   * sets it, if it accepts any scope value.
   */
  allowsUnknownScope?(token: string): boolean;
}

/** @internal The clients of a server. The server is a type parameter, because `server.ts` imports this type. */
export interface Clients<Server = unknown> extends Entries<Client> {
  /**
   * The client of an id; `undefined` if it is unknown.
   *
   * @param server The server of the request that names the client, if its metadata may be fetched because of it.
   * @throws {OAuthError} If the client cannot be used.
   */
  find(id: string, server?: Server): Client | undefined | Promise<Client | undefined>;
  /**
   * The client of an issued token; `undefined` if it no longer exists. Metadata in memory is not fetched again, even if
   * it has expired.
   *
   * @param server The server of a request that names the client, without a token or for a redirect. Expired metadata is
   *   then fetched again.
   */
  findHolder(id: string, server?: Server): Client | undefined | Promise<Client | undefined>;
  /** The registered clients only. */
  readonly registered: Pick<Entries<Client>, "find" | "known">;
  /**
   * Whether pages at an origin may use the server as its own pages do: a trusted client in memory has a redirect URI
   * there.
   */
  hasPagesAt(origin: string): boolean;
}

/** Clients that never change. */
export function fixedClients(clients: readonly Client[]): Clients {
  const registered = fixedEntries(clients, ({ id }) => id);
  return { ...registered, registered, findHolder: registered.find, hasPagesAt: (origin) => hasUriAt(clients, origin) };
}

/** Whether one of these clients has a redirect URI at an origin. */
export function hasUriAt(clients: readonly Client[], origin: string): boolean {
  return clients.some(({ redirectUris }) =>
    redirectUris.some((uri) => /^https?:/i.test(uri) && new URL(uri).origin === origin)
  );
}

/** @internal The users of a server, the default one first. */
export type Users = Entries<User>;

/**
 * The policy for the requests of a client: the policy of the server, or a stricter one by the client's own profile.
 * Without a client it is that of the server.
 * What a profile cannot make stricter, such as the scope values of the server, is read from `server.policy`.
 */
export function policyOf(server: { readonly policy: Policy }, client: Client | undefined): Policy {
  return client?.policy ?? server.policy;
}

/** @internal Clients or users. In memory, methods return their result synchronously. */
export interface Entries<Item> {
  /** Finds one by id; `undefined` if it does not exist. */
  find(id: string): Item | undefined | Promise<Item | undefined>;
  /**
   * The entries in their order, the default one first.
   *
   * @param options `limit`: the maximum number of entries. Default: all.
   */
  list(options?: { readonly limit?: number }): readonly Item[] | Promise<readonly Item[]>;
  /** The entries in memory, by id. The same map until one of them changes. */
  known(): ReadonlyMap<string, Item>;
}

export function fixedEntries<Item>(items: readonly Item[], getId: (item: Item) => string): Entries<Item> {
  const byId = new Map(items.map((item) => [getId(item), item]));
  return {
    find: (id) => byId.get(id),
    list: ({ limit } = {}) => items.slice(0, limit),
    known: () => byId,
  };
}

export type ClientPolicy = Pick<Policy, "allows" | "userScopes" | "alg">;

/** Reads metadata into a client, with the defaults of RFC 7591 §2. The metadata must be valid. */
export function clientFromMetadata(
  metadata: ClientMetadata,
  server: ClientPolicy,
  authMethods: AuthMethods = authMethodsOf(metadata),
): Client {
  const { client_secret: secret, ...publicMetadata } = metadata;
  const [authMethod] = authMethods;
  const confidential = authMethod !== "none";
  const redirectUris = [...metadata.redirect_uris ?? []];
  const { localUrls } = server.allows;
  const isNative = !confidential || metadata.application_type === "native";
  const hasRedirectUri = (requested: string) =>
    redirectUris.some((registered) => matchesRedirectUri(registered, requested, isNative, localUrls));
  const scope = metadata.scope === undefined ? server.userScopes : splitScope(metadata.scope);
  return {
    metadata: publicMetadata,
    id: metadata.client_id,
    standing: "configured",
    name: metadata.client_name,
    confidential,
    authMethod,
    authMethods,
    secretDigest: secret === undefined ? undefined : digest(secret),
    redirectUris,
    grantTypes: metadata.grant_types ?? grantTypesFor(metadata.response_types ?? ["code"]),
    scope,
    idTokenAlg: metadata.id_token_signed_response_alg ?? server.alg,
    hasRedirectUri,
    allowsRedirectUri: hasRedirectUri,
    allowsScope: (token) => scope.includes(token),
  };
}
