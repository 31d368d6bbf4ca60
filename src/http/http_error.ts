/** The error of an invalid HTTP request. */

import type { RejectionRuleId } from "../oauth/rules/mod.ts";

/** A request is rejected at the HTTP level; the error handler chooses the form of the response. */
export class HttpError extends Error {
  /** The status of the response. */
  readonly status: number;
  /** The ID of the rule that was broken. */
  readonly rule: RejectionRuleId;

  /** Creates the error; the message is one sentence. */
  constructor(status: number, rule: RejectionRuleId, message: string) {
    super(message);
    this.name = "HttpFault";
    this.status = status;
    this.rule = rule;
  }
}
