/** Moves the clock of a server from a page. */

import type { TestClock } from "../clock.ts";

/**
 * Moves the clock. Returns the sentence that confirms it.
 *
 * @throws {RangeError} For an invalid number, and for a time outside of the years 1970 to 9999.
 */
export async function moveClock(clock: TestClock, seconds: number): Promise<string> {
  const before = clock.now();
  clock.advance(seconds);
  return await movedTo(before, clock.now());
}

/** The sentence that confirms a move of the clock between two times in milliseconds. */
export async function movedTo(before: number, now: number): Promise<string> {
  const { formatLongDuration } = await import("../../server/pages/duration.ts");
  const seconds = Math.round((now - before) / 1000);
  const how = seconds < 0 ? "set back" : "moved";
  return `Clock ${how} by ${formatLongDuration(Math.abs(seconds))} to ${new Date(now).toISOString()}`;
}
