/** The three ways a refusal leaves: as JSON, as a redirect to the client, as a page for a person. */

import { HttpError } from "../http/http_error.ts";
import type { HttpResponse, RequestLike } from "../http/message.ts";
import { html, json, redirect } from "../http/responses.ts";
import type { RequestTarget } from "../http/router.ts";
import type { Destination } from "../oauth/authorize/authorization_request.ts";
import { errorStatus, OAuthError } from "../oauth/errors.ts";
import { appendToRedirectUri } from "../oauth/clients/redirect_uri.ts";
import type { Server } from "../oauth/server.ts";
import { chain } from "../oauth/maybe_promise.ts";
import type { MaybePromise } from "../oauth/maybe_promise.ts";
import type { App } from "./endpoint.ts";

/** Turns whatever was thrown into an OAuth error; what no rule foresaw is a bug, traced, and says nothing outside. */
function toOAuthError(server: Server, target: RequestTarget, thrown: unknown): OAuthError {
  if (thrown instanceof OAuthError) return thrown;
  if (thrown instanceof HttpError) {
    return new OAuthError("invalid_request", thrown.message, { rule: thrown.rule, status: thrown.status });
  }
  server.trace({ type: "internal_error", at: server.now(), endpoint: target.path, cause: thrown });
  // A database that is away is expected back; who makes a store says so by the name of what it throws.
  if (thrown instanceof Error && thrown.name === "StoreError") {
    return new OAuthError("temporarily_unavailable", "the server cannot reach its store, try again later", {
      rule: "AZ-22",
      retryAfter: 1,
    });
  }
  return new OAuthError("server_error", "the server encountered an unexpected condition", { rule: "AZ-22" });
}

/** Says no in JSON (OAuth 2.1 §3.2.4); `client` is the one that authenticated, if one did. */
export function jsonError(server: Server, target: RequestTarget, thrown: unknown, client?: string): HttpResponse {
  const error = toOAuthError(server, target, thrown);
  traceRejection(server, target, error, client);
  const status = error.details.status ?? errorStatus[error.code];
  return json(status, { error: error.code, error_description: error.description }, {
    ...status === 401 && { "www-authenticate": basicChallenge(server.issuer) },
    ...retryAfterHeader(error),
  });
}

/** What is answered where not even an endpoint could say no. */
export function lastResortError(server: Server, target: RequestTarget, thrown: unknown): HttpResponse {
  const error = toOAuthError(server, target, thrown);
  return json(errorStatus[error.code], { error: error.code, error_description: error.description }, {
    "referrer-policy": "no-referrer",
    ...retryAfterHeader(error),
  });
}

/** Says no at a protected resource (RFC 6750 §3): the challenge tells a client what it lacks. */
export function bearerError(server: Server, target: RequestTarget, thrown: unknown): HttpResponse {
  const error = toOAuthError(server, target, thrown);
  traceRejection(server, target, error);
  const { status = errorStatus[error.code], challenge } = error.details;
  const attributes = {
    // Who sends no token at all has made no error (§3.1).
    ...challenge !== "bare" && { error: error.code, error_description: error.description },
    ...error.code === "insufficient_scope" && { scope: error.details.expected ?? "" },
  };
  return json(status, { error: error.code, error_description: error.description }, {
    ...(status === 401 || status === 403) && { "www-authenticate": bearerChallenge(server.issuer, attributes) },
    ...retryAfterHeader(error),
  });
}

/** The challenge of an endpoint for clients (RFC 7617 §2). */
export function basicChallenge(issuer: string): string {
  return `Basic realm="${sanitizeQuotedString(issuer)}", charset="UTF-8"`;
}

/** The challenge of a protected resource, with what it says of the error (RFC 6750 §3). */
export function bearerChallenge(issuer: string, attributes: Readonly<Record<string, string>>): string {
  const parameters = Object.entries({ realm: issuer, ...attributes });
  return `Bearer ${parameters.map(([name, value]) => `${name}="${sanitizeQuotedString(value)}"`).join(", ")}`;
}

