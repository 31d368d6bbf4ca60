/** Unexpected errors inside the server, and how logs and failed tests show them. */

import { errorText, redactText } from "../server/redaction/redact.ts";
import type { Exchange } from "../recorder/exchange.ts";

/**
 * @internal An unexpected error inside the server, such as an error of its store. Clients receive only `server_error`.
 */
export interface InternalError {
  readonly endpoint: string;
  /** The value that was thrown. */
  readonly cause: unknown;
}

/** One line, redacted, because the error may repeat what a client sent: `/oauth2/token: TypeError: disk on fire`. */
export function formatInternalError({ endpoint, cause }: InternalError): string {
  return `${redactText(endpoint)}: ${redactText(errorText(cause))}`;
}

/** The internal errors of an exchange, one line each. */
export function getInternalErrors({ events }: Exchange): string[] {
  return events.flatMap((event) => event.type === "internal_error" ? [formatInternalError(event)] : []);
}
