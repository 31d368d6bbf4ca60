/** What the figures should be, and whether they were: printed together at the end. */

import { print } from "./table.ts";

const judged: string[][] = [];

/** Compares a figure with the one that it should at least be. */
export function atLeast(aim: string, wanted: number, found: number): void {
  judge(aim, `≥ ${wanted}`, found, found >= wanted);
}

/** Compares a figure with the one that it should at most be. */
export function atMost(aim: string, wanted: number, found: number): void {
  judge(aim, `≤ ${wanted}`, found, found <= wanted);
}

function judge(aim: string, wanted: string, found: number, held: boolean): void {
  judged.push([aim, wanted, found.toFixed(2), held ? "held" : "not held"]);
}

/** Fewer rounds tell nothing. */
const fewest = 3;

/** Prints all that was judged, if anything was, and by rounds enough. */
export function printAims(rounds: number): void {
  if (judged.length === 0) return;
  if (rounds < fewest) return console.log(`\nToo few rounds to say whether what was aimed at is reached.`);
  console.log();
  print(["what was aimed at", "wanted", "found", ""], judged);
}
