/** The parts of an authorization request that requests of devices have, too. */

import type { RequestParts, RequestRow } from "../../../core/server.ts";

/** The parts that need no redirect URI. */
export function polledParts({ rows }: RequestParts): readonly RequestRow[] {
  return rows.filter(({ redirectOnly }) => !redirectOnly);
}
