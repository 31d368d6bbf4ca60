/** Medians and aligned tables. */

/** The middle value, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
}

/** Prints rows under a heading: the first column left-aligned, the others right-aligned. */
export function print(heading: readonly string[], rows: readonly (readonly string[])[]): void {
  const all = [heading, ...rows];
  const widths = heading.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  for (const row of all) {
    const cells = row.map((cell, column) => column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!));
    console.log(`  ${cells.join("  ")}`);
  }
}

/** How one subject compares with another, round by round: `0.95 (0.93 to 0.99)`. */
export function formatRatio(one: readonly number[], other: readonly number[]): string {
  const ratios = one.map((value, round) => value / other[round]!);
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
  return `${median(ratios).toFixed(2)} (${least.toFixed(2)} to ${most.toFixed(2)})`;
}
