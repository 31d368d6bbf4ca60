/** The cause of an internal error, without secrets: its message may quote a request. */

import { redactEvent, redactText, type RegisteredSecrets } from "./redact.ts";
import type { TraceEvent } from "./trace.ts";

/** Redacts an event with its cause, for the log and for the option `trace`. */
export function redactEventWithCause(event: TraceEvent, registered: RegisteredSecrets | undefined): TraceEvent {
  const redacted = redactEvent(event, registered);
  return redacted.type === "internal_error"
    ? { ...redacted, cause: redactCause(redacted.cause, registered) }
    : redacted;
}

/** Redacts a thrown value. An error inherits its name and its class, and keeps the stack. */
function redactCause(cause: unknown, registered: RegisteredSecrets | undefined): unknown {
  if (!(cause instanceof Error)) return redactText(toText(cause), registered);
  const message = redactText(cause.message, registered);
  // Redacted as a whole if the message was changed after the stack was made.
  const stack = cause.stack?.includes(cause.message)
    ? cause.stack.replace(cause.message, () => message)
    : redactText(cause.stack ?? "", registered);
  return Object.create(cause, { message: { value: message }, stack: { value: stack } });
}

/** Never throws, although the `toString` of a thrown value may. */
function toText(value: unknown): string {
  try {
    return String(value);
  } catch {
    return "a value without a text form";
  }
}
