/** The request that a grant type receives, and its result. */

import type { Grant, Subject } from "../../store/store.ts";
import type { Client } from "../../clients/clients.ts";
import type { Params } from "../../http/params.ts";
import type { ClientAddress } from "../../http/router.ts";
import type { WithExtensions } from "../../slot.ts";

/**
 * @internal A request of an authenticated client to the token, revocation or introspection endpoint. Reading it has no
 * side effect.
 */
export interface AuthenticatedRequest extends WithExtensions {
  readonly client: Client;
  readonly params: Params;
  readonly method: string;
  /** The absolute URL of the endpoint, without query. */
  readonly url: string;
  /** The connection, with the address of the sender. */
  readonly connection: ClientAddress;
  /** The value of a header; `null` if the request has none of that name. */
  header(name: string): string | null;
}

export type ResourceRequest = Pick<AuthenticatedRequest, "method" | "url" | "header" | "connection">;

/** The result of a grant type: the client, its access, and the user who allowed it. */
export interface Authorization extends WithExtensions {
  /** The client that receives the tokens. */
  readonly client: Client;
  /** The scope of the access token. */
  readonly scope: readonly string[];
  /** Identifies everything issued for one approval; all of it is revoked together. */
  readonly grantId: string;
  /**
   * The user who approved, and their login; absent if the client acts on its own behalf. Without the session `sid` of
   * the login, no refresh token is issued.
   */
  readonly subject?: Subject;
  /** The `nonce` of the authorization request, for the ID token. */
  readonly nonce?: string;
  /** The stored grant, with values of extensions. Default: a new grant, of the members above. */
  readonly grant?: Grant;
  /**
   * Consumes what can be used once, such as a code: of concurrent requests one succeeds. The token endpoint calls it
   * after all checks, before anything is issued. Default: the grant can be used again.
   *
   * @returns Whether it is the first use.
   * @throws {OAuthError} If it was used before, with an error of its own.
   */
  consume?(): Promise<boolean>;
  /** The refresh token of the response, if the grant type has decided it; without `token` the response has none. */
  readonly refresh?: { readonly token?: string };
  /** Further claims of the access token, such as `act`. Default: none. */
  readonly addedClaims?: Readonly<Record<string, unknown>>;
  /** Maximum lifetime of the access token, in seconds. Default: the server's lifetime of access tokens. */
  readonly maxLifetimeSeconds?: number;
  /**
   * Issues another token than an access token: returns all members of the response. The response then has no ID token.
   * Default: an access token is issued.
   *
   * @param now The server's clock in seconds.
   */
  readonly issue?: (now: number) => Partial<TokenResponse> | Promise<Partial<TokenResponse>>;
  /** Further members of the token response, such as `issued_token_type`. Default: none. */
  readonly responseMembers?: Readonly<Record<string, unknown>>;
}

/** A successful token response (OAuth 2.1 §3.2.3). Grant types and issuers may add any member. */
export interface TokenResponse {
  /** The access token. */
  readonly access_token: string;
  /** How the access token is used: `Bearer`, unless an issuer binds it to a key. */
  readonly token_type: string;
  /** Lifetime of the access token, in seconds. */
  readonly expires_in: number;
  /** The granted scope, space-separated; absent if none was granted but authorization details (RFC 9396). */
  readonly scope?: string;
  /** Absent if none was issued. */
  readonly refresh_token?: string;
  /** Absent if `openid` was not granted. */
  readonly id_token?: string;
  /** Members of extensions. */
  readonly [member: string]: unknown;
}
