/** The cause of an internal error, without secrets: its message may quote a request. */

import { redactText, type RegisteredSecrets } from "../oauth/redact.ts";

/** Redacts a thrown value for the log. An error inherits its name and its class, and keeps the stack. */
export function redactCause(cause: unknown, registered: RegisteredSecrets | undefined): unknown {
  if (!(cause instanceof Error)) return redactText(toText(cause), registered);
  const message = redactText(cause.message, registered);
  // Redacted as a whole if the message was changed after the stack was made.
  const stack = cause.stack?.includes(cause.message)
    ? cause.stack.replace(cause.message, () => message)
    : redactText(cause.stack ?? "", registered);
  return Object.create(cause, { message: { value: message }, stack: { value: stack } });
}

/** It never throws, although the `toString` of a thrown value may. */
function toText(value: unknown): string {
  try {
    return String(value);
  } catch {
    return "a value without a text form";
  }
}
