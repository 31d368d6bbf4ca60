/** Error responses: an error of a handler is sent through the channel that the endpoint declares. */

import { authorizationResponse } from "./authorize.ts";
import type { Context } from "./context.ts";
import { OAuthError } from "./errors.ts";
import { HttpError, type HttpResponse, json, type RequestLike } from "./http/message.ts";
import { type ErrorWording, plainWording } from "./error_wording.ts";
import { bearerError, detailHeaders, jsonError } from "./json_error.ts";
import { deliveryTo } from "./request/delivery.ts";
import type { Destination, RedirectDestination } from "./request/destination.ts";
import { storedRequests } from "./request/request_source.ts";
import { statusOf } from "./rules/error_code.ts";
import type { Server } from "./server.ts";
import { isShownFirst } from "./untrusted_client.ts";

/** Creates the function that creates the error response for a value that a handler threw. */
export function errorHandler(
  wording: ErrorWording = plainWording,
): (thrown: unknown, context: Context) => Promise<HttpResponse> {
  const explain = async (context: Context, thrown: unknown) => await wording.explain?.(context, thrown) ?? thrown;
  return async (thrown, context) => await respond(context, await explain(context, thrown));

  /** Rejects through the channel of the endpoint. */
  async function respond(context: Context, thrown: unknown): Promise<HttpResponse> {
    const { request, endpoint, destination, server } = context;
    switch (endpoint?.errors) {
      case "page":
        return await shownError(context, thrown);
      case "redirect": {
        const isForUser = thrown instanceof OAuthError && thrown.details.forUser === true;
        if (destination === undefined || isForUser) return await shownError(context, thrown);
        if (destination.mode === "poll") {
          // Any other error leaves the request pending.
          const isDenied = thrown instanceof OAuthError && thrown.code === "access_denied";
          if (!isDenied) return await shownError(context, thrown);
        } else if (await isShownFirst(context)) return await shownError(context, thrown, destination);
        return await redirectError(context, destination, thrown);
      }
      case "bearer":
      case "resource": {
        const error = wording.toError(context, thrown);
        const keyProofs = endpoint.errors === "resource" ? server.possession.byProof : undefined;
        return bearerError(context, error, wording.members(context, error), keyProofs);
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
  async function shownError(
    context: Context,
    thrown: unknown,
    destination?: RedirectDestination,
  ): Promise<HttpResponse> {
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

/** Denies a polled request; consumes a stored one, which gets only one response (RFC 9126 §4). */
async function endRequest(server: Server, destination: Destination, thrown: unknown): Promise<void> {
  if (destination.mode === "poll") return await deliveryTo(server, destination).deny(server, destination);
  const isTemporary = !(thrown instanceof OAuthError) || statusOf(thrown.code) >= 500;
  const { storedRequest } = destination;
  if (storedRequest !== undefined && !isTemporary) await storedRequests(server).consume(server, storedRequest);
}

/** Whether the method of a request is not allowed. */
export function isWrongMethod(thrown: unknown): boolean {
  return thrown instanceof HttpError && thrown.status === 405;
}

/** The format that `Accept` names, a page first; `undefined` if it names neither. */
function requestedFormat({ headers }: RequestLike): "page" | "json" | undefined {
  const accept = headers.get("accept") ?? "";
  if (/text\/html/i.test(accept)) return "page";
  return /application\/(?:[\w.-]+\+)?json/i.test(accept) ? "json" : undefined;
}

/** Whether a program requested an unknown path, not a browser that shows a page. */
export function expectsJson(request: RequestLike): boolean {
  const { headers } = request;
  const hasJsonBody = /^application\/json\b/i.test(headers.get("content-type") ?? "");
  return hasJsonBody || headers.get("accept") !== null && requestedFormat(request) !== "page";
}
