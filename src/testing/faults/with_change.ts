/** Adds a change of claims to a server. */

import type { ChangeClaims, ClaimChange } from "../../core/tokens/claim_change.ts";
import type { Server } from "../../core/server.ts";

/** Returns the claim changes of a server, followed by `change`. */
export function withChange({ claimChange }: Pick<Server, "claimChange">, change: ChangeClaims): ClaimChange<Server> {
  return {
    ...claimChange,
    change: (server, kind, claims, context) =>
      change(kind, claimChange?.change?.(server, kind, claims, context) ?? claims, context),
  };
}
