/** The seam of grant types: a grant type proves a grant; the token endpoint does the rest. */

import type { RequestedClaims } from "../../store/store.ts";
import type { Client } from "../clients/repository.ts";
import { OAuthError } from "../errors.ts";
import type { ParameterDescription } from "../parameter.ts";
import type { Params } from "../params.ts";
import type { Server } from "../server.ts";

/**
 * A request of an authenticated client to the token, revocation or introspection endpoint. Reading it has no side
 * effect.
 */
export interface TokenRequest {
  /** The client that sent the request. */
  readonly client: Client;
  /** The parameters of the form. */
  readonly parameters: Params;
  /** The HTTP method. */
  readonly method: string;
  /** The absolute URL of the endpoint, without query: what a proof of possession is made for (RFC 9449 §4.2, `htu`). */
  readonly url: string;
  /** The value of a header; `null` if the request has none of that name. */
  header(name: string): string | null;
}

/** The result of a grant type: the client, its access, and the user who allowed it. */
export interface Authorization {
  /** The client that receives the tokens. */
  readonly client: Client;
  /** The scope of the access token. */
  readonly scope: readonly string[];
  /** The resources of the access token; empty: the server's default audience. */
  readonly resources: readonly string[];
  /** All resources of the grant, if the access token is for some of them only. */
  readonly grantedResources?: readonly string[];
  /** Identifies everything issued for one approval; all of it is revoked together. */
  readonly grantId: string;
  /** The user who approved; absent if the client acts on its own behalf. */
  readonly subject?: Subject;
  /** The refresh token of the response, if the grant type has decided it; without `token` the response has none. */
  readonly refresh?: { readonly token?: string };
  /** Further claims of the access token, such as `act` or `cnf`. Default: none. */
  readonly accessTokenClaims?: Readonly<Record<string, unknown>>;
  /** Maximum lifetime of the access token, in seconds. Default: the server's lifetime of access tokens. */
  readonly maxLifetimeSeconds?: number;
  /** Further members of the token response, such as `issued_token_type`. Default: none. */
  readonly responseMembers?: Readonly<Record<string, unknown>>;
}

/** The user of a grant. */
export interface Subject {
  /** The user's subject on this server; a pairwise client gets another one. */
  readonly sub: string;
  /** When the user was authenticated, in milliseconds since the epoch. */
  readonly authTime: number;
  /** The session the user was authenticated in. */
  readonly sid: string;
  /** When the user approved, in milliseconds since the epoch. */
  readonly approvedAt?: number;
  /** The `nonce` of the authorization request, for the ID token. */
  readonly nonce?: string;
  /** The claims requested by name. */
  readonly claims?: RequestedClaims;
  /** The consent that the grant depends on; absent if no consent was asked for. */
  readonly consent?: string;
}

/** One grant type. */
export interface GrantType {
  /** The value of `grant_type`. */
  readonly type: string;
  /** The parameters that it reads, besides `grant_type` and those of client authentication. */
  readonly parameters: readonly ParameterDescription[];
  /**
   * Proves the grant and consumes it. Nothing is issued before it returns.
   *
   * @throws {OAuthError} If the grant is invalid.
   */
  authorize(server: Server, request: TokenRequest): Promise<Authorization>;
}

/**
 * The grant type of a token request.
 *
 * @throws {OAuthError} If the server does not support it, or the client is not registered for it (OAuth 2.1 §3.2.4).
 */
export function findGrantType(server: Server, { client, parameters }: TokenRequest): GrantType {
  const { grantTypes } = server;
  const type = parameters.get("grant_type");
  if (type === undefined) {
    throw new OAuthError("invalid_request", "grant_type is missing", {
      rule: "TK-05",
      expected: grantTypes.map((grantType) => grantType.type).join(" or "),
      received: "no grant_type",
    });
  }
  const grantType = grantTypes.find((supported) => supported.type === type);
  if (grantType === undefined) {
    throw new OAuthError("unsupported_grant_type", "grant_type is not supported by this server", {
      rule: "TK-05",
      expected: grantTypes.map((supported) => supported.type).join(" or "),
      received: type,
    });
  }
  if (!client.grantTypes.includes(type)) {
    throw new OAuthError("unauthorized_client", "this client is not registered for this grant_type", {
      rule: "TK-06",
      expected: client.grantTypes.join(" or "),
      received: type,
    });
  }
  server.passed?.("TK-06", type);
  return grantType;
}
