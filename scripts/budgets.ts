/**
 * What the npm package may cost its users. Each figure is the same on every machine: nothing here is a time. A change
 * that exceeds a limit raises it here, and its commit says what users get for it.
 */

import { CommandError } from "./command.ts";

/** A limit: what is counted, and the most that is allowed. */
interface Budget {
  readonly counts: string;
  readonly limit: number;
}

/** Every limit, a little above the figure at the time. */
export const budgets = {
  packed: { counts: "KiB of the packed package", limit: 1870 },
  installed: { counts: "KiB of the package, installed, without dependencies", limit: 7390 },
  names: { counts: "public names", limit: 220 },
} as const satisfies Readonly<Record<string, Budget>>;

/**
 * Compares figures with their limits.
 *
 * @returns One line for each, for the output of a task.
 * @throws {CommandError} If a figure exceeds its limit.
 */
export function checkBudgets(measured: Partial<Readonly<Record<keyof typeof budgets, number>>>): string {
  const rows = Object.entries(measured).map(([name, value]) => ({ ...budgets[name as keyof typeof budgets], value }));
  const exceeded = rows.filter(({ value, limit }) => !(value <= limit));
  if (exceeded.length > 0) {
    const lines = exceeded.map(({ counts, value, limit }) => `expected at most ${limit} ${counts}, found ${value}`);
    throw new CommandError([...lines, "Make it smaller, or raise the limit in scripts/budgets.ts."].join("\n"));
  }
  return rows.map(({ counts, value, limit }) => `${value} of ${limit} ${counts}`).join("\n");
}
