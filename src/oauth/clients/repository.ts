/** The clients and users that a server knows. */

import type { MaybePromise } from "../maybe_promise.ts";
import type { Repository } from "../records/repository.ts";
import type { SigningAlgorithm } from "../keys/signing_algorithm.ts";
import type { ClientAuthMethod, ClientMetadata, User } from "./client.ts";

/** A client as the rules use it. */
export interface Client {
  /** As it was registered, but without the secret. */
  readonly metadata: ClientMetadata;
  /** The `client_id`. */
  readonly id: string;
  /** The `client_name`, shown to people. */
  readonly name?: string;
  /** Whether it can keep a secret and must prove who it is. */
  readonly confidential: boolean;
  /** The registered method; the default of RFC 7591 §2 if its metadata names none. */
  readonly authMethod: ClientAuthMethod;
  /**
   * All accepted methods: Basic and post for a client with a secret that names no method, otherwise only the registered
   * one.
   */
  readonly authMethods: readonly ClientAuthMethod[];
  /** The digest of the secret; absent for a public client. */
  readonly secretDigest?: MaybePromise<string>;
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
  allowsRedirectUri(redirectUri: string): boolean;
}

/** The clients of a server. */
export type ClientRepository = Repository<ClientMetadata, Client>;

/** The users of a server; the first one is the one that `login: "auto"` logs in. */
export type UserRepository = Repository<User, User>;

/** Detail of a rejection for a removed client: `a client of this id existed until reset()`. */
export function describeRemovedClient(clients: ClientRepository, id: string | undefined): string | undefined {
  const removalCause = id === undefined ? undefined : clients.removedBy(id);
  return removalCause && `a client of this id existed until ${removalCause}`;
}
