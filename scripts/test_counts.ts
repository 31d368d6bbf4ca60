/** What runners of tests have counted. */

/** What was counted. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** What a runner of tests prints before each number; of each pattern the last find counts, and all of them add up. */
export type CountPatterns = Readonly<Record<keyof TestCounts, readonly RegExp[]>>;

/** What Deno prints. */
export const denoCountPatterns: CountPatterns = {
  passed: [/^(?:ok|FAILED) \| (\d+) passed/gm],
  failed: [/^(?:ok|FAILED) \|.* (\d+) failed/gm],
  skipped: [/^(?:ok|FAILED) \|.* (\d+) ignored/gm],
};

/** The numbers in what a runner has printed. */
export function parseCounts(output: string, { passed, failed, skipped }: CountPatterns): TestCounts {
  const sumMatches = (patterns: readonly RegExp[]) =>
    patterns.map((pattern) => [...output.matchAll(pattern)].at(-1)?.[1] ?? "0")
      .reduce((sumMatches, digits) => sumMatches + Number(digits), 0);
  return { passed: sumMatches(passed), failed: sumMatches(failed), skipped: sumMatches(skipped) };
}

/** The sum of them all. */
export function sumCounts(all: readonly TestCounts[]): TestCounts {
  const sum = (what: keyof TestCounts) => all.reduce((sum, counts) => sum + counts[what], 0);
  return { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped") };
}

/** The line in which every task that runs tests says how many. */
export function formatCounts({ passed, failed, skipped }: TestCounts): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}
