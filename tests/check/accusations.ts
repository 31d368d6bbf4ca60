/** What a report accuses a client of. */

import type { CheckReport } from "../../src/check/mod.ts";

/** The ids of attacks and habits, and the abilities that the client turned out to lack. */
export function accusations({ results, habits, control }: CheckReport): readonly string[] {
  const isFound = (verdict: string) => verdict === "failed" || verdict === "warning";
  return [
    ...results.filter(({ verdict }) => isFound(verdict)).map(({ attack: { id } }) => id),
    ...habits.filter(({ outcome }) => isFound(outcome)).map(({ habit: { id } }) => `habit/${id}`),
    ...[...control.failedTraits.keys()].map((trait) => `ability/${trait}`),
  ];
}
