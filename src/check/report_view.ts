/** The report of a check as a page shows it: by verdict, and in each verdict by cause. */

import { upperFirst } from "../server/pages/first_letter.ts";
import { categoryOf } from "./attack.ts";
import { type Verdict, verdicts, worstVerdict } from "./report.ts";
import { formatControlFailure, formatSize, hasRun, isNotRun, notRunReason } from "./report_text.ts";
import {
  countedNames,
  formatValues,
  groupByCause,
  groupByEffect,
  type ReportData,
  type ReportedResult,
} from "./report_data.ts";

/** What a page shows: plain values, without control characters of the application. */
export interface ReportView extends Pick<ReportData, "client" | "kind" | "passed" | "problem" | "outdatedBaseline"> {
  /** Lines about the failure of the login without an attack; absent if it succeeded. */
  readonly controlFailure?: readonly string[];
  /** How many attacks and journeys there were, and how long they took. */
  readonly summary: string;
  /** How many attacks and practices have each verdict that the check has. */
  readonly score: readonly { readonly verdict: Verdict; readonly count: number }[];
  /** What was seen of the client: clauses that follow "the client". */
  readonly observed: readonly string[];
  /** The results, the worst first. */
  readonly sections: readonly VerdictSection[];
}

export interface VerdictSection {
  readonly verdict: Verdict;
  /** How many attacks and practices it has. */
  readonly count: number;
  /** Groups by cause, the most severe first; passed attacks by category. */
  readonly groups: readonly ResultGroup[];
}

/** Results of one verdict with something in common. */
export interface ResultGroup {
  /** The cause, or the category. */
  readonly title: string;
  /** How many attacks and practices it has. */
  readonly count: number;
  /** The severity of the gravest attack; absent if nothing failed. */
  readonly severity?: ReportedResult["severity"];
  /** What the attacker got, as a clause. Default: nothing that was seen. */
  readonly harms?: readonly string[];
  /** The MUSTs that the client breaks. */
  readonly requirements?: readonly string[];
  readonly fix?: string;
  /** Whether it is open at first. Default: false. */
  readonly open?: boolean;
  /** The attacks with all details, the most severe first. */
  readonly rows?: readonly ResultRow[];
  /** The names of attacks and practices without details. */
  readonly names?: readonly string[];
  /** The reason of one of them, where it adds to the cause. */
  readonly example?: string;
}

/** An attack or a practice, with the variants that have the verdict. */
export interface ResultRow
  extends
    Pick<ReportedResult, "title" | "correctClient" | "sources" | "repeat">,
    Partial<Pick<ReportedResult, "severity" | "consequence" | "fix">> {
  readonly name: string;
  /** What is expected: `must-reject`. */
  readonly level: string;
  /** How many variants the attack has, whatever their verdict. */
  readonly total: number;
  /** What the client did in each variant; `path` is the page of its flow, below the base. */
  readonly variants: readonly (Pick<ReportedResult, "because" | "sent" | "exchanges"> & {
    readonly values: string;
    readonly path?: string;
  })[];
}

/** How a page shows a report. */
interface ViewOptions {
  /** The path of the page of a journey, by its index in the report. Default: journeys have no page. */
  readonly journeyPath?: (index: number) => string;
}

/** Maximum number of attacks and harms that are open at first; the gravest cause is always open. */
const maxOpenRows = 36;

/** Arranges the report for a page. */
export function viewReport(data: ReportData, { journeyPath }: ViewOptions = {}): ReportView {
  const { client, kind, passed, problem, outdatedBaseline, control: { failure, observed }, results, practices } = data;
  const attacks = [...Map.groupBy(results, ({ id }) => id).values()];
  const pathOf = (result: ReportedResult) =>
    result.exchanges.length === 0 ? undefined : journeyPath?.(results.indexOf(result));
  const countOf = (verdict: Verdict) =>
    attacks.filter((variants) => worstVerdict(variants) === verdict).length +
    practices.filter(({ outcome }) => outcome === verdict).length;
  const isEmpty = failure !== undefined && !hasRun(results);
  const score = isEmpty
    ? []
    : verdicts.map((verdict) => ({ verdict, count: countOf(verdict) })).filter(({ count }) => count > 0);
  return {
    ...{ client, kind, passed, problem, outdatedBaseline, score, observed },
    // The page itself links to the rules.
    controlFailure: failure && formatControlFailure({
      ...failure,
      rejections: failure.rejections.map((rejection) => ({ ...rejection, url: undefined })),
    }, kind),
    summary: isEmpty
      ? "No attack ran."
      : `Checked: ${formatSize(data)}${practices.length === 0 ? "" : `, ${practices.length} best practices`}`,
    sections: verdicts.flatMap((verdict): VerdictSection[] => {
      const count = score.find((one) => one.verdict === verdict)?.count;
      if (count === undefined) return [];
      const groups = groupsOf(verdict, attacks.filter((variants) => worstVerdict(variants) === verdict), data, pathOf);
      return [{ verdict, count, groups: openGravest(verdict, groups) }];
    }),
  };
}

