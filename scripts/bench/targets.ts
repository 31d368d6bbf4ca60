/** What the figures should be, and whether they were: printed together at the end. */

import { print } from "./table.ts";

const results: string[][] = [];

/** Compares a figure with the one that it should at least be. */
export function atLeast(target: string, limit: number, actual: number): void {
  record(target, `≥ ${limit}`, actual, actual >= limit);
}

/** Compares a figure with the one that it should at most be. */
export function atMost(target: string, limit: number, actual: number): void {
  record(target, `≤ ${limit}`, actual, actual <= limit);
}

function record(target: string, limit: string, actual: number, reached: boolean): void {
  results.push([target, limit, actual.toFixed(2), reached ? "held" : "not held"]);
}

/** Fewer rounds tell nothing. */
const minRounds = 3;

/** Prints all that was judged, if anything was, and by rounds enough. */
export function printTargets(rounds: number): void {
  if (results.length === 0) return;
  if (rounds < minRounds) return console.log(`\nToo few rounds to say whether what was aimed at is reached.`);
  console.log();
  print(["what was aimed at", "wanted", "found", ""], results);
}
