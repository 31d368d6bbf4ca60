/** Formats events for a terminal: a block of lines for each failure and, if verbose, a line for each code and token. */

import type { TraceEvent } from "../../server/trace.ts";
import type { Explanation } from "../../core/rules/errors.ts";
import { explanationLines } from "../../server/explain/explanation_lines.ts";
import { printable, printableLines } from "../../core/http/quote_value.ts";
import type { TextDifference } from "../../server/pages/compare_texts.ts";
import type { EventDetails } from "./describe_event.ts";
import { wrap } from "./wrap.ts";

/** Maximum length of a line, in characters; longer ones are truncated. */
const maxLineChars = 1000;

/** Events that are not failures. */
const successTypes: ReadonlySet<TraceEvent["type"]> = new Set(
  [
    ...["client_registered", "client_updated", "client_deleted", "metadata_document_fetched"],
    ...["back_channel_logout", "code_issued", "tokens_issued"],
  ] as const,
);

/** The request of an event, as the log shows it. */
export interface LoggedRequest {
  readonly method?: string;
  /** The path of the request, without its query. */
  readonly path?: string;
  readonly status?: number;
  /** The page that shows the recorded request: a URL. */
  readonly link?: string;
  /** The ID in `X-Request-Id`. Shown if there is no link. */
  readonly id?: string;
}

export interface FormatOptions {
  /** The details of a rejection or warning. Default: none is shown. */
  readonly details?: EventDetails;
  /** The request of the event. Default: unknown. */
  readonly request?: LoggedRequest;
  /** How the terminal shows lines. Default: a file, which has neither colours, nor a width, nor a time zone. */
  readonly terminal?: TerminalFormat;
}

/** @internal The terminal that shows the events. */
export interface TerminalFormat {
  /** Whether it shows colours. Default: false. */
  readonly colors?: boolean;
  /** Its width, in characters: longer lines continue below their first word. Default: lines are not wrapped. */
  readonly width?: number;
  /** Whether times are local, to the second. Default: UTC, to the millisecond. */
  readonly localTime?: boolean;
}

/** Formats an event, without a final newline; `undefined` if the text log never shows events of its type. */
export function formatEvent(event: TraceEvent, options: FormatOptions = {}): string | undefined {
  const { terminal } = options;
  const time = timeOfDay(event.at, terminal);
  switch (event.type) {
    case "rejected":
      if (isPendingPoll(event)) {
        return `${time} poll of ${printable(event.client ?? "a client")}: ${event.explanation.reason}`;
      }
      return formatFailure(event, event.error, event.endpoint, options);
    case "challenged":
      return `${time} challenged at ${formatEndpoint(event.endpoint)}: no access token yet${
        event.scope.length === 0 ? "" : `; the challenge names scope ${printable(event.scope.join(" "))}`
      }`;
    case "page_missing":
      return `${time} no page at ${formatEndpoint(event.endpoint)} (${event.status}): ${printable(event.reason)}`;
    case "warning":
    case "note":
      return formatFailure(event, event.type, undefined, options);
    case "configuration_warning": {
      const indent = " ".repeat(time.length + 3);
      const line = `${indent}warning  ${printable(`${event.path}: ${truncate(event.message)}`)}`;
      return `${time} ${formatMark("warning", terminal)} ${wrap(line, indent, terminal?.width).join("\n").trimStart()}`;
    }
    case "grant_revoked":
      return `${time} revoked every token of grant ${event.grantId}: ${event.reason}`;
    case "internal_error":
      // The message of a StoreError contains a fix, so its stack is left out.
      return event.cause instanceof Error && event.cause.name === "StoreError"
        ? `${time} the store failed at ${formatEndpoint(event.endpoint)}: ${printable(event.cause.message)}`
        : `${time} internal error at ${formatEndpoint(event.endpoint)}: ${formatCause(event.cause)}`;
    case "fault_applied":
      return formatLine("warning", event, `fault ${printable(event.fault)}`, options);
    case "changed_by_hand":
      return `${time} changed on a page: ${printable(truncate(event.change))}`;
    case "flow_limit_reached":
      return `${time} more than ${event.maxFlowsPerSecond} new flows in one second: /flows omits others`;
    case "stored_entries":
      return `${time} the store has ${event.of} that the configuration lacks: ${formatStoredIds(event)}`;
    case "client_registered":
    case "client_updated":
    case "client_deleted":
      return formatLine("success", event, formatRegistration(event), options);
    case "metadata_document_fetched":
      return `${time} metadata document ${printable(event.client)}: ${printable(event.outcome)}`;
    case "back_channel_logout":
      // A warning describes a failure.
      return `${time} back-channel logout of ${printable(event.client)}: ${event.status ?? "no response"}`;
    case "code_issued":
    case "tokens_issued":
      return formatLine("success", event, event.sub === event.client ? undefined : printable(event.sub), options);
    case "key_created":
    case "security_event_delivery":
    case "session_ended":
    case "token_revoked":
      return undefined;
  }
}

/** Whether the text log shows an event only if it is verbose: a success, or a pending poll. */
export function isRoutine(event: TraceEvent): boolean {
  return successTypes.has(event.type) || isPendingPoll(event);
}

/** Whether a device polled before its user has decided, which is not a failure (RFC 8628 §3.5). */
export function isPendingPoll(event: TraceEvent): boolean {
  return event.type === "rejected" && event.error === "authorization_pending";
}

function formatRegistration({ type, reason }: Extract<TraceEvent, { type: `client_${string}` }>): string {
  return printable(`${type.replace("_", " ")}${reason === undefined ? "" : ` (${reason})`}`);
}

