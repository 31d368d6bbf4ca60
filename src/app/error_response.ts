/** Error responses: an error of a handler is sent through the channel that the endpoint declares. */

import { challenge } from "../http/challenge.ts";
import { HttpError } from "../http/http_error.ts";
import type { HttpResponse, RequestLike } from "../http/message.ts";
import { html, json, plainText, redirect } from "../http/responses.ts";
import type { RequestTarget } from "../http/router.ts";
import type { Destination } from "../oauth/authorize/destination.ts";
import { errorStatus, OAuthError } from "../oauth/errors.ts";
import { appendToRedirectUri } from "../oauth/clients/redirect_uri.ts";
import type { Server } from "../oauth/server.ts";
import { chain } from "../oauth/maybe_promise.ts";
import type { MaybePromise } from "../oauth/maybe_promise.ts";
import type { Context } from "./context.ts";
import { isShownFirst } from "./untrusted_client.ts";

/** Creates the error response for a value that a handler threw. */
export function errorResponse(context: Context, thrown: unknown): MaybePromise<HttpResponse> {
  switch (context.endpoint?.errors) {
    case undefined:
      // No endpoint has the path.
      if (expectsJson(context.request)) return jsonError(context, thrown);
      break;
    case "json":
      return jsonError(context, thrown);
    case "bearer":
      return bearerError(context, thrown);
    case "text":
      return textError(context, thrown);
    case "redirect": {
      const isForUser = thrown instanceof OAuthError && thrown.details.forUser === true;
      const { destination } = context;
      if (destination !== undefined && !isForUser) {
        const code = thrown instanceof OAuthError ? thrown.code : "server_error";
        return chain(
          isShownFirst(context, code),
          (shown) => shown ? errorPage(context, thrown, destination) : redirectErrorOnce(context, destination, thrown),
        );
      }
    }
  }
  return errorPage(context, thrown);
}

/** Whether a program sent the request, not a browser that shows a page. */
function expectsJson({ headers }: RequestLike): boolean {
  const hasJsonBody = /^application\/json\b/i.test(headers.get("content-type") ?? "");
  return hasJsonBody || !/text\/html/i.test(headers.get("accept") ?? "text/html");
}

/** Converts a thrown value to an OAuth error. An unexpected value is traced as an internal error and not revealed. */
function toOAuthError(server: Server, path: string, thrown: unknown): OAuthError {
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
    return new OAuthError("temporarily_unavailable", "the server cannot reach its store, try again later", {
      rule: "AZ-22",
      retryAfter: 1,
    });
  }
  return new OAuthError("server_error", "the server encountered an unexpected condition", { rule: "AZ-22" });
}

/** Rejects as JSON (OAuth 2.1 §3.2.4). */
function jsonError(context: Context, thrown: unknown): HttpResponse {
  const error = tracedError(context, thrown);
  const status = error.details.status ?? errorStatus[error.code];
  return json(status, { error: error.code, error_description: error.description }, {
    ...status === 401 && { "www-authenticate": basicChallenge(context.server.issuer) },
    ...retryAfterHeader(error),
  });
}

/** The response if the error channel itself failed, or the request did not reach the router. */
export function lastResortError(server: Server, target: RequestTarget, thrown: unknown): HttpResponse {
  const error = toOAuthError(server, target.path, thrown);
  return json(errorStatus[error.code], { error: error.code, error_description: error.description }, {
    "referrer-policy": "no-referrer",
    ...retryAfterHeader(error),
  });
}

/** Rejects at a protected resource (RFC 6750 §3): the challenge names the error and the missing scope. */
function bearerError(context: Context, thrown: unknown): HttpResponse {
  const error = tracedError(context, thrown);
  const { status = errorStatus[error.code], challenge: form } = error.details;
  const attributes = {
    // A request without any token receives no error code (§3.1).
    ...form !== "bare" && { error: error.code, error_description: error.description },
    ...error.code === "insufficient_scope" && { scope: error.details.expected ?? "" },
  };
  return json(status, { error: error.code, error_description: error.description }, {
    ...(status === 401 || status === 403) &&
      { "www-authenticate": bearerChallenge(context.server.issuer, attributes) },
    ...retryAfterHeader(error),
  });
}

/** Rejects as one line of plain text. Traces internal errors only. */
function textError({ server, target }: Context, thrown: unknown): HttpResponse {
  const { details, code, message } = toOAuthError(server, target.path, thrown);
  return plainText(details.status ?? errorStatus[code], message);
}

/** The challenge of an endpoint for clients (RFC 7617 §2). */
export function basicChallenge(issuer: string): string {
  return challenge("Basic", { realm: issuer, charset: "UTF-8" });
}

/** The challenge of a protected resource, with the error (RFC 6750 §3). */
export function bearerChallenge(issuer: string, attributes: Readonly<Record<string, string>>): string {
  return challenge("Bearer", { realm: issuer, ...attributes });
}

