/** The type of a row of the rule table. */

import type { ErrorCode, ExtensionErrorCode } from "./error_code.ts";

/** @internal The ID of a rule, such as `HT-01`. `deno task rules` checks that each one in the code exists. */
export type RuleId = `${string}-${number}`;

/** A rule: a row of the rule table. Its texts are in `server/explain/`. */
export interface Rule {
  /**
   * The specifications that the rule is taken from, as `tests/rules.md` names them; empty for a rule of this project.
   */
  readonly source: string;
}

type Code = ErrorCode | ExtensionErrorCode;

/** A rule that rejects requests, and what the client receives. */
export interface RejectionRule<Facts> extends Rule {
  /** The error code. */
  readonly code: Code | ((facts: Facts) => Code);
  /** A sentence for the client, without a full stop and without values of the request. */
  readonly message: string | ((facts: Facts) => string);
  /** Never set. It only has the type of the facts. */
  readonly facts?: Facts;
}

/**
 * A rule about something that was granted before, such as a code. Its errors have the code and the message of the grant
 * type, so that guessing codes or tokens reveals nothing: see `invalidGrantBy()`.
 */
export interface GrantRule<Facts> extends Rule {
  /** Never set. It only has the type of the facts. */
  readonly facts?: Facts;
}

/** Creates the row of a {@link GrantRule}. Its texts are made from the `Facts`, by default from none. */
export function grantRule<Facts = undefined>(source = ""): GrantRule<Facts> {
  return { source };
}

/** Creates the row of a {@link RejectionRule}. Its texts are made from the `Facts`, by default from none. */
export function rule<Facts = undefined>(
  code: RejectionRule<Facts>["code"],
  message: RejectionRule<Facts>["message"],
  source = "",
): RejectionRule<Facts> {
  return { code, message, source };
}

/** The end of a sentence about a setting that a profile decides: `, by the profile X`; otherwise empty. */
export interface ByProfile {
  readonly byProfile: string;
}
