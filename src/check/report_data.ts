/** The report of a check as JSON data without secrets, from which every form of the report is printed. */

import { withVisibleTexts } from "../server/explain/visible_text.ts";
import { describePractice, type ReportedPractice } from "../testing/practice_report.ts";
import { describeError } from "./assess.ts";
import type { Attack, JourneyOutcome } from "./attack.ts";
import type { Effect } from "./effects.ts";
import { rankOf } from "./causes.ts";
import { type AttackResult, type CheckReport, type ControlFailure, type ControlResult, isFailure } from "./report.ts";
import { describeSent } from "./sent_values.ts";
import { describeCapabilities } from "./capabilities.ts";

export interface ReportData extends
  Pick<
    CheckReport,
    "client" | "kind" | "passed" | "problem" | "counts" | "attackCounts" | "causes" | "outdatedBaseline"
  >,
  Pick<CheckReport, "seconds"> {
  /** The login without an attack; if it failed, also why. */
  readonly control: Pick<ControlResult, "passed" | "sub" | "claims" | "authorizations"> & {
    readonly response: JourneyOutcome;
    readonly failure?: ControlFailure;
    /** What was seen of the client: clauses that follow "the client". */
    readonly observed: readonly string[];
    /** What the client should do and does not without an attack, with the error of the client. */
    readonly failedCapabilities: Readonly<Record<string, string>>;
  };
  /** Every variant of every attack, in the order of the catalogue. */
  readonly results: readonly ReportedResult[];
  readonly practices: readonly (ReportedPractice & { readonly isKnown?: boolean })[];
}

export interface ReportedResult
  extends
    Pick<Attack, "id" | "title" | "level" | "correctClient" | "sources">,
    Omit<Effect, "cause">,
    Pick<AttackResult, "values" | "verdict" | "because" | "cause" | "harm" | "requirement" | "isKnown" | "isUnclear"> {
  /** How the client responded; absent if the attack did not run. */
  readonly response?: JourneyOutcome;
  /** What the server sent instead of what it sends without an attack. */
  readonly sent: readonly string[];
  /** A line for each exchange: `userinfo 200, changed by: edited body`. */
  readonly exchanges: readonly string[];
  /** The command that repeats the attack; absent if the client passed, or if the attack showed nothing. */
  readonly repeat?: string;
}

/** Describes a report, with escapes for control characters and bidirectional marks, which the application chose. */
export function describeReport(report: CheckReport): ReportData {
  const { client, kind, passed, problem, control, counts, attackCounts, causes, outdatedBaseline, seconds } = report;
  const { outcome, sub, claims, authorizations, capabilities, failedCapabilities, exchanges } = control;
  const described = withVisibleTexts({
    ...{ client, kind, passed, problem },
    control: {
      ...{ passed: control.passed, response: outcome, sub, claims, authorizations },
      failure: report.controlFailure,
      observed: control.passed ? describeCapabilities(capabilities, exchanges) : [],
      failedCapabilities: Object.fromEntries(
        [...failedCapabilities].map(([capability, error]) => [capability, describeError(error)]),
      ),
    },
    ...{ counts, attackCounts, causes, outdatedBaseline, seconds },
    practices: report.practices.map((practice) => ({ ...describePractice(practice), isKnown: practice.isKnown })),
  });
  return { ...described, results: report.results.map((result) => describeResult(result, report)) };
}

/** The data as the JSON form has it. */
export function toJson({ control: { failure, ...control }, ...data }: ReportData): Readonly<Record<string, unknown>> {
  return { ...data, control: { ...control, ...failure } };
}

