/** Changes of the claims of issued tokens: first those of the provider's profile, then those of the program. */

import type { User } from "../clients/client.ts";
import type { Client } from "../clients/repository.ts";
import type { TokenKind } from "../keys/jwt.ts";

/** @internal The grant that claims are issued for. */
export interface ClaimsContext {
  /** The client that receives the claims. */
  readonly client: Client;
  /** The user; absent if the client acts on its own behalf. */
  readonly user?: User;
  /** The grant. */
  readonly grant: {
    /** Identifies everything issued for one approval. */
    readonly id: string;
    /** The scope values of the access token. */
    readonly scope: readonly string[];
    /** The resources of the access token; empty: the server's default audience. */
    readonly resources: readonly string[];
  };
}

/**
 * Changes the claims of a token or userinfo response before they are signed or sent. The result is not validated.
 *
 * @internal
 */
export type OverrideClaims = (
  kind: TokenKind,
  claims: Readonly<Record<string, unknown>>,
  context: ClaimsContext,
) => Readonly<Record<string, unknown>>;

/** @internal Changes claims as {@link OverrideClaims}, for the profile of a provider. */
export type ChangeClaims<Server> = (
  server: Server,
  ...issued: Parameters<OverrideClaims>
) => ReturnType<OverrideClaims>;

/** @internal How the tokens of a provider differ, and how the server reads them. */
export interface ClaimChange<Server> {
  /** The claims to sign or send. */
  readonly change: ChangeClaims<Server>;
  /** Claims of an access token before they were changed. */
  readonly original: (claims: Readonly<Record<string, unknown>>) => OriginalClaims;
}

/** The claims of a token, or the members of a userinfo response, as they are signed or sent. */
export function finalClaims<
  Server extends { readonly changeClaims?: ChangeClaims<Server>; readonly overrideClaims?: OverrideClaims },
>(server: Server, ...[kind, claims, context]: Parameters<OverrideClaims>): ReturnType<OverrideClaims> {
  const changed = server.changeClaims?.(server, kind, claims, context) ?? claims;
  return server.overrideClaims?.(kind, changed, context) ?? changed;
}

/** @internal Claims of an access token as the server reads them, whatever the token has. */
export interface OriginalClaims {
  readonly sub: string;
  /** Default: the default audience. */
  readonly aud?: string | readonly string[];
  /** Further claims. Default: those of the token. */
  readonly others?: { readonly scope?: string; readonly client_id: string };
}
