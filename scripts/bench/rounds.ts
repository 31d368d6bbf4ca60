/**
 * Interleaved rounds: the servers do the same work in turn, so that changes of the machine's speed affect all equally.
 */

import type { Result } from "./load.ts";
import type { Options } from "./options.ts";
import { getProcessUsage } from "./process_usage.ts";
import type { RunningProcess } from "./processes.ts";
import type { RequestName } from "./requests.ts";
import { runLoad } from "./served.ts";
import type { RunningServer } from "./served.ts";
import { median } from "./table.ts";

/** What was measured of one server. */
export interface Measurement {
  /** By kind of request. */
  readonly rounds: Readonly<Partial<Record<RequestName, readonly Result[]>>>;
  /** MiB resident after the last round. */
  readonly resident: number;
}

/** A server that did not start, or sent an invalid response. */
export interface NotStarted {
  readonly absent: string;
}

/** Measures several servers, each of them for each kind of request; all run until the end. */
export async function measureInTurn(
  starters: readonly (() => Promise<RunningServer>)[],
  requestNames: readonly RequestName[],
  options: Options,
  load: RunningProcess,
): Promise<(Measurement | NotStarted)[]> {
  await using running = new AsyncDisposableStack();
  const subjects:
    (NotStarted | { readonly served: RunningServer; readonly rounds: Partial<Record<RequestName, Result[]>> })[] = [];
  for (const starter of starters) {
    try {
      const served = running.use(await starter());
      for (const requestName of requestNames) await runLoad(load, served, requestName, { seconds: options.warmUp });
      subjects.push({ served, rounds: {} });
    } catch (error) {
      subjects.push({ absent: (error as Error).message });
    }
  }
  const startedSubjects = subjects.filter((subject) => "served" in subject);
  for (let round = 0; round < options.rounds; round++) {
    for (const requestName of requestNames) {
      for (const { served, rounds } of round % 2 === 0 ? startedSubjects : startedSubjects.toReversed()) {
        (rounds[requestName] ??= []).push(await runLoad(load, served, requestName, { seconds: options.seconds }));
      }
    }
  }
  return await Promise.all(subjects.map(async (subject) => {
    if ("absent" in subject) return subject;
    const uses = await Promise.all(subject.served.processes.map(({ pid }) => getProcessUsage(pid)));
    return { rounds: subject.rounds, resident: uses.reduce((sum, { rss }) => sum + rss, 0) };
  }));
}

/** The same where each of them must run. */
export async function measureAllInTurn(...args: Parameters<typeof measureInTurn>): Promise<Measurement[]> {
  return (await measureInTurn(...args)).map((measurement) => {
    if ("absent" in measurement) throw new Error(measurement.absent);
    return measurement;
  });
}

/** How one compares with another, round by round. */
export function ratio(one: readonly Result[], other: readonly Result[], metric: (round: Result) => number): number {
  return median(one.map((round, i) => metric(round) / metric(other[i]!)));
}

/** The middle of what was measured, round by round. */
export function medianOf(rounds: readonly Result[], name: keyof Result): number {
  return median(rounds.map((round) => round[name]));
}
