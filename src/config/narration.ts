/** The trace for a terminal: one line for everything that went wrong; what went well is silent. */

import type { Explanation, TraceEvent } from "../oauth/trace.ts";
import { printable } from "./show.ts";

/** The longest explanation that is shown whole, in characters. */
const longest = 1000;

/** One line, without a final newline; `undefined` for an event that needs none. */
export function narrate(event: TraceEvent): string | undefined {
  const time = new Date(event.at).toISOString().slice(11, 23);
  switch (event.type) {
    case "refused":
      return `${time} refused ${event.error} at ${printable(event.endpoint)}${by(event.client)}: ${explain(event.why)}`;
    case "warning":
      return `${time} warning${by(event.client)}: ${explain(event.why)}`;
    case "family_ended":
      return `${time} ended family ${event.family}: ${event.reason}`;
    case "bug":
      return `${time} BUG at ${printable(event.endpoint)}: ${
        event.cause instanceof Error ? event.cause.stack : event.cause
      }`;
    default:
      return undefined;
  }
}

function by(client: string | undefined): string {
  return client === undefined ? "" : ` (client ${printable(client)})`;
}

function explain({ rule, reason, expected, received, earlier }: Explanation): string {
  const text = `${reason} [${rule}]` +
    (expected === undefined ? "" : `; expected ${expected}`) +
    (received === undefined ? "" : `; received ${received}`) +
    (earlier === undefined ? "" : `; earlier: ${earlier}`);
  return printable(text.length > longest ? `${text.slice(0, longest - 1)}…` : text);
}
