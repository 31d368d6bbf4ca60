/** Error responses: an error of a handler is sent through the channel that the endpoint declares. */

import { upperFirst } from "./pages/first_letter.ts";
import { challenge, tokenChallenges, usedScheme } from "./http/challenge.ts";
import { html, HttpError, json, plainText, withHeaders } from "./http/message.ts";
import type { HttpResponse, RequestLike, ResponseLike } from "./http/message.ts";
import { deliveryTo, type PolledDestination } from "./request/delivery.ts";
import type { Destination, RedirectDestination } from "./request/destination.ts";
import { storedRequests } from "./request/request_source.ts";
import { type ErrorDetails, OAuthError } from "./errors.ts";
import { statusOf } from "./rules/error_code.ts";
import type { KeyProofs, Server } from "./server.ts";
import { authorizationResponse, responseFields, responseLocation } from "./authorization.ts";
import { encodeRetry, fixLink, mayListClients } from "../server/explain/client_change.ts";
import type { Context } from "./context.ts";
import { findOtherSite } from "./http/cross_site.ts";
import { exampleCommand } from "../server/explain/example_command.ts";
import { explanationUrl } from "../server/explain/explanation_url.ts";
import { isMissingPage } from "../server/explain/missing_page.ts";
import { findDisabledPage } from "../server/explain/find_disabled_page.ts";
import { detailHeaders, toOAuthError } from "./last_resort_error.ts";
import { suggestUrl } from "../server/explain/suggest_url.ts";
import { findFix, findRule } from "../server/explain/rules.ts";
import { rejectionProblem } from "../server/hosting/problem_response.ts";
import type { Pages } from "../server/pages.ts";
import { isShownFirst } from "../server/explain/untrusted_client.ts";

/**
 * Creates the error response for a value that a handler threw. On test hosts the header `Link` leads to the page that
 * explains the error (RFC 8288), for clients that show headers and no body.
 *
 * @param replacement The error page of the embedding program.
 */
export async function errorResponse(
  context: Context,
  thrown: unknown,
  replacement: Pages["error"],
): Promise<ResponseLike> {
  const url = explanationUrl(context, thrown);
  const rejected = await channelResponse(context, await withTexts(context, thrown));
  const response = "shown" in rejected
    ? await errorPage(context, rejected.shown, replacement, rejected.destination)
    : rejected;
  return url === undefined ? response : withHeaders(response, { link: `<${url}>; rel="help"` });
}

/** An error with its texts, or without them if the explanation fails; any other value as it is. */
async function withTexts({ server, target }: Context, thrown: unknown): Promise<unknown> {
  if (!(thrown instanceof OAuthError) || server.addTexts === undefined) return thrown;
  try {
    return await server.addTexts(server, thrown);
  } catch (cause) {
    server.trace({ type: "internal_error", at: server.now(), endpoint: target.path, cause });
    return thrown;
  }
}

/** An error to show as a page. */
interface ShownError {
  readonly shown: unknown;
  readonly destination?: RedirectDestination;
}

/** Rejects through the channel of the endpoint. */
async function channelResponse(context: Context, thrown: unknown): Promise<HttpResponse | ShownError> {
  switch (context.endpoint?.errors) {
    case undefined: {
      // No endpoint has the path.
      const error = explainNotFound(context, thrown);
      return expectsJson(context.request) ? jsonError(context, error) : { shown: error };
    }
    case "json":
      // A browser opened the URL of an endpoint for programs.
      return isWrongMethod(thrown) && requestedFormat(context.request) === "page"
        ? { shown: thrown }
        : jsonError(context, thrown);
    case "bearer":
      return bearerError(context, thrown);
    case "resource":
      return bearerError(context, thrown, context.server.keyProofs);
    case "text":
      return textError(context, thrown);
    case "problem":
      return problemError(context, thrown);
    case "redirect": {
      const isForUser = thrown instanceof OAuthError && thrown.details.forUser === true;
      const { destination } = context;
      if (destination !== undefined && !isForUser) {
        if (destination.mode === "poll") return await polledError(context, destination, thrown);
        return await isShownFirst(context)
          ? { shown: thrown, destination }
          : await redirectErrorOnce(context, destination, thrown);
      }
    }
  }
  return { shown: thrown };
}

function isWrongMethod(thrown: unknown): boolean {
  return thrown instanceof HttpError && thrown.status === 405;
}

/** Adds a hint to a 404: the page is turned off, or the endpoint that the client probably meant. */
function explainNotFound(context: Context, thrown: unknown): unknown {
  if (!(thrown instanceof HttpError) || thrown.status !== 404) return thrown;
  const off = findDisabledPage(context);
  if (off !== undefined) {
    // JSON has no member for the fix.
    const message = expectsJson(context.request) ? `${off.message}. ${off.fix.replace(/\.$/, "")}` : off.message;
    return new HttpError(404, "HT-01", message, { fix: off.fix });
  }
  const url = suggestUrl(context);
  if (url === undefined) return thrown;
  const received = context.target.path;
  return new HttpError(404, "HT-01", `This address does not exist. Did you mean ${url}?`, { expected: url, received });
}

