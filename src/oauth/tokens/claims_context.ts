/** The context of claims that are issued for a grant. */

import type { Authorization } from "../grants/token_request.ts";
import type { ClaimsContext, Server } from "../server.ts";

/** The context that {@link Server.overrideClaims} receives with the claims. */
export async function claimsContext(
  server: Server,
  { client, subject, scope, resources, grantId }: Authorization,
): Promise<ClaimsContext> {
  const user = subject === undefined ? undefined : await server.users.find(subject.sub);
  return { client, ...user && { user }, grant: { id: grantId, scope, resources } };
}
