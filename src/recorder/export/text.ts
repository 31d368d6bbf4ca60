/** Exchanges as plain text, for terminals and failed tests. */

import type { Fields } from "../../core/http/form.ts";
import { printable } from "../../core/http/quote_value.ts";
import { explanationLines } from "../../server/explain/explanation_lines.ts";
import { getPassedText } from "../../server/rules.ts";
import type { Explanation } from "../../core/rules/errors.ts";
import { type Exchange, type RecordedRequest, type RecordedResponse, unknownEndpoint } from "../exchange.ts";
import { findErrorCode, isHtmlPage } from "../record_response.ts";

/**
 * An exchange in full: its first line begins with `prefix`.
 *
 * @param internalErrors Internal errors of the server, one sentence each.
 */
export function formatExchange(
  exchange: Exchange,
  prefix: string,
  internalErrors: readonly string[] = [],
): string[] {
  const { request, response, passed, rejection, warnings, faults, outcome } = exchange;
  const lines = [
    ...requestLines(request),
    ...passed.map(({ rule, value }) =>
      `passed  ${rule}  ${getPassedText(rule)}${value === undefined ? "" : `: ${toOneLine(value)}`}`
    ),
    ...warnings.flatMap((explanation) => formatExplanation("warning", explanation)),
    ...rejection === undefined ? [] : formatExplanation("failed", rejection.explanation),
    ...internalErrors.map((what) => `internal error  ${toOneLine(what)}`),
    ...faults.map((fault) => `fault  ${fault}`),
    ...response === undefined ? [`← no response, ${outcome}`] : responseLines(response, outcome),
  ];
  const indent = " ".repeat(prefix.length);
  return [`${prefix}${request.method} ${request.path}`, ...lines.map((line) => indent + line)];
}

/** An exchange in one line; `internalErrors` as for {@link formatExchange}. */
export function summarizeExchange(exchange: Exchange, internalErrors: readonly string[]): string {
  const { endpoint, request, client, auth, response, rejection, outcome, faults } = exchange;
  const party = [client ?? "unknown client", ...auth === undefined ? [] : [`by ${auth}`]].join(" ");
  const params = [...request.query, ...request.form].map(([name, value]) => `${name}=${toOneLine(value)}`).join(" ");
  const error = rejection?.error ?? (response && findErrorCode(response));
  const end = [
    ...response === undefined ? [] : [String(response.status)],
    outcome,
    ...error === undefined ? [] : [error],
    ...rejection === undefined ? [] : [formatReason(rejection.explanation)],
    ...internalErrors.map((what) => `(internal error at ${toOneLine(what)})`),
    ...faults.map((fault) => `(fault: ${fault})`),
  ].join(" ");
  const where = endpoint === unknownEndpoint ? request.path : endpoint;
  return `${request.method} ${where}, ${party}${params === "" ? "" : `, ${params}`} → ${end}`;
}

function formatReason({ rule, reason }: Explanation): string {
  return (rule === undefined ? "" : `[${rule}] `) + toOneLine(reason);
}

const reportedRequestHeaders = ["authorization", "origin", "dpop", "cookie"];
const reportedResponseHeaders = ["location", "www-authenticate", "retry-after", "set-cookie"];

/** The lines of a request after its first one. */
export function requestLines({ headers, query, form, body }: RecordedRequest): string[] {
  return [
    ...headerLines(headers, reportedRequestHeaders),
    ...fieldLines([...query, ...form]),
    ...form.length > 0 || body === undefined ? [] : [toOneLine(body)],
  ];
}

export function responseLines(response: RecordedResponse, outcome: string): string[] {
  const { status, headers, body, authorizationResponse } = response;
  const names = authorizationResponse === undefined
    ? reportedResponseHeaders
    : reportedResponseHeaders.filter((name) => name !== "location");
  const to = authorizationResponse === undefined ? "" : ` to ${authorizationResponse.uri}`;
  return [
    `← ${status}${to}, ${outcome}`,
    ...headerLines(headers, names),
    ...fieldLines(authorizationResponse?.params ?? []),
    ...authorizationResponse !== undefined
      ? []
      : isHtmlPage(response)
      ? ["(a page)"]
      : body
      ? [toOneLine(shortened(body))]
      : [],
  ];
}

/** The start of a long body, such as metadata or keys, with its length. */
function shortened(body: string): string {
  return body.length <= 500 ? body : `${body.slice(0, 300)}… (${body.length.toLocaleString("en")} characters)`;
}

function headerLines(headers: Readonly<Record<string, string>>, names: readonly string[]): string[] {
  return names.flatMap((name) => headers[name]?.split("\n").map((line) => `${name}: ${toOneLine(line)}`) ?? []);
}

function fieldLines(fields: Fields): string[] {
  const width = Math.min(24, Math.max(0, ...fields.map(([name]) => name.length)));
  return fields.map(([name, value]) => `${toOneLine(name).padEnd(width)}  ${toOneLine(value)}`.trimEnd());
}

function formatExplanation(label: string, explanation: Explanation): string[] {
  const { rule, reason } = explanation;
  const indent = " ".repeat(label.length);
  return [
    `${label}  ${rule === undefined ? "" : `${rule}  `}${toOneLine(reason)}`,
    ...explanationLines(explanation).map(([name, text]) => `${indent}  ${name.padEnd(8)}  ${toOneLine(text)}`),
  ];
}

/** Printable text on one line, so that client text can neither forge a line nor reorder one. */
export function toOneLine(text: string): string {
  return printable(text.replaceAll("\n", "\\n"));
}