/** The format that `Accept` names, a page first; `undefined` if it names neither. */
function requestedFormat({ headers }: RequestLike): "page" | "json" | undefined {
  const accept = headers.get("accept") ?? "";
  if (/text\/html/i.test(accept)) return "page";
  return /application\/(?:[\w.-]+\+)?json/i.test(accept) ? "json" : undefined;
}

/** Whether a program requested an unknown path, not a browser that shows a page. */
function expectsJson(request: RequestLike): boolean {
  const { headers } = request;
  const hasJsonBody = /^application\/json\b/i.test(headers.get("content-type") ?? "");
  return hasJsonBody || headers.get("accept") !== null && requestedFormat(request) !== "page";
}

/** Rejects as JSON (OAuth 2.1 §3.2.4). */
function jsonError(context: Context, thrown: unknown): HttpResponse {
  const error = tracedError(context, thrown);
  const { status, details: { challenge } } = error;
  const members = errorMembers(context, error);
  return json(status, members, {
    ...status === 401 && challenge !== "none" && { "www-authenticate": basicChallenge(context.server, members) },
    ...detailHeaders(error),
  });
}

/**
 * Rejects at a protected resource (RFC 6750 §3): the challenge names the error and the missing scope.
 *
 * @param keyProofs How requests prove possession of a key; absent if the endpoint accepts no proofs.
 */
function bearerError(context: Context, thrown: unknown, keyProofs?: KeyProofs): HttpResponse {
  const error = tracedError(context, thrown);
  const { status, details: { challenge: form } } = error;
  const members = errorMembers(context, error);
  const proofs = keyProofs && { scheme: keyProofs.scheme.name, ...keyProofs.policy(context.server) };
  const attributes = {
    // A request without any token receives no error code (§3.1).
    ...form !== "bare" && members,
    ...error.code === "insufficient_scope" && { scope: error.details.scope ?? "" },
  };
  return json(status, members, {
    ...(status === 401 || error.code === "insufficient_scope") &&
      {
        "www-authenticate": tokenChallenges(
          {
            scheme: usedScheme(context.request.headers.get("authorization"), proofs?.scheme),
            status,
            proofs,
          },
          { realm: context.server.issuer, ...attributes },
        ),
      },
    ...detailHeaders(error),
  });
}

/** Rejects as one line of plain text. Traces internal errors only. */
function textError({ server, target }: Context, thrown: unknown): HttpResponse {
  const { status, message } = toOAuthError(server, target.path, thrown);
  return plainText(status, message);
}

/** Rejects as problem details (RFC 9457). */
function problemError(context: Context, thrown: unknown): HttpResponse {
  return rejectionProblem(context.server.issuer, tracedError(context, thrown));
}

/**
 * The challenge of an endpoint for clients (RFC 7617 §2). On test hosts it also contains the error, as a `Bearer`
 * challenge does, because libraries that read a challenge do not show the body.
 */
export function basicChallenge({ issuer, settings }: Server, attributes: Readonly<Record<string, string>>): string {
  return challenge("Basic", { realm: issuer, charset: "UTF-8", ...settings.allows.explanations && attributes });
}

/** The challenge of a protected resource, with the error (RFC 6750 §3). */
export function bearerChallenge(issuer: string, attributes: Readonly<Record<string, string>>): string {
  return challenge("Bearer", { realm: issuer, ...attributes });
}

/** Sends the error to the client. A stored request gets only one response (RFC 9126 §4). */
async function redirectErrorOnce(
  context: Context,
  destination: Destination,
  thrown: unknown,
): Promise<HttpResponse | ShownError> {
  const isTemporary = !(thrown instanceof OAuthError) || statusOf(thrown.code) >= 500;
  if (destination.storedRequest === undefined || isTemporary) return await redirectError(context, destination, thrown);
  const consumed = storedRequests(context.server).consume(context.server, destination.storedRequest);
  return await redirectErrorAfter(consumed, context, destination, thrown);
}

/** Denies a polled request if the user denied it; any other error leaves the request pending. */
async function polledError(
  context: Context,
  destination: PolledDestination,
  thrown: unknown,
): Promise<HttpResponse | ShownError> {
  if (!(thrown instanceof OAuthError) || thrown.code !== "access_denied") return { shown: thrown };
  const denied = deliveryTo(context.server, destination).deny(context.server, destination);
  return await redirectErrorAfter(denied, context, destination, thrown);
}

/** Sends the error to the client when the store has ended the request; if the store fails, shows that error. */
async function redirectErrorAfter(
  ended: Promise<void>,
  context: Context,
  destination: Destination,
  thrown: unknown,
): Promise<HttpResponse | ShownError> {
  try {
    await ended;
  } catch (error) {
    return { shown: await withTexts(context, error) };
  }
  return await redirectError(context, destination, thrown);
}

