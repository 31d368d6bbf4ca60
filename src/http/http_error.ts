/** A request that is wrong as HTTP, before any protocol looks at it. */

import type { RejectionRuleId } from "../oauth/rules/mod.ts";

/** Thrown by the readers in this room; whoever answers chooses the form of the answer. */
export class HttpError extends Error {
  /** The status to answer with. */
  readonly status: number;
  /** The ID of the rule that was broken. */
  readonly rule: RejectionRuleId;

  /** Refuses with a status, the ID of a rule and one sentence. */
  constructor(status: number, rule: RejectionRuleId, message: string) {
    super(message);
    this.name = "HttpFault";
    this.status = status;
    this.rule = rule;
  }
}
