/** Adds a change of claims to a server. */

import type { ChangeClaims, ClaimChange } from "../../server/token/claim_change.ts";
import type { HostedServer } from "../../server/hosted_server.ts";

/** Returns the claim changes of a server, followed by `change`. */
export function withChange(
  { claimChange }: Pick<HostedServer, "claimChange">,
  change: ChangeClaims,
): ClaimChange<HostedServer> {
  return {
    ...claimChange,
    change: (server, kind, claims, context) =>
      change(kind, claimChange?.change?.(server, kind, claims, context) ?? claims, context),
  };
}
