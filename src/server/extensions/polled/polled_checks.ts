/** The checks of an authorization request that requests of devices have, too. */

import type { RequestCheck } from "../../../core/server.ts";

/** The checks that need no redirect URI. */
export function polledChecks(checks: readonly RequestCheck[]): readonly RequestCheck[] {
  return checks.filter(({ redirectOnly }) => !redirectOnly);
}
