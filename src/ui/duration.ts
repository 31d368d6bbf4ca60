/** Seconds in the words of a sentence: `5 minutes`, `90 seconds`. */

/** Whole minutes are told as minutes, everything else as seconds. */
export function formatDuration(seconds: number): string {
  const [amount, unit] = seconds >= 60 && seconds % 60 === 0 ? [seconds / 60, "minute"] : [seconds, "second"];
  return `${amount} ${unit}${amount === 1 ? "" : "s"}`;
}

/** A longer while, in its largest unit that comes out even: `30 days`, `8 hours`. */
export function formatLongDuration(seconds: number): string {
  const units = [[24 * 3600, "day"], [3600, "hour"]] as const;
  const [size, unit] = units.find(([size]) => seconds % size === 0) ?? [];
  if (size === undefined) return formatDuration(seconds);
  return `${seconds / size} ${unit}${seconds === size ? "" : "s"}`;
}
