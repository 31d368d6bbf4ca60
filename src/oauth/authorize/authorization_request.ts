/** The authorization request, from its parameters to a code (OAuth 2.1 §4.1.1, §4.1.2). */

import type { RequestedClaims } from "../../store/store.ts";
import { filterRequestedClaims, isReleasedByScope } from "../claims.ts";
import { describeRemovedClient } from "../clients/repository.ts";
import type { Client } from "../clients/repository.ts";
import type { User } from "../clients/client.ts";
import { OAuthError } from "../errors.ts";
import type { Params } from "../params.ts";
import { readCodeChallenge, warnReusedChallenge } from "./pkce.ts";
import { readOpenIdParameters, wrongUser } from "./openid.ts";
import type { LoginRequirements } from "./openid.ts";
import { readResources } from "./resources.ts";
import type { RejectionRuleId } from "../rules/mod.ts";
import { resolveScope } from "./scope.ts";
import { splitScope } from "./scope_token.ts";
import { randomId, randomToken, storageKey } from "../secrets.ts";
import type { Server } from "../server.ts";
import { passwordFingerprint } from "../session/session.ts";

/** Where an answer may be sent. Without one, a refusal can only become a page of this server. */
export interface Destination {
  /** Who asks. */
  readonly client: Client;
  /** The redirect URI as requested, or the only registered one. */
  readonly uri: string;
  /** How the answer travels; the default of the code flow unless another known one was asked for. */
  readonly mode: ResponseMode;
  /** Echoed unchanged; absent when it was not sent, or cannot be trusted. */
  readonly state?: string;
}

/** What a client asks for, once everything about it is known to be in order. */
export interface AuthorizationRequest {
  /** Where the answer goes. */
  readonly destination: Destination;
  /** Who asks. */
  readonly client: Client;
  /** What is asked for: known scope values that the client may have. */
  readonly scope: readonly string[];
  /** The S256 code challenge, when one was sent (RFC 7636 §4.2). */
  readonly codeChallenge?: string;
  /** Goes into the id token (OpenID Connect Core §3.1.2.1). */
  readonly nonce?: string;
  /** The resources asked for (RFC 8707 §2). */
  readonly resources: readonly string[];
  /** How the person is to be asked (OpenID Connect Core §3.1.2.1). */
  readonly loginRequirements: LoginRequirements;
}

/** Who is there, and what they allow. */
export interface Approval {
  /** One of the server's users. */
  readonly user: User;
  /** All of the request's scope, or less. */
  readonly scope: readonly string[];
  /** Claims that may be shown because they were asked for by name. Default: all but those of refused scope values. */
  readonly claims?: readonly string[];
  /** When the user was authenticated, in milliseconds since the epoch. */
  readonly authTime: number;
  /** Names what the user can take back later, with all that was issued under it; absent where nobody was asked. */
  readonly consent?: string;
}

/** The response types that may be asked for. */
export const responseTypes = ["code"] as const;
/** The ways a response may travel. */
export const responseModes: readonly ResponseMode[] = ["query", "form_post"];

/** How a response travels: in the redirect URI's query, or in a form that posts itself there. */
export type ResponseMode = "query" | "form_post";

/** The longest `state` that is echoed, in characters. */
export const maxStateLength = 4096;

/** The longest values that are kept with a code, in characters: a request must not be able to fill the store. */
const maxStoredLengths = [["nonce", 1024], ["claims", 4096]] as const;

/**
 * Finds the client and the redirect URI. Everything thrown here is shown to the person and never sent anywhere
 * (§2.3.5, §4.1.2.1: "MUST NOT automatically redirect").
 */
export function findDestination(server: Server, params: Params): Destination {
  const id = singleValue(params, "client_id", "AZ-02");
  if (id === undefined) {
    throw new OAuthError("invalid_request", "client_id is missing", {
      rule: "AZ-02",
      expected: "client_id of a registered client",
      received: "no client_id",
    });
  }
  const client = server.clients.find(id);
  if (client === undefined) {
    throw new OAuthError("invalid_request", "client_id is not registered", {
      rule: "AZ-02",
      expected: "the client_id of a registered client",
      received: id,
      earlier: describeRemovedClient(server.clients, id),
    });
  }
  server.passed?.("AZ-02", id);
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
  const mode = responseModes.find((supported) => supported === params.get("response_mode")) ?? "query";
  const isStateDropped = params.isRepeated("state") || (state?.length ?? 0) > maxStateLength ||
    isAlteredByForm(mode, state);
  return { client, uri, mode, state: isStateDropped ? undefined : state };
}

