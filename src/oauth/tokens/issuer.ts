/** The seam of token issuers: each adds its members to the token response. */

import type { MaybePromise } from "../maybe_promise.ts";
import type { Authorization, TokenRequest } from "../grants/grant_type.ts";
import type { ClaimsContext, Server } from "../server.ts";

/** A successful token response (OAuth 2.1 §3.2.3). Grant types and issuers may add any member. */
export interface TokenResponse {
  /** The access token. */
  readonly access_token: string;
  /** How the access token is used: `Bearer`, unless an issuer binds it to a key. */
  readonly token_type: string;
  /** Lifetime of the access token, in seconds. */
  readonly expires_in: number;
  /** The granted scope, space-separated. */
  readonly scope: string;
  /** Absent if none was issued. */
  readonly refresh_token?: string;
  /** Absent if `openid` was not granted. */
  readonly id_token?: string;
  /** Members of extensions. */
  readonly [member: string]: unknown;
}

/**
 * Issues one kind of token, or nothing; returns members of the response. To add claims to the access token, wrap its
 * issuer and pass `accessTokenClaims` on.
 *
 * @param now The server's clock in seconds, the same for every issuer of one response.
 * @param issued The response so far: members of the grant type and of the issuers before this one.
 * @param request The token request, for proofs such as DPoP.
 */
export type TokenIssuer = (
  server: Server,
  authorization: Authorization,
  now: number,
  issued: Partial<TokenResponse>,
  request: TokenRequest,
) => MaybePromise<Partial<TokenResponse>>;

/** The subject of the issued claims, as {@link Server.overrideClaims} receives it. */
export async function claimsContext(
  server: Server,
  { client, subject, scope, resources, grantId }: Authorization,
): Promise<ClaimsContext> {
  const user = subject === undefined ? undefined : await server.users.find(subject.sub);
  return { client, ...user && { user }, grant: { id: grantId, scope, resources } };
}
