/** The authorization request, from its parameters to a code (OAuth 2.1 §4.1.1, §4.1.2). */

import type { Client } from "./clients.ts";
import type { User } from "./client.ts";
import { OAuthError } from "./errors.ts";
import type { Params } from "./params.ts";
import { readChallenge } from "./pkce.ts";
import { settleScope, splitScope } from "./scope.ts";
import { digest, drawName, drawSecret } from "./secrets.ts";
import type { Server } from "./server.ts";

/** Where an answer may be sent. Without one, a refusal can only become a page of this server. */
export interface Destination {
  /** Who asks. */
  readonly client: Client;
  /** The redirect URI as requested, or the only registered one. */
  readonly uri: string;
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
  readonly challenge?: string;
  /** Goes into the id token (OpenID Connect Core §3.1.2.1). */
  readonly nonce?: string;
  /** Who the client thinks will log in (OpenID Connect Core §3.1.2.1). */
  readonly loginHint?: string;
}

/** Who is there, and what they allow. */
export interface Approval {
  /** One of the server's users. */
  readonly user: User;
  /** All of the request's scope, or less. */
  readonly scope: readonly string[];
  /** When the user was authenticated, in milliseconds since the epoch. */
  readonly authTime: number;
}

/** The response types that may be asked for. */
export const responseTypes = ["code"] as const;
/** The ways a response may travel. */
export const responseModes = ["query"] as const;

/** The longest `state` that is echoed, in characters. */
export const stateLimit = 4096;

/**
 * Finds the client and the redirect URI. Everything thrown here is shown to the person and never sent anywhere
 * (§2.3.5, §4.1.2.1: "MUST NOT automatically redirect").
 */
export function findDestination(server: Server, params: Params): Destination {
  const id = single(params, "client_id", "AZ-02");
  if (id === undefined) {
    throw new OAuthError("invalid_request", "client_id is missing", {
      rule: "AZ-02",
      expected: "client_id with the id of a registered client",
      received: "no client_id",
    });
  }
  const client = server.clients.find(id);
  if (client === undefined) {
    throw new OAuthError("invalid_request", "client_id is not the id of a registered client", {
      rule: "AZ-02",
      expected: "the id of a registered client",
      received: id,
    });
  }
  const requested = single(params, "redirect_uri", "AZ-06");
  const uri = requested ?? onlyRedirectUri(client, params);
  if (!client.mayUse(uri)) {
    throw new OAuthError("invalid_request", "redirect_uri is not registered for this client", {
      rule: "RU-01",
      expected: client.redirectUris.join(" or ") || "no redirect URI, this client has none",
      received: uri,
    });
  }
  const state = params.get("state");
  const echo = params.repeats("state") || (state?.length ?? 0) > stateLimit ? undefined : state;
  return { client, uri, state: echo };
}

function single(params: Params, name: string, rule: string): string | undefined {
  if (!params.repeats(name)) return params.get(name);
  throw new OAuthError("invalid_request", `${name} was sent more than once`, {
    rule,
    expected: `${name} once`,
    received: `${name} more than once`,
  });
}

function onlyRedirectUri(client: Client, params: Params): string {
  const [only, ...others] = client.redirectUris;
  const openid = splitScope(params.get("scope") ?? "").includes("openid");
  if (only === undefined || others.length > 0 || openid) {
    throw new OAuthError("invalid_request", "redirect_uri is missing", {
      rule: openid ? "RU-07" : "RU-06",
      reason: openid
        ? "an OpenID Connect request must name its redirect_uri"
        : "redirect_uri may be left out only when exactly one is registered",
      expected: client.redirectUris.join(" or ") || "no redirect URI, this client has none",
      received: "no redirect_uri",
    });
  }
  return only;
}

