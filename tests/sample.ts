/** A part of many combinations. A run of all files takes the part, a run of some files takes the whole. */

import process from "node:process";

/** The number of the part, which scripts/test.ts and .ci/run set; absent in a run that takes the whole. */
const { LATCHKEY_TEST_SAMPLE: turn } = process.env;

/**
 * Every `share`-th item, beginning elsewhere for each `place` and in each turn, so that the parts of as many places or
 * turns have every item; all items in a run that is not a sample.
 */
export function sample<T>(items: readonly T[], share: number, place: number): readonly T[] {
  return turn === undefined ? items : items.filter((_, index) => index % share === (place + Number(turn)) % share);
}
