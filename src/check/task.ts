/** The variants of attacks that a check tries, and their results. */

import type { Assessment, Attack } from "./attack.ts";
import type { Observation } from "./observation.ts";
import type { AttackResult } from "./report.ts";

/** One variant of one attack. */
export interface CheckTask {
  readonly attack: Attack;
  /** The parameters that differ from their defaults. */
  readonly values: Readonly<Record<string, unknown>>;
}

export interface JourneyResult {
  readonly result: AttackResult;
  /** Whether an error was not caught: of this journey, or of another one at the same time or before. */
  readonly hasCrash: boolean;
}

/** The result of a task whose journey was assessed. */
export function assessedResult(
  task: CheckTask,
  { outcome, error, exchanges }: Observation,
  assessment: Assessment,
): AttackResult {
  const { passed, because, isInconclusive, isWarning, effect } = assessment;
  const verdict = isInconclusive
    ? "inconclusive"
    : passed
    ? "passed"
    : outcome === "crashed"
    ? "failed"
    : task.attack.level === "informational"
    ? "noted"
    : isWarning || task.attack.level === "should-reject"
    ? "warning"
    : "failed";
  const attack = effect === undefined ? task.attack : { ...task.attack, partOf: undefined, ...effect };
  return { ...task, attack, verdict, because, evidence: { outcome, error, exchanges } };
}

/** Why a task was not run. */
const stoppedCause = "the check was stopped before it";

/** The result of a task that is not run, because the check is stopped. */
export function stoppedResult(task: CheckTask): AttackResult {
  return unknownResult(task, "skipped", stoppedCause);
}

/** How many tasks were not run, because the check was stopped. */
export function countStopped(results: readonly AttackResult[]): number {
  return results.filter(({ because }) => because === stoppedCause).length;
}

/** The result of a task that shows nothing. @param evidence What was seen all the same. Default: nothing. */
export function unknownResult(
  task: CheckTask,
  verdict: "skipped" | "inconclusive",
  because: string,
  { cause, evidence = { exchanges: [] } }: Partial<Pick<AttackResult, "cause" | "evidence">> = {},
): AttackResult {
  return { ...task, verdict, because, ...cause !== undefined && { cause }, evidence };
}
