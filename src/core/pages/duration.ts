/** A duration in words: `5 minutes`, `90 seconds`. */

/** Whole minutes as minutes, all other durations as seconds. */
export function formatDuration(seconds: number): string {
  const [amount, unit] = seconds >= 60 && seconds % 60 === 0 ? [seconds / 60, "minute"] : [seconds, "second"];
  return `${amount} ${unit}${amount === 1 ? "" : "s"}`;
}
