/**
 * Error responses of the whole server: the channels of the core, plain text and problem details, with the texts of
 * their rules, suggestions, and links to pages for developers.
 */

import { upperFirst } from "../pages/first_letter.ts";
import { plainText } from "../../platform/http/response.ts";
import { rejectionProblem } from "./problem_response.ts";
import {
  errorResponses,
  type ErrorWording,
  expectsJson,
  isForUser,
  isWrongMethod,
  plainWording,
  type ShownError,
  traceRejection,
} from "../../core/responses/error_response.ts";
import { html, HttpError, type HttpResponse, withHeaders } from "../../core/http/message.ts";
import { type ErrorDetails, OAuthError } from "../../core/rules/errors.ts";
import { isCrossSite } from "../../core/http/cross_site.ts";
import { isUnstated } from "../pages/same_origin.ts";
import { readSession } from "../../core/sessions/cookies.ts";
import type { Destination, Recipient } from "../../core/authorize/authorization_request.ts";
import { authorizationResponse } from "../../core/responses/authorization_response.ts";
import { redirectsToDevice } from "../../core/clients/redirect_uri.ts";
import type { CoreApp, FailedRequest } from "../../core/http/context.ts";
import { statusOf } from "../../core/rules/rule.ts";
import { denyPolled, isPolled } from "../stored/delivery.ts";
import { isPermitted } from "../config/standing.ts";
import { storedRequest, storedRequests } from "../stored/stored_requests.ts";
import { detailHeaders, toOAuthError } from "../../core/http/json_error.ts";
import type { Interaction } from "../login/pending.ts";
import type { Pages } from "../pages.ts";
import { encodeRetry, fixLink, mayListClients } from "./client_change.ts";
import { explanationUrl } from "./explanation_url.ts";
import { isMissingPage } from "../pages/missing_page.ts";
import { findRule, nameProfile, withFix } from "../rules.ts";
import { suggestControl } from "./admin_api.ts";
import { suggestIssuersByPath, suggestUrl } from "./suggest_url.ts";
import type { HostedServer } from "../hosted_server.ts";
import type { Context } from "../endpoint.ts";
import { publicUrl } from "../../core/http/endpoint.ts";
import { appOf, type DisabledPage } from "../app.ts";
import { suggestMatch } from "../explain/suggest_match.ts";

/**
 * Creates the function that creates the error response for a value that a handler threw. On test hosts the header
 * `Link` leads to the page that explains the error (RFC 8288), for clients that show headers and no body.
 *
 * @param replacement The error page of the embedding program.
 */
export function explainedErrorHandler(
  replacement: Pages["error"],
): CoreApp["handleError"] {
  const wording = explainedWording(replacement);
  const { toClient, toUser, toSender } = errorResponses(wording);
  return async (thrown, context, about = {}) => {
    const url = explanationUrl(context, thrown);
    const response = await respond(thrown, context as Context<HostedServer>, about);
    return url === undefined ? response : withHeaders(response, { link: `<${url}>; rel="help"` });
  };

  async function respond(
    thrown: unknown,
    context: Context<HostedServer>,
    about: FailedRequest,
  ): Promise<HttpResponse | Response> {
    const { server, endpoint, target } = context;
    if (endpoint?.errors === "text") {
      // One line. Only internal errors are traced.
      const { status, message } = toOAuthError(server, target.path, thrown);
      return plainText(status, message);
    }
    const explained = await explain(context, thrown);
    if (endpoint?.errors === "problem") {
      // RFC 9457.
      return rejectionProblem(server.issuer, wording.toError(context, explained, about));
    }
    if (about.destination === undefined || isForUser(explained)) return await toSender(context, explained, about);
    try {
      await endRequest(server, about.destination, explained);
    } catch (error) {
      return await toUser(context, await explain(context, error), about);
    }
    if (!await isShownFirst(context, about)) return await toClient(context, explained, about);
    const shown: UnsentError = { ...about, isUnsent: true };
    return await toUser(context, explained, shown);
  }
}

/** An error that its client has not received: the user may send it. */
interface UnsentError extends Recipient {
  readonly isUnsent: true;
}

/**
 * An error with its texts, or without them if the explanation fails. The 404 of an unknown path gets a hint; any other
 * value stays as it is.
 */
async function explain(context: Context<HostedServer>, thrown: unknown): Promise<unknown> {
  const found = explainNotFound(context, thrown);
  if (!(found instanceof OAuthError)) return found;
  const { server, target } = context;
  const error = nameProfile(found);
  try {
    return await server.explainError(server, error);
  } catch (cause) {
    server.trace({ type: "internal_error", at: server.now(), endpoint: target.path, cause });
    return error;
  }
}

