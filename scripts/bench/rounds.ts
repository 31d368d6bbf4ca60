/** Interleaved rounds: each server does the same work in turn, again and again, so that the machine favours nobody. */

import type { Result } from "./load.ts";
import type { Options } from "./options.ts";
import { useOf } from "./process_use.ts";
import type { Running } from "./processes.ts";
import type { RequestName } from "./requests.ts";
import { work } from "./served.ts";
import type { Served } from "./served.ts";
import { median } from "./table.ts";

/** What was measured of one server. */
export interface Measured {
  /** By kind of request. */
  readonly rounds: Readonly<Partial<Record<RequestName, readonly Result[]>>>;
  /** MiB resident after the last round. */
  readonly held: number;
}

/** A server that did not start, or whose answers were not as they must be. */
export interface Absent {
  readonly absent: string;
}

/** Measures several servers, each of them for each kind of request; all run until the end. */
export async function takeTurns(
  begins: readonly (() => Promise<Served>)[],
  whats: readonly RequestName[],
  options: Options,
  load: Running,
): Promise<(Measured | Absent)[]> {
  await using running = new AsyncDisposableStack();
  const entrants: (Absent | { readonly served: Served; readonly rounds: Partial<Record<RequestName, Result[]>> })[] =
    [];
  for (const begin of begins) {
    try {
      const served = running.use(await begin());
      for (const what of whats) await work(load, served, what, { seconds: options.warmUp });
      entrants.push({ served, rounds: {} });
    } catch (error) {
      entrants.push({ absent: (error as Error).message });
    }
  }
  const present = entrants.filter((entrant) => "served" in entrant);
  for (let round = 0; round < options.rounds; round++) {
    for (const what of whats) {
      for (const { served, rounds } of round % 2 === 0 ? present : present.toReversed()) {
        (rounds[what] ??= []).push(await work(load, served, what, { seconds: options.seconds }));
      }
    }
  }
  return await Promise.all(entrants.map(async (entrant) => {
    if ("absent" in entrant) return entrant;
    const uses = await Promise.all(entrant.served.processes.map(({ pid }) => useOf(pid)));
    return { rounds: entrant.rounds, held: uses.reduce((sum, { rss }) => sum + rss, 0) };
  }));
}

/** The same where each of them must run. */
export async function takeTurnsAll(...given: Parameters<typeof takeTurns>): Promise<Measured[]> {
  return (await takeTurns(...given)).map((one) => {
    if ("absent" in one) throw new Error(one.absent);
    return one;
  });
}

/** How one compares with another, round by round. */
export function ratio(one: readonly Result[], other: readonly Result[], of: (round: Result) => number): number {
  return median(one.map((round, i) => of(round) / of(other[i]!)));
}

/** The middle of what was measured, round by round. */
export function middle(rounds: readonly Result[], name: keyof Result): number {
  return median(rounds.map((round) => round[name]));
}
