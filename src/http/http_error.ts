/** The error class for requests that are invalid as HTTP. */

import type { RejectionRuleId } from "../oauth/rules/mod.ts";

/** Rejects a request at the HTTP level. The error channel of the endpoint chooses the form of the response. */
export class HttpError extends Error {
  /** The status of the response. */
  readonly status: number;
  /** The ID of the violated rule. */
  readonly rule: RejectionRuleId;

  /** The expected and the received value, without secrets, and how to fix it: for the trace and pages. */
  readonly texts: { readonly expected?: string; readonly received?: string; readonly fix?: string };

  /** Creates the error; the message is one sentence. */
  constructor(status: number, rule: RejectionRuleId, message: string, texts: HttpError["texts"] = {}) {
    super(message);
    this.texts = texts;
    this.name = "HttpError";
    this.status = status;
    this.rule = rule;
  }
}
