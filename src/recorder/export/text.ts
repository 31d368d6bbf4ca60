/** Exchanges as plain text: for a bug report, a terminal, a test that failed. */

import type { Fields } from "../../http/form.ts";
import { passesOf } from "../../oauth/rules/mod.ts";
import type { Explanation } from "../../oauth/trace.ts";
import type { Exchange, Flow, RecordedAnswer, RecordedRequest } from "../exchange.ts";
import { maskFlow } from "../redact.ts";
import type { MaskOptions } from "../redact.ts";
import { errorIn, isPage } from "../read_response.ts";

/** A flow as a bug report: what was sent, what was checked, what came back. */
export function asText(flow: Flow, { mask = true }: MaskOptions = {}): string {
  const { id, client, sub, startedAt, outcome, exchanges } = mask ? maskFlow(flow) : flow;
  const who = [...client === undefined ? [] : [`client ${client}`], ...sub === undefined ? [] : [`user ${sub}`]];
  return [
    [`Flow ${id}`, ...who, outcome].join(", "),
    `Began at ${new Date(startedAt).toISOString()}.${mask ? " Secrets are masked." : " Secrets are shown."}`,
    ...exchanges.flatMap((exchange, index) => {
      const after = ((exchange.at - startedAt) / 1000).toFixed(3);
      return ["", ...paragraph(exchange, `${index + 1}  `, `  after ${after} s`)];
    }),
    "",
  ].join("\n");
}

/**
 * An exchange in full: its first line begins with `mark` and ends with `note`.
 *
 * @param broke What the server met and no rule foresaw, one sentence each, for those who may be told.
 */
export function paragraph(exchange: Exchange, mark: string, note = "", broke: readonly string[] = []): string[] {
  const { request, answer, held, refusal, warnings, faults, outcome } = exchange;
  const lines = [
    ...requestLines(request),
    ...held.map(({ rule, value }) =>
      `holds  ${rule}  ${passesOf(rule)}${value === undefined ? "" : `: ${oneLine(value)}`}`
    ),
    ...warnings.flatMap((why) => explained("warns", why)),
    ...refusal === undefined ? [] : explained("fails", refusal.why),
    ...broke.map((what) => `broke  ${oneLine(what)}`),
    ...faults.map((fault) => `fault  ${fault}`),
    ...answer === undefined ? [`← nothing, ${outcome}`] : answerLines(answer, outcome),
  ];
  const indent = " ".repeat(mark.length);
  return [`${mark}${request.method} ${request.path}${note}`, ...lines.map((line) => indent + line)];
}

/** An exchange in one line; `broke` as for {@link paragraph}. */
export function summary(exchange: Exchange, broke: readonly string[]): string {
  const { endpoint, request, client, auth, answer, refusal, outcome, faults } = exchange;
  const who = [client ?? "nobody", ...auth === undefined ? [] : [`by ${auth}`]].join(" ");
  const params = [...request.query, ...request.form].map(([name, value]) => `${name}=${oneLine(value)}`).join(" ");
  const error = refusal?.error ?? (answer && errorIn(answer));
  const end = [
    ...answer === undefined ? [] : [String(answer.status)],
    outcome,
    ...error === undefined ? [] : [error],
    ...refusal === undefined ? [] : [`[${refusal.why.rule}] ${oneLine(refusal.why.reason)}`],
    ...broke.map((what) => `(${oneLine(what)})`),
    ...faults.map((fault) => `(fault: ${fault})`),
  ].join(" ");
  const where = endpoint === "page" ? request.path : endpoint;
  return `${request.method} ${where}, ${who}${params === "" ? "" : `, ${params}`} → ${end}`;
}

/** The headers that say something in a report. */
const toldOfRequests = ["authorization", "origin", "dpop", "cookie"];
const toldOfAnswers = ["location", "www-authenticate", "retry-after", "set-cookie"];

function requestLines({ headers, query, form, body }: RecordedRequest): string[] {
  return [
    ...headerLines(headers, toldOfRequests),
    ...fieldLines([...query, ...form]),
    ...form.length > 0 || body === undefined ? [] : [oneLine(body)],
  ];
}

function answerLines(answer: RecordedAnswer, outcome: string): string[] {
  const { status, headers, body, handover } = answer;
  const names = handover === undefined ? toldOfAnswers : toldOfAnswers.filter((name) => name !== "location");
  const to = handover === undefined ? "" : ` to ${handover.uri}`;
  return [
    `← ${status}${to}, ${outcome}`,
    ...headerLines(headers, names),
    ...fieldLines(handover?.params ?? []),
    ...handover !== undefined ? [] : isPage(answer) ? ["(a page)"] : body ? [oneLine(body)] : [],
  ];
}

function headerLines(headers: Readonly<Record<string, string>>, names: readonly string[]): string[] {
  return names.flatMap((name) => headers[name]?.split("\n").map((line) => `${name}: ${oneLine(line)}`) ?? []);
}

function fieldLines(fields: Fields): string[] {
  const width = Math.min(24, Math.max(0, ...fields.map(([name]) => name.length)));
  return fields.map(([name, value]) => `${oneLine(name).padEnd(width)}  ${oneLine(value)}`.trimEnd());
}

function explained(verdict: string, { rule, reason, expected, received, earlier }: Explanation): string[] {
  const told = Object.entries({ expected, received, earlier }).filter(([, text]) => text !== undefined);
  return [
    `${verdict}  ${rule}  ${oneLine(reason)}`,
    ...told.map(([name, text]) => `${" ".repeat(verdict.length)}  ${name.padEnd(8)}  ${oneLine(text!)}`),
  ];
}

/** What a client sent must not be able to pass for a line of its own, nor turn the order of another around. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    if (character === "\n") return "\\n";
    return `\\u{${character.codePointAt(0)!.toString(16)}}`;
  });
}