/** The causes of failures are open, the most severe first, as long as the page stays short. */
function openGravest(verdict: Verdict, groups: readonly ResultGroup[]): readonly ResultGroup[] {
  if (verdict !== "failed") return groups;
  let rows = 0;
  return groups.map((group, index) => {
    rows += group.count + (group.harms?.length ?? 0);
    return { ...group, open: index === 0 || rows <= maxOpenRows };
  });
}

type Practice = ReportData["practices"][number];

const practiceName = ({ id }: Pick<Practice, "id">) => `practice ${id}`;

/** @param attacks The attacks whose worst verdict it is, each with all variants. */
function groupsOf(
  verdict: Verdict,
  attacks: readonly (readonly ReportedResult[])[],
  { kind, results, practices, causes: allCauses }: ReportData,
  pathOf: (result: ReportedResult) => string | undefined,
): ResultGroup[] {
  const ownPractices = practices.filter(({ outcome, isKnown }) => outcome === verdict && !isKnown);
  const practiceNames = ownPractices.map(practiceName);
  const named = (title: string, names: readonly string[]): ResultGroup => ({ title, count: names.length, names });
  if (verdict === "skipped") {
    return [
      ...groupByCause(attacks.flat()).map(({ cause, attacks, example }) => ({
        ...named(isNotRun({ cause }) ? `Not run, ${notRunReason}` : upperFirst(cause), attacks),
        example,
      })),
      ...practiceNames.length === 0 ? [] : [named("The practice shows only in other logins", practiceNames)],
    ];
  }
  if (verdict === "passed") {
    const ids = attacks.map(([result]) => result!.id);
    return [
      ...[...Map.groupBy(ids, categoryOf)].map(([category, names]) => named(category, names)),
      ...practiceNames.length === 0 ? [] : [named("Best practices", practiceNames)],
    ];
  }
  const rowsOf = (own: readonly ReportedResult[]) =>
    groupByEffect(own, results).map(({ attack, results, total }): ResultRow => ({
      ...attackFacts(attack),
      total,
      variants: results.map((result) => ({
        ...{ values: formatValues(result.values), because: result.because, sent: result.sent },
        ...{ exchanges: result.exchanges, path: pathOf(result) },
      })),
    }));
  const withRows = (title: string, rows: readonly ResultRow[]): ResultGroup => ({ title, count: rows.length, rows });
  const failed = attacks.flat().filter((result) => result.verdict === verdict);
  const own = failed.filter(({ isKnown }) => !isKnown);
  const known = [
    ...countedNames(failed.filter(({ isKnown }) => isKnown)),
    ...practices.filter(({ outcome, isKnown }) => outcome === verdict && isKnown).map(practiceName),
  ];
  const practiceRows = ownPractices.map(practiceRow);
  const causes = allCauses.flatMap(({ cause, harms, requirements, fix }) => {
    const rows = rowsOf(own.filter((result) => result.cause === cause));
    if (rows.length === 0) return [];
    return [{
      ...withRows(upperFirst(cause), rows),
      severity: rows[0]!.severity,
      harms: harms.map((harm) => `${kind} ${harm}`),
      requirements,
      fix,
    }];
  });
  return [
    ...causes,
    ...practiceRows.length === 0 ? [] : [withRows("Best practices to adopt", practiceRows)],
    ...known.length === 0 ? [] : [named("Known: the baseline has them", known)],
  ];
}

function attackFacts(attack: ReportedResult): Omit<ResultRow, "total" | "variants"> {
  const { id, title, level, severity, consequence, correctClient, fix, repeat, sources } = attack;
  return { name: id, title, level, severity, consequence, correctClient, fix, repeat, sources };
}

function practiceRow({ id, title, level, sources, because }: Practice): ResultRow {
  const variants = [{ values: "", because, sent: [], exchanges: [] }];
  return { name: practiceName({ id }), title, level, correctClient: title, sources, total: 1, variants };
}