function formatStoredIds({ ids, more }: Extract<TraceEvent, { type: "stored_entries" }>): string {
  return printable(truncate(ids.join(", ") + (more === undefined ? "" : ` and ${more} more`)));
}

function formatCause(cause: unknown): string {
  return printableLines(cause instanceof Error ? cause.stack ?? cause.message : String(cause));
}

function formatEndpoint(endpoint: string): string {
  return printable(endpoint.length > 200 ? `${endpoint.slice(0, 199)}…` : endpoint);
}

/** Stands in a received value where characters are missing. */
const missingMark = "‸";

/** The mark of each kind of line, and its colour. */
const marks = { success: ["✓", 32], rejected: ["✗", 31], warning: ["!", 33], note: ["i", 36] } as const;

/** One line: method and path, status, client, user or what happened, the link to the flow. */
function formatLine(
  kind: keyof typeof marks,
  { at, client }: { readonly at: number; readonly client?: string },
  about: string | undefined,
  { request: { method, path, status, link } = {}, terminal }: FormatOptions,
): string {
  const words = [
    path && [method, formatEndpoint(path)],
    status && [status],
    client && [printable(client)],
    about && [about],
    link && [`→ ${link}`],
  ].flatMap((words) => words ? [words.join(" ")] : []);
  return `${timeOfDay(at, terminal)} ${formatMark(kind, terminal)} ${words.join("  ")}`;
}

function formatMark(kind: keyof typeof marks, terminal: TerminalFormat | undefined): string {
  const [mark, color] = marks[kind];
  return paint(color, mark, terminal);
}

function paint(code: number | string, text: string, { colors = false }: TerminalFormat = {}): string {
  return colors ? `\u001b[${code}m${text}\u001b[0m` : text;
}

/** The time of day. A user at a terminal compares it with a clock; a log is compared with those of other machines. */
function timeOfDay(at: number, { localTime = false }: TerminalFormat = {}): string {
  const date = new Date(at);
  if (!localTime) return date.toISOString().slice(11);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, "0")).join(":");
}

/** A heading, and below it the issues, one on each line. */
function formatFailure(
  { type, at, client, explanation }: Extract<TraceEvent, { readonly explanation: Explanation }>,
  outcome: string,
  endpoint: string | undefined,
  { details: { note, difference, change } = {}, request: { method, status, link, id } = {}, terminal }: FormatOptions,
): string {
  const heading = [
    endpoint && [method, formatEndpoint(endpoint)],
    [type === "rejected" ? status : undefined, paint(marks[type][1], outcome, terminal)],
    client && [printable(client)],
    explanation.rule && [paint(2, explanation.rule, terminal)],
  ].flatMap((words) => words ? [words.filter((word) => word !== undefined).join(" ")] : []);
  const lines = [
    explanation.reason,
    ...explanationLines({ ...explanation, note }).map(([label, text]) =>
      difference && terminal?.colors && (label === "expected" || label === "received")
        ? markParts(label, text, difference)
        : labelLine(label, text)
    ),
    ...link === undefined && id !== undefined ? [labelLine("request", id)] : [],
    ...change === undefined ? [] : [`→ ${change.label}: ${change.url}`],
    ...link === undefined ? [] : [`→ ${link}`],
  ];
  return formatBlock(timeOfDay(at, terminal), type, heading, lines, terminal);
}

/** A line with parts to mark: every second text. */
type MarkedLine = readonly string[];

/** The line of the expected or the received value, with the differing parts of the value. */
function markParts(label: "expected" | "received", value: string, { parts }: TextDifference): MarkedLine {
  const whole = parts.map((part) => part[label]).join("");
  // The text that was compared may be one of several.
  const start = Math.max(0, ` or ${value} or `.indexOf(` or ${whole} or `));
  const line = [labelLine(label, value.slice(0, start))];
  for (const part of parts) {
    // A caret in the expected value would be copied with it.
    if (part.expected === part.received || label === "expected" && part.expected === "") {
      line.push(line.pop() + part[label]);
    } else line.push(part[label], "");
  }
  return [...line.slice(0, -1), line.at(-1) + value.slice(start + whole.length)];
}

function labelLine(label: string, value: string): string {
  return `${label.padEnd(9)} ${value}`;
}

/** The names of values, which their text follows in one column. */
const labelled = /^(?:expected|received|earlier|note|fix|request) {2,}/;

/** A heading, and lines below it. */
function formatBlock(
  time: string,
  kind: keyof typeof marks,
  heading: readonly string[],
  lines: readonly (string | MarkedLine)[],
  terminal: TerminalFormat | undefined,
): string {
  const indent = " ".repeat(time.length + 1);
  return [
    `${time} ${formatMark(kind, terminal)} ${heading.join("  ")}`,
    ...lines.flatMap((line) => {
      if (typeof line !== "string") {
        if (line.join("").length <= maxLineChars) return [indent + paintParts(line, terminal)];
        line = line.join("");
      }
      const text = printable(truncate(line));
      const hanging = indent + " ".repeat(labelled.exec(text)?.[0].length ?? 0);
      return wrap(indent + text, hanging, terminal?.width);
    }),
  ].join("\n");
}

/** A line with its parts underlined. A caret stands where characters are missing. */
function paintParts(line: MarkedLine, terminal: TerminalFormat | undefined): string {
  const paintPart = (part: string) => paint("31;4", part === "" ? missingMark : printable(part), terminal);
  return line.map((text, i) => i % 2 === 1 ? paintPart(text) : printable(text)).join("");
}

function truncate(text: string): string {
  return text.length > maxLineChars ? `${text.slice(0, maxLineChars - 1)}…` : text;
}
