/** The authorization request, from its parameters to a code (OAuth 2.1 §4.1.1, §4.1.2). */

import type { RequestedClaims } from "../../store/store.ts";
import { isCovered, narrowRequestedClaims } from "../claims.ts";
import { formerClient } from "../clients/repository.ts";
import type { Client } from "../clients/repository.ts";
import type { User } from "../clients/client.ts";
import { OAuthError } from "../errors.ts";
import type { Params } from "../params.ts";
import { readChallenge, warnReusedChallenge } from "./pkce.ts";
import { readLoginWishes, subNotMet } from "./openid.ts";
import type { LoginWishes } from "./openid.ts";
import { readResources } from "./resources.ts";
import type { RejectionRuleId } from "../rules/mod.ts";
import { settleScope, splitScope } from "./scope.ts";
import { drawName, drawSecret, shelfId } from "../secrets.ts";
import type { Server } from "../server.ts";
import { passwordMark } from "../session/session.ts";

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
  readonly challenge?: string;
  /** Goes into the id token (OpenID Connect Core §3.1.2.1). */
  readonly nonce?: string;
  /** The resources asked for (RFC 8707 §2). */
  readonly resources: readonly string[];
  /** How the person is to be asked (OpenID Connect Core §3.1.2.1). */
  readonly wishes: LoginWishes;
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
export const stateLimit = 4096;

/** The longest values that are kept with a code, in characters: a request must not be able to fill the store. */
const keptLimits = [["nonce", 1024], ["claims", 4096]] as const;

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
      earlier: formerClient(server.clients, id),
    });
  }
  server.held?.("AZ-02", id);
  const signed = readSignedRequest(params);
  if (signed !== undefined) {
    const named = params.get("redirect_uri");
    if (named === undefined || params.repeats("redirect_uri") || !client.mayUse(named)) throw signed;
  }
  const requested = single(params, "redirect_uri", "AZ-06");
  const uri = requested ?? onlyRedirectUri(client, params);
  if (!client.mayUse(uri)) {
    throw new OAuthError("invalid_request", "redirect_uri is not registered for this client", {
      rule: "RU-01",
      expected: client.redirectUris.join(" or ") || "no redirect URI, this client has none",
      expectedPublicly: registeredUri,
      received: uri,
    });
  }
  server.held?.("RU-01", uri);
  const state = params.get("state");
  const mode = responseModes.find((known) => known === params.get("response_mode")) ?? "query";
  const lost = params.repeats("state") || (state?.length ?? 0) > stateLimit || isChangedByForm(mode, state);
  return { client, uri, mode, state: lost ? undefined : state };
}

const registeredUri = "a registered redirect URI of this client; the server's log lists them";

