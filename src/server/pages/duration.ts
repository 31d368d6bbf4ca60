/** Long durations in words: `30 days`, `about 52 minutes`. */

import { formatDuration } from "../../core/pages/duration.ts";

const units = [[24 * 3600, "day"], [3600, "hour"]] as const;

/** A duration rounded to the unit that it has three or more of: `5 minutes`, `about 52 minutes`, `about 329 days`. */
export function formatRoughDuration(seconds: number): string {
  const [size = 1] = [...units, [60]].find(([size]) => seconds >= size * 3) ?? [];
  const rounded = Math.round(seconds / size) * size;
  return `${rounded === seconds ? "" : "about "}${formatLongDuration(rounded)}`;
}

/** A long duration in its largest whole unit: `30 days`, `8 hours`. */
export function formatLongDuration(seconds: number): string {
  const [size, unit] = units.find(([size]) => seconds % size === 0) ?? [];
  if (size === undefined) return formatDuration(seconds);
  return `${seconds / size} ${unit}${seconds === size ? "" : "s"}`;
}
