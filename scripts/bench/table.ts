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

/** Truncates a long message for the line below a table. */
export function firstLines(text: string): string {
  return text.split("\n").map((line) => line.trim()).filter(Boolean).slice(0, 4).join(" ").slice(0, 400);
}
