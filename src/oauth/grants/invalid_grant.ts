/** Rejections of codes and refresh tokens: one sentence on the wire, except on test hosts; the reason in the trace. */

import { OAuthError } from "../errors.ts";
import type { RejectionRuleId } from "../rules/mod.ts";
import type { RuleExplanation } from "../trace.ts";

/**
 * Creates the `invalid_grant` errors of one grant type. All of them have the same description, so that guessing codes
 * or tokens reveals nothing. Only the trace contains the broken rule, and on test hosts the response.
 */
export function invalidGrantErrors(rule: RejectionRuleId, message: string): (reason: RuleExplanation) => OAuthError {
  return ({ rule: internalRule, ...details }) =>
    new OAuthError("invalid_grant", message, { ...details, rule, internalRule });
}

/** Formats a time for messages: ISO 8601, UTC. */
export function formatTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
