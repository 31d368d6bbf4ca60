/** Moves the clock of a server from a page. */

import { formatLongDuration } from "../../server/pages/duration.ts";
import type { TestClock } from "../clock.ts";

/**
 * Moves the clock. Returns the sentence that confirms it.
 *
 * @throws {RangeError} For an invalid number, and for a time outside of the years 1970 to 9999.
 */
export function moveClock(clock: TestClock, seconds: number): string {
  const before = clock.now();
  clock.advance(seconds);
  return movedTo(before, clock.now());
}

/** The sentence that confirms a move of the clock between two times in milliseconds. */
export function movedTo(before: number, now: number): string {
  const seconds = Math.round((now - before) / 1000);
  const how = seconds < 0 ? "set back" : "moved";
  return `Clock ${how} by ${formatLongDuration(Math.abs(seconds))} to ${new Date(now).toISOString()}`;
}
