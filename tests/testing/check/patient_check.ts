/** Checks of clients on a machine of any speed. */

import {
  checkClient as check,
  type CheckOptions,
  type CheckReport,
  type ClientDriver,
} from "../../../src/testing/mod.ts";

/** {@link check} with a limit of a minute for each login, instead of five seconds. */
export function checkClient(driver: ClientDriver, options: CheckOptions = {}): Promise<CheckReport> {
  return check(driver, { timeoutMs: 60_000, ...options });
}
