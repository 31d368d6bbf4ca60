/** The habits in reports: as text and as data. */

import type { HabitResult } from "../recorder/habits/mod.ts";
import { outcomeLabels } from "../recorder/habits/outcome.ts";
import type { Evidence, Habit } from "../recorder/habits/habit.ts";

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

/** A habit as data, which every form of a report is printed from. Evidence names exchanges by their numbers. */
export interface ReportedHabit
  extends Pick<Habit, "id" | "title" | "level" | "sources">, Pick<HabitResult, "outcome" | "because"> {
  readonly evidence: readonly (Omit<Evidence, "exchanges"> & {
    readonly exchanges: readonly Pick<Evidence["exchanges"][number], "number" | "endpoint" | "flow">[];
  })[];
}

/** Creates the report. */
export function habitReport(results: readonly HabitResult[]): HabitReport {
  const failures = results.filter(({ outcome }) => outcome === "failed");
  const passed = failures.length === 0;
  const habits = results.map(describeHabit);
  return {
    ...{ passed, results, failures },
    toString: () => [summarizeHabits(habits), ...habits.flatMap(formatHabit)].join("\n"),
    toJSON: () => ({ passed, habits }),
  };
}

/** Whether the client lacks the habit, required or recommended. */
export function isLacking({ outcome }: Pick<HabitResult, "outcome">): boolean {
  return outcome === "failed" || outcome === "warning";
}

/** A result as data. */
export function describeHabit({ habit, outcome, because, evidence }: HabitResult): ReportedHabit {
  const { id, title, level, sources } = habit;
  return {
    ...{ id, title, level, outcome, because, sources },
    evidence: evidence.map(({ exchanges, parameter, because, isNote }) => ({
      exchanges: exchanges.map(({ number, endpoint, flow }) => ({ number, endpoint, flow })),
      ...{ parameter, because, isNote },
    })),
  };
}

/** One line: `48 best practices: 20 passed, 1 failed, 27 not tested`. */
export function summarizeHabits(habits: readonly ReportedHabit[]): string {
  const counts = new Map<string, number>();
  for (const { outcome } of habits) {
    counts.set(outcomeLabels[outcome], (counts.get(outcomeLabels[outcome]) ?? 0) + 1);
  }
  return `${habits.length} best practices: ${[...counts].map(([outcome, count]) => `${count} ${outcome}`).join(", ")}`;
}

/** How much evidence of one habit the text shows. */
const maxEvidence = 3;

/** The lines about a habit that the client lacks; none for others. */
export function formatHabit(habit: ReportedHabit): string[] {
  if (!isLacking(habit)) return [];
  const { id, level, title, outcome, evidence, sources } = habit;
  return [
    "",
    `${outcome.toUpperCase()} practice ${id} (${level})`,
    `  expected: ${title}`,
    ...evidence.slice(0, maxEvidence).map((item) => `  received: ${formatEvidence(item)}`),
    ...evidence.length > maxEvidence ? [`  and ${evidence.length - maxEvidence} more`] : [],
    `  sources:  ${sources.join("; ")}`,
  ];
}

/** `requests 3 (authorize), 1 (authorize): state: two requests have the same state.` */
function formatEvidence({ exchanges, parameter, because }: ReportedHabit["evidence"][number]): string {
  const places = exchanges.map(({ number, endpoint }) => `${number} (${endpoint})`).join(", ");
  const where = places === "" ? [] : [`${exchanges.length === 1 ? "request" : "requests"} ${places}`];
  return `${[...where, ...parameter === undefined ? [] : [parameter], because].join(": ")}.`;
}
