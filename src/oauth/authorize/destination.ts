/** The destination of an authorization response: without one, an error is shown on a page of this server. */

import { describeRemovedClient } from "../clients/repository.ts";
import type { Client } from "../clients/repository.ts";
import { OAuthError } from "../errors.ts";
import type { Params } from "../params.ts";
import type { RejectionRuleId } from "../rules/mod.ts";
import type { Server } from "../server.ts";
import { splitScope } from "./scope_token.ts";

/**
 * Where the response to an authorization request goes, and how. Plain JSON: it is stored with the pending authorization.
 */
export interface Destination {
  /** The redirect URI of the request, or the only registered one. */
  readonly uri: string;
  /** The response mode of the request if it is supported, otherwise `query`. */
  readonly mode: ResponseMode;
  /** The `state` of the request, returned unchanged; absent if the request has none or an invalid one. */
  readonly state?: string;
  /** The id of the pushed request that the response completes; absent if the request was not pushed (RFC 9126). */
  readonly pushedRequest?: string;
}

/** How a response is sent: in the query of the redirect URI, or in a form that submits itself there. */
export type ResponseMode = "query" | "form_post";

/** The supported response modes. */
export const responseModes: readonly ResponseMode[] = ["query", "form_post"];

/** Maximum length of `state`, in characters. */
export const maxStateLength = 4096;

/**
 * Finds the client and the redirect URI of a request. Its errors are shown to the user and never sent to a redirect URI
 * (§2.3.5, §4.1.2.1: "MUST NOT automatically redirect").
 *
 * @param pushedRequest See {@link Destination.pushedRequest}.
 */
export async function findDestination(
  server: Server,
  params: Params,
  pushedRequest?: string,
): Promise<{ readonly client: Client; readonly destination: Destination }> {
  const id = singleValue(params, "client_id", "AZ-02");
  if (id === undefined) {
    throw new OAuthError("invalid_request", "client_id is missing", {
      rule: "AZ-02",
      expected: "client_id of a registered client",
      received: "no client_id",
    });
  }
  const client = await server.clients.find(id);
  if (client === undefined) {
    throw new OAuthError("invalid_request", "client_id is not registered", {
      rule: "AZ-02",
      expected: "the client_id of a registered client",
      received: id,
      earlier: describeRemovedClient(server.clients, id),
    });
  }
  server.passed?.("AZ-02", id);
  if (client.document !== undefined) server.passed?.("MC-04", id);
  const requestObjectError = rejectedRequestObject(params);
  if (requestObjectError !== undefined) {
    const redirectUri = params.get("redirect_uri");
    if (redirectUri === undefined || params.isRepeated("redirect_uri") || !client.allowsRedirectUri(redirectUri)) {
      throw requestObjectError;
    }
  }
  const requested = singleValue(params, "redirect_uri", "AZ-06");
  const uri = requested ?? defaultRedirectUri(client, params);
  if (!client.allowsRedirectUri(uri)) {
    throw new OAuthError("invalid_request", "redirect_uri is not registered for this client", {
      rule: "RU-01",
      expected: client.redirectUris.join(" or ") || "none, because this client has no redirect URI",
      publicExpected: registeredUriHint,
      received: uri,
    });
  }
  server.passed?.("RU-01", uri);
  const state = params.get("state");
  const requestedMode = params.get("response_mode");
  const mode = responseModes.find((supported) => supported === requestedMode) ?? "query";
  const isStateDropped = params.isRepeated("state") || (state?.length ?? 0) > maxStateLength ||
    isAlteredByForm(mode, state);
  return { client, destination: { uri, mode, state: isStateDropped ? undefined : state, pushedRequest } };
}

const registeredUriHint = "a registered redirect URI of this client; the server's log lists them";

/** What a `request_uri` of this server begins with (RFC 9126 §2.2). */
export const requestUriPrefix = "urn:ietf:params:oauth:request_uri:";

/** Whether a request refers to a pushed one (RFC 9126 §4). */
export function isPushed(params: Params): boolean {
  return params.get("request_uri")?.startsWith(requestUriPrefix) === true && params.get("request") === undefined;
}

/** The error of a signed or referenced request; `undefined` for other requests. No `request_uri` is fetched (SSRF). */
export function rejectedRequestObject(params: Params): OAuthError | undefined {
  const hasRequest = params.get("request") !== undefined;
  const hasRequestUri = params.get("request_uri") !== undefined;
  if (!hasRequest && !hasRequestUri) return undefined;
  if (hasRequest && hasRequestUri) {
    return new OAuthError("invalid_request", "request and request_uri are mutually exclusive", {
      rule: "JR-01",
      expected: "neither, because this server supports neither",
      received: "both",
    });
  }
  const name = hasRequest ? "request" : "request_uri";
  return new OAuthError(`${name}_not_supported`, `${name} is not supported by this server`, {
    rule: "JR-01",
    expected: "the parameters themselves",
    received: `a ${name} parameter`,
  });
}

/** Whether an HTML form would change the line breaks or control characters of `state`. */
export function isAlteredByForm(mode: ResponseMode, state: string | undefined): boolean {
  // deno-lint-ignore no-control-regex
  return mode === "form_post" && /[\x00-\x1F\x7F]/.test(state ?? "");
}

function singleValue(params: Params, name: string, rule: RejectionRuleId): string | undefined {
  if (!params.isRepeated(name)) return params.get(name);
  throw new OAuthError("invalid_request", `${name} was sent more than once`, {
    rule,
    expected: `${name} once`,
    received: `${name} more than once`,
  });
}

function defaultRedirectUri(client: Client, params: Params): string {
  const [only, ...others] = client.redirectUris;
  const isOpenId = splitScope(params.get("scope") ?? "").includes("openid");
  if (only === undefined || others.length > 0 || isOpenId) {
    throw new OAuthError("invalid_request", "redirect_uri is missing", {
      rule: isOpenId ? "RU-07" : "RU-06",
      reason: isOpenId
        ? "redirect_uri is required in an OpenID Connect request"
        : "redirect_uri is optional only if exactly one is registered",
      expected: client.redirectUris.join(" or ") || "none, because this client has no redirect URI",
      publicExpected: registeredUriHint,
      received: "no redirect_uri",
    });
  }
  return only;
}
