/** The report of a check as the props of a page. */

import { withVisibleTexts } from "../server/endpoints/shared/visible_text.ts";
import type { CheckReportProps, ReportedAttack, ReportedGroup, ReportedVerdict } from "./pages/check_report_props.ts";
import { categoryOf } from "./attack.ts";
import { rankOf } from "./causes.ts";
import { describeControlFailure, formatControlFailure } from "./control_failure.ts";
import type { CheckedHabit, CheckReport, CheckResult } from "./report.ts";
import { countOf, formatValues, groupByCause, signatureHint, summarizeExchanges } from "./report_text.ts";
import { describeSent } from "./sent_values.ts";
import { isUndecided, type Verdict, worstFirst, worstVerdict } from "./verdict.ts";

/** How a page shows a report. */
interface ReportView {
  /** The only verdict to show, if the report has it. Default: all. */
  readonly show?: string | null;
  /** The path of the page of a journey, by its index in the report. Default: journeys have no page. */
  readonly journeyPath?: (index: number) => string;
}

/** Rows of attacks that are open at first; the gravest cause is open whatever it has. */
const maxOpenRows = 48;

/** The props, without control characters of the application. */
export function describeReport(report: CheckReport, { show, journeyPath }: ReportView = {}): CheckReportProps {
  const { client, passed, problem, control, results, habits, seconds } = report;
  // The page itself links to the rules.
  const failure = describeControlFailure({ control });
  const attacks = [...Map.groupBy(results, ({ attack }) => attack.id).values()];
  const describe = (verdict: Verdict): ReportedVerdict => {
    const own = attacks.filter((journeys) => worstVerdict(journeys) === verdict);
    const ownHabits = habits.filter((habit) => verdictOf(habit) === verdict);
    const groups = groupsOf(verdict, own, ownHabits, report, journeyPath);
    return { verdict, count: own.length + ownHabits.length, groups };
  };
  const all = worstFirst.map(describe).filter(({ count }) => count > 0);
  const shown = all.filter(({ verdict }) => verdict === show);
  return withVisibleTexts({
    client,
    passed,
    problem,
    controlFailure: failure && formatControlFailure(failure),
    summary: `Checked: ${countOf(attacks.length, "attack")} (${countOf(results.length, "journey")}, ${
      seconds.toFixed(1)
    } s)${habits.length === 0 ? "" : `, ${habits.length} habits`}`,
    hint: signatureHint(results),
    outdatedBaseline: report.outdatedBaseline,
    score: all.map(({ verdict, count }) => ({ verdict, count })),
    verdicts: shown.length > 0 ? shown.map(openAll) : all.map(openGravest),
    ...shown.length > 0 && { show: shown[0]!.verdict },
  });
}

const openAll = (verdict: ReportedVerdict): ReportedVerdict => ({
  ...verdict,
  groups: verdict.groups.map((group) => ({ ...group, open: true })),
});

/** The causes of failures are open, the gravest first, as long as the page stays short. */
function openGravest(verdict: ReportedVerdict): ReportedVerdict {
  if (verdict.verdict !== "failed") return verdict;
  let rows = 0;
  const groups = verdict.groups.map((group, index) => {
    rows += group.count;
    return { ...group, open: index === 0 || rows <= maxOpenRows };
  });
  return { ...verdict, groups };
}

/** The verdict under which a page lists a habit. */
function verdictOf({ outcome, isKnown }: CheckedHabit): Verdict {
  return isKnown ? "known" : outcome === "not seen" ? "skipped" : outcome;
}

function groupsOf(
  verdict: Verdict,
  attacks: readonly (readonly CheckResult[])[],
  habits: readonly CheckedHabit[],
  report: CheckReport,
  journeyPath: ReportView["journeyPath"],
): ReportedGroup[] {
  const names = habits.map(({ habit: { id } }) => `habit ${id}`);
  if (isUndecided(verdict)) {
    const causes = groupByCause(attacks.flat(), verdict as "inconclusive" | "skipped");
    return [
      ...causes.map(({ cause, attacks, example }) => ({
        title: capitalized(cause),
        count: attacks.length,
        names: attacks,
        example,
      })),
      ...names.length === 0 ? [] : [{ title: "The client did not show the habit", count: names.length, names }],
    ];
  }
  if (verdict === "passed") {
    const categories = Map.groupBy(attacks, ([result]) => categoryOf(result!.attack.id));
    return [
      ...[...categories].map(([title, own]) => {
        const names = own.map(([result]) => result!.attack.id);
        return { title, count: names.length, names };
      }),
      ...names.length === 0 ? [] : [{ title: "habits", count: names.length, names }],
    ];
  }
  const own = attacks.flat().filter((result) => result.verdict === verdict);
  const habitRows = habits.map(describeHabitRow);
  if (verdict === "noted") {
    const rows = [...describeAttacks(own, report, journeyPath), ...habitRows];
    return [{ title: "Behaviour that the specifications allow", count: rows.length, attacks: rows }];
  }
  const causes = [...Map.groupBy(own, ({ cause }) => cause!)].map(([cause, results]) => {
    const rows = describeAttacks(results, report, journeyPath);
    return { title: capitalized(cause), count: rows.length, severity: rows[0]!.severity!, attacks: rows };
  }).sort((one, other) => rankOf(one) - rankOf(other) || other.count - one.count);
  const title = "Lacks habits of a good client";
  return [...causes, ...habitRows.length === 0 ? [] : [{ title, count: habitRows.length, attacks: habitRows }]];
}

const capitalized = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/** A row for each attack, the gravest first. */
function describeAttacks(
  results: readonly CheckResult[],
  report: CheckReport,
  journeyPath: ReportView["journeyPath"],
): ReportedAttack[] {
  return [...Map.groupBy(results, ({ attack }) => attack.id).values()]
    .sort(([one], [other]) => rankOf(one!.attack) - rankOf(other!.attack))
    .map((variants) => describeAttack(variants, report, journeyPath));
}

function describeAttack(
  variants: readonly CheckResult[],
  { control, results, repeat }: CheckReport,
  journeyPath: ReportView["journeyPath"],
): ReportedAttack {
  const [{ attack }] = variants as readonly [CheckResult];
  const { id, title, level, severity, consequence, correctClient, fix, sources } = attack;
  return {
    ...{ name: id, title, level, severity, consequence, correctClient, fix, sources, repeat: repeat(id) },
    total: results.filter((result) => result.attack.id === id).length,
    variants: variants.map((result) => ({
      values: formatValues(result.values),
      because: result.because,
      sent: describeSent(result.exchanges, control.exchanges),
      exchanges: summarizeExchanges(result),
      path: result.exchanges.length === 0 ? undefined : journeyPath?.(results.indexOf(result)),
    })),
  };
}

function describeHabitRow({ habit: { id, title, level, sources }, because }: CheckedHabit): ReportedAttack {
  const variants = [{ values: "", because, sent: [], exchanges: [] }];
  return { name: `habit ${id}`, title, level, correctClient: title, sources, total: 1, variants };
}