/** Why a signed or referenced request is refused; `undefined` when the request is neither. Nothing is ever fetched. */
function readSignedRequest(params: Params): OAuthError | undefined {
  const [first, second] = (["request", "request_uri"] as const).filter((name) => params.get(name) !== undefined);
  if (first === undefined) return undefined;
  if (second !== undefined) {
    return new OAuthError("invalid_request", "request and request_uri exclude each other", {
      rule: "JR-01",
      expected: "neither, this server supports none of them",
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
function isChangedByForm(mode: ResponseMode, state: string | undefined): boolean {
  // deno-lint-ignore no-control-regex
  return mode === "form_post" && /[\x00-\x1F\x7F]/.test(state ?? "");
}

function single(params: Params, name: string, rule: RejectionRuleId): string | undefined {
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
      expectedPublicly: registeredUri,
      received: "no redirect_uri",
    });
  }
  return only;
}

/** Reads the rest of the request. Everything thrown here travels to the client. */
export async function readAuthorizationRequest(
  server: Server,
  params: Params,
  destination: Destination,
): Promise<AuthorizationRequest> {
  const { client } = destination;
  const signed = readSignedRequest(params);
  if (signed !== undefined) throw signed;
  params.refuseRepeats("AZ-07");
  server.held?.("AZ-07");
  if ((params.get("state")?.length ?? 0) > stateLimit) {
    throw new OAuthError("invalid_request", `state is longer than ${stateLimit} characters`, {
      rule: "AZ-13",
      expected: `at most ${stateLimit} characters`,
      received: `${params.get("state")!.length}`,
    });
  }
  if (isChangedByForm(destination.mode, params.get("state"))) {
    throw new OAuthError(
      "invalid_request",
      "state holds a control character, which form_post cannot return unchanged",
      {
        rule: "FP-03",
        expected: "a state without control characters",
        received: "one with",
      },
    );
  }
  readResponseType(server, client, params);
  const mode = params.get("response_mode");
  if (mode !== undefined && !responseModes.some((known) => known === mode)) {
    throw new OAuthError("invalid_request", "response_mode is not supported", {
      rule: "AZ-19",
      expected: responseModes.join(" or "),
      received: mode,
    });
  }
  for (const [name, limit] of keptLimits) {
    if ((params.get(name)?.length ?? 0) <= limit) continue;
    throw new OAuthError("invalid_request", `${name} is longer than ${limit} characters`, {
      rule: "AZ-13",
      expected: `at most ${limit} characters`,
      received: String(params.get(name)!.length),
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
    resources: readResources(server, params),
    wishes: await readLoginWishes(server, params, destination),
  };
}

function readResponseType(server: Server, client: Client, params: Params): void {
  const type = params.get("response_type");
  if (type === undefined) {
    throw new OAuthError("invalid_request", "response_type is missing", {
      rule: "AZ-09",
      expected: "response_type=code",
      received: "no response_type",
    });
  }
  // Words in any order, separated by one space (§4.1.1, RFC 6749 Appendix A.3); every supported type is one word.
  if (!responseTypes.some((known) => known === type)) {
    throw new OAuthError("unsupported_response_type", "response_type is not supported, only code is", {
      rule: "AZ-09",
      expected: "response_type=code",
      received: `response_type=${type}`,
    });
  }
  if (client.grantTypes.includes("authorization_code") && client.responseTypes.includes(type)) {
    return server.held?.("AZ-09", type);
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
  const { expectedSubs } = request.wishes;
  if (expectedSubs?.includes(sub) === false) throw subNotMet(expectedSubs);
  if (scope.length === 0) {
    throw new OAuthError("access_denied", "nothing of the requested scope was granted", {
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
      why: {
        rule: "OI-09",
        reason: "offline_access was granted, but the client will get no refresh token",
        expected: "refresh_token among the client's grant_types",
        received: client.grantTypes.join(" "),
      },
    });
  }
  if (request.challenge !== undefined) warnReusedChallenge(server, client, request.challenge);
  const user = server.users.find(sub);
  const password = user && passwordMark(server, user);
  const code = drawSecret(server.random);
  const family = drawName(server.random);
  const issuedAt = server.now();
  const validUntil = issuedAt + server.lifetimes.code * 1000;
  await server.store.put("code", await shelfId(server, code), {
    clientId: client.id,
    redirectUri: destination.uri,
    challenge: request.challenge,
    scope,
    sub,
    nonce: request.nonce,
    authTime: approval.authTime,
    sid,
    password: password && await password,
    resources: request.resources,
    claims: allowedClaims(server, request, approval),
    consent: approval.consent,
    issuedAt,
    validUntil,
  }, { family, expiresAt: validUntil });
  server.trace({ type: "code_issued", at: issuedAt, client: client.id, sub, scope, family });
  return code;
}

/** The claims asked for by name, without those of a scope value that was refused, and without those refused by name. */
function allowedClaims(
  { claims: rules }: Server,
  { scope, wishes }: AuthorizationRequest,
  approval: Approval,
): RequestedClaims | undefined {
  if (wishes.claims === undefined) return undefined;
  const refused = scope.filter((token) => !approval.scope.includes(token));
  const isAllowed = (name: string) => !isCovered(rules, name, refused) || isCovered(rules, name, approval.scope);
  return narrowRequestedClaims(wishes.claims, (name) => approval.claims?.includes(name) ?? isAllowed(name));
}

/** What the bearer of a code may be told about it. */
export interface IssuedCode {
  readonly clientId: string;
  readonly redirectUri: string;
  /** When it was redeemed, in milliseconds since the epoch; absent while it was not. */
  readonly spentAt?: number;
  /** The code challenge of the request, whose verifier must come with the code; absent where none came. */
  readonly challenge?: string;
}

/** Looks at a code without using it up; `undefined` when it is not one of this server's, or no longer kept. */
export async function describeCode(server: Server, code: string): Promise<IssuedCode | undefined> {
  const entry = await server.store.get("code", await shelfId(server, code));
  if (entry === undefined) return undefined;
  const { clientId, redirectUri, challenge } = entry.value;
  return { clientId, redirectUri, challenge, spentAt: entry.spentAt };
}
