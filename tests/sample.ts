/** A part of many combinations, the same in each run. `deno task test -- --full` takes the whole. */

import process from "node:process";

/** Whether a run takes every combination. */
const isFull = process.argv.includes("--full");

/**
 * Every `share`-th item, beginning elsewhere for each `place`, so that the parts of as many places have every item.
 * With `--full`, all items.
 */
export function sample<T>(items: readonly T[], share: number, place: number): readonly T[] {
  return isFull ? items : items.filter((_, index) => index % share === place % share);
}
