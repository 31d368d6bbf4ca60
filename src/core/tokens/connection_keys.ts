/** Keys that the connection of a request proves, such as that of the client's certificate (RFC 8705). */

import type { OAuthError } from "../errors.ts";
import type { RuleId } from "../rules/mod.ts";

/** @internal The connection of a request. */
export interface Connection {
  /** The address of the trusted proxy that is its peer; absent without one. */
  readonly proxy?: string;
  /** The certificate that its peer presented: DER bytes, or PEM text. Default: none. */
  readonly certificate?: Uint8Array | string;
}

/** The part of a request that a proof of possession by its connection covers. */
export interface ConnectionRequest {
  /** The connection. */
  readonly connection: Connection;
  /** The value of a header; `null` if the request has none of that name. */
  header(name: string): string | null;
}

/** What can be bound to a key. */
export interface BoundToKey {
  /** Its name in messages. */
  readonly name: "code" | "refresh token";
  /** Creates the error at a server that accepts no proofs. */
  readonly unprovable: () => OAuthError;
  /** The rule and the message of `invalid_grant` errors, for `invalidGrantBy()`. */
  readonly rule: RuleId;
  readonly message: string;
}

/** @internal How requests prove possession of a key by their connection. Tokens may then be bound to the key. */
export interface ConnectionKeys<Server, Request> {
  /** The configured port of the listener that asks clients for certificates; absent: there is none. */
  readonly certificatePort?: number;
  /** The origin of this listener; absent until it listens. */
  certificateOrigin?: string;
  /**
   * The key of a token request, as `AuthenticatedRequest.provenKey`; `undefined` if the tokens of its client are not
   * bound to one.
   *
   * @throws {OAuthError} If the request proves no key.
   */
  tokenKey(server: Server, request: Request): Promise<string> | undefined;
  /** The error of a request that does not prove the key of a refresh token. */
  unprovenKey(bound: BoundToKey, expectedKey: string, provenKey: string | undefined): OAuthError;
  /** Whether the claim `cnf` of a token has such a key. */
  isBound(cnf: unknown): boolean;
  /** Requires the key of a token at a protected resource. @throws {OAuthError} `invalid_token`. */
  assertProven(server: Server, request: ConnectionRequest, cnf: unknown): Promise<void>;
}
