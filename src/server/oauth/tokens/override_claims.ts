/** How a program changes the claims of issued tokens: the types. */

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

/** @internal Claims of an access token as the server reads them, whatever the token has. */
export interface IssuedClaims {
  readonly sub: string;
  readonly aud: string | readonly string[];
  /** Further claims. Default: those of the token. */
  readonly others?: { readonly scope?: string; readonly client_id: string };
}
