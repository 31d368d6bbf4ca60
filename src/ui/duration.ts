/** Durations in words: `5 minutes`, `90 seconds`. */

/** Whole minutes as minutes, all other durations as seconds. */
export function formatDuration(seconds: number): string {
  const [amount, unit] = seconds >= 60 && seconds % 60 === 0 ? [seconds / 60, "minute"] : [seconds, "second"];
  return `${amount} ${unit}${amount === 1 ? "" : "s"}`;
}

/** A long duration in its largest whole unit: `30 days`, `8 hours`. */
export function formatLongDuration(seconds: number): string {
  const units = [[24 * 3600, "day"], [3600, "hour"]] as const;
  const [size, unit] = units.find(([size]) => seconds % size === 0) ?? [];
  if (size === undefined) return formatDuration(seconds);
  return `${seconds / size} ${unit}${seconds === size ? "" : "s"}`;
}
