/** Checks what a mock server has recorded of a client against the rules of drafts, with their dates. */

import type { HabitResult } from "../recorder/habits/mod.ts";
import type { Recording } from "../recorder/habits/traffic.ts";
import type { NextRule } from "../recorder/habits/next_rules.ts";
import type { RecordedServer } from "./check_habits.ts";

/** @internal Whether a client meets one rule: `not seen` if its traffic has no occasion for it. */
export type Readiness = "ready" | "not ready" | "not seen";

/** @internal One rule of a draft. */
export interface ReadinessResult extends Pick<NextRule, "id" | "title" | "draft" | "date" | "sources"> {
  /** Whether the client meets it. */
  readonly readiness: Readiness;
  /** Why, one sentence without a full stop and without secrets. */
  readonly because: string;
}

/** What the drafts of the profile `next-2026.11` will change for a client. */
export interface ReadinessReport {
  /** Whether the client is ready for each rule that was seen. */
  readonly ready: boolean;
  /** Every rule, in the order of a login. */
  readonly results: readonly ReadinessResult[];
  /** The report as text: one line for each rule. */
  toString(): string;
}

/**
 * Checks what was recorded of a client against the rules of the profile `next-2026.11`. Nothing is sent, and nothing is
 * rejected; the profile itself rejects.
 *
 * @example
 * ```ts ignore
 * await myApp.logIn();
 * const report = await checkReadiness(as);
 * assert(report.ready, String(report));
 * ```
 */
export async function checkReadiness(
  { issuer, log }: Pick<RecordedServer, "issuer" | "log">,
): Promise<ReadinessReport> {
  return await readReadiness([{ issuer, exchanges: log.unmasked.exchanges }]);
}

/** The same for recordings. */
export async function readReadiness(recordings: readonly Recording[]): Promise<ReadinessReport> {
  const [{ readHabits }, { nextRules }] = await Promise.all([
    import("../recorder/habits/mod.ts"),
    import("../recorder/habits/next_rules.ts"),
  ]);
  const found = await readHabits(recordings, { of: nextRules });
  const results = nextRules.map(({ id, title, draft, date, sources }, i): ReadinessResult => {
    const { outcome, because } = found[i]!;
    return { id, title, draft, date, sources, readiness: readinessOf(outcome), because };
  });
  return {
    ready: results.every(({ readiness }) => readiness !== "not ready"),
    results,
    toString: () => formatReport(results),
  };
}

function readinessOf(outcome: HabitResult["outcome"]): Readiness {
  if (outcome === "not seen") return "not seen";
  return outcome === "failed" || outcome === "warning" ? "not ready" : "ready";
}

function formatReport(results: readonly ReadinessResult[]): string {
  const count = (wanted: Readiness) => results.filter(({ readiness }) => readiness === wanted).length;
  return [
    `next-2026.11: ${count("ready")} ready, ${count("not ready")} not ready, ${count("not seen")} not seen`,
    ...results.flatMap(({ id, readiness, title, because, draft, date }) => [
      `  ${readiness.padEnd(9)}  ${id} (${draft}, ${date})`,
      ...readiness === "not ready" ? [`             expected: ${title}`, `             received: ${because}.`] : [],
    ]),
  ].join("\n");
}
