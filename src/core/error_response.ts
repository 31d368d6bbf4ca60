/** Error responses: an error of a handler is sent through the channel that the endpoint declares. */

import { authorizationResponse } from "./authorize.ts";
import type { Context } from "./context.ts";
import { OAuthError } from "./errors.ts";
import { HttpError, type HttpResponse, json, type RequestLike } from "./http/message.ts";
import { bearerError, detailHeaders, type ErrorMembers, jsonError, toOAuthError } from "./json_error.ts";
import type { Destination } from "./request/authorization_request.ts";
import { statusOf } from "./rules/rule.ts";
import type { Server } from "./server.ts";
import { redirectsToDevice } from "./redirect_uri.ts";
import { readSession } from "./session/cookies.ts";

/** Creates the function that creates the error response for a value that a handler threw. */
export function errorHandler(
  wording: ErrorWording = plainWording,
): (thrown: unknown, context: Context) => Promise<HttpResponse> {
  const explain = async (context: Context, thrown: unknown) => await wording.explain?.(context, thrown) ?? thrown;
  return async (thrown, context) => await respond(context, await explain(context, thrown));

  async function respond(context: Context, thrown: unknown): Promise<HttpResponse> {
    const { request, endpoint, destination } = context;
    switch (endpoint?.errors) {
      case "page":
        return await shownError(context, thrown);
      case "redirect": {
        const isForUser = thrown instanceof OAuthError && thrown.details.forUser === true;
        if (destination === undefined || isForUser) return await shownError(context, thrown);
        if (await isShownFirst(context, destination)) return await shownError(context, thrown, destination);
        return await redirectError(context, destination, thrown);
      }
      case "bearer":
      case "resource": {
        const error = wording.toError(context, thrown);
        return bearerError(context, error, wording.members(context, error));
      }
      case undefined:
        // No endpoint has the path.
        if (!expectsJson(request)) return await shownError(context, thrown);
        break;
      default:
        // A browser opened the URL of an endpoint for programs.
        if (isWrongMethod(thrown) && requestedFormat(request) === "page") return await shownError(context, thrown);
    }
    const error = wording.toError(context, thrown);
    return jsonError(context, error, wording.members(context, error));
  }

  /** Sends the error to the client through the browser (OAuth 2.1 §4.1.2.1). */
  async function redirectError(context: Context, destination: Destination, thrown: unknown): Promise<HttpResponse> {
    try {
      await endRequest(context.server, destination, thrown);
    } catch (error) {
      return await shownError(context, await explain(context, error));
    }
    const members = wording.members(context, wording.toError(context, thrown));
    return await authorizationResponse(context, destination, Object.entries(members));
  }

  /**
   * Rejects as a page for the user; as JSON if the request accepts JSON and no page.
   *
   * @param destination The client that the user may send the error to: the page has a link to it.
   */
  async function shownError(context: Context, thrown: unknown, destination?: Destination): Promise<HttpResponse> {
    const error = wording.toError(context, thrown);
    // 401 is for requests that could contain credentials (RFC 9110 §15.5.2), and a user has none of the client.
    const { status = error.code === "invalid_client" ? 400 : error.status } = error.details;
    const members = wording.members(context, error);
    if (requestedFormat(context.request) === "json") return json(status, members, detailHeaders(error));
    const client = destination && {
      host: new URL(destination.uri).host,
      href: (await authorizationResponse(context, destination, Object.entries(members))).headers.location,
    };
    return await wording.page(context, { thrown, error, status, client });
  }
}

export interface ShownError {
  readonly thrown: unknown;
  readonly error: OAuthError;
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
  /** Adds texts to a thrown value, before it is sent. Default: none. */
  explain?(context: Context, thrown: unknown): Promise<unknown>;
  /** Converts a thrown value to an OAuth error, and traces it. */
  toError(context: Context, thrown: unknown): OAuthError;
  members(context: Context, error: OAuthError): ErrorMembers;
  page(context: Context, shown: ShownError): Promise<HttpResponse>;
}

/** The wording without explanations: code, message and rule. */
export const plainWording: ErrorWording = {
  toError(context, thrown) {
    const { server, target, clientId } = context;
    const error = toOAuthError(server, target.path, thrown);
    const event = { type: "rejected", at: server.now(), endpoint: target.path, client: clientId } as const;
    server.trace({ ...event, error: error.code, explanation: error.explain() });
    return error;
  },
  members: ({ server }, error) => ({
    error: error.code,
    error_description: server.settings.allows.explanations ? error.openDescription : error.description,
  }),
  async page({ site }, { error, status, client }) {
    const [{ plainPage }, { PlainErrorPage }] = await Promise.all([
      import("./pages/render_page.ts"),
      import("./pages/plain_pages.tsx"),
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
export function expectsJson(request: RequestLike): boolean {
  const { headers } = request;
  const hasJsonBody = /^application\/json\b/i.test(headers.get("content-type") ?? "");
  return hasJsonBody || headers.get("accept") !== null && requestedFormat(request) !== "page";
}

/** Ends a request. A stored one is consumed: it gets only one response (RFC 9126 §4). */
async function endRequest(server: Server, destination: Destination, thrown: unknown): Promise<void> {
  await server.responseModes.get(destination.mode)?.end?.(server, destination, thrown);
  const isTemporary = !(thrown instanceof OAuthError) || statusOf(thrown.code) >= 500;
  const { storedRequest } = destination;
  if (storedRequest !== undefined && !isTemporary) await server.requestParts.consume?.(server, storedRequest);
}

/** The format that `Accept` names, a page first; `undefined` if it names neither. */
function requestedFormat({ headers }: RequestLike): "page" | "json" | undefined {
  const accept = headers.get("accept") ?? "";
  if (/text\/html/i.test(accept)) return "page";
  return /application\/(?:[\w.-]+\+)?json/i.test(accept) ? "json" : undefined;
}

/**
 * Whether an error must be shown to the user before it is sent to the client (open redirect, OAuth 2.1 §7.13.2): the
 * server does not permit the redirect, the client is not on the user's device, and the user has not logged in.
 */
async function isShownFirst(context: Context, { uri }: Destination): Promise<boolean> {
  const { server, clientId, endpoint } = context;
  // The pages for login and consent follow an interaction; only the authorization endpoint is in the metadata.
  if (endpoint?.metadataName === undefined) return false;
  const client = server.clients.known().get(clientId ?? "");
  if (client === undefined || server.permits(server, client, "redirectBeforeLogin")) return false;
  if (redirectsToDevice(uri)) return false;
  return await readSession(context) === undefined;
}
