/** Creates the report of a check. */

import type { Exchange } from "../recorder/exchange.ts";
import { redactExchanges, redactTextAbout } from "../recorder/redact.ts";
import type { PracticeResult } from "../recorder/practices/mod.ts";
import { findRule } from "../server/rules.ts";
import { isKnownPractice, isKnownResult, knownThatPass } from "./baseline.ts";
import { listCauses } from "./causes.ts";
import type { CheckOptions } from "./check_options.ts";
import {
  type AttackResult,
  type CheckedPractice,
  type CheckReport,
  type ControlFailure,
  type ControlResult,
  stoppedCause,
  type Verdict,
  verdicts,
  worstVerdict,
} from "./report.ts";
import { completeError } from "./assess.ts";
import { NoUserPageError, UndecidedError } from "./driver.ts";
import { countOf, describeReport, journeyNoun, type ReportData, toJson } from "./report_data.ts";
import { formatJUnit } from "./report_junit.ts";
import { formatReport } from "./report_text.ts";
import { capabilitiesIn } from "./capabilities.ts";
import { CheckReportDocument } from "./pages/check_report.tsx";
import { renderStandalone } from "../server/pages/render_standalone.ts";
import { viewReport } from "./report_view.ts";
import { assets } from "../server/pages/assets.gen.ts";
import { assets as ownAssets } from "./pages/assets.gen.ts";

/** What a report is made of. */
interface ReportFacts
  extends
    Pick<CheckReport, "client" | "kind" | "control" | "results" | "seconds" | "repeat">,
    Pick<CheckOptions, "baseline" | "failOn" | "rulesUrl" | "suggestFlag"> {
  readonly practices: readonly PracticeResult[];
  /** How many journeys were not run, because the check was stopped. */
  readonly notRun: number;
}

/** The result without secrets in its texts, which may quote a page of the application. */
export function redactResult(result: AttackResult): AttackResult {
  const { because, cause, harm, evidence } = result;
  const redact = (text: string) => redactTextAbout(text, evidence.exchanges);
  return {
    ...result,
    because: redact(because),
    ...cause !== undefined && { cause: redact(cause) },
    ...harm !== undefined && { harm: redact(harm) },
  };
}

export function checkReport(facts: ReportFacts): CheckReport {
  const { client, kind, control, seconds, baseline, repeat, rulesUrl, failOn = ["critical", "high"] } = facts;
  const results = facts.results.map(redactResult).map((result): AttackResult =>
    result.verdict === "failed" && isKnownResult(result, baseline) ? { ...result, isKnown: true } : result
  );
  const practices = facts.practices.map((practice): CheckedPractice =>
    isKnownPractice(practice, baseline) ? { ...practice, isKnown: true } : practice
  );
  const counts = countVerdicts(results.map(({ verdict }) => verdict));
  const byAttack = Map.groupBy(results, ({ attack }) => attack.id).values();
  const failures = results.filter(({ verdict, isKnown }) => verdict === "failed" && !isKnown);
  const problem = control.passed ? findProblem({ ...facts, results, practices }) : undefined;
  let described: ReportData | undefined;
  const data = () => described ??= describeReport(report);
  const report: CheckReport = {
    ...{ client, kind, control, results, practices, seconds, counts, failures, problem, repeat, rulesUrl },
    controlFailure: describeControlFailure(control, facts),
    causes: listCauses(results),
    attackCounts: countVerdicts([...byAttack].map(worstVerdict)),
    outdatedBaseline: baseline === undefined ? [] : knownThatPass(baseline, results, practices),
    passed: control.passed && problem === undefined &&
      !failures.some(({ effect }) => failOn.includes(effect.severity)) &&
      !(failOn.includes("medium") && practices.some(({ outcome, isKnown }) => outcome === "failed" && !isKnown)),
    toString: () => formatReport(data()),
    toJSON: () => toJson(data()),
    toHTML: () => formatDocument(data()),
    toJUnit: () => formatJUnit(data()),
  };
  return report;
}

/** The failure; `undefined` if the login succeeded. */
function describeControlFailure(
  { passed, outcome, error, exchanges }: ControlResult,
  { rulesUrl, suggestFlag }: Pick<CheckOptions, "rulesUrl" | "suggestFlag">,
): ControlFailure | undefined {
  if (passed) return undefined;
  const isAboutPage = error instanceof NoUserPageError;
  const rejections = redactExchanges(isAboutPage ? [] : exchanges).flatMap(
    ({ request: { method, path }, rejection }) => {
      if (rejection === undefined) return [];
      const { rule, reason, expected, received, earlier, fix } = rejection.explanation;
      const found = findRule(rule);
      return [{
        ...{ request: `${method} ${path}`, error: rejection.error, rule, reason, expected, received, earlier },
        fix,
        sources: found?.cites ?? [],
        url: found && rulesUrl && `${rulesUrl}/${rule}`,
      }];
    },
  );
  // The error may quote a page with a token of the session.
  const text = error === undefined ? "" : `, ${redactTextAbout(completeError(error), exchanges)}`;
  const failure = { error: `${outcome}${text}`, rejections };
  const mayBeKeys = rejections.length === 0 && !(error instanceof UndecidedError) && mayKeepKeys(exchanges);
  return { ...failure, fix: suggestFlag?.(failure) ?? (mayBeKeys ? keptKeysFix : undefined) };
}

const keptKeysFix = "The client fetched no keys in this login, so it may still have those of an earlier server. " +
  "Restart it, or wait until it fetches them again.";

/** Whether the client stopped at an ID token and fetched no keys: each check has new ones. */
function mayKeepKeys(exchanges: readonly Exchange[]): boolean {
  return capabilitiesIn(exchanges).includes("idToken") &&
    exchanges.every(({ endpoint }) => endpoint !== "jwks" && endpoint !== "userinfo");
}

/** See {@link CheckReport.problem}. */
function findProblem(
  { kind, control, results, practices, notRun }: Pick<CheckReport, "results" | "practices"> & ReportFacts,
): string | undefined {
  const noun = journeyNoun(kind);
  const failed = [...control.failedCapabilities].filter(([, error]) => !(error instanceof UndecidedError));
  if (failed.length > 0) {
    return failed.map(([capability, error]) => `${capability} fails without an attack: ${completeError(error)}`).join(
      "; ",
    );
  }
  const stopped = results.filter(({ cause }) => cause === stoppedCause);
  if (stopped.length > 0) return `${stopped[0]!.because}: ${countOf(stopped.length, noun)} showed nothing`;
  const decided = results.filter(({ verdict }) => verdict !== "skipped").length;
  const unclear = results.filter(({ isUnclear }) => isUnclear).length;
  if (notRun > 0) {
    return `the check was stopped after ${results.length - notRun} of ${countOf(results.length, noun)}`;
  }
  if (decided === 0 && practices.every(({ outcome }) => outcome === "skipped")) {
    return `no attack and no practice showed anything about the ${kind}`;
  }
  return unclear <= decided ? undefined : `most of the check shows nothing: the results of ${unclear} of ` +
    `${countOf(decided + unclear, noun)} are unclear`;
}

function countVerdicts(all: readonly Verdict[]): Record<Verdict, number> {
  const count = (verdict: Verdict) => all.filter((other) => other === verdict).length;
  return Object.fromEntries(verdicts.map((verdict) => [verdict, count(verdict)])) as Record<Verdict, number>;
}

async function formatDocument(data: ReportData): Promise<string> {
  const style = assets["style.css"]!.body + ownAssets["check.css"]!.body;
  return await renderStandalone(CheckReportDocument, viewReport(data), style);
}
