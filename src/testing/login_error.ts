/** What is thrown where a login does not come to its end, told to the person who reads the test. */

import type { RequestLike } from "../http/message.ts";
import type { Explanation } from "../oauth/trace.ts";
import { formatInternalError } from "./internal_error.ts";
import type { InternalError } from "./internal_error.ts";
import type { Callback } from "./browser/test_browser.ts";

/** What the server says of a refusal to whoever runs it. */
export interface RejectionDetails {
  /** Why: the rule, what was expected, what came; where the server explained itself. */
  readonly explanation?: Explanation;
  /** What the server met and did not foresee, where that is the reason. */
  readonly internalError?: InternalError;
}

/** What is known of a login that went wrong. */
export interface LoginErrorDetails extends RejectionDetails {
  /** The HTTP status of the server's answer, where that was the trouble. */
  readonly status?: number;
  /** The OAuth error code, where the server named one. */
  readonly error?: string;
  /** What the redirect URI received, where it came that far. */
  readonly callback?: Callback;
}

/**
 * A login that did not come to its end. The message says all that is known; `cause` is what was thrown inside the server,
 * as by a store of the test's own.
 */
export class LoginError extends Error {
  /** The HTTP status of the server's answer, where that was the trouble. */
  readonly status?: number;
  /** The OAuth error code, where the server named one. */
  readonly error?: string;
  /** Why: the rule, what was expected, what came; where the server explained itself. */
  readonly explanation?: Explanation;
  /** What the redirect URI received, where it came that far. */
  readonly callback?: Callback;

  /** Says what happened, and under it why. */
  constructor(message: string, details: LoginErrorDetails = {}) {
    const { explanation, internalError } = details;
    const lines = [
      message,
      ...explanation ? formatExplanation(explanation) : [],
      ...internalError ? [formatInternalError(internalError)] : [],
    ];
    super(lines.join("\n  "), internalError && { cause: internalError.cause });
    this.name = "LogInError";
    this.status = details.status;
    this.error = details.error;
    this.explanation = explanation;
    this.callback = details.callback;
  }
}

function formatExplanation({ reason, expected, received, earlier, rule }: Explanation): string[] {
  const facts = [["expected", expected], ["received", received], ["earlier", earlier], ["rule", rule]] as const;
  const present = facts.filter(([, value]) => value !== undefined);
  return [reason, ...present.map(([label, value]) => `${label}: ${value}`)];
}

/** Knows why a request was refused. */
export type ExplainRejection = (request: RequestLike) => RejectionDetails;
