/** The failure of a test whose faults did not all fire. */

/** Thrown after a reset or at the end if fault rules fired less often than expected. */
export class UnmetFaultsError extends Error {}

/** @throws {UnmetFaultsError} With the sentences about rules that fired less often than expected, if there are any. */
export function assertAllMet(unmet: readonly string[]): void {
  if (unmet.length === 0) return;
  const count = unmet.length === 1 ? "1 fault" : `${unmet.length} faults`;
  throw new UnmetFaultsError([`${count} fired less often than expected:`, ...unmet].join("\n  "));
}
