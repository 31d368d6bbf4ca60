/** The error of a login that fails, with the server's explanation. */

import type { HttpRequest } from "../core/http/message.ts";
import { explanationLines } from "../server/explain/explanation_lines.ts";
import type { Explanation } from "../core/rules/errors.ts";
import { formatInternalError, type InternalError } from "./internal_error.ts";
import type { Callback } from "./browser/callback.ts";

/** What the server knows about a rejected request. The client receives less. */
export interface RejectionDetails {
  /** The rule, what was expected and what was received, if the server explains the rejection. */
  readonly explanation?: Explanation;
  /** The unexpected error inside the server, if that is the reason. */
  readonly internalError?: InternalError;
}

/** The details of a login that failed. */
export interface LoginErrorDetails extends RejectionDetails {
  /** The HTTP status of the server's response, if that is the reason. */
  readonly status?: number;
  /** The OAuth error code, if the response has one. */
  readonly error?: string;
  /** What the redirect URI received, if the login got that far. */
  readonly callback?: Callback;
}

/**
 * A login that failed. The message explains why; `cause` is what a part of the server threw, such as a custom store.
 */
export class LoginError extends Error {
  /** The HTTP status of the server's response, if that is the reason. */
  readonly status?: number;
  /** The OAuth error code, if the response has one. */
  readonly error?: string;
  /** The rule, what was expected and what was received, if the server explains the rejection. */
  readonly explanation?: Explanation;
  /** What the redirect URI received, if the login got that far. */
  readonly callback?: Callback;

  /** Creates the error; the details become lines under the message. */
  constructor(message: string, details: LoginErrorDetails = {}) {
    const { explanation, internalError } = details;
    const lines = [
      message,
      ...explanation ? formatExplanation(explanation) : [],
      ...internalError ? [`internal error at ${formatInternalError(internalError)}`] : [],
    ];
    super(lines.join("\n  "), internalError && { cause: internalError.cause });
    this.name = "LoginError";
    this.status = details.status;
    this.error = details.error;
    this.explanation = explanation;
    this.callback = details.callback;
  }
}

function formatExplanation(explanation: Explanation): string[] {
  const { reason, rule } = explanation;
  return [
    reason,
    ...explanationLines(explanation).map(([label, text]) => `${label}: ${text}`),
    ...rule === undefined ? [] : [`rule: ${rule}`],
  ];
}

/** Returns why a request was rejected. */
export type ExplainRejection = (request: HttpRequest) => RejectionDetails;
