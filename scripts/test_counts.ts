/** Counts of tests. */

/** Number of tests by result. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Reads the counts from Deno's output: from the last line that has them. */
export function parseDenoCounts(output: string): TestCounts {
  const read = (word: string) => {
    const matches = [...output.matchAll(new RegExp(`^(?:ok|FAILED) \\|.* (\\d+) ${word}`, "gm"))];
    return Number(matches.at(-1)?.[1] ?? 0);
  };
  return { passed: read("passed"), failed: read("failed"), skipped: read("ignored") };
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
