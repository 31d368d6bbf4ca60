/** The practices in reports: as text and as data. */

import type { PracticeResult } from "../recorder/practices/mod.ts";
import type { Evidence, Practice } from "../recorder/practices/practice.ts";

/** The practices of a client. */
export interface PracticeReport {
  /** Whether the client lacks no practice that a specification demands. Recommendations do not count. */
  readonly passed: boolean;
  /** Every practice, with what the traffic shows. */
  readonly results: readonly PracticeResult[];
  /** The results that failed. */
  readonly failures: readonly PracticeResult[];
  /** The report as text. */
  toString(): string;
  /** The report as data that JSON can carry, without secrets. */
  toJSON(): Readonly<Record<string, unknown>>;
}

/** A practice as data, which every form of a report is printed from. Evidence names exchanges by their numbers. */
export interface ReportedPractice
  extends Pick<Practice, "id" | "title" | "level" | "sources">, Pick<PracticeResult, "outcome" | "because"> {
  readonly evidence: readonly (Omit<Evidence, "exchanges"> & {
    readonly exchanges: readonly Pick<Evidence["exchanges"][number], "number" | "endpoint" | "flow">[];
  })[];
}

export function practiceReport(results: readonly PracticeResult[]): PracticeReport {
  const failures = results.filter(({ outcome }) => outcome === "failed");
  const passed = failures.length === 0;
  const practices = results.map(describePractice);
  return {
    ...{ passed, results, failures },
    toString: () => [summarizePractices(practices), ...practices.flatMap(formatPractice)].join("\n"),
    toJSON: () => ({ passed, practices }),
  };
}

/** A result as data. */
export function describePractice({ practice, outcome, because, evidence }: PracticeResult): ReportedPractice {
  const { id, title, level, sources } = practice;
  return {
    ...{ id, title, level, outcome, because, sources },
    evidence: evidence.map(({ exchanges, parameter, because, isNote }) => ({
      exchanges: exchanges.map(({ number, endpoint, flow }) => ({ number, endpoint, flow })),
      ...{ parameter, because, isNote },
    })),
  };
}

/** One line: `15 best practices: 10 passed, 1 failed, 4 skipped`. */
export function summarizePractices(practices: readonly ReportedPractice[]): string {
  const counts = new Map<string, number>();
  for (const { outcome } of practices) {
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }
  return `${practices.length} best practices: ${
    [...counts].map(([outcome, count]) => `${count} ${outcome}`).join(", ")
  }`;
}

/** How much evidence of one practice the text shows. */
const maxEvidence = 3;

/** The lines about a practice that the client lacks; none for others. */
export function formatPractice({ id, level, title, outcome, evidence, sources }: ReportedPractice): string[] {
  if (outcome !== "failed" && outcome !== "warning") return [];
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
function formatEvidence({ exchanges, parameter, because }: ReportedPractice["evidence"][number]): string {
  const places = exchanges.map(({ number, endpoint }) => `${number} (${endpoint})`).join(", ");
  const where = places === "" ? [] : [`${exchanges.length === 1 ? "request" : "requests"} ${places}`];
  return `${[...where, ...parameter === undefined ? [] : [parameter], because].join(": ")}.`;
}