const registeredUriHint = "a registered redirect URI of this client; the server's log lists them";

/** Why a signed or referenced request is refused; `undefined` when the request is neither. Nothing is ever fetched. */
function rejectedRequestObject(params: Params): OAuthError | undefined {
  const [first, second] = (["request", "request_uri"] as const).filter((name) => params.get(name) !== undefined);
  if (first === undefined) return undefined;
  if (second !== undefined) {
    return new OAuthError("invalid_request", "request and request_uri are mutually exclusive", {
      rule: "JR-01",
      expected: "neither, because this server supports neither",
      received: "both",
    });
  }
  return new OAuthError(`${first}_not_supported`, `${first} is not supported by this server`, {
    rule: "JR-01",
    expected: "the parameters themselves",
    received: `a ${first} parameter`,
  });
}

/** Whether a form would bring the state back with other line breaks than it came with, or without its NULs. */
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

/** Reads the rest of the request. Everything thrown here travels to the client. */
export async function parseAuthorizationRequest(
  server: Server,
  params: Params,
  destination: Destination,
): Promise<AuthorizationRequest> {
  const { client } = destination;
  const requestObjectError = rejectedRequestObject(params);
  if (requestObjectError !== undefined) throw requestObjectError;
  params.rejectRepeated("AZ-07");
  server.passed?.("AZ-07");
  if ((params.get("state")?.length ?? 0) > maxStateLength) {
    throw new OAuthError("invalid_request", `state is longer than ${maxStateLength} characters`, {
      rule: "AZ-13",
      expected: `at most ${maxStateLength} characters`,
      received: `${params.get("state")!.length}`,
    });
  }
  if (isAlteredByForm(destination.mode, params.get("state"))) {
    throw new OAuthError(
      "invalid_request",
      "state contains a control character, which form_post cannot return unchanged",
      {
        rule: "FP-03",
        expected: "a state without control characters",
        received: "one with",
      },
    );
  }
  assertResponseType(server, client, params);
  const mode = params.get("response_mode");
  if (mode !== undefined && !responseModes.some((supported) => supported === mode)) {
    throw new OAuthError("invalid_request", "response_mode is not supported", {
      rule: "AZ-19",
      expected: responseModes.join(" or "),
      received: mode,
    });
  }
  for (const [name, limit] of maxStoredLengths) {
    if ((params.get(name)?.length ?? 0) <= limit) continue;
    throw new OAuthError("invalid_request", `${name} is longer than ${limit} characters`, {
      rule: "AZ-13",
      expected: `at most ${limit} characters`,
      received: String(params.get(name)!.length),
    });
  }
  const scope = resolveScope(server, client, params.get("scope"));
  const codeChallenge = readCodeChallenge(server, client, params);
  return {
    destination,
    client,
    scope,
    codeChallenge,
    nonce: params.get("nonce"),
    resources: readResources(server, params),
    loginRequirements: await readOpenIdParameters(server, params, destination),
  };
}

function assertResponseType(server: Server, client: Client, params: Params): void {
  const type = params.get("response_type");
  if (type === undefined) {
    throw new OAuthError("invalid_request", "response_type is missing", {
      rule: "AZ-09",
      expected: "response_type=code",
      received: "no response_type",
    });
  }
  // Words in any order, separated by one space (§4.1.1, RFC 6749 Appendix A.3); every supported type is one word.
  if (!responseTypes.some((supported) => supported === type)) {
    throw new OAuthError("unsupported_response_type", "response_type is not supported; use code", {
      rule: "AZ-09",
      expected: "response_type=code",
      received: `response_type=${type}`,
    });
  }
  if (client.grantTypes.includes("authorization_code") && client.responseTypes.includes(type)) {
    return server.passed?.("AZ-09", type);
  }
  throw new OAuthError("unauthorized_client", "this client is not registered for the code flow", {
    rule: "AZ-11",
    expected: "grant_types with authorization_code and response_types with code",
    received: `${client.grantTypes.join(" ")}; ${client.responseTypes.join(" ")}`,
  });
}

