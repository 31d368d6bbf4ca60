/** What is thrown where a login does not come to its end, told to the person who reads the test. */

import type { Incoming } from "../http/reply.ts";
import { veil } from "../oauth/trace.ts";
import type { Explanation } from "../oauth/trace.ts";
import type { Callback } from "./user_agent.ts";

/** Something that the server met and no rule foresaw, such as an error of its store; clients are not told of it. */
export interface Mishap {
  /** The path of the endpoint that met it. */
  readonly endpoint: string;
  /** What was thrown there. */
  readonly cause: unknown;
}

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
    const lines = [message, ...why ? reasons(why) : [], ...mishap ? [tell(mishap)] : []];
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

/** What was thrown may repeat what a client sent. */
function tell({ endpoint, cause }: Mishap): string {
  let thrown: string;
  try {
    thrown = veil(String(cause));
  } catch {
    thrown = "something that cannot be written as text";
  }
  return `${endpoint} met ${thrown}`;
}

/** Knows why a request was refused. */
export type Explain = (request: Incoming) => Told;
