/** Errors as JSON, with the challenge of the endpoint. */

import type { Context } from "./context.ts";
import { OAuthError } from "../rules/errors.ts";
import { challenge, HttpError, type HttpResponse, json } from "./message.ts";
import { reject } from "../rules/reject.ts";
import type { RequestTarget } from "./router.ts";
import { statusOf } from "../rules/rule.ts";
import type { Server } from "../server.ts";

export type ErrorMembers = Readonly<Record<string, string>>;

/** Rejects as JSON (OAuth 2.1 §3.2.4). */
export function jsonError({ server }: Context, error: OAuthError, members: ErrorMembers): HttpResponse {
  const { status, details: { challenge } } = error;
  return json(status, members, {
    ...status === 401 && challenge !== "none" && { "www-authenticate": basicChallenge(server, members) },
    ...detailHeaders(error),
  });
}

/** Rejects at a protected resource (RFC 6750 §3): the challenge names the error and the missing scope. */
export function bearerError(context: Context, error: OAuthError, members: ErrorMembers): HttpResponse {
  const { server, request, endpoint } = context;
  const { status, code, details: { challenge: form, scope = "" } } = error;
  const headers = detailHeaders(error);
  if (status !== 401 && code !== "insufficient_scope") return json(status, members, headers);
  const parameters = {
    realm: server.issuer,
    // A request without any token receives no error code (§3.1).
    ...form !== "bare" && members,
    ...code === "insufficient_scope" && { scope },
  };
  const challenges = endpoint?.errors === "resource"
    ? server.presentedTokens.challenge(server, request.headers.get("authorization"), status, parameters)
    : challenge("Bearer", parameters);
  return json(status, members, { "www-authenticate": challenges, ...headers });
}

/**
 * The challenge of an endpoint for clients (RFC 7617 §2). On test hosts it also contains the error, as a `Bearer`
 * challenge does, because libraries that read a challenge do not show the body.
 */
export function basicChallenge({ issuer, policy }: Server, attributes: ErrorMembers): string {
  return challenge("Basic", { realm: issuer, charset: "UTF-8", ...policy.allows.explanations && attributes });
}

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
      rule: thrown.rule,
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

/** The header `Retry-After` (RFC 9110 §10.2.3), and those of an extension. */
export function detailHeaders({ details: { retryAfter, headers } }: OAuthError): Readonly<Record<string, string>> {
  return { ...retryAfter !== undefined && { "retry-after": String(retryAfter) }, ...headers };
}