/**
 * Ends a request before its error leaves the server, to the client or on a page for the user: a polled request is
 * denied, and a stored one consumed, unless the error is temporary.
 *
 * @throws {OAuthError} What the user sees, if the client receives nothing.
 */
async function endRequest(server: HostedServer, destination: Destination, thrown: unknown): Promise<void> {
  if (isPolled(destination)) await denyPolled(server, destination, thrown);
  const id = storedRequest.of(destination);
  const isTemporary = !(thrown instanceof OAuthError) || statusOf(thrown.code) >= 500;
  if (id !== undefined && !isTemporary) await storedRequests(server).consume(server, id);
}

/**
 * The wording of the whole server.
 *
 * @param replacement The error page of the embedding program.
 */
function explainedWording(replacement: Pages["error"]): ErrorWording {
  return {
    toError: tracedError,
    // On test hosts, `error_uri` leads to the page that explains the error.
    members(context: Context<HostedServer>, error) {
      const url = explanationUrl(context, error);
      return { ...plainWording.members(context, error), ...url !== undefined && { error_uri: url } };
    },
    async page(context: Context<HostedServer>, shown) {
      const { about } = shown;
      if (about.destination === undefined || !("isUnsent" in about)) {
        return await errorPage(context, shown, replacement);
      }
      const { location: href } = (await authorizationResponse(
        context,
        about,
        Object.entries(this.members(context, shown.error)),
      )).headers;
      return await errorPage(context, shown, replacement, { host: new URL(about.destination.uri).host, href });
    },
  };
}

/**
 * Adds a hint to the 404 of an unknown path: the page is off, what stands in for the administration API of a provider,
 * or the endpoint that the client probably meant.
 */
function explainNotFound(context: Context<HostedServer>, thrown: unknown): unknown {
  // The profile of a provider has its own 404.
  const isUnserved = thrown instanceof OAuthError && thrown.details.rule === "HT-01";
  const status = thrown instanceof HttpError ? thrown.status : isUnserved ? thrown.details.status : undefined;
  if (status !== 404 && status !== 405) return thrown;
  const { endpoint, request } = context;
  const absent = status === 404 && endpoint === undefined ? findDisabledPage(context) : undefined;
  const instead = absent ?? suggestControl(context, status === 405);
  if (instead !== undefined) {
    // JSON has no member for the fix.
    const message = expectsJson(request) || endpoint?.errors === "json"
      ? `${instead.message}. ${instead.fix.replace(/\.$/, "")}`
      : instead.message;
    return new HttpError(status, "HT-01", message, { fix: instead.fix });
  }
  if (status !== 404 || endpoint !== undefined) return thrown;
  const byPath = suggestIssuersByPath(context);
  if (byPath !== undefined) return new HttpError(404, "HT-01", byPath.message, { fix: byPath.fix });
  const url = suggestUrl(context);
  if (url === undefined) return thrown;
  const received = new URL(url).origin + context.target.path;
  return new HttpError(404, "HT-01", `This address does not exist. Did you mean ${url}?`, { expected: url, received });
}

/** Converts a thrown value to an OAuth error and traces the rejection, or the missing page. */
function tracedError(context: Context<HostedServer>, thrown: unknown, { client }: FailedRequest): OAuthError {
  const { server, target } = context;
  const error = withoutChange(context, toOAuthError(server, target.path, thrown));
  const explanation = error.explain();
  if (isMissingPage(context, thrown)) {
    const { status } = thrown;
    server.trace({ type: "page_missing", at: server.now(), endpoint: target.path, status, reason: explanation.reason });
  } else {
    traceRejection(context, error.code, withFix(explanation), client);
  }
  return error;
}

/**
 * The error without its link to the form that changes the clients, if a page of another site caused the request: the
 * page could otherwise make the user register an attacker's client in a few clicks.
 */
function withoutChange(context: Context<HostedServer>, error: OAuthError): OAuthError {
  const { change, ...details } = error.details;
  const page = change && findOtherSite(context);
  if (page === undefined) return error;
  const link = fixLink(context, change);
  const fix = link === undefined
    ? details.fix
    : `The request came from ${page} so this page has no link to the change. If you trust that page, open the page of clients: ` +
      `${link.label}.`;
  return new OAuthError(error.code, error.message, { ...details, fix } as ErrorDetails);
}

