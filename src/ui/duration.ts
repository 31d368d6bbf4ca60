/** Seconds in the words of a sentence: `5 minutes`, `90 seconds`. */

/** Whole minutes are told as minutes, everything else as seconds. */
export function inWords(seconds: number): string {
  const [amount, unit] = seconds >= 60 && seconds % 60 === 0 ? [seconds / 60, "minute"] : [seconds, "second"];
  return `${amount} ${unit}${amount === 1 ? "" : "s"}`;
}
