/** The TokenIssuer seam: each issuer adds its members to the answer of the token endpoint. */

import type { MaybePromise } from "../maybe_promise.ts";
import type { Authorization } from "../grants/grant_type.ts";
import type { ClaimsContext, Server } from "../server.ts";

/** A successful answer of the token endpoint (OAuth 2.1 §3.2.3). */
export interface TokenResponse {
  /** The access token. */
  readonly access_token: string;
  /** How the token is used: by whoever holds it. */
  readonly token_type: "Bearer";
  /** Seconds. */
  readonly expires_in: number;
  /** What was granted, space-separated. */
  readonly scope: string;
  /** Absent where none was issued. */
  readonly refresh_token?: string;
  /** Absent where `openid` was not granted. */
  readonly id_token?: string;
}

/**
 * Issues one kind of token, or nothing.
 *
 * @param now The server's clock in seconds, the same for every issuer of one answer.
 * @param issued What the issuers before it have issued.
 */
export type TokenIssuer = (
  server: Server,
  authorization: Authorization,
  now: number,
  issued: Partial<TokenResponse>,
) => MaybePromise<Partial<TokenResponse>>;

/** The subject of the issued claims, as {@link Server.overrideClaims} receives it. */
export function claimsContext(
  server: Server,
  { client, subject, scope, resources, grantId }: Authorization,
): ClaimsContext {
  const user = subject === undefined ? undefined : server.users.find(subject.sub);
  return { client, ...user && { user }, grant: { id: grantId, scope, resources } };
}
