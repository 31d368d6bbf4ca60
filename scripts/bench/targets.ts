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
  results.push([target, limit, actual.toFixed(2), reached ? "reached" : "missed"]);
}

/** Minimum number of rounds for a comparison. */
const minRounds = 3;

/** Prints the targets, if there are any and enough rounds. */
export function printTargets(rounds: number): void {
  if (results.length === 0) return;
  if (rounds < minRounds) return console.log(`\nToo few rounds to compare with the targets.`);
  console.log();
  print(["target", "limit", "actual", ""], results);
}
