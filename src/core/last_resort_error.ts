/** The error response without a page, and what every error response needs. */

import { HttpError, type HttpResponse, json } from "./http/message.ts";
import type { RequestTarget } from "./router.ts";
import { OAuthError } from "./errors.ts";
import { reject } from "./reject.ts";
import { statusOf } from "./rules/error_code.ts";
import type { RejectionRuleId } from "./rules/mod.ts";
import type { Server } from "./server.ts";

/** The response if the error channel itself failed, or the request did not reach the router. */
export function lastResortError(server: Server, target: RequestTarget, thrown: unknown): HttpResponse {
  const error = toOAuthError(server, target.path, thrown);
  return json(statusOf(error.code), { error: error.code, error_description: error.description }, {
    "referrer-policy": "no-referrer",
    ...detailHeaders(error),
  });
}

/** Converts a thrown value to an OAuth error. An unexpected value is traced as an internal error and not revealed. */
export function toOAuthError(server: Server, path: string, thrown: unknown): OAuthError {
  if (thrown instanceof OAuthError) return thrown;
  if (thrown instanceof HttpError) {
    return new OAuthError("invalid_request", thrown.message, {
      rule: thrown.rule as RejectionRuleId,
      status: thrown.status,
      ...thrown.texts,
    });
  }
  server.trace({ type: "internal_error", at: server.now(), endpoint: path, cause: thrown });
  // Compares the name, because a store of the embedding program may have its own error class.
  if (thrown instanceof Error && thrown.name === "StoreError") {
    return reject("AZ-22", { isStoreDown: true }, { retryAfter: 1 });
  }
  return reject("AZ-22", { isStoreDown: false });
}

/** The headers `Retry-After` (RFC 9110 §10.2.3) and `DPoP-Nonce` (RFC 9449 §8). */
export function detailHeaders({ details: { retryAfter, headers } }: OAuthError): Readonly<Record<string, string>> {
  return {
    ...retryAfter !== undefined && { "retry-after": String(retryAfter) },
    ...headers,
  };
}