/** Sends the error to the client; the first response to a pushed request is the only one (RFC 9126 §4). */
function redirectErrorOnce(context: Context, destination: Destination, thrown: unknown): MaybePromise<HttpResponse> {
  const isTemporary = !(thrown instanceof OAuthError) || errorStatus[thrown.code] >= 500;
  if (destination.pushedRequest === undefined || isTemporary) return redirectError(context, destination, thrown);
  return consumeAndRedirect(context, destination, destination.pushedRequest, thrown);
}

async function consumeAndRedirect(
  context: Context,
  destination: Destination,
  pushedRequest: string,
  thrown: unknown,
): Promise<HttpResponse> {
  try {
    const { consumePushedRequest } = await import("../oauth/authorize/pushed_request.ts");
    await consumePushedRequest(context.server, pushedRequest);
  } catch (error) {
    return await errorPage(context, error);
  }
  return await redirectError(context, destination, thrown);
}

/** Sends the error to the client through the browser (OAuth 2.1 §4.1.2.1). */
function redirectError(context: Context, destination: Destination, thrown: unknown): MaybePromise<HttpResponse> {
  return authorizationResponse(context, destination, errorFields(tracedError(context, thrown)));
}

function errorFields({ code, description }: OAuthError): readonly (readonly [string, string])[] {
  return [["error", code], ["error_description", description]];
}

/** Sends an authorization response to the client, with `state` as received and `iss` (RFC 9207 §2). */
export function authorizationResponse(
  context: Pick<Context, "server" | "site" | "pages" | "request" | "clientId">,
  destination: Destination,
  response: readonly (readonly [string, string])[],
  headers?: Readonly<Record<string, string>>,
): MaybePromise<HttpResponse> {
  const { uri, mode } = destination;
  const fields = responseFields(context.server, destination, response);
  if (mode === "query") return redirect(context.request.method, appendToRedirectUri(uri, fields), headers);
  const { clientId = "" } = context;
  const client = context.server.clients.findCached(clientId)?.name ?? clientId;
  const page = { ...context.site, action: uri, client, fields };
  return chain(
    context.pages(),
    (pages) => ({ ...html(200, pages.formPost(page), headers), form: { action: uri, fields } }),
  );
}

function responseFields(
  { issuer }: Server,
  { state }: Destination,
  response: readonly (readonly [string, string])[],
): readonly (readonly [string, string])[] {
  return [...response, ...state === undefined ? [] : [["state", state] as const], ["iss", issuer]];
}

/**
 * Rejects as a page for the user, with the expected and the received value, and how to fix it.
 *
 * @param destination The client that the user may send the error to: the page has a link to it.
 */
async function errorPage(context: Context, thrown: unknown, destination?: Destination): Promise<HttpResponse> {
  const { target } = context;
  const error = tracedError(context, thrown);
  // 401 is for requests that could contain credentials (RFC 9110 §15.5.2), and a user has none for a client.
  const { status = error.code === "invalid_client" ? 400 : errorStatus[error.code] } = error.details;
  const explanation = error.explain();
  const { rule, reason, expected, received } = explanation;
  const [pages, { findFix, findRule }, { suggestMatch, mayListClients }] = await Promise.all([
    context.pages(),
    import("../oauth/rules/mod.ts"),
    import("./suggest_match.ts"),
  ]);
  const address = new URLSearchParams(target.query);
  return html(
    status,
    pages.error({
      ...context.site,
      status,
      // Plain HTTP errors such as 404 have no OAuth error code.
      error: thrown instanceof HttpError && thrown.status !== 400 ? undefined : error.code,
      message: toSentence(reason),
      rule,
      cites: findRule(rule)?.cites,
      expected: mayListClients(context) ? expected : error.details.publicExpected ?? expected,
      received: status === 404 ? target.path : received,
      suggestion: suggestMatch(context, error),
      fix: findFix(explanation),
      client: destination && {
        host: new URL(destination.uri).host,
        href: destination.mode === "query"
          ? appendToRedirectUri(destination.uri, responseFields(context.server, destination, errorFields(error)))
          : undefined,
      },
      // A page whose URL contains an authorization response has no links to other sites (RFC 9700 §4.2.4).
      allowsExternalLinks: !address.has("code") && !address.has("state"),
    }),
    retryAfterHeader(error),
  );
}

/** Starts with a capital letter, unless the first word is a wire name such as `redirect_uri`. */
function toSentence(text: string): string {
  const [first = ""] = text.split(" ");
  return first.includes("_") ? `${text}.` : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** The `Retry-After` header (RFC 9110 §10.2.3). */
function retryAfterHeader({ details }: OAuthError): Readonly<Record<string, string>> {
  return details.retryAfter === undefined ? {} : { "retry-after": String(details.retryAfter) };
}

/** Converts a thrown value to an OAuth error and traces the rejection. */
function tracedError({ server, target, clientId }: Context, thrown: unknown): OAuthError {
  const error = toOAuthError(server, target.path, thrown);
  server.trace({
    type: "rejected",
    at: server.now(),
    endpoint: target.path,
    error: error.code,
    client: clientId,
    explanation: error.explain(),
  });
  return error;
}