/**
 * The page of another site that caused a request, for a message; `undefined` if none did. A browser that does not state
 * the site of a navigation may have followed a link of any page.
 */
function findOtherSite(context: Context<HostedServer>): string | undefined {
  const { endpoint, request: { headers } } = context;
  if (!isCrossSite(context) && !(endpoint?.errors === "redirect" && isUnstated(context))) return undefined;
  const page = headers.get("origin") ?? headers.get("referer");
  return page !== null && URL.canParse(page) && new URL(page).host !== ""
    ? `a page of ${new URL(page).origin},`
    : "a page of another site, which the browser does not name,";
}

/**
 * The page for the user, with the expected and the received value, and how to fix it.
 *
 * @param client The host of the client to which the user may send the error, and the redirect with it, which is absent
 *   if it would be a form.
 */
async function errorPage(
  context: Context<HostedServer>,
  { thrown, error, about, status }: ShownError,
  replacement: Pages["error"],
  client?: { readonly host: string; readonly href?: string },
): Promise<HttpResponse> {
  const { target } = context;
  const { rule, reason, expected, received, fix, change } = withFix(error.explainToUser());
  const [{ renderPage }, { ErrorPage }] = await Promise.all([
    import("../../core/pages/render_page.ts"),
    import("../pages/error_page.tsx"),
  ]);
  const address = new URLSearchParams(target.query);
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
        change: fixLink(context, change, await encodeRetry(context)),
      },
      fix,
      off: off !== undefined,
      command: isWrongMethod(thrown) ? exampleCommand(context) : off?.command,
      redirectUriUnverified: context.endpoint?.name === "authorize" && about.destination === undefined,
      client,
      // A page whose URL contains an authorization response has no links to other sites (RFC 9700 §4.2.4).
      allowsExternalLinks: !["state", ...context.server.responseParameters.map(({ name }) => name)].some((name) =>
        address.has(name)
      ),
    }, replacement),
    detailHeaders(error),
  );
}

function toSentence(text: string): string {
  return upperFirst(text) + (text.endsWith("?") ? "" : ".");
}

/** A command that calls the endpoint of a request, if the endpoint accepts only POST requests. */
function exampleCommand({ server, endpoint }: Context): string | undefined {
  if (endpoint === undefined || !endpoint.methods.includes("POST") || endpoint.methods.includes("GET")) {
    return undefined;
  }
  const names = endpoint.exampleParameters ?? endpoint.parameters?.map(({ name }) => name).slice(0, 3) ?? [];
  return ["curl", ...names.map((name) => `-d ${name}=…`), publicUrl(server, endpoint)].join(" ");
}

/** The pages of every server, by the first segment of the path below the base. */
const ownPages: Readonly<Record<string, DisabledPage>> = {
  account: {
    message: "The page Account is off, because logins are automatic",
    fix:
      'Start the server with --login interactive, or set login to "interactive" in the configuration file or in the options of latchkey().',
    command: "npx -y deno task start --login interactive",
  },
};

/** The page that would be at this path if it were on; `undefined` for any other path, and on real hosts. */
function findDisabledPage(context: Context): DisabledPage | undefined {
  const { app, server, site, target: { path } } = context;
  const name = /^\/(\w+)(?:\/|$)/.exec(path.startsWith(site.base) ? path.slice(site.base.length) : "")?.[1] ?? "";
  const disabledPages = { ...ownPages, ...appOf(context).disabledPages };
  if (!server.policy.allows.explanations || !Object.hasOwn(disabledPages, name)) return undefined;
  const start = `${site.base}/${name}`;
  const isOn = app.endpoints.some((endpoint) => endpoint.path === start || endpoint.path.startsWith(`${start}/`));
  return isOn ? undefined : disabledPages[name];
}

/**
 * Whether the user sees an error first: the server does not permit the redirect, the client is not on the user's
 * device, and the user has not logged in.
 */
async function isShownFirst(
  context: Context<HostedServer>,
  recipient: Recipient & Partial<Pick<Interaction, "name" | "browser">>,
): Promise<boolean> {
  const { server, endpoint } = context;
  const { client, destination: { uri }, name, browser } = recipient;
  // A posted request is redirected to the login page before the user acts, in an interaction of no browser.
  const isRepeated = name !== undefined && browser === undefined;
  // Only the authorization endpoint is in the metadata; on the pages for login and consent, the user has already acted.
  if (endpoint?.metadataName === undefined && !isRepeated) return false;
  if (isPermitted(server, client, "redirectBeforeLogin") || redirectsToDevice(uri)) return false;
  return await readSession(context) === undefined;
}
