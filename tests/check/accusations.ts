/** What a report accuses a client of. */

import type { CheckReport } from "../../src/check/mod.ts";

/** The ids of attacks and practices, and the abilities that the client turned out to lack. */
export function accusations({ results, practices, control }: CheckReport): readonly string[] {
  const isFound = (verdict: string) => verdict === "failed" || verdict === "warning";
  return [
    ...results.filter(({ verdict }) => isFound(verdict)).map(({ attack: { id } }) => id),
    ...practices.filter(({ outcome }) => isFound(outcome)).map(({ practice: { id } }) => `practice/${id}`),
    ...[...control.failedCapabilities.keys()].map((capability) => `ability/${capability}`),
  ];
}

/** The results that apply to the client, and show nothing about it. */
export const unclearIn = ({ results }: CheckReport) => results.filter(({ isUnclear }) => isUnclear);
