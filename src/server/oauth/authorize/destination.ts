/** The destination of an authorization response: without one, an error is shown on a page of this server. */

import { describeKnownIds, warnUnregistered, withNearest } from "../clients/unregistered_clients.ts";
import { validateRedirectUri, warnUndottedScheme } from "../clients/redirect_uri.ts";
import { policyOf } from "../clients/policy.ts";
import type { Client } from "../clients/repository.ts";
import { describeRemovedClient } from "../clients/server_clients.ts";
import { byProfile } from "../profile.ts";
import { OAuthError } from "../errors.ts";
import {
  type Params,
  type ResponseMode,
  type ResponseType,
  responseTypeNames,
  separatorFix,
  splitScope,
} from "../params.ts";
import { grantTypesFor, sortResponseType } from "./response_type.ts";
import type { RejectionRuleId } from "../rules/mod.ts";
import type { PartRequest, Server } from "../server.ts";
import { warnAccepted } from "../notes.ts";
import type { AuthorizationRequest } from "./authorization_request.ts";
import type { Delivery, PolledDestination } from "./delivery.ts";
import type { RequestOrigin, StoredRequests } from "./request_source.ts";

/**
 * @internal Where the decision on an authorization request is sent. Plain JSON: it is stored with the pending
 * authorization.
 */
export type Destination = RedirectDestination | PolledDestination;

/** @internal The redirect URI of a client, which receives the response. */
export interface RedirectDestination extends Omit<RequestOrigin, "rejection"> {
  /** The redirect URI of the request, or the only registered one. */
  readonly uri: string;
  /** The response mode of the request if server and client allow it, otherwise the default of its response type. */
  readonly mode: ResponseMode;
  /** The `state` of the request, returned unchanged; absent if the request has none or an invalid one. */
  readonly state?: string;
}

/** An authorization request that waits for an approval, with its client as currently registered. */
export interface PendingAuthorization {
  /** The request. */
  readonly request: AuthorizationRequest;
  /** The destination of the response. */
  readonly destination: Destination;
  /** The client. */
  readonly client: Client;
}

/** Maximum length of `state`, in characters. */
export const maxStateLength = 4096;

const requestItself: RequestOrigin = {};

/**
 * Finds the client and the redirect URI of a request. Its errors are shown to the user and never sent to a redirect URI
 * (§2.3.5, §4.1.2.1: "MUST NOT automatically redirect").
 *
 * @throws {OAuthError} Also the rejection of the request source, if the parameters outside the source name no
 *   registered redirect URI.
 */
export async function findDestination(
  server: Server,
  params: Params,
  { storedRequest, isSigned, rejection }: RequestOrigin = requestItself,
): Promise<{ readonly client: Client; readonly destination: RedirectDestination }> {
  const id = singleValue(params, "client_id", "AZ-02");
  if (id === undefined) {
    throw new OAuthError("invalid_request", "client_id is missing", {
      rule: "AZ-02",
      expected: "client_id of a registered client",
      received: "no client_id",
    });
  }
  const client = await server.clients.find(id, server.sender);
  if (client === undefined) {
    const known = describeKnownIds(server, id);
    throw new OAuthError("invalid_request", "client_id is not registered", {
      rule: "AZ-02",
      reason: withNearest("client_id is not registered", known),
      expected: known.expected,
      publicExpected: "the client_id of a registered client",
      received: id,
      fix: "Send the client_id of a registered client, or register this one: " +
        "in the configuration file, or on the page of clients.",
      ...describeRemovedClient(server, id),
      change: {
        client_id: id,
        isNew: true,
        redirect_uri: params.get("redirect_uri"),
        // A public client sends a challenge. A confidential one that does is rejected later, if it sends a secret.
        token_endpoint_auth_method: params.has("code_challenge") ? "none" : undefined,
      },
    });
  }
  if (client.isUnregistered) warnUnregistered(server, client, "AZ-02");
  else server.passed?.("AZ-02", id);
  if (client.document !== undefined) server.passed?.(client.document.rule, id);
  if (rejection !== undefined) {
    const redirectUri = params.get("redirect_uri");
    if (redirectUri === undefined || params.isRepeated("redirect_uri") || !client.allowsRedirectUri(redirectUri)) {
      throw rejection;
    }
  }
  const requested = singleValue(params, "redirect_uri", "AZ-06");
  const uri = requested ?? defaultRedirectUri(server, client, params);
  if (!client.allowsRedirectUri(uri)) {
    assertRegistrable(server, client, { rule: "RU-01", name: "redirect_uri", uri });
    throw new OAuthError("invalid_request", "redirect_uri is not registered for this client", {
      rule: "RU-01",
      expected: client.redirectUris.join(" or ") || "none, because this client has no redirect URI",
      publicExpected: registeredUriHint,
      received: uri,
      change: { client_id: id, isNew: false, redirect_uri: uri },
    });
  }
  if (client.hasRedirectUri(uri)) server.passed?.("RU-01", uri);
  else if (client.isUnregistered === undefined) {
    warnAccepted(server, client, "redirectUris", {
      rule: "RU-01",
      reason: "redirect_uri is not registered for this client",
      expected: client.redirectUris.join(" or ") || "none, because this client has no redirect URI",
      received: uri,
    });
  }
  warnUndottedScheme(server, id, uri);
  const state = params.get("state");
  const mode = findResponseMode(server, client, params) ?? defaultResponseMode(server, params);
  const isStateDropped = params.isRepeated("state") || (state?.length ?? 0) > maxStateLength ||
    isAlteredByForm(mode, state);
  return { client, destination: { uri, mode, state: isStateDropped ? undefined : state, storedRequest, isSigned } };
}

