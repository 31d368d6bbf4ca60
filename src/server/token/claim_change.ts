/** Changes of the claims of issued tokens, by a provider's profile or a test. */

import type { Authorization } from "../../core/token/grants/authenticated_request.ts";
import type { User } from "../../core/clients/client.ts";
import type { Client } from "../../core/clients/clients.ts";
import type { JwtKind } from "../../core/keys/jwt.ts";
import type { AccessTokenClaims } from "../../core/token/tokens/access_token.ts";
import { resourcesOf } from "./resources.ts";
import type { Server } from "../../core/server.ts";

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

interface ChangingServer<Server> {
  readonly claimChange?: ClaimChange<Server>;
}

/** @internal Changes the claims of a token or userinfo response. */
export type ChangeClaims = (
  kind: JwtKind,
  claims: Readonly<Record<string, unknown>>,
  context: ClaimsContext,
) => Readonly<Record<string, unknown>>;

/** The claims of a token, or the members of a userinfo response, as they are signed or sent. */
export function finalClaims<Changing extends ChangingServer<Changing>>(
  server: Changing,
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

export async function claimsContext(
  { users }: Pick<Server, "users">,
  authorization: Authorization,
): Promise<ClaimsContext> {
  const { client, subject, scope, grantId } = authorization;
  const user = subject === undefined ? undefined : await users.find(subject.sub);
  return { client, ...user && { user }, grant: { id: grantId, scope, resources: resourcesOf(authorization) } };
}

/** The claims of a token as {@link finalClaims} returns them. */
export async function claimsToSign<Changing extends Server & ChangingServer<Changing>>(
  server: Changing,
  kind: JwtKind,
  claims: Readonly<Record<string, unknown>>,
  authorization: Authorization,
): Promise<Readonly<Record<string, unknown>>> {
  if (server.claimChange?.change === undefined) return claims;
  return finalClaims(server, kind, { ...claims }, await claimsContext(server, authorization));
}

/** The claims that the server reads, with the issued values of those that are changed in the token. */
export function asIssued(
  server: Pick<Server, "audience"> & { readonly claimChange?: Pick<ClaimChange<never>, "original"> },
  payload: Readonly<Record<string, unknown>>,
) {
  const issued = server.claimChange?.original?.(payload);
  const claims = { ...payload, ...issued?.others } as unknown as AccessTokenClaims;
  const { sub, aud = issued && server.audience } = issued ?? claims;
  return { claims, sub, audience: aud === undefined ? [] : [aud].flat() };
}
