/** The checks of authorization requests that also apply to requests of devices. */

import type { RequestCheck } from "../../../core/server.ts";

/** The checks that need no redirect URI. */
export function polledChecks(checks: readonly RequestCheck[]): readonly RequestCheck[] {
  return checks.filter(({ redirectOnly }) => !redirectOnly);
}
