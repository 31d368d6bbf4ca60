/** The failure of a test whose faults did not all fire. */

/** @throws {Error} With the sentences about rules that fired less often than written, if there are any. */
export function assertAllMet(unmet: readonly string[]): void {
  if (unmet.length === 0) return;
  const count = unmet.length === 1 ? "1 fault" : `${unmet.length} faults`;
  throw new Error([`${count} fired less often than written:`, ...unmet].join("\n  "));
}
