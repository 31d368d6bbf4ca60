/** The habits in reports: as text and as data. */

import type { HabitResult } from "../recorder/habits/mod.ts";
import type { Evidence } from "../recorder/habits/habit.ts";

/** The habits of a client. */
export interface HabitReport {
  /** Whether the client lacks no habit that a specification demands. Recommendations do not count. */
  readonly passed: boolean;
  /** Every habit, with what the traffic shows. */
  readonly results: readonly HabitResult[];
  /** The results that failed. */
  readonly failures: readonly HabitResult[];
  /** The report as text. */
  toString(): string;
  /** The report as data that JSON can carry, without secrets. */
  toJSON(): Readonly<Record<string, unknown>>;
}

/** Creates the report. */
export function habitReport(results: readonly HabitResult[]): HabitReport {
  const failures = results.filter(({ outcome }) => outcome === "failed");
  return {
    passed: failures.length === 0,
    results,
    failures,
    toString: () => [summarizeHabits(results), ...results.flatMap(formatHabit)].join("\n"),
    toJSON: () => ({ passed: failures.length === 0, habits: results.map(describeHabit) }),
  };
}

/** One line: `48 habits: 20 passed, 1 failed, 27 not seen`. */
export function summarizeHabits(results: readonly HabitResult[]): string {
  const counts = new Map<string, number>();
  for (const { outcome } of results) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return `${results.length} habits: ${[...counts].map(([outcome, count]) => `${count} ${outcome}`).join(", ")}`;
}

/** How much evidence of one habit the text shows. */
const maxEvidence = 3;

/** The lines about a habit that the client lacks; none for others. */
export function formatHabit({ habit, outcome, evidence }: HabitResult): string[] {
  if (outcome !== "failed" && outcome !== "warning") return [];
  return [
    "",
    `${outcome.toUpperCase()} habit ${habit.id} (${habit.level})`,
    `  expected: ${habit.title}`,
    ...evidence.slice(0, maxEvidence).map((item) => `  received: ${formatEvidence(item)}`),
    ...evidence.length > maxEvidence ? [`  and ${evidence.length - maxEvidence} more`] : [],
    `  sources:  ${habit.sources.join("; ")}`,
  ];
}

/** `requests 3 (authorize), 1 (authorize): state: two requests have the same state.` */
function formatEvidence({ exchanges, parameter, because, during }: Evidence): string {
  const attack = during === undefined ? [] : [`during ${during}`];
  const places = exchanges.map(({ number, endpoint }) => `${number} (${endpoint})`).join(", ");
  const where = places === "" ? [] : [`${exchanges.length === 1 ? "request" : "requests"} ${places}`];
  return `${[...attack, ...where, ...parameter === undefined ? [] : [parameter], because].join(": ")}.`;
}

/** A result as data. Evidence names exchanges by their numbers, so it has no secrets. */
export function describeHabit({ habit, outcome, because, evidence }: HabitResult): Readonly<Record<string, unknown>> {
  const { id, title, level, sources } = habit;
  return {
    id,
    title,
    level,
    outcome,
    because,
    evidence: evidence.map(({ exchanges, parameter, because, during, isNote }) => ({
      exchanges: exchanges.map(({ number, endpoint, flow }) => ({ number, endpoint, flow })),
      parameter,
      because,
      during,
      isNote,
    })),
    sources,
  };
}
