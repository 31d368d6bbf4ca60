/** The claims of access tokens, and their ids. */

import type { Authorization } from "../grants/authenticated_request.ts";
import { type RandomBytes, randomId } from "../../keys/secrets.ts";

/** The claims of an access token (RFC 9068 §2.2). Times in seconds since the epoch. */
export interface AccessTokenClaims {
  readonly iss: string;
  /** The user, or the client if it acts on its own behalf. */
  readonly sub: string;
  readonly aud: string | readonly string[];
  readonly client_id: string;
  /** Absent if the grant has authorization details and no scope. */
  readonly scope?: string;
  readonly iat: number;
  readonly exp: number;
  /** Begins with the id of the grant and a dot, so that revoking the grant revokes the token. */
  readonly jti: string;
  /** When the user was authenticated; absent without a user. */
  readonly auth_time?: number;
  /** The session; absent without a session of the user. */
  readonly sid?: string;
  /** The key that the token is bound to (RFC 7800 §3.1); absent for a bearer token. */
  readonly cnf?: Readonly<Record<string, unknown>>;
  /** Claims of the user, and claims that grant types and token issuers add. */
  readonly [claim: string]: unknown;
}

/** An access token of this server, as it was read. */
export interface AccessToken {
  readonly claims: AccessTokenClaims;
  /** The `sub` of the user on this server; absent without a user. */
  readonly user?: string;
  /** The resources that the token was issued for. */
  readonly audience: readonly string[];
  /** Headers of the response to a request with it. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A new `jti`: the id of the grant and a random value, so that a revocation of the grant needs no list of tokens. */
export function newTokenId(
  { randomBytes }: { readonly randomBytes: RandomBytes },
  { grantId }: Pick<Authorization, "grantId">,
): string {
  return `${grantId}.${randomId(randomBytes)}`;
}

export function grantOfAccessToken(jti: string): string {
  return jti.split(".", 1)[0]!;
}

/** The ids whose revocation ends an access token: its grant, each token that an extension exchanged for it, itself. */
export function revocableIds(jti: string): readonly string[] {
  const parts = jti.split(".");
  return parts.map((_, i) => parts.slice(0, i + 1).join("."));
}
