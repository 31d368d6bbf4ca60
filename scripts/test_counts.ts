/** Counts in the output of test runners. */

/** Number of tests by result. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Patterns of the text before each number. The last match of each pattern counts, and all are added. */
export type CountPatterns = Readonly<Record<keyof TestCounts, readonly RegExp[]>>;

/** Patterns of Deno's output. */
export const denoCountPatterns: CountPatterns = {
  passed: [/^(?:ok|FAILED) \| (\d+) passed/gm],
  failed: [/^(?:ok|FAILED) \|.* (\d+) failed/gm],
  skipped: [/^(?:ok|FAILED) \|.* (\d+) ignored/gm],
};

/** Reads the counts from a runner's output. */
export function parseCounts(output: string, { passed, failed, skipped }: CountPatterns): TestCounts {
  const sumMatches = (patterns: readonly RegExp[]) =>
    patterns.map((pattern) => [...output.matchAll(pattern)].at(-1)?.[1] ?? "0")
      .reduce((sumMatches, digits) => sumMatches + Number(digits), 0);
  return { passed: sumMatches(passed), failed: sumMatches(failed), skipped: sumMatches(skipped) };
}

/** Adds counts. */
export function sumCounts(all: readonly TestCounts[]): TestCounts {
  const sum = (what: keyof TestCounts) => all.reduce((sum, counts) => sum + counts[what], 0);
  return { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped") };
}

/** The line with the counts that every test task prints last. */
export function formatCounts({ passed, failed, skipped }: TestCounts): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}
