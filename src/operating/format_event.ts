/** Formats events for a terminal: a block of lines for each failure and, if verbose, a line for each code and token. */

import type { TraceEvent } from "../oauth/trace.ts";
import { printable } from "../oauth/config/config_issue.ts";

/** The function of the rule table. */
export type FindFix = typeof import("../oauth/rules/mod.ts").findFix;

/** Maximum length of a line, in characters; longer ones are truncated. */
const maxLineChars = 1000;

/** Events that are not failures, shown only if verbose. */
const successTypes: ReadonlySet<TraceEvent["type"]> = new Set(
  [
    ...["client_registered", "client_updated", "client_deleted", "metadata_document_fetched"],
    ...["back_channel_logout", "code_issued", "tokens_issued"],
  ] as const,
);

/** The request of an event, as the log shows it. */
export interface LoggedRequest {
  readonly method?: string;
  /** The status of the response. */
  readonly status?: number;
  /** The page that shows the recorded request: a URL. */
  readonly link?: string;
  /** The ID in `X-Request-Id`. Shown if there is no link. */
  readonly id?: string;
}

/** How to format events. */
export interface FormatOptions {
  /** Whether successful events are shown. Default: false. */
  readonly verbose?: boolean;
  /** Finds the fix of a rejection or warning. Default: none is shown. */
  readonly findFix?: FindFix;
  /** The request of the event. Default: unknown. */
  readonly request?: LoggedRequest;
  /** Whether the terminal shows colours. Default: false. */
  readonly colors?: boolean;
}

/** Formats an event, without a final newline; `undefined` if it is not shown. Times are UTC. */
export function formatEvent(event: TraceEvent, options: FormatOptions = {}): string | undefined {
  const { verbose = false } = options;
  if (!verbose && (successTypes.has(event.type) || isPendingPoll(event))) return undefined;
  const time = new Date(event.at).toISOString().slice(11);
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
    case "warning":
      return formatFailure(event, "warning", undefined, options);
    case "configuration_warning":
      return `${time} warning: ${printable(event.path)}: ${printable(event.message)}`;
    case "grant_revoked":
      return `${time} revoked every token of grant ${event.grantId}: ${event.reason}`;
    case "internal_error":
      return isStoreError(event.cause)
        ? `${time} the store failed at ${formatEndpoint(event.endpoint)}: ${printable((event.cause as Error).message)}`
        : `${time} BUG at ${formatEndpoint(event.endpoint)}: ${formatCause(event.cause)}`;
    case "stored_changes":
      return `${time} the store changes ${event.of} of the configuration: ${formatStoredChanges(event)}`;
    case "client_registered":
    case "client_updated":
    case "client_deleted":
      return `${time} ${formatRegistration(event)}`;
    case "metadata_document_fetched":
      return `${time} metadata document ${printable(event.client)}: ${printable(event.outcome)}`;
    case "back_channel_logout":
      // A warning describes a failure.
      return `${time} back-channel logout of ${printable(event.client)}: ${event.status ?? "no response"}`;
    case "code_issued":
      return `${time} code for ${printable(event.client)}: ${formatGrant(event)}`;
    case "tokens_issued":
      return `${time} tokens for ${printable(event.client)} by ${event.grantType}: ${formatGrant(event)}`;
    default:
      return undefined;
  }
}

/** Whether a device polled before its user has decided, which is no failure (RFC 8628 §3.5). */
export function isPendingPoll(event: TraceEvent): boolean {
  return event.type === "rejected" && event.error === "authorization_pending";
}

function formatRegistration({ type, client, reason }: Extract<TraceEvent, { type: `client_${string}` }>): string {
  return printable(`${type.replace("_", " ")}: ${client}${reason === undefined ? "" : ` (${reason})`}`);
}

function formatStoredChanges(event: Extract<TraceEvent, { type: "stored_changes" }>): string {
  const parts = (["replaced", "removed", "added"] as const).filter((how) => event[how].length > 0)
    .map((how) => `${how} ${event[how].join(", ")}`);
  return printable(truncate(parts.join("; ")));
}

/** Whether the store failed. Its message contains a fix, so the stack is left out. */
function isStoreError(cause: unknown): boolean {
  return cause instanceof Error && cause.name === "StoreError";
}

function formatCause(cause: unknown): string {
  const text = cause instanceof Error ? cause.stack ?? cause.message : String(cause);
  return text.split("\n").map(printable).join("\n");
}

function formatEndpoint(endpoint: string): string {
  return printable(endpoint.length > 200 ? `${endpoint.slice(0, 199)}…` : endpoint);
}

function formatGrant({ sub, scope }: { readonly sub: string; readonly scope: readonly string[] }): string {
  return printable(`${sub} allows ${scope.join(" ")}`);
}

/** A heading, and below it what was wrong, each on a line of its own. */
function formatFailure(
  { type, at, client, explanation }: Extract<TraceEvent, { type: "rejected" | "warning" }>,
  outcome: string,
  endpoint: string | undefined,
  { findFix, request: { method, status, link, id } = {}, colors = false }: FormatOptions,
): string {
  const paint = (code: number, text: string) => colors ? `\u001b[${code}m${text}\u001b[0m` : text;
  const [mark, color] = type === "rejected" ? ["✗", 31] : ["!", 33];
  const time = new Date(at).toISOString().slice(11);
  const heading = [
    endpoint && [method, formatEndpoint(endpoint)],
    [type === "rejected" ? status : undefined, paint(color, outcome)],
    client && [printable(client)],
    explanation.rule && [paint(2, explanation.rule)],
  ].flatMap((words) => words ? [words.filter((word) => word !== undefined).join(" ")] : []);
  const { reason, expected, received, earlier } = explanation;
  const values = {
    expected,
    received,
    earlier,
    fix: findFix?.(explanation),
    request: link === undefined ? id : undefined,
  };
  const lines = [
    reason,
    ...Object.entries(values).flatMap(([name, value]) => value === undefined ? [] : [`${name.padEnd(9)} ${value}`]),
    ...link === undefined ? [] : [`→ ${link}`],
  ];
  const indent = " ".repeat(time.length + 1);
  return [
    `${time} ${paint(color, mark)} ${heading.join("  ")}`,
    ...lines.map((line) => indent + printable(truncate(line))),
  ].join("\n");
}

function truncate(text: string): string {
  return text.length > maxLineChars ? `${text.slice(0, maxLineChars - 1)}…` : text;
}
