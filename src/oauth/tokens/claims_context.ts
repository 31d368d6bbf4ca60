/** Overrides claims that are issued for a grant. */

import type { Authorization } from "../grants/token_request.ts";
import type { TokenKind } from "../keys/jwt.ts";
import type { ClaimsContext } from "./override_claims.ts";
import type { Server } from "../server.ts";

/** The context that {@link Server.overrideClaims} receives with the claims. */
export async function claimsContext(
  server: Server,
  { client, subject, scope, resources, grantId }: Authorization,
): Promise<ClaimsContext> {
  const user = subject === undefined ? undefined : await server.users.find(subject.sub);
  return { client, ...user && { user }, grant: { id: grantId, scope, resources } };
}

/** The claims after {@link Server.overrideClaims}; the same without it. */
export async function overriddenClaims(
  server: Server,
  kind: TokenKind,
  claims: Readonly<Record<string, unknown>>,
  authorization: Authorization,
): Promise<Readonly<Record<string, unknown>>> {
  if (server.overrideClaims === undefined) return claims;
  return server.overrideClaims(kind, { ...claims }, await claimsContext(server, authorization));
}
