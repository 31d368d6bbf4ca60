/** The baseline of a check: failures that are known, by variant. It is the JSON report of an earlier check. */

import { parseJsonObject } from "../platform/http/json_body.ts";
import type { PracticeResult } from "../recorder/practices/mod.ts";
import type { AttackResult } from "./report.ts";
import { formatId } from "./report_data.ts";

/** @internal The members of a JSON report that a baseline needs; others are ignored. */
export interface Baseline {
  /** The variants; those that did not fail do not count. */
  readonly results: readonly {
    readonly id: string;
    readonly values: Readonly<Record<string, unknown>>;
    readonly verdict: string;
  }[];
  /** The practices; those that did not fail do not count. Default: none. */
  readonly practices?: readonly { readonly id: string; readonly outcome: string }[];
}

/** The name of a variant, complete, for comparisons. */
const keyOf = (id: string, values: object): string => `${id} ${JSON.stringify(values)}`;

/** Whether a baseline has the failure. */
export function isKnownResult({ attack: { id }, values }: AttackResult, baseline: Baseline | undefined): boolean {
  const key = keyOf(id, values);
  return baseline?.results.some((known) => known.verdict === "failed" && keyOf(known.id, known.values) === key) ??
    false;
}

/** Whether a practice failed, and a baseline has the failure. */
export function isKnownPractice(
  { practice: { id }, outcome }: PracticeResult,
  baseline: Baseline | undefined,
): boolean {
  return outcome === "failed" &&
    (baseline?.practices?.some((known) => known.outcome === "failed" && known.id === id) ?? false);
}

/** The known failures that passed, by name. */
export function knownThatPass(
  baseline: Baseline,
  results: readonly AttackResult[],
  practices: readonly PracticeResult[],
): string[] {
  const attacks = results.filter((result) => result.verdict === "passed" && isKnownResult(result, baseline));
  const known = baseline.practices?.filter(({ outcome }) => outcome === "failed") ?? [];
  const passed = practices.filter(({ practice, outcome }) =>
    outcome === "passed" && known.some(({ id }) => id === practice.id)
  );
  return [
    ...attacks.map(({ attack, values }) => formatId(attack.id, values)),
    ...passed.map(({ practice: { id } }) => `practice ${id}`),
  ];
}

/** Reads a baseline. @returns `undefined` if the text is no JSON report of a check. */
export function parseBaseline(text: string): Baseline | undefined {
  const { results, practices = [] } = (parseJsonObject(text) ?? {}) as Partial<Baseline>;
  const isItem = (item: unknown, member: string) => {
    const { id, [member]: ending } = Object(item) as Record<string, unknown>;
    return typeof id === "string" && typeof ending === "string";
  };
  const isBaseline = Array.isArray(results) && Array.isArray(practices) &&
    results.every((item) => isItem(item, "verdict") && typeof item.values === "object" && item.values !== null) &&
    practices.every((item) => isItem(item, "outcome"));
  return isBaseline ? { results, practices } : undefined;
}
