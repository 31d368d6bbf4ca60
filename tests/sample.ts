/** A part of many combinations. A run of all files takes the part, a run of some files takes the whole. */

import process from "node:process";

/**
 * Every `share`-th item, beginning elsewhere for each `place`, so that the parts of as many places have every item; all
 * items in a run that is not a sample.
 */
export function sample<T>(items: readonly T[], share: number, place: number): readonly T[] {
  const isSample = process.env.LATCHKEY_TEST_SAMPLE === "true";
  return isSample ? items.filter((_, index) => index % share === place % share) : items;
}
