/** The report of a check as the props of a page. */

import type { CheckReportProps, ReportedAttack, ReportedVerdict } from "../../ui/check_report.tsx";
import { describeControlFailure, formatControlFailure } from "./control_failure.ts";
import type { CheckedHabit, CheckReport } from "./report.ts";
import {
  type AttackGroup,
  countOf,
  formatId,
  formatValues,
  groupByAttack,
  groupByCause,
  summarizeExchanges,
} from "./report_text.ts";
import { describeSent } from "./sent_values.ts";
import { type Verdict, worstFirst } from "./verdict.ts";

/** The props. */
export function describeReport(report: CheckReport): CheckReportProps {
  const { client, passed, problem, control, results, habits, seconds } = report;
  const attackCount = new Set(results.map(({ attack }) => attack.id)).size;
  const failure = describeControlFailure(control);
  return {
    client,
    passed,
    problem,
    controlFailure: failure && formatControlFailure(failure),
    summary: `${countOf(attackCount, "attack")} (${countOf(results.length, "journey")}, ${seconds.toFixed(1)} s)${
      habits.length === 0 ? "" : `; ${habits.length} habits`
    }`,
    outdatedBaseline: report.outdatedBaseline,
    verdicts: worstFirst.map((verdict) => describeVerdict(verdict, report)).filter(({ count }) => count > 0),
  };
}

function describeVerdict(verdict: Verdict, report: CheckReport): ReportedVerdict {
  const { results, habits } = report;
  const groups = groupByAttack(results, verdict);
  const own = habits.filter((habit) => verdictOf(habit) === verdict);
  const count = groups.length + own.length;
  if (verdict === "inconclusive" || verdict === "skipped") {
    const names = own.map(({ habit: { id } }) => `habit ${id}`);
    const unseen = names.length === 0 ? [] : [{ cause: "the client did not show it", attacks: names }];
    return { verdict, count, causes: [...groupByCause(results, verdict), ...unseen] };
  }
  if (verdict === "passed" || verdict === "known") {
    const attacks = groups.map(({ attack: { id, title }, results }) => ({
      name: verdict === "known" ? results.map(formatId).join(", ") : id,
      title,
    }));
    return {
      verdict,
      count,
      brief: [...attacks, ...own.map(({ habit: { id, title } }) => ({ name: `habit ${id}`, title }))],
    };
  }
  const attacks = groups.map((group) => describeAttack(group, report));
  return { verdict, count, attacks: [...attacks, ...own.map(describeHabitRow)] };
}

/** The verdict under which a page lists a habit. */
function verdictOf({ outcome, isKnown }: CheckedHabit): Verdict {
  return isKnown ? "known" : outcome === "not seen" ? "skipped" : outcome;
}

function describeAttack({ attack, results }: AttackGroup, { control, repeat }: CheckReport): ReportedAttack {
  const { id, title, level, severity, consequence, correctClient, fix, sources } = attack;
  return {
    ...{ name: id, title, level, severity, consequence, correctClient, fix, sources, repeat: repeat(id) },
    variants: results.map((result) => ({
      values: formatValues(result.values),
      because: result.because,
      sent: describeSent(result.exchanges, control.exchanges),
      exchanges: summarizeExchanges(result),
    })),
  };
}

function describeHabitRow({ habit: { id, title, level, sources }, because }: CheckedHabit): ReportedAttack {
  const variants = [{ values: "", because, sent: [], exchanges: [] }];
  return { name: `habit ${id}`, title, level, correctClient: title, sources, variants };
}
