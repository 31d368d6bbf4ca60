/** Checks what a mock server has recorded of a client against the rules of drafts, with their dates. */

import { type PracticeResult, readPractices } from "../recorder/practices/mod.ts";
import type { Recording } from "../recorder/practices/traffic.ts";
import { type NextRule, nextRules } from "../recorder/practices/next_rules.ts";
import type { RecordedServer } from "./check_practices.ts";

/** @internal Whether a client meets one rule: `not tested` if its traffic has no occasion for it. */
export type Readiness = "ready" | "not ready" | "not tested";

/** @internal One rule of a draft. */
export interface ReadinessResult extends Pick<NextRule, "id" | "title" | "draft" | "date" | "sources" | "fix"> {
  /** Whether the client meets it. */
  readonly readiness: Readiness;
  /** Why, one sentence without a full stop and without secrets. */
  readonly because: string;
  /** The number of the request that shows it; absent if no request does, or if all meet the rule. */
  readonly request?: number;
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
  const practices = await readPractices(recordings, { of: nextRules });
  const results = nextRules.map(({ id, title, draft, date, sources, fix, occasion }, i): ReadinessResult => {
    const { outcome, because: found, evidence } = practices[i]!;
    const because = outcome === "skipped" ? `${occasion} would show it` : found;
    const decisive = evidence.find((one) => one.because === found);
    const request = outcome === "passed" && !decisive?.isNote ? undefined : decisive?.exchanges[0]?.number;
    return { id, title, draft, date, sources, fix, readiness: readinessOf(outcome), because, request };
  });
  return {
    ready: results.every(({ readiness }) => readiness !== "not ready"),
    results,
    toString: () => formatReport(results),
  };
}

function readinessOf(outcome: PracticeResult["outcome"]): Readiness {
  if (outcome === "skipped") return "not tested";
  return outcome === "failed" || outcome === "warning" ? "not ready" : "ready";
}

const indent = (line: string) => " ".repeat(14) + line;

function formatReport(results: readonly ReadinessResult[]): string {
  const count = (wanted: Readiness) => results.filter(({ readiness }) => readiness === wanted).length;
  return [
    `next-2026.11: ${count("ready")} ready, ${count("not ready")} not ready, ${count("not tested")} not tested`,
    ...results.flatMap(({ id, readiness, title, because, request, fix, draft, date }) => {
      const rule = `  ${readiness.padEnd(10)}  ${id} (${draft}, ${date})`;
      const received = request === undefined ? because : `${because} (request ${request})`;
      if (readiness !== "not ready") return [`${rule}: ${received}`];
      return [rule, ...[`expected: ${title}`, `received: ${received}.`, `fix:      ${fix}`].map(indent)];
    }),
  ].join("\n");
}
