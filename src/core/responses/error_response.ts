/** Error responses: to the client of an authorization request, or as the endpoint declares. */

import { authorizationResponse } from "./authorization_response.ts";
import type { Context, CoreApp, FailedRequest } from "../http/context.ts";
import { type Explanation, OAuthError } from "../rules/errors.ts";
import { HttpError, type HttpRequest, type HttpResponse, json } from "../http/message.ts";
import { bearerError, detailHeaders, type ErrorMembers, jsonError, toOAuthError } from "../http/json_error.ts";
import type { Recipient } from "../authorize/authorization_request.ts";

/**
 * Runs the part of a request after its client is known, so that an error names it; if the destination of the response
 * is known too, an error is sent to the client (OAuth 2.1 §4.1.2.1).
 */
export async function withErrors(
  context: Context,
  about: FailedRequest,
  action: () => HttpResponse | Response | Promise<HttpResponse | Response>,
): Promise<HttpResponse | Response> {
  try {
    return await action();
  } catch (error) {
    return await context.app.handleError(error, context, about);
  }
}

/** Traces that a request was rejected. @param client Absent if it is unknown. */
export function traceRejection(
  { server, target }: Context,
  error: string,
  explanation: Explanation,
  client?: FailedRequest["client"],
): void {
  const event = { type: "rejected", at: server.now(), endpoint: target.path } as const;
  server.trace({ ...event, error, ...client !== undefined && { client: client.id }, explanation });
}

export interface ErrorResponses {
  /** To the client, through the browser (OAuth 2.1 §4.1.2.1). */
  toClient(context: Context, thrown: unknown, recipient: Recipient): Promise<HttpResponse>;
  /** To the user: a page, or JSON if the request accepts JSON and no page. */
  toUser(context: Context, thrown: unknown, about: FailedRequest): Promise<HttpResponse>;
  /** To the sender of the request, as the endpoint declares. */
  toSender(context: Context, thrown: unknown, about: FailedRequest): Promise<HttpResponse>;
}

/**
 * Creates the function that responds with an error: to the client if its redirect URI is known, otherwise as the
 * endpoint says.
 */
export function errorHandler(responses = errorResponses(plainWording)): CoreApp["handleError"] {
  return async (thrown, context, about = {}) =>
    about.destination === undefined || isForUser(thrown)
      ? await responses.toSender(context, thrown, about)
      : await responses.toClient(context, thrown, about);
}

/** Whether an error is for the user alone, as a program or an extension has thrown it. */
export function isForUser(thrown: unknown): boolean {
  return thrown instanceof OAuthError && thrown.details.forUser === true;
}

export function errorResponses(wording: ErrorWording): ErrorResponses {
  return { toClient, toUser, toSender };

  async function toClient(context: Context, thrown: unknown, recipient: Recipient): Promise<HttpResponse> {
    const members = wording.members(context, wording.toError(context, thrown, recipient));
    return await authorizationResponse(context, recipient, Object.entries(members));
  }

  async function toUser(context: Context, thrown: unknown, about: FailedRequest): Promise<HttpResponse> {
    const error = wording.toError(context, thrown, about);
    // 401 is for requests that could contain credentials (RFC 9110 §15.5.2), and a user does not have those of the
    // client.
    const { status = error.code === "invalid_client" ? 400 : error.status } = error.details;
    if (requestedFormat(context.request) === "json") {
      return json(status, wording.members(context, error), detailHeaders(error));
    }
    return await wording.page(context, { thrown, error, about, status });
  }

  async function toSender(context: Context, thrown: unknown, about: FailedRequest): Promise<HttpResponse> {
    if (isSentByUser(context, thrown)) return await toUser(context, thrown, about);
    const error = wording.toError(context, thrown, about);
    const members = wording.members(context, error);
    const errors = context.endpoint?.errors;
    const respond = errors === "bearer" || errors === "resource" ? bearerError : jsonError;
    return respond(context, error, members);
  }
}

/** Whether a user sent the request with a browser, and not a program. */
function isSentByUser({ request, endpoint }: Context, thrown: unknown): boolean {
  switch (endpoint?.errors) {
    case "page":
    case "redirect":
      return !isWrongMethod(thrown) || !expectsJson(request);
    case "bearer":
    case "resource":
      return false;
    // No endpoint has the path.
    case undefined:
      return !expectsJson(request);
    // A browser may open the URL of an endpoint for programs.
    default:
      return isWrongMethod(thrown) && requestedFormat(request) === "page";
  }
}

/** An error, as its page shows it. */
export interface ShownError {
  readonly thrown: unknown;
  readonly error: OAuthError;
  readonly about: FailedRequest;
  readonly status: number;
}

export interface ErrorWording {
  /** Converts a thrown value to an OAuth error, and traces it. */
  toError(context: Context, thrown: unknown, about: FailedRequest): OAuthError;
  members(context: Context, error: OAuthError): ErrorMembers;
  page(context: Context, shown: ShownError): Promise<HttpResponse>;
}

/** The wording without explanations: code, message and rule. */
export const plainWording: ErrorWording = {
  toError(context, thrown, { client }) {
    const error = toOAuthError(context.server, context.target.path, thrown);
    traceRejection(context, error.code, error.explain(), client);
    return error;
  },
  members: ({ server }, error) => ({
    error: error.code,
    error_description: server.policy.allows.explanations ? error.openDescription : error.description,
  }),
  async page({ site }, { error, status }) {
    const [{ plainPage }, { PlainErrorPage }] = await Promise.all([
      import("../pages/render_page.ts"),
      import("../pages/plain_pages.tsx"),
    ]);
    const { code, message, details: { rule } } = error;
    return await plainPage(
      status,
      PlainErrorPage,
      { issuer: site.issuer, error: code, message, rule },
      detailHeaders(error),
    );
  },
};

export function isWrongMethod(thrown: unknown): boolean {
  return thrown instanceof HttpError && thrown.status === 405;
}

/** Whether a program requested an unknown path, not a browser that shows a page. */
export function expectsJson(request: HttpRequest): boolean {
  const { headers } = request;
  const hasJsonBody = /^application\/(?:[\w.+-]*[+-])?json\b/i.test(headers.get("content-type") ?? "");
  return hasJsonBody || headers.get("accept") !== null && requestedFormat(request) !== "page";
}

/** The format that `Accept` names, a page first; `undefined` if it names neither. */
function requestedFormat({ headers }: HttpRequest): "page" | "json" | undefined {
  const accept = headers.get("accept") ?? "";
  if (/text\/html/i.test(accept)) return "page";
  return /application\/(?:[\w.-]+\+)?json/i.test(accept) ? "json" : undefined;
}