/** Reads the rest of the request. Everything thrown here travels to the client. */
export function readAuthorizationRequest(
  server: Server,
  params: Params,
  destination: Destination,
): AuthorizationRequest {
  const { client } = destination;
  params.refuseRepeats("AZ-07");
  if ((params.get("state")?.length ?? 0) > stateLimit) {
    throw new OAuthError("invalid_request", `state is longer than ${stateLimit} characters`, {
      rule: "AZ-13",
      expected: `at most ${stateLimit} characters`,
      received: `${params.get("state")!.length}`,
    });
  }
  for (const name of ["request", "request_uri"] as const) {
    if (params.get(name) === undefined) continue;
    throw new OAuthError(`${name}_not_supported`, `${name} is not supported by this server`, {
      rule: "JR-01",
      expected: "the parameters themselves",
      received: `a ${name} parameter`,
    });
  }
  readResponseType(client, params);
  const mode = params.get("response_mode");
  if (mode !== undefined && !responseModes.some((known) => known === mode)) {
    throw new OAuthError("invalid_request", "response_mode is not supported", {
      rule: "AZ-19",
      expected: responseModes.join(" or "),
      received: mode,
    });
  }
  const scope = settleScope(server, client, params.get("scope"));
  const challenge = readChallenge(server, client, params);
  return {
    destination,
    client,
    scope,
    challenge,
    nonce: params.get("nonce"),
    loginHint: params.get("login_hint"),
  };
}

function readResponseType(client: Client, params: Params): void {
  const type = params.get("response_type");
  if (type === undefined) {
    throw new OAuthError("invalid_request", "response_type is missing", {
      rule: "AZ-09",
      expected: "response_type=code",
      received: "no response_type",
    });
  }
  if (!responseTypes.some((known) => known === type)) {
    throw new OAuthError("unsupported_response_type", "response_type is not supported, only code is", {
      rule: "AZ-09",
      expected: "response_type=code",
      received: `response_type=${type}`,
    });
  }
  if (client.grantTypes.includes("authorization_code") && client.responseTypes.includes(type)) return;
  throw new OAuthError("unauthorized_client", "this client is not registered for the code flow", {
    rule: "AZ-11",
    expected: "grant_types with authorization_code and response_types with code",
    received: `${client.grantTypes.join(" ")}; ${client.responseTypes.join(" ")}`,
  });
}

/** Draws a code and shelves its digest; the code itself is known to its bearer alone (§4.1.2, §7.7). */
export async function issueCode(server: Server, request: AuthorizationRequest, approval: Approval): Promise<string> {
  const { client, destination } = request;
  const scope = request.scope.filter((token) => approval.scope.includes(token));
  if (scope.length === 0) {
    throw new OAuthError("access_denied", "nothing of the requested scope was granted", {
      rule: "AZ-18",
      expected: `some of: ${request.scope.join(" ")}`,
      received: "nothing",
    });
  }
  const code = drawSecret(server.random);
  const family = drawName(server.random);
  const issuedAt = server.now();
  const validUntil = issuedAt + server.lifetimes.code * 1000;
  const { sub } = approval.user;
  await server.store.put("code", await digest(code), {
    clientId: client.id,
    redirectUri: destination.uri,
    challenge: request.challenge,
    scope,
    sub,
    nonce: request.nonce,
    authTime: approval.authTime,
    issuedAt,
    validUntil,
  }, { family, expiresAt: validUntil });
  server.trace({ type: "code_issued", at: issuedAt, client: client.id, sub, scope, family });
  return code;
}

/** What the bearer of a code may be told about it. */
export interface IssuedCode {
  readonly clientId: string;
  readonly redirectUri: string;
  /** Whether a code challenge came with the request, so that a verifier must come with the code. */
  readonly challenged: boolean;
}

/** Looks at a code without using it up; `undefined` when it is not one of this server's, or no longer kept. */
export async function describeCode(server: Server, code: string): Promise<IssuedCode | undefined> {
  const kept = (await server.store.get("code", await digest(code)))?.value;
  return kept && {
    clientId: kept.clientId,
    redirectUri: kept.redirectUri,
    challenged: kept.challenge !== undefined,
  };
}