/** Draws a code and shelves its digest; the code itself is known to its bearer alone (§4.1.2, §7.7). */
export async function issueCode(
  server: Server,
  request: AuthorizationRequest,
  approval: Approval,
  sid: string,
): Promise<string> {
  const { client, destination } = request;
  const scope = request.scope.filter((token) => approval.scope.includes(token));
  const { sub } = approval.user;
  const { expectedSubs } = request.loginRequirements;
  if (expectedSubs?.includes(sub) === false) throw wrongUser(expectedSubs);
  if (scope.length === 0) {
    throw new OAuthError("access_denied", "no requested scope was granted", {
      rule: "AZ-18",
      expected: `some of: ${request.scope.join(" ")}`,
      received: "nothing",
    });
  }
  if (scope.includes("offline_access") && !client.grantTypes.includes("refresh_token")) {
    server.trace({
      type: "warning",
      at: server.now(),
      client: client.id,
      explanation: {
        rule: "OI-09",
        reason: "offline_access was granted, but this client gets no refresh token",
        expected: "refresh_token in the client's grant_types",
        received: client.grantTypes.join(" "),
      },
    });
  }
  if (request.codeChallenge !== undefined) warnReusedChallenge(server, client, request.codeChallenge);
  const user = server.users.find(sub);
  const currentPasswordFingerprint = user && passwordFingerprint(server, user);
  const code = randomToken(server.randomBytes);
  const grantId = randomId(server.randomBytes);
  const issuedAt = server.now();
  const validUntil = issuedAt + server.lifetimes.code * 1000;
  await server.store.put("code", await storageKey(server, code), {
    clientId: client.id,
    redirectUri: destination.uri,
    challenge: request.codeChallenge,
    scope,
    sub,
    nonce: request.nonce,
    authTime: approval.authTime,
    sid,
    password: currentPasswordFingerprint && await currentPasswordFingerprint,
    resources: request.resources,
    claims: allowedClaims(server, request, approval),
    consent: approval.consent,
    issuedAt,
    validUntil,
  }, { grantId, expiresAt: validUntil });
  server.trace({ type: "code_issued", at: issuedAt, client: client.id, sub, scope, grantId });
  return code;
}

/** The claims asked for by name, without those of a scope value that was refused, and without those refused by name. */
function allowedClaims(
  { claims: rules }: Server,
  { scope, loginRequirements }: AuthorizationRequest,
  approval: Approval,
): RequestedClaims | undefined {
  if (loginRequirements.claims === undefined) return undefined;
  const deniedScope = scope.filter((token) => !approval.scope.includes(token));
  const isAllowed = (name: string) =>
    !isReleasedByScope(rules, name, deniedScope) || isReleasedByScope(rules, name, approval.scope);
  return filterRequestedClaims(loginRequirements.claims, (name) => approval.claims?.includes(name) ?? isAllowed(name));
}

/** What the bearer of a code may be told about it. */
export interface IssuedCode {
  readonly clientId: string;
  readonly redirectUri: string;
  /** When it was redeemed, in milliseconds since the epoch; absent while it was not. */
  readonly consumedAt?: number;
  /** The code challenge of the request, whose verifier must come with the code; absent where none came. */
  readonly codeChallenge?: string;
}

/** Looks at a code without using it up; `undefined` when it is not one of this server's, or no longer kept. */
export async function inspectCode(server: Server, code: string): Promise<IssuedCode | undefined> {
  const record = await server.store.get("code", await storageKey(server, code));
  if (record === undefined) return undefined;
  const { clientId, redirectUri, challenge } = record.value;
  return { clientId, redirectUri, codeChallenge: challenge, consumedAt: record.consumedAt };
}
