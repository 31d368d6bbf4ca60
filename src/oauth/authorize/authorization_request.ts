/**
 * Authorization requests, from their parameters to a code (OAuth 2.1 §4.1.1, §4.1.2).
 *
 * 1. `findDestination` finds the client and the verified redirect URI. Until then errors are shown as a page.
 * 2. `parseAuthorizationRequest` reads the rest into an `AuthorizationRequest`: a plain JSON record, which is stored whole
 *    while the user logs in. From here on errors are sent to the destination.
 * 3. `pendingAuthorization` resolves the record against the current clients and users, also after it was stored.
 * 4. `usableSession` (`login.ts`) decides whether the user's session suffices, before the approver is asked.
 * 5. `issueCode` (`code.ts`) stores what the user has approved.
 *
 * Sessions and consents are in `session/`, the redemption of codes is in `grants/`.
 */

import { policyOf } from "../clients/policy.ts";
import type { Client } from "../clients/repository.ts";
import { byProfile } from "../config/profile.ts";
import { OAuthError } from "../errors.ts";
import { isPromise } from "../maybe_promise.ts";
import type { MaybePromise } from "../maybe_promise.ts";
import type { Params } from "../params.ts";
import type { Server } from "../server.ts";
import type { AuthorizationDetail } from "../../store/store.ts";
import { hasDetails, loadDetails, warnIgnoredDetails } from "./details_parameter.ts";
import { findResponseMode, isAlteredByForm, maxStateLength } from "./destination.ts";
import type { Destination, RedirectDestination } from "./destination.ts";
import { readOpenIdParameters, warnIgnoredAcr } from "./openid.ts";
import type { LoginRequirements } from "./openid.ts";
import { readCodeChallenge, warnMissingMethod } from "./pkce.ts";
import { readResources, warnMissingResource } from "./resources.ts";
import { resolveScope, warnIgnoredScope } from "./scope.ts";

/**
 * A valid authorization request. Plain JSON: it is stored, encoded and read back whole, so members that an extension adds
 * are kept.
 */
export interface AuthorizationRequest {
  /** The client that sent the request. */
  readonly clientId: string;
  /** The requested scope values: supported ones that the client may request. */
  readonly scope: readonly string[];
  /** The S256 code challenge, if the request has one (RFC 7636 §4.2). */
  readonly codeChallenge?: string;
  /** The thumbprint of the key that must be proven when the code is redeemed, if the request has one (RFC 9449 §10). */
  readonly dpopJkt?: string;
  /** The `nonce` for the ID token (OpenID Connect Core §3.1.2.1). */
  readonly nonce?: string;
  /** The requested resources (RFC 8707 §2). */
  readonly resources: readonly string[];
  /** The requested authorization details (RFC 9396); absent if the request has none. */
  readonly authorizationDetails?: readonly AuthorizationDetail[];
  /** The requirements for the login (OpenID Connect Core §3.1.2.1). */
  readonly loginRequirements: LoginRequirements;
}

/** An authorization request that waits for an approval, with its client and users as currently registered. */
export interface PendingAuthorization {
  /** The request. */
  readonly request: AuthorizationRequest;
  /** Where the response goes. */
  readonly destination: Destination;
  /** The client. */
  readonly client: Client;
  /** The only users, by `sub`, that the request allows; absent if it allows any. */
  readonly expectedSubs?: readonly string[];
}

/** Resolves a request that was just read, or restored. */
export function pendingAuthorization(
  server: Server,
  request: AuthorizationRequest,
  destination: Destination,
  client: Client,
): MaybePromise<PendingAuthorization> {
  const { demandedSubs } = request.loginRequirements;
  if (demandedSubs === undefined) return { request, destination, client };
  return import("./allowed_subjects.ts")
    .then(({ allowedSubjects }) => allowedSubjects(server, client, demandedSubs))
    .then((expectedSubs) => ({ request, destination, client, expectedSubs }));
}

/** The supported response types. */
export const responseTypes: readonly string[] = ["code"];

/** Maximum lengths of values that are stored with a code, in characters. They bound the size of the store. */
const maxStoredLengths = [["nonce", 1024], ["claims", 4096]] as const;

/**
 * Traces the warnings of a request that was accepted. {@link parseAuthorizationRequest} traces none, so a request that is
 * read more than once causes each warning once.
 */
export function warnAcceptedRequest(server: Server, params: Params, { request, client }: PendingAuthorization): void {
  for (const explanation of client.document?.warnings ?? []) {
    server.trace({ type: "warning", at: server.now(), client: client.id, explanation });
  }
  warnIgnoredDetails(server, client, params);
  warnIgnoredScope(server, client, params.get("scope"), request.scope);
  warnMissingMethod(server, client, params);
  warnMissingResource(server, client, params);
  warnIgnoredAcr(server, client, params, request.loginRequirements);
}

/**
 * Reads the rest of the request. It changes nothing, so that a request may be read more than once.
 *
 * @throws {OAuthError} Errors for the client, to be sent to the destination.
 */
