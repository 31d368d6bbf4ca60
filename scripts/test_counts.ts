/** What runners of tests have counted. */

/** What was counted. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** What a runner of tests prints before each number; of each pattern the last find counts, and all of them add up. */
export type Counts = Readonly<Record<keyof Tally, readonly RegExp[]>>;

/** What Deno prints. */
export const denoCounts: Counts = {
  passed: [/^(?:ok|FAILED) \| (\d+) passed/gm],
  failed: [/^(?:ok|FAILED) \|.* (\d+) failed/gm],
  skipped: [/^(?:ok|FAILED) \|.* (\d+) ignored/gm],
};

/** The numbers in what a runner has printed. */
export function count(output: string, { passed, failed, skipped }: Counts): Tally {
  const sum = (patterns: readonly RegExp[]) =>
    patterns.map((pattern) => [...output.matchAll(pattern)].at(-1)?.[1] ?? "0")
      .reduce((sum, digits) => sum + Number(digits), 0);
  return { passed: sum(passed), failed: sum(failed), skipped: sum(skipped) };
}

/** The sum of them all. */
export function total(tallies: readonly Tally[]): Tally {
  const sum = (what: keyof Tally) => tallies.reduce((sum, tally) => sum + tally[what], 0);
  return { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped") };
}

/** The line in which every task that runs tests says how many. */
export function say({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}
