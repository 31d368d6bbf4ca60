/** The three ways a refusal leaves: as JSON, as a redirect to the client, as a page for a person. */

import { HttpFault } from "../http/http_error.ts";
import type { Incoming, Reply } from "../http/message.ts";
import { html, json, redirect } from "../http/responses.ts";
import type { Target } from "../http/router.ts";
import type { Destination } from "../oauth/authorize/authorization_request.ts";
import { errorStatus, OAuthError } from "../oauth/errors.ts";
import { appendToRedirectUri } from "../oauth/clients/redirect_uri.ts";
import type { Server } from "../oauth/server.ts";
import { soon } from "../oauth/maybe_promise.ts";
import type { Soon } from "../oauth/maybe_promise.ts";
import type { Desk } from "./endpoint.ts";

/** Turns whatever was thrown into an OAuth error; what no rule foresaw is a bug, traced, and says nothing outside. */
export function asOAuthError(server: Server, target: Target, thrown: unknown): OAuthError {
  if (thrown instanceof OAuthError) return thrown;
  if (thrown instanceof HttpFault) {
    return new OAuthError("invalid_request", thrown.message, { rule: thrown.rule, status: thrown.status });
  }
  server.trace({ type: "bug", at: server.now(), endpoint: target.path, cause: thrown });
  // A database that is away is expected back; who makes a store says so by the name of what it throws.
  if (thrown instanceof Error && thrown.name === "StoreError") {
    return new OAuthError("temporarily_unavailable", "the server cannot reach its store, try again in a moment", {
      rule: "AZ-22",
      retryAfter: 1,
    });
  }
  return new OAuthError("server_error", "the server met a condition it did not expect", { rule: "AZ-22" });
}

/** Says no in JSON (OAuth 2.1 §3.2.4); `client` is the one that authenticated, if one did. */
export function asJson(server: Server, target: Target, thrown: unknown, client?: string): Reply {
  const error = asOAuthError(server, target, thrown);
  traceRefusal(server, target, error, client);
  const status = error.details.status ?? errorStatus[error.code];
  return json(status, { error: error.code, error_description: error.description }, {
    ...status === 401 && { "www-authenticate": basicChallenge(server.issuer) },
    ...retryAfter(error),
  });
}

/** What is answered where not even an endpoint could say no. */
export function asBareJson(server: Server, target: Target, thrown: unknown): Reply {
  const error = asOAuthError(server, target, thrown);
  return json(errorStatus[error.code], { error: error.code, error_description: error.description }, {
    "referrer-policy": "no-referrer",
    ...retryAfter(error),
  });
}

/** Says no at a protected resource (RFC 6750 §3): the challenge tells a client what it lacks. */
export function asChallenge(server: Server, target: Target, thrown: unknown): Reply {
  const error = asOAuthError(server, target, thrown);
  traceRefusal(server, target, error);
  const { status = errorStatus[error.code], challenge } = error.details;
  const attributes = {
    // Who sends no token at all has made no error (§3.1).
    ...challenge !== "bare" && { error: error.code, error_description: error.description },
    ...error.code === "insufficient_scope" && { scope: error.details.expected ?? "" },
  };
  return json(status, { error: error.code, error_description: error.description }, {
    ...(status === 401 || status === 403) && { "www-authenticate": bearerChallenge(server.issuer, attributes) },
    ...retryAfter(error),
  });
}

/** The challenge of an endpoint for clients (RFC 7617 §2). */
export function basicChallenge(issuer: string): string {
  return `Basic realm="${quotable(issuer)}", charset="UTF-8"`;
}

/** The challenge of a protected resource, with what it says of the error (RFC 6750 §3). */
export function bearerChallenge(issuer: string, attributes: Readonly<Record<string, string>>): string {
  const all = Object.entries({ realm: issuer, ...attributes });
  return `Bearer ${all.map(([name, value]) => `${name}="${quotable(value)}"`).join(", ")}`;
}

/** Says no to the client by way of the browser (OAuth 2.1 §4.1.2.1). */
export async function refuseToClient(
  desk: Desk,
  target: Target,
  request: Incoming,
  destination: Destination,
  thrown: unknown,
): Promise<Reply> {
  const error = asOAuthError(desk.server, target, thrown);
  traceRefusal(desk.server, target, error, destination.client.id);
  return await toClient(desk, request, destination, [
    ["error", error.code],
    ["error_description", error.description],
  ]);
}

/** Sends an authorization response to the client, with `state` as it came and `iss` (RFC 9207 §2). */
export function toClient(
  desk: Desk,
  request: Incoming,
  { client, uri, mode, state }: Destination,
  response: readonly (readonly [string, string])[],
  headers?: Readonly<Record<string, string>>,
): Soon<Reply> {
  const fields = [
    ...response,
    ...state === undefined ? [] : [["state", state] as const],
    ["iss", desk.server.issuer] as const,
  ];
  if (mode === "query") return redirect(request.method, appendToRedirectUri(uri, fields), headers);
  const page = { ...desk.site, action: uri, client: client.name ?? client.id, fields };
  return soon(desk.pages(), (pages) => html(200, pages.formPost(page), headers));
}

/**
 * Says no to the person in front of the browser, in plain words; with the request, and what they probably meant.
 * `client` is the registered client that the request names, if it names one.
 */
export async function asPage(
  desk: Desk,
  target: Target,
  thrown: unknown,
  request?: Incoming,
  client?: string,
): Promise<Reply> {
  const { server } = desk;
  const error = asOAuthError(server, target, thrown);
  traceRefusal(server, target, error, client);
  const { status = errorStatus[error.code] } = error.details;
  const { rule, reason, expected, received } = error.explain();
  const [pages, { findRule }, { findNearMiss, mayListClients }] = await Promise.all([
    desk.pages(),
    import("../oauth/rules/mod.ts"),
    import("./suggest_match.ts"),
  ]);
  const { fix, cites } = findRule(rule) ?? {};
  const address = new URLSearchParams(target.query);
  return html(
    status,
    pages.refused({
      ...desk.site,
      status,
      // Plain HTTP faults such as 404 are no OAuth errors.
      error: thrown instanceof HttpFault && thrown.status !== 400 ? undefined : error.code,
      sentence: sentence(reason),
      rule,
      cites,
      expected: mayListClients(desk, request) ? expected : error.details.expectedPublicly ?? expected,
      received: status === 404 ? target.path : received,
      near: findNearMiss(desk, request, error),
      mend: fix,
      // Pages whose address holds what is meant for a client alone lead nowhere else (RFC 9700 §4.2.4).
      linksAway: !address.has("code") && !address.has("state"),
    }),
    retryAfter(error),
  );
}

/** Begins with a capital, unless it begins with a name that is spelled small on the wire. */
function sentence(text: string): string {
  const [first = ""] = text.split(" ");
  return first.includes("_") ? `${text}.` : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** When trying again makes sense (RFC 9110 §10.2.3). */
function retryAfter({ details }: OAuthError): Readonly<Record<string, string>> {
  return details.retryAfter === undefined ? {} : { "retry-after": String(details.retryAfter) };
}

function traceRefusal(server: Server, target: Target, error: OAuthError, client?: string): void {
  server.trace({
    type: "refused",
    at: server.now(),
    endpoint: target.path,
    error: error.code,
    client,
    why: error.explain(),
  });
}

/** Fit for a quoted string in a header. */
function quotable(text: string): string {
  return text.replace(/[^\x20\x21\x23-\x5B\x5D-\x7E]/g, "");
}
