/** What a check says of a library, one line each: verdict, attack or practice, and the parameters of the variant. */

import type { CheckReport } from "../../../src/check/mod.ts";

export function accusationsOf({ results, practices }: CheckReport): readonly string[] {
  return [
    ...results
      .filter(({ verdict, isUnclear }) => verdict === "failed" || verdict === "warning" || isUnclear)
      .map(({ verdict, attack: { id }, values }) => `${verdict} ${id} ${JSON.stringify(values)}`),
    ...practices
      .filter(({ outcome }) => outcome === "failed" || outcome === "warning")
      .map(({ outcome, practice: { id } }) => `${outcome} practice/${id}`),
  ];
}
