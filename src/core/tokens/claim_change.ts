/** Changes of the claims of issued tokens, by a provider's profile or a test. */

import type { User } from "../clients/client.ts";
import type { Client } from "../clients/repository.ts";
import type { JwtKind } from "../keys/jwt.ts";

/** @internal The grant that claims are issued for. */
export interface ClaimsContext {
  readonly client: Client;
  /** The user; absent if the client acts on its own behalf. */
  readonly user?: User;
  readonly grant: {
    /** Identifies everything issued for one approval. */
    readonly id: string;
    readonly scope: readonly string[];
    /** The resources of the access token; empty: the server's default audience. */
    readonly resources: readonly string[];
  };
}

/** @internal How the tokens of a server differ from the standard ones, and how it reads them. */
export interface ClaimChange<Server> {
  /**
   * Changes the claims of a token or userinfo response before they are signed or sent. The result is not validated.
   * Default: no change.
   */
  change?(server: Server, ...issued: Parameters<ChangeClaims>): ReturnType<ChangeClaims>;
  /** Claims of an access token before they were changed; `undefined` if they were not. */
  original?(claims: Readonly<Record<string, unknown>>): OriginalClaims | undefined;
}

/** @internal Changes the claims of a token or userinfo response. */
export type ChangeClaims = (
  kind: JwtKind,
  claims: Readonly<Record<string, unknown>>,
  context: ClaimsContext,
) => Readonly<Record<string, unknown>>;

/** The claims of a token, or the members of a userinfo response, as they are signed or sent. */
export function finalClaims<Server extends { readonly claimChange?: ClaimChange<Server> }>(
  server: Server,
  ...[kind, claims, context]: Parameters<ChangeClaims>
): ReturnType<ChangeClaims> {
  return server.claimChange?.change?.(server, kind, claims, context) ?? claims;
}

/** @internal Claims of an access token as the server reads them, whatever the token has. */
export interface OriginalClaims {
  readonly sub: string;
  /** Default: the default audience. */
  readonly aud?: string | readonly string[];
  /** Further claims. Default: those of the token. */
  readonly others?: { readonly scope?: string; readonly client_id: string };
}
