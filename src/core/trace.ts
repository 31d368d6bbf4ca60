/** Events for the operator. */

import type { Explanation } from "./rules/errors.ts";
import type { Observations } from "./observations.ts";
import type { RuleId } from "./rules/mod.ts";

/**
 * @internal An event. `at` is in milliseconds since the epoch, by the server's clock.
 *
 * The server puts no secret into events, but text that a client sent may contain one, such as a secret in the wrong
 * parameter.
 */
export type CoreEvent =
  | {
    readonly type: "code_issued";
    readonly at: number;
    readonly client: string;
    readonly sub: string;
    readonly scope: readonly string[];
    readonly grantId: string;
  }
  | {
    readonly type: "tokens_issued";
    readonly at: number;
    readonly client: string;
    readonly sub: string;
    readonly scope: readonly string[];
    readonly grantId: string;
    readonly grantType: string;
  }
  | {
    readonly type: "rejected";
    readonly at: number;
    /** The endpoint's path below the issuer, such as `/oauth2/token`. */
    readonly endpoint: string;
    readonly error: string;
    readonly client?: string;
    readonly explanation: Explanation;
  }
  | { readonly type: "warning"; readonly at: number; readonly client?: string; readonly explanation: Explanation }
  | { readonly type: "grant_revoked"; readonly at: number; readonly grantId: string; readonly reason: string }
  | { readonly type: "session_ended"; readonly at: number; readonly sid: string }
  | { readonly type: "token_revoked"; readonly at: number; readonly client: string; readonly grantId: string }
  | { readonly type: "key_created"; readonly at: number; readonly alg: string; readonly kid: string }
  | {
    readonly type: "internal_error";
    readonly at: number;
    readonly endpoint: string;
    /** The thrown value, for the operator alone. */
    readonly cause: unknown;
  };

/** An event of the minimal server. It also traces passed checks and observations. */
export type MinimalEvent =
  | CoreEvent
  /** A check that a request has passed, in the order of the checks. A failed one is in the rejection. */
  | { readonly type: "passed"; readonly at: number; readonly rule: RuleId; readonly value?: string | number }
  | {
    /** What an accepted request has that a stricter server rejects, or that its client may not expect. */
    readonly type: "observed";
    readonly at: number;
    readonly client?: string;
    /** The rule of the stricter server, or a phrase: a name of {@link Observations}. */
    readonly name: keyof Observations;
  };

/**
 * Receives each passed check, in the order of the checks. A failed check is in the rejection.
 *
 * @param rule The ID of the rule; the rule table has its sentence.
 * @param value The checked value, if it may be shown; never a secret. A number is the time until which something is
 *   valid, in milliseconds since 1970, and is formatted when a page shows it.
 *
 * @internal
 */
export type RulePassed = (rule: RuleId, value?: string | number) => void;

/** Receives the events that every server traces, synchronously. Its errors are ignored. */
export type CoreTrace = (event: CoreEvent) => void;

/** Receives every event of the minimal server, synchronously. Its errors are ignored. */
export type MinimalTrace = (event: MinimalEvent) => void;

/** Prints internal errors, which a program without a listener would not learn of. */
export function printInternalErrors(event: { readonly type: string; readonly cause?: unknown }): void {
  if (event.type === "internal_error") console.error(event.cause);
}