/**
 * Rejects a URI that no client may register, at a server that accepts unregistered ones.
 *
 * @throws {OAuthError}
 */
export function assertRegistrable(
  server: Server,
  client: Client,
  { rule, name, uri }: { readonly rule: RejectionRuleId; readonly name: string; readonly uri: string },
): void {
  const { acceptsAny, insecureAllowHttpRedirectUris, allows } = policyOf(server, client);
  const setting = client.isUnregistered ? "clients" : "redirectUris";
  if (!acceptsAny.includes(setting)) return;
  const issue = validateRedirectUri(uri, insecureAllowHttpRedirectUris, allows.localUrls);
  if (issue === undefined) return;
  throw new OAuthError("invalid_request", `${name} is a URI that no client may register`, {
    rule,
    reason: `${name} is a URI that no client may register, also if ${setting} is "any"`,
    expected: issue.expected,
    received: uri,
    fix: issue.hint,
  });
}

/**
 * The stored requests of a server, for a destination that names one.
 *
 * @throws {OAuthError} If the server no longer stores requests.
 */
export function storedRequests({ requestSources }: Server): StoredRequests<Server> {
  const { stored } = requestSources.find((source) => source.stored !== undefined) ?? {};
  if (stored !== undefined) return stored;
  throw new OAuthError("invalid_request_uri", "request_uri is unknown, expired or used", {
    rule: "JR-01",
    expected: "an authorization request without request_uri",
    received: "a stored request, which this server no longer supports",
    forUser: true,
  });
}

/**
 * Finds the delivery for a destination other than a redirect URI.
 *
 * @throws {OAuthError} If the server no longer has this delivery.
 */
export function deliveryTo({ deliveries }: Server, { delivery: name }: PolledDestination): Delivery<Server> {
  const delivery = deliveries.find((delivery) => delivery.name === name);
  if (delivery !== undefined) return delivery;
  throw new OAuthError("invalid_request", "the server no longer supports such logins", {
    rule: "UI-14",
    expected: "a login in a browser",
    received: `a login of the extension ${name}`,
    forUser: true,
  });
}

const registeredUriHint = "a registered redirect URI of this client; the server's log lists them";

/**
 * The default response mode of a request: `query` for a code alone, otherwise `fragment`, so that no token is in a
 * query (Multiple Response Types §3, §5).
 */
function defaultResponseMode({ settings: { responseTypes } }: Server, params: Params): ResponseMode {
  const requested = params.get("response_type") ?? "code";
  if (requested === "code") return "query";
  const words = splitScope(requested).filter((word) => word !== "code");
  const isTokenType = (type: string) => splitScope(type).some((word) => words.includes(word));
  return words.length > 0 && responseTypes.some(isTokenType) ? "fragment" : "query";
}

/**
 * The response mode of a request, by default that of its response type; `undefined` if the server or the client does
 * not allow it, or the response type forbids it.
 */
function findResponseMode(server: Server, client: Client, params: Params): ResponseMode | undefined {
  const defaultMode = defaultResponseMode(server, params);
  const requested = params.get("response_mode") ?? defaultMode;
  const mode = policyOf(server, client).responseModes.find((supported) => supported === requested);
  if (mode === undefined || client.metadata.response_modes?.includes(mode) === false) return undefined;
  if (defaultMode === "query") return mode;
  const { carrier, inFragment } = server.responseModes.get(mode)!;
  return carrier === "query" ? inFragment : mode;
}

