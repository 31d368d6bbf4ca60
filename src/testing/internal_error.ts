/** Something that the server met and no rule foresaw, and how whoever reads a log or a failed test is told of it. */

import { redactText } from "../oauth/trace.ts";
import { errorText } from "../recorder/error_text.ts";
import type { Exchange } from "../recorder/exchange.ts";

/** Something that the server met and no rule foresaw, such as an error of its store; clients are not told of it. */
export interface InternalError {
  /** The path of the endpoint that met it. */
  readonly endpoint: string;
  /** What was thrown there. */
  readonly cause: unknown;
}

/** Where it was, and what: `/oauth2/token met TypeError: disk on fire`. What was thrown may repeat what a client sent. */
export function formatInternalError({ endpoint, cause }: InternalError): string {
  return `${redactText(endpoint)} met ${redactText(errorText(cause))}`;
}

/** Each of an exchange, told. */
export function getInternalErrors({ events }: Exchange): string[] {
  return events.flatMap((event) => event.type === "internal_error" ? [formatInternalError(event)] : []);
}
