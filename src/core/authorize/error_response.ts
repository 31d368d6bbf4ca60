/** Error responses: to the client of an authorization request, or as the endpoint declares. */

import { authorizationResponse } from "./authorization_response.ts";
import type { Client } from "../clients/repository.ts";
import type { Context, CoreApp, FailedRequest } from "../http/context.ts";
import { OAuthError } from "../rules/errors.ts";
import { HttpError, type HttpRequest, type HttpResponse, json } from "../http/message.ts";
import { bearerError, detailHeaders, type ErrorMembers, jsonError, toOAuthError } from "../http/json_error.ts";
import type { Destination, Recipient } from "./authorization_request.ts";
import { statusOf } from "../rules/rule.ts";
import type { Server } from "../server.ts";

/**
 * Runs the part of a request after its client and the destination of the response are known: an error is sent to the
 * client (OAuth 2.1 §4.1.2.1), except one that only the user may see.
 */
export async function toClient(
  context: Context,
  recipient: Recipient,
  action: () => HttpResponse | Response | Promise<HttpResponse | Response>,
): Promise<HttpResponse | Response> {
  return await run(context, recipient.client, recipient, action);
}

/** Runs the part of a request after its client is known: the trace of an error names the client. */
export async function ofClient(
  context: Context,
  client: Pick<Client, "id">,
  action: () => HttpResponse | Response | Promise<HttpResponse | Response>,
): Promise<HttpResponse | Response> {
  return await run(context, client, { client }, action);
}

async function run(
  context: Context,
  { id }: Pick<Client, "id">,
  about: FailedRequest,
  action: () => HttpResponse | Response | Promise<HttpResponse | Response>,
): Promise<HttpResponse | Response> {
  const { app, server } = context;
  server.observe(server, id, "known client", undefined);
  try {
    return await action();
  } catch (error) {
    return await app.handleError(error, context, about);
  }
}

/** Creates the function that responds with an error. */
export function errorHandler(
  wording: ErrorWording = plainWording,
): (...failure: Parameters<CoreApp["handleError"]>) => Promise<HttpResponse> {
  const explain = async (context: Context, thrown: unknown) => await wording.explain?.(context, thrown) ?? thrown;
  return async (thrown, context, about = {}) => await respond(context, await explain(context, thrown), about);

  async function respond(context: Context, thrown: unknown, about: FailedRequest): Promise<HttpResponse> {
    const { request, endpoint } = context;
    const isForUser = thrown instanceof OAuthError && thrown.details.forUser === true;
    if (about.destination !== undefined && !isForUser) {
      if (await wording.isShownFirst?.(context, about)) return await shownError(context, thrown, about, about);
      return await sendToClient(context, thrown, about);
    }
    switch (endpoint?.errors) {
      case "page":
      case "redirect":
        return await shownError(context, thrown, about);
      case "bearer":
      case "resource": {
        const error = wording.toError(context, thrown, about);
        return bearerError(context, error, wording.members(context, error));
      }
      case undefined:
        // No endpoint has the path.
        if (!expectsJson(request)) return await shownError(context, thrown, about);
        break;
      default:
        // A browser opened the URL of an endpoint for programs.
        if (isWrongMethod(thrown) && requestedFormat(request) === "page") {
          return await shownError(context, thrown, about);
        }
    }
    const error = wording.toError(context, thrown, about);
    return jsonError(context, error, wording.members(context, error));
  }

  /** Sends the error to the client through the browser (OAuth 2.1 §4.1.2.1). */
  async function sendToClient(context: Context, thrown: unknown, recipient: Recipient): Promise<HttpResponse> {
    try {
      await endRequest(context.server, recipient.destination, thrown);
    } catch (error) {
      return await shownError(context, await explain(context, error), recipient);
    }
    const members = wording.members(context, wording.toError(context, thrown, recipient));
    return await authorizationResponse(context, recipient, Object.entries(members));
  }

  /**
   * Rejects as a page for the user; as JSON if the request accepts JSON and no page.
   *
   * @param recipient The client that the user may send the error to: the page has a link to it. Default: none.
   */
  async function shownError(
    context: Context,
    thrown: unknown,
    about: FailedRequest,
    recipient?: Recipient,
  ): Promise<HttpResponse> {
    const error = wording.toError(context, thrown, about);
    // 401 is for requests that could contain credentials (RFC 9110 §15.5.2), and a user has none of the client.
    const { status = error.code === "invalid_client" ? 400 : error.status } = error.details;
    const members = wording.members(context, error);
    if (requestedFormat(context.request) === "json") return json(status, members, detailHeaders(error));
    const client = recipient && {
      host: new URL(recipient.destination.uri).host,
      href: (await authorizationResponse(context, recipient, Object.entries(members))).headers.location,
    };
    return await wording.page(context, { thrown, error, about, status, client });
  }
}