/** Whether an HTML form would change the line breaks or control characters of `state`. */
function isAlteredByForm(mode: ResponseMode, state: string | undefined): boolean {
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

function defaultRedirectUri(server: Server, client: Client, params: Params): string {
  const settings = policyOf(server, client);
  const [only, ...others] = client.redirectUris;
  const isOpenId = splitScope(params.get("scope") ?? "").includes("openid");
  if (only === undefined || others.length > 0 || isOpenId || settings.requireRedirectUri) {
    const isAmbiguous = only === undefined || others.length > 0;
    const profile = isOpenId || isAmbiguous ? "" : byProfile(settings.profile, "requireRedirectUri");
    throw new OAuthError("invalid_request", `redirect_uri is missing${profile}`, {
      rule: isOpenId ? "RU-07" : "RU-06",
      reason: isOpenId
        ? "redirect_uri is required in an OpenID Connect request"
        : !isAmbiguous
        ? `the setting requireRedirectUri demands redirect_uri${profile}`
        : "redirect_uri is optional only if exactly one is registered",
      expected: client.redirectUris.join(" or ") || "none, because this client has no redirect URI",
      publicExpected: registeredUriHint,
      received: "no redirect_uri",
    });
  }
  return only;
}

/** Rejects a `state` that is too long, or that a form would change. */
export function assertState({ params, mode }: PartRequest): void {
  if ((params.get("state")?.length ?? 0) > maxStateLength) {
    throw new OAuthError("invalid_request", `state is longer than ${maxStateLength} characters`, {
      rule: "AZ-13",
      expected: `at most ${maxStateLength} characters`,
      received: `${params.get("state")!.length}`,
    });
  }
  if (isAlteredByForm(mode!, params.get("state"))) {
    throw new OAuthError(
      "invalid_request",
      "state contains a control character, which form_post cannot return unchanged",
      {
        rule: "FP-03",
        expected: "a state without control characters",
        received: "a state with a control character",
      },
    );
  }
}

/**
 * Reads the response type; `undefined` for `code`.
 *
 * @throws {OAuthError} If the server or the client does not support it.
 */
export function readResponseType({ server, client, params }: PartRequest): ResponseType | undefined {
  const received = params.get("response_type");
  const { responseTypes: supported, profile } = policyOf(server, client);
  const expected = `response_type=${supported.join(" or ")}`;
  if (received === undefined) {
    throw new OAuthError("invalid_request", "response_type is missing", {
      rule: "AZ-09",
      expected,
      received: "no response_type",
    });
  }
  const name = sortResponseType(received);
  const type = supported.find((type) => type === name);
  if (type === undefined) {
    const decider = byProfile(profile, "responseTypes");
    throw new OAuthError(
      "unsupported_response_type",
      `response_type is not supported; use ${supported.join(" or ")}${decider}`,
      {
        rule: "AZ-09",
        expected,
        received: `response_type=${received}`,
        fix: decider === "" && responseTypeNames.some((type) => type === name)
          ? `Send ${expected}, or add ${name} to the setting responseTypes and to response_types of the client.`
          : separatorFix("response_type", received, ["code", "id_token"]),
      },
    );
  }
  const { response_types: registered = ["code"] } = client.metadata;
  const needed = grantTypesFor([type]);
  if (registered.map(sortResponseType).includes(type) && needed.every((grant) => client.grantTypes.includes(grant))) {
    server.passed?.("AZ-09", type);
    return type === "code" ? undefined : type;
  }
  const flow = type === "code" ? "the code flow" : `response_type=${type}`;
  throw new OAuthError("unauthorized_client", `this client is not registered for ${flow}`, {
    rule: "AZ-11",
    expected: `grant_types with ${needed.join(" and ")} and response_types with ${type}`,
    received: `${client.grantTypes.join(" ")}; ${registered.join(", ")}`,
    fix: type === "code"
      ? undefined
      : `Add ${type} to the client's response_types, and ${
        needed.join(" and ")
      } to its grant_types if it has this member; or send a response_type of the client.`,
  });
}

/** Rejects a response mode that the server or the client does not support. */
export function assertResponseMode({ server, client, params }: PartRequest): void {
  if (findResponseMode(server, client, params) === undefined) {
    const { responseModes, profile } = policyOf(server, client);
    const defaultMode = defaultResponseMode(server, params);
    const isPossible = (mode: ResponseMode) => {
      const { carrier, inFragment } = server.responseModes.get(mode)!;
      return defaultMode === "query" || carrier !== "query" || inFragment !== undefined;
    };
    throw new OAuthError("invalid_request", `response_mode is not supported${byProfile(profile, "responseModes")}`, {
      rule: "AZ-19",
      reason: responseModes.some((mode) => mode === params.get("response_mode") && !isPossible(mode))
        ? "this response type is never sent in a query"
        : undefined,
      expected: responseModes.filter((mode) =>
        isPossible(mode) && (client.metadata.response_modes?.includes(mode) ?? true)
      ).join(" or "),
      received: params.get("response_mode") ?? `no response_mode, which means ${defaultMode}`,
    });
  }
}
