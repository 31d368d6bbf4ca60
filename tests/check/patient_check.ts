/** Checks of clients on a machine of any speed. */

import { checkClient as check, type CheckOptions, type CheckReport, type ClientDriver } from "../../src/check/mod.ts";

/** {@link check} with a limit of a minute for each login, instead of five seconds. */
export function checkClient(driver: ClientDriver, options: CheckOptions = {}): Promise<CheckReport> {
  return check(driver, { timeoutMs: 60_000, ...options });
}

/**
 * {@link checkClient} with Ed25519 instead of RSA, whose signatures are most of the CPU time of a check, for a client
 * that accepts the algorithm that it registers.
 */
export function checkClientWithEdDsa(driver: ClientDriver, options: CheckOptions = {}): Promise<CheckReport> {
  return checkClient(
    { ...driver, client: { ...driver.client, id_token_signed_response_alg: "EdDSA" } },
    { ...options, server: { alg: "EdDSA", ...options.server } },
  );
}