export interface ShownError {
  readonly thrown: unknown;
  readonly error: OAuthError;
  readonly about: FailedRequest;
  readonly status: number;
  /** The client that the user may send the error to; absent if there is none. */
  readonly client?: {
    /** The host of the redirect URI. */
    readonly host: string;
    /** The redirect with the error; absent if it would be a form. */
    readonly href?: string;
  };
}

export interface ErrorWording {
  /**
   * Whether an error must be shown to the user before it is sent to the client (open redirect, OAuth 2.1 §7.13.2).
   * Default: it is sent immediately.
   */
  isShownFirst?(context: Context, recipient: Recipient): Promise<boolean>;
  /** Adds texts to a thrown value, before it is sent. Default: none. */
  explain?(context: Context, thrown: unknown): Promise<unknown>;
  /** Converts a thrown value to an OAuth error, and traces it. */
  toError(context: Context, thrown: unknown, about: FailedRequest): OAuthError;
  members(context: Context, error: OAuthError): ErrorMembers;
  page(context: Context, shown: ShownError): Promise<HttpResponse>;
}

/** The wording without explanations: code, message and rule. */
export const plainWording: ErrorWording = {
  toError({ server, target }, thrown, { client }) {
    const error = toOAuthError(server, target.path, thrown);
    const event = { type: "rejected", at: server.now(), endpoint: target.path, client: client?.id } as const;
    server.trace({ ...event, error: error.code, explanation: error.explain() });
    return error;
  },
  members: ({ server }, error) => ({
    error: error.code,
    error_description: server.settings.allows.explanations ? error.openDescription : error.description,
  }),
  async page({ site }, { error, status, client }) {
    const [{ plainPage }, { PlainErrorPage }] = await Promise.all([
      import("../pages/render_page.ts"),
      import("../pages/plain_pages.tsx"),
    ]);
    const { code, message, details: { rule } } = error;
    return await plainPage(
      status,
      PlainErrorPage,
      { issuer: site.issuer, error: code, message, rule, client },
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
  const hasJsonBody = /^application\/json\b/i.test(headers.get("content-type") ?? "");
  return hasJsonBody || headers.get("accept") !== null && requestedFormat(request) !== "page";
}

/** Ends a request before its error is sent, unless the error is temporary. */
async function endRequest(server: Server, destination: Destination, thrown: unknown): Promise<void> {
  await server.responseModes.get(destination.mode)?.end?.(server, destination, thrown);
  const isTemporary = !(thrown instanceof OAuthError) || statusOf(thrown.code) >= 500;
  if (!isTemporary) await server.endRequest?.(server, destination);
}

/** The format that `Accept` names, a page first; `undefined` if it names neither. */
function requestedFormat({ headers }: HttpRequest): "page" | "json" | undefined {
  const accept = headers.get("accept") ?? "";
  if (/text\/html/i.test(accept)) return "page";
  return /application\/(?:[\w.-]+\+)?json/i.test(accept) ? "json" : undefined;
}
