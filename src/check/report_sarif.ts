/** The report of a check as SARIF 2.1.0, which code hosts and editors show. */

import { formatPractice, isLacking } from "../testing/practice_report.ts";
import { harmsOf } from "./causes.ts";
import type { Severity } from "./effects.ts";
import { failureVerdicts } from "./report.ts";
import { type AttackGroup, formatValues, groupByAttack, type ReportData } from "./report_data.ts";
import { formatAttack, formatControlFailure } from "./report_text.ts";

const schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/** The property `security-severity` of GitHub: 9 and more is critical, 7 high, 4 medium. */
const securitySeverity: Readonly<Record<Severity, string>> = {
  critical: "9.5",
  high: "8.0",
  medium: "5.5",
  low: "2.0",
};

/** A finding: its rule and one result. */
interface Finding {
  readonly id: string;
  readonly title: string;
  readonly explanation: string;
  readonly severity?: Severity;
  readonly level: "error" | "warning";
  readonly message: string;
  /** The lines of the text of the report. */
  readonly text: readonly string[];
  readonly isKnown: boolean;
}

/**
 * A result for each attack that succeeded and each practice that the client lacks; one of the baseline is suppressed.
 * What stands against the check as a whole is a notification.
 *
 * @param file The file that results name, relative to the root of the repository. Default: none.
 */
export function formatSarif(data: ReportData, file?: string): string {
  const { client, control: { failure }, problem } = data;
  const found = findings(data);
  const ids = found.map(({ id }) => id);
  const notifications = [
    ...failure === undefined ? [] : [formatControlFailure(failure).join("\n")],
    ...problem === undefined ? [] : [problem],
  ];
  const log = {
    $schema: schema,
    version: "2.1.0",
    runs: [{
      tool: { driver: { name: "Latchkey", rules: found.map(rule) } },
      invocations: [{
        executionSuccessful: notifications.length === 0,
        toolExecutionNotifications: notifications.map((text) => ({ level: "error", message: messageOf(text) })),
      }],
      results: found.map(({ id, level, message, isKnown }) => ({
        ...{ ruleId: id, ruleIndex: ids.indexOf(id), level, message: messageOf(message) },
        locations: [{
          ...file !== undefined && { physicalLocation: { artifactLocation: { uri: encodeURI(file) } } },
          logicalLocations: [{ fullyQualifiedName: client, kind: "module" }],
        }],
        partialFingerprints: { "latchkeyFinding/v1": `${client} ${id}` },
        ...isKnown && { suppressions: [{ kind: "external", justification: "The baseline has it." }] },
      })),
    }],
  };
  return JSON.stringify(log, null, 2);
}

/** A message in which no text is a placeholder (SARIF 2.1.0 §3.11.5) or an embedded link (§3.11.6). */
function messageOf(text: string): { readonly text: string } {
  return { text: text.replaceAll(/[\\[\]]/g, "\\$&").replaceAll(/[{}]/g, "$&$&") };
}

function findings({ results, practices }: ReportData): Finding[] {
  // An attack whose variants have several verdicts is one finding, the worst variant first.
  const some = failureVerdicts.flatMap((verdict) => results.filter((result) => result.verdict === verdict));
  return [
    ...groupByAttack(some, results).map(attackFinding),
    ...practices.filter(isLacking).map((practice): Finding => ({
      ...{ id: `practice/${practice.id}`, title: practice.title, explanation: practice.title },
      ...{ level: practice.outcome === "failed" ? "error" : "warning", message: practice.because },
      ...{ text: formatPractice(practice), isKnown: practice.isKnown === true },
    })),
  ];
}

function attackFinding(group: AttackGroup): Finding {
  const { attack: { id, title, consequence, fix, severity }, results } = group;
  const failed = results.filter(({ verdict }) => verdict === "failed");
  const harms = harmsOf(results).map((harm) => `The client ${harm}.`);
  const received = results.map(({ values, because }) => [formatValues(values), because].filter(Boolean).join(": "));
  return {
    ...{ id, title, explanation: consequence, severity, text: formatAttack(group) },
    level: failed.length > 0 ? "error" : "warning",
    message: [`${title} ${received.join("; ")}.`, ...harms, `How to fix it: ${fix}`].join(" "),
    isKnown: failed.length > 0 && failed.every(({ isKnown }) => isKnown),
  };
}

function rule({ id, title, explanation, severity, level, text }: Finding) {
  return {
    ...{ id, shortDescription: messageOf(title), fullDescription: messageOf(explanation) },
    help: messageOf(text.join("\n").trim()),
    defaultConfiguration: { level },
    properties: {
      tags: ["security", "oauth"],
      ...severity !== undefined && { "security-severity": securitySeverity[severity] },
    },
  };
}