export async function parseAuthorizationRequest(
  server: Server,
  params: Params,
  client: Client,
  { mode: destinationMode, pushedRequest, isSigned = false }: RedirectDestination,
): Promise<AuthorizationRequest> {
  params.rejectRepeated("AZ-07");
  server.passed?.("AZ-07");
  if (pushedRequest === undefined) rejectUnpushed(server, client);
  if (
    !isSigned && (policyOf(server, client).requireSignedRequestObject || client.metadata.require_signed_request_object)
  ) {
    throw (await import("./request_object.ts")).unsignedRequest(server, client);
  }
  if ((params.get("state")?.length ?? 0) > maxStateLength) {
    throw new OAuthError("invalid_request", `state is longer than ${maxStateLength} characters`, {
      rule: "AZ-13",
      expected: `at most ${maxStateLength} characters`,
      received: `${params.get("state")!.length}`,
    });
  }
  if (isAlteredByForm(destinationMode, params.get("state"))) {
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
  if (findResponseMode(server, client, params) === undefined) {
    const { responseModes, profile } = policyOf(server, client);
    throw new OAuthError("invalid_request", `response_mode is not supported${byProfile(profile, "responseModes")}`, {
      rule: "AZ-19",
      expected: responseModes.filter((mode) => client.metadata.response_modes?.includes(mode) ?? true).join(" or "),
      received: params.get("response_mode") ?? "no response_mode, which means query",
    });
  }
  rejectLongValues(params);
  const dpopJkt = params.get("dpop_jkt");
  if (dpopJkt !== undefined && !/^[\w-]{43}$/.test(dpopJkt)) {
    throw new OAuthError("invalid_request", "dpop_jkt is not the thumbprint of a key", {
      rule: "DO-08",
      expected: "the SHA-256 thumbprint of a public key: 43 characters of base64url",
      received: `${dpopJkt.length} characters`,
    });
  }
  const authorizationDetails = hasDetails(server, params)
    ? (await loadDetails()).readDetails(server, client, params, isSigned || pushedRequest !== undefined)
    : undefined;
  const requestedScope = params.get("scope");
  // Details alone are a valid request, which has no scope (RFC 9396 §3.1).
  const scope = authorizationDetails && requestedScope === undefined
    ? []
    : resolveScope(server, client, requestedScope);
  const codeChallenge = readCodeChallenge(server, client, params, scope);
  const idTokenHint = params.get("id_token_hint");
  const hintedLogin = idTokenHint === undefined
    ? undefined
    : await (await import("../tokens/id_token_hint.ts")).readIdTokenHint(server, idTokenHint);
  const readingResources = readResources(server, params);
  const resources = isPromise(readingResources) ? await readingResources : readingResources;
  const requirements = readOpenIdParameters(params, client, hintedLogin);
  const loginRequirements = params.get("claims") === undefined && server.settings.acrValues.length === 0
    ? requirements
    : (await import("./requested_claims.ts")).addRequestedClaims(server, params, client, scope, requirements);
  return {
    clientId: client.id,
    scope,
    ...authorizationDetails && { authorizationDetails },
    codeChallenge,
    dpopJkt,
    nonce: params.get("nonce"),
    resources,
    loginRequirements,
  };
}

/** Rejects values that are too long to be stored. */
export function rejectLongValues(params: Params): void {
  for (const [name, limit] of maxStoredLengths) {
    if ((params.get(name)?.length ?? 0) <= limit) continue;
    throw new OAuthError("invalid_request", `${name} is longer than ${limit} characters`, {
      rule: "AZ-13",
      expected: `at most ${limit} characters`,
      received: String(params.get(name)!.length),
    });
  }
}

function rejectUnpushed(server: Server, client: Client): void {
  const { requirePushedAuthorizationRequests: isRequired, profile } = policyOf(server, client);
  if (!client.metadata.require_pushed_authorization_requests && !isRequired) return;
  const decider = isRequired ? byProfile(profile, "requirePushedAuthorizationRequests") : "";
  throw new OAuthError("invalid_request", `the authorization request must be pushed${decider}`, {
    rule: "PA-07",
    reason: isRequired
      ? `the setting requirePushedAuthorizationRequests demands pushed authorization requests${decider}`
      : `client ${client.id} is registered with require_pushed_authorization_requests`,
    expected: "client_id and the request_uri of a pushed authorization request",
    received: "the parameters themselves",
  });
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
  // Space-separated values in any order (§4.1.1, RFC 6749 Appendix A.3); every supported type is one value.
  if (!responseTypes.includes(type)) {
    throw new OAuthError("unsupported_response_type", "response_type is not supported; use code", {
      rule: "AZ-09",
      expected: "response_type=code",
      received: `response_type=${type}`,
    });
  }
  const { response_types: registered = responseTypes } = client.metadata;
  if (client.grantTypes.includes("authorization_code") && registered.includes(type)) {
    return server.passed?.("AZ-09", type);
  }
  throw new OAuthError("unauthorized_client", "this client is not registered for the code flow", {
    rule: "AZ-11",
    expected: "grant_types with authorization_code and response_types with code",
    received: `${client.grantTypes.join(" ")}; ${registered.join(" ")}`,
  });
}
