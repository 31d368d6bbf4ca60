/** What is thrown where a login does not come to its end, told to the person who reads the test. */

import type { Incoming } from "../http/message.ts";
import type { Explanation } from "../oauth/trace.ts";
import { tellMishap } from "./internal_error.ts";
import type { Mishap } from "./internal_error.ts";
import type { Callback } from "./browser/test_browser.ts";

/** What the server says of a refusal to whoever runs it. */
export interface Told {
  /** Why: the rule, what was expected, what came; where the server explained itself. */
  readonly why?: Explanation;
  /** What the server met and did not foresee, where that is the reason. */
  readonly mishap?: Mishap;
}

/** What is known of a login that went wrong. */
export interface LogInErrorDetails extends Told {
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
export class LogInError extends Error {
  /** The HTTP status of the server's answer, where that was the trouble. */
  readonly status?: number;
  /** The OAuth error code, where the server named one. */
  readonly error?: string;
  /** Why: the rule, what was expected, what came; where the server explained itself. */
  readonly why?: Explanation;
  /** What the redirect URI received, where it came that far. */
  readonly callback?: Callback;

  /** Says what happened, and under it why. */
  constructor(message: string, details: LogInErrorDetails = {}) {
    const { why, mishap } = details;
    const lines = [message, ...why ? reasons(why) : [], ...mishap ? [tellMishap(mishap)] : []];
    super(lines.join("\n  "), mishap && { cause: mishap.cause });
    this.name = "LogInError";
    this.status = details.status;
    this.error = details.error;
    this.why = why;
    this.callback = details.callback;
  }
}

function reasons({ reason, expected, received, earlier, rule }: Explanation): string[] {
  const facts = [["expected", expected], ["received", received], ["earlier", earlier], ["rule", rule]] as const;
  const known = facts.filter(([, value]) => value !== undefined);
  return [reason, ...known.map(([label, value]) => `${label}: ${value}`)];
}

/** Knows why a request was refused. */
export type Explain = (request: Incoming) => Told;
