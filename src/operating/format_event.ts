/** The trace for a terminal: one line for everything that went wrong and, where somebody looks on, for what went well. */

import type { Explanation, TraceEvent } from "../oauth/trace.ts";
import { printable } from "../cli/show.ts";

/** The longest explanation that is shown whole, in characters. */
const longest = 1000;

/** One line, without a final newline; `undefined` for an event that needs none. Times are UTC. */
export function narrate(event: TraceEvent, everything: boolean): string | undefined {
  const time = new Date(event.at).toISOString().slice(11);
  switch (event.type) {
    case "refused":
      return `${time} refused ${event.error} at ${place(event.endpoint)}${by(event.client)}: ${explain(event.why)}`;
    case "warning":
      return `${time} warning${by(event.client)}: ${explain(event.why)}`;
    case "configuration_warning":
      return `${time} warning: ${printable(event.path)}: ${printable(event.message)}`;
    case "family_ended":
      return `${time} revoked all that one approval bought (family ${event.family}): ${event.reason}`;
    case "bug":
      return isOutage(event.cause)
        ? `${time} the store failed at ${place(event.endpoint)}: ${printable((event.cause as Error).message)}`
        : `${time} BUG at ${place(event.endpoint)}: ${tell(event.cause)}`;
    case "stored_changes":
      return `${time} the store changes ${event.of} of the configuration: ${tellStored(event)}`;
    case "code_issued":
      return everything ? `${time} code for ${printable(event.client)}: ${tellGrant(event)}` : undefined;
    case "tokens_issued":
      return everything
        ? `${time} tokens for ${printable(event.client)} by ${event.grant}: ${tellGrant(event)}`
        : undefined;
    default:
      return undefined;
  }
}

function tellStored(event: Extract<TraceEvent, { type: "stored_changes" }>): string {
  const parts = (["replaced", "removed", "added"] as const).filter((how) => event[how].length > 0)
    .map((how) => `${how} ${event[how].join(", ")}`);
  return printable(shortened(parts.join("; ")));
}

/** A store that does not answer is nobody's mistake in the code, and says by itself what to do: no stack helps. */
function isOutage(cause: unknown): boolean {
  return cause instanceof Error && cause.name === "StoreError";
}

function tell(cause: unknown): string {
  const text = cause instanceof Error ? cause.stack ?? cause.message : String(cause);
  return text.split("\n").map(printable).join("\n");
}

function place(endpoint: string): string {
  return printable(endpoint.length > 200 ? `${endpoint.slice(0, 199)}…` : endpoint);
}

function tellGrant({ sub, scope }: { readonly sub: string; readonly scope: readonly string[] }): string {
  return printable(`${sub} allows ${scope.join(" ")}`);
}

function by(client: string | undefined): string {
  return client === undefined ? "" : ` (client ${printable(client)})`;
}

function explain({ rule, reason, expected, received, earlier }: Explanation): string {
  const text = `${reason} [${rule}]` +
    (expected === undefined ? "" : `; expected ${expected}`) +
    (received === undefined ? "" : `; received ${received}`) +
    (earlier === undefined ? "" : `; earlier: ${earlier}`);
  return printable(shortened(text));
}

function shortened(text: string): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}