/** Says no to the client by way of the browser (OAuth 2.1 §4.1.2.1). */
export async function redirectError(
  app: App,
  target: RequestTarget,
  request: RequestLike,
  destination: Destination,
  thrown: unknown,
): Promise<HttpResponse> {
  const error = toOAuthError(app.server, target, thrown);
  traceRejection(app.server, target, error, destination.client.id);
  return await authorizationResponse(app, request, destination, [
    ["error", error.code],
    ["error_description", error.description],
  ]);
}

/** Sends an authorization response to the client, with `state` as it came and `iss` (RFC 9207 §2). */
export function authorizationResponse(
  app: App,
  request: RequestLike,
  { client, uri, mode, state }: Destination,
  response: readonly (readonly [string, string])[],
  headers?: Readonly<Record<string, string>>,
): MaybePromise<HttpResponse> {
  const fields = [
    ...response,
    ...state === undefined ? [] : [["state", state] as const],
    ["iss", app.server.issuer] as const,
  ];
  if (mode === "query") return redirect(request.method, appendToRedirectUri(uri, fields), headers);
  const page = { ...app.site, action: uri, client: client.name ?? client.id, fields };
  return chain(app.pages(), (pages) => html(200, pages.formPost(page), headers));
}

/**
 * Says no to the person in front of the browser, in plain words; with the request, and what they probably meant.
 * `client` is the registered client that the request names, if it names one.
 */
export async function errorPage(
  app: App,
  target: RequestTarget,
  thrown: unknown,
  request?: RequestLike,
  client?: string,
): Promise<HttpResponse> {
  const { server } = app;
  const error = toOAuthError(server, target, thrown);
  traceRejection(server, target, error, client);
  const { status = errorStatus[error.code] } = error.details;
  const { rule, reason, expected, received } = error.explain();
  const [pages, { findRule }, { suggestMatch, mayListClients }] = await Promise.all([
    app.pages(),
    import("../oauth/rules/mod.ts"),
    import("./suggest_match.ts"),
  ]);
  const { fix, cites } = findRule(rule) ?? {};
  const address = new URLSearchParams(target.query);
  return html(
    status,
    pages.error({
      ...app.site,
      status,
      // Plain HTTP faults such as 404 are no OAuth errors.
      error: thrown instanceof HttpError && thrown.status !== 400 ? undefined : error.code,
      message: toSentence(reason),
      rule,
      cites,
      expected: mayListClients(app, request) ? expected : error.details.publicExpected ?? expected,
      received: status === 404 ? target.path : received,
      suggestion: suggestMatch(app, request, error),
      fix,
      // Pages whose address holds what is meant for a client alone lead nowhere else (RFC 9700 §4.2.4).
      allowsExternalLinks: !address.has("code") && !address.has("state"),
    }),
    retryAfterHeader(error),
  );
}

/** Begins with a capital, unless it begins with a name that is spelled small on the wire. */
function toSentence(text: string): string {
  const [first = ""] = text.split(" ");
  return first.includes("_") ? `${text}.` : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** When trying again makes sense (RFC 9110 §10.2.3). */
function retryAfterHeader({ details }: OAuthError): Readonly<Record<string, string>> {
  return details.retryAfter === undefined ? {} : { "retry-after": String(details.retryAfter) };
}

function traceRejection(server: Server, target: RequestTarget, error: OAuthError, client?: string): void {
  server.trace({
    type: "rejected",
    at: server.now(),
    endpoint: target.path,
    error: error.code,
    client,
    explanation: error.explain(),
  });
}

/** Fit for a quoted string in a header. */
function sanitizeQuotedString(text: string): string {
  return text.replace(/[^\x20\x21\x23-\x5B\x5D-\x7E]/g, "");
}
