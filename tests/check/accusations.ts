/** What a report accuses a client of. */

import { assert, assertEquals } from "@std/assert";
import type { CheckReport } from "../../src/check/mod.ts";

const isFound = (verdict: string) => verdict === "failed" || verdict === "warning";

/** The ids of attacks and practices, and the abilities that the client turned out to lack. */
export function accusations({ results, practices, control }: CheckReport): readonly string[] {
  return [
    ...results.filter(({ verdict }) => isFound(verdict)).map(({ attack: { id } }) => id),
    ...practices.filter(({ outcome }) => isFound(outcome)).map(({ practice: { id } }) => `practice/${id}`),
    ...[...control.failedCapabilities.keys()].map((capability) => `ability/${capability}`),
  ];
}

/** What a check says of a library, one line each: verdict, attack or practice, and the parameters of the variant. */
export function findingLines({ results, practices }: CheckReport): readonly string[] {
  return [
    ...results
      .filter(({ verdict, isUnclear }) => isFound(verdict) || isUnclear)
      .map(({ verdict, attack: { id }, values }) => `${verdict} ${id} ${JSON.stringify(values)}`),
    ...practices
      .filter(({ outcome }) => isFound(outcome))
      .map(({ outcome, practice: { id } }) => `${outcome} practice/${id}`),
  ];
}

/** Asserts that a correct client logs in, and that nothing of it failed; it may have warnings. */
export function assertNothingFailed(report: CheckReport): void {
  const { control, failures, practices } = report;
  assert(control.passed, String(report));
  const failedPractices = practices.filter(({ outcome }) => outcome === "failed");
  assertEquals(
    [
      ...failures.map(({ attack: { id }, values, because }) => `${id} ${JSON.stringify(values)}: ${because}`),
      ...failedPractices.map(({ practice, because }) => `practice ${practice.id}: ${because}`),
      ...[...control.failedCapabilities.keys()].map((capability) => `ability ${capability}`),
    ],
    [],
    String(report),
  );
}

/** The results that apply to the client, and show nothing about it. */
export const unclearIn = ({ results }: CheckReport) => results.filter(({ isUnclear }) => isUnclear);