function describeResult(
  { attack, effect, evidence: { outcome, exchanges }, ...result }: AttackResult,
  { control, repeat }: CheckReport,
): ReportedResult {
  const { id, title, level, correctClient, sources } = attack;
  const { severity, consequence, fix } = effect;
  const described = withVisibleTexts({
    ...{ id, title, level, severity, ...result, response: outcome, consequence, correctClient, fix, sources },
    exchanges: exchanges.map(({ endpoint, response, faults }) => {
      const changes = faults.length === 0 ? "" : `, changed by: ${faults.join(", ")}`;
      return `${endpoint} ${response?.status ?? "no response"}${changes}`;
    }),
    repeat: isFailure(result.verdict) ? repeat(id) : undefined,
  });
  return {
    ...described,
    // The comparison takes time, and only some forms show it.
    get sent() {
      return withVisibleTexts(describeSent(exchanges, control.exchanges));
    },
  };
}

export interface AttackGroup {
  /** One of them, for what they have in common. */
  readonly attack: ReportedResult;
  readonly results: readonly ReportedResult[];
  /** How many variants of the attack there are, whatever their verdict. */
  readonly total: number;
}

/** Some of the results by attack and effect, because variants of an attack can have several; the gravest first. */
export function groupByEffect(some: readonly ReportedResult[], all: readonly ReportedResult[]): AttackGroup[] {
  const keyOf = ({ id, severity, consequence }: ReportedResult) => [id, severity, consequence].join();
  return [...Map.groupBy(some, keyOf).values()].map((results): AttackGroup => ({
    attack: results[0]!,
    results,
    total: all.filter(({ id }) => id === results[0]!.id).length,
  })).sort((one, other) => rankOf(one.attack) - rankOf(other.attack));
}

/** Results that show nothing for the same cause. */
export interface CauseGroup {
  /** One sentence without a full stop. */
  readonly cause: string;
  /** The attacks, with the number of their variants if these are several: `id-token/aud-wrong (3)`. */
  readonly attacks: readonly string[];
  /** The reason, where it adds to the cause. */
  readonly example?: string;
  /** {@link AttackResult.isUnclear}. */
  readonly isUnclear: boolean;
}

/** The skipped results by cause: first those that apply to the client, and the largest group first. */
export function groupByCause(results: readonly ReportedResult[]): CauseGroup[] {
  const skipped = results.filter(({ verdict }) => verdict === "skipped");
  const causes = [...Map.groupBy(skipped, ({ cause, because }) => cause ?? because)];
  return causes.sort(([, one], [, other]) => other.length - one.length).map(([cause, group]): CauseGroup => {
    const example = group.find(({ because }) => because !== cause)?.because;
    const isUnclear = group.some((result) => result.isUnclear);
    return { cause, attacks: countedNames(group), isUnclear, ...example !== undefined && { example } };
  }).sort((one, other) => Number(other.isUnclear) - Number(one.isUnclear));
}

/** The attacks of results: `id-token/aud-wrong (3)`. */
export function countedNames(results: readonly ReportedResult[]): string[] {
  const variants = Map.groupBy(results, ({ id }) => id);
  return [...variants].map(([id, { length }]) => length === 1 ? id : `${id} (${length})`);
}

/** `1 attack`, `2 attacks`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** The longest value of a parameter that is written as a whole, in characters. */
const maxValueLength = 60;

/** The parameters of a variant: `{ how: "shortened" }`; of a long value the beginning. Empty without parameters. */
export function formatValues(values: ReportedResult["values"]): string {
  const pairs = Object.entries(values).map(([name, value]) => {
    const text = JSON.stringify(value);
    const isLong = text.length > maxValueLength;
    return `${name}: ${isLong ? `${text.slice(0, maxValueLength)}… (${text.length} characters)` : text}`;
  });
  return pairs.length === 0 ? "" : `{ ${pairs.join(", ")} }`;
}

/** The id of an attack, with the values of its parameters. */
export function formatId(id: string, values: ReportedResult["values"]): string {
  return [id, formatValues(values)].filter((text) => text !== "").join(" ");
}

/** What one journey of a check is called. */
export const journeyNoun = (kind: CheckReport["kind"]): string => kind === "client" ? "login" : "request";
