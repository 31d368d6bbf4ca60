/** Problem details for HTTP APIs (RFC 9457): what was expected, what was received, and how to fix it. */

import type { RuleResult } from "../pages/rule_result.ts";
import { challenge, type HttpResponse, json } from "../../core/http/message.ts";
import { reasonPhrases } from "../../platform/http/reason_phrases.ts";
import type { OAuthError } from "../../core/rules/errors.ts";
import { withFix } from "../rules.ts";

/** @internal One error of a request. */
export interface ProblemIssue extends Pick<RuleResult, "expected" | "received" | "fix"> {
  /** The place in the body or the query: `redirect_uris[0]`; absent if the request as a whole is wrong. */
  readonly place?: string;
}

/** The members of a problem besides `type` and `title`. */
interface Problem {
  readonly status: number;
  /** One or more sentences. */
  readonly detail: string;
  /** The ID of the violated rule; absent without one. */
  readonly rule?: string;
  /** Empty if `detail` is complete. */
  readonly errors?: readonly ProblemIssue[];
}

export function problemResponse(
  { status, detail, rule, errors = [] }: Problem,
  headers?: Readonly<Record<string, string>>,
): HttpResponse {
  return json(status, { type: "about:blank", title: reasonPhrases[status], status, detail, rule, errors }, {
    ...headers,
    "content-type": "application/problem+json",
  });
}

/** The response to a request that a rule rejected. */
export function rejectionProblem(issuer: string, error: OAuthError): HttpResponse {
  const { status, details: { retryAfter } } = error;
  const { rule, reason, expected, received, fix } = withFix(error.explain());
  return problemResponse({
    ...{ status, detail: reason, rule },
    errors: [{ expected, received, fix }],
  }, {
    ...status === 401 && { "www-authenticate": challenge("Bearer", { realm: issuer }) },
    ...retryAfter !== undefined && { "retry-after": String(retryAfter) },
  });
}
