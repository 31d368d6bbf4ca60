/** Formats events for a terminal: one line for each failure and, if verbose, for each code and token response. */

import type { Explanation, TraceEvent } from "../oauth/trace.ts";
import { printable } from "../oauth/config/config_issue.ts";

/** The function of the rule table. */
export type FindFix = typeof import("../oauth/rules/mod.ts").findFix;

/** Maximum length of an explanation, in characters; longer ones are truncated. */
const maxExplanationChars = 1000;

/**
 * Formats an event as one line, without a final newline; `undefined` if it is not shown. Times are UTC.
 *
 * @param findFix Finds the fix of a rejection or warning. Default: the line has none.
 */
export function formatEvent(event: TraceEvent, verbose: boolean, findFix?: FindFix): string | undefined {
  const time = new Date(event.at).toISOString().slice(11);
  switch (event.type) {
    case "rejected":
      return `${time} rejected ${event.error} at ${formatEndpoint(event.endpoint)}${formatClient(event.client)}: ${
        formatExplanation(event.explanation, findFix)
      }`;
    case "challenged":
      return `${time} challenged at ${formatEndpoint(event.endpoint)}: no access token yet${
        event.scope.length === 0 ? "" : `; the challenge names scope ${printable(event.scope.join(" "))}`
      }`;
    case "warning":
      return `${time} warning${formatClient(event.client)}: ${formatExplanation(event.explanation, findFix)}`;
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
      return verbose ? `${time} ${formatRegistration(event)}` : undefined;
    case "metadata_document_fetched":
      return verbose ? `${time} metadata document ${printable(event.client)}: ${printable(event.outcome)}` : undefined;
    case "code_issued":
      return verbose ? `${time} code for ${printable(event.client)}: ${formatGrant(event)}` : undefined;
    case "tokens_issued":
      return verbose
        ? `${time} tokens for ${printable(event.client)} by ${event.grantType}: ${formatGrant(event)}`
        : undefined;
    default:
      return undefined;
  }
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

function formatClient(client: string | undefined): string {
  return client === undefined ? "" : ` (client ${printable(client)})`;
}

function formatExplanation(explanation: Explanation, findFix?: FindFix): string {
  const { rule, reason, expected, received, earlier } = explanation;
  const text = reason + (rule === undefined ? "" : ` [${rule}]`) +
    (expected === undefined ? "" : `; expected ${expected}`) +
    (received === undefined ? "" : `; received ${received}`) +
    (earlier === undefined ? "" : `; earlier: ${earlier}`);
  const fix = findFix?.(explanation);
  return printable(truncate(text) + (fix === undefined ? "" : `; fix: ${fix}`));
}

function truncate(text: string): string {
  return text.length > maxExplanationChars ? `${text.slice(0, maxExplanationChars - 1)}…` : text;
}