/** Sends the error to the client through the browser (OAuth 2.1 §4.1.2.1). */
async function redirectError(context: Context, destination: Destination, thrown: unknown): Promise<HttpResponse> {
  const members = Object.entries(errorMembers(context, tracedError(context, thrown)));
  return await authorizationResponse(context, destination, members);
}

/**
 * The members of an error response. On test hosts `error_description` has the reason, and `error_uri` leads to the
 * page that explains the error.
 */
function errorMembers(context: Context, error: OAuthError): Readonly<Record<string, string>> {
  const isOpen = context.server.settings.allows.explanations;
  const url = explanationUrl(context, error);
  return {
    error: error.code,
    error_description: isOpen ? error.openDescription : error.description,
    ...url !== undefined && { error_uri: url },
  };
}

/**
 * Rejects as a page for the user, with the expected and the received value, and how to fix it; as JSON if the request
 * accepts JSON and no page.
 *
 * @param destination The client that the user may send the error to: the page has a link to it.
 */
async function errorPage(
  context: Context,
  thrown: unknown,
  replacement: Pages["error"],
  destination?: RedirectDestination,
): Promise<HttpResponse> {
  const { target } = context;
  const error = tracedError(context, thrown);
  // 401 is for requests that could contain credentials (RFC 9110 §15.5.2), and a user has no credentials of the client.
  const { status = error.code === "invalid_client" ? 400 : error.status } = error.details;
  if (requestedFormat(context.request) === "json") {
    return json(status, errorMembers(context, error), detailHeaders(error));
  }
  const explanation = error.explainToUser();
  const { rule, reason, expected, received } = explanation;
  const [{ renderPage }, { ErrorPage }, { suggestMatch }] = await Promise.all([
    import("./pages/render_page.ts"),
    import("./pages/error_page.tsx"),
    import("../server/explain/suggest_match.ts"),
  ]);
  const address = new URLSearchParams(target.query);
  const ownParameters = [...context.server.responseModes.values()].flatMap(({ parameters = [] }) =>
    parameters.map(({ name }) => name)
  );
  const off = context.endpoint === undefined ? findDisabledPage(context) : undefined;
  const { publicExpected } = error.details;
  const listsClients = mayListClients(context);
  const showsClients = publicExpected === undefined || listsClients;
  return html(
    status,
    renderPage(ErrorPage, {
      ...context.site,
      status,
      // Plain HTTP errors such as 404 have no OAuth error code.
      error: thrown instanceof HttpError && thrown.status !== 400 ? undefined : error.code,
      message: toSentence(showsClients ? reason : error.message),
      rule,
      cites: findRule(rule)?.cites,
      expected: showsClients ? expected : publicExpected,
      received: received ?? (status === 404 ? target.path : undefined),
      ...{
        suggestion: listsClients ? suggestMatch(context.server, error.explain()) : undefined,
        change: fixLink(context, explanation.change, await encodeRetry(context)),
      },
      fix: findFix(explanation),
      off: off !== undefined,
      command: isWrongMethod(thrown) ? exampleCommand(context) : off?.command,
      redirectUriUnverified: context.endpoint?.name === "authorize" && context.destination === undefined,
      client: destination && {
        host: new URL(destination.uri).host,
        href: await responseLocation(
          context,
          destination,
          responseFields(context.server, destination, Object.entries(errorMembers(context, error))),
        ),
      },
      // A page whose URL contains an authorization response has no links to other sites (RFC 9700 §4.2.4).
      allowsExternalLinks: !["code", "state", ...ownParameters].some((name) => address.has(name)),
    }, replacement),
    detailHeaders(error),
  );
}

function toSentence(text: string): string {
  return upperFirst(text) + (text.endsWith("?") ? "" : ".");
}

/** Converts a thrown value to an OAuth error and traces the rejection, or the missing page. */
function tracedError(context: Context, thrown: unknown): OAuthError {
  const { server, target, clientId } = context;
  const error = withoutChange(context, toOAuthError(server, target.path, thrown));
  const event = { at: server.now(), endpoint: target.path };
  server.trace(
    isMissingPage(context, thrown)
      ? { type: "page_missing", ...event, status: thrown.status, reason: error.explain().reason }
      : { type: "rejected", ...event, error: error.code, client: clientId, explanation: error.explain() },
  );
  return error;
}

/**
 * The error without its link to the form that changes the clients, if a page of another site caused the request: the
 * page could otherwise make the user register an attacker's client in a few clicks.
 */
function withoutChange(context: Context, error: OAuthError): OAuthError {
  const { change, ...details } = error.details;
  const page = change && findOtherSite(context);
  if (page === undefined) return error;
  const link = fixLink(context, change);
  const fix = link === undefined
    ? details.fix
    : `The request came from ${page} so this page has no link to the change. If you know that page, open the page of clients: ` +
      `${link.label}.`;
  return new OAuthError(error.code, error.message, { ...details, fix } as ErrorDetails);
}
