/** Access tokens at a protected resource (RFC 6750, OAuth 2.1 §5): checks, challenges, and the reason of a rejection. */

import { challenge } from "../http/challenge.ts";
import { toResponse } from "../http/message.ts";
import type { HttpResponse } from "../http/message.ts";
import { json } from "../http/responses.ts";
import { corsHeaders } from "../http/router.ts";
import { canonicalUri } from "../oauth/config/resource_list.ts";
import { errorStatus, OAuthError } from "../oauth/errors.ts";
import { metadataUrl } from "./metadata.ts";
import type { AccessTokenClaims, RequiredToken } from "./protected_resource.ts";

/** The part of a request that is checked. Not its host: `resource` is the identifier. */
type TokenRequest = Pick<Request, "url"> & { readonly headers: { get(name: string): string | null } };

const maxTokenLength = 16 * 1024;

const queryToken = /[?&]access_token=[^&#]/;

/**
 * Requires an access token in `Authorization: Bearer` for one operation of a protected resource. Returns the claims of the
 * token, or the response that rejects the request:
 *
 * - 401 without an error code: no token.
 * - 401 `invalid_token`: not issued by the authorization server, expired, revoked, or for another resource.
 * - 403 `insufficient_scope`: the challenge names all scope values that the operation needs.
 * - 400 `invalid_request`: a token in the query and one in the header.
 * - 503 `temporarily_unavailable`: the authorization server cannot be reached, so the token cannot be checked.
 *
 * Each 401 and 403 has `resource_metadata`, the URL of the metadata document (RFC 9728 §5.1).
 *
 * @throws {TypeError} If `scope` contains a value that `scopes` lacks, or `resource` is invalid.
 *
 * @example
 * ```ts ignore
 * const token = await requireToken(request, { ...api, scope: ["files:read"] });
 * if (token instanceof Response) return token;
 * return Response.json({ user: token.sub });
 * ```
 */
export async function requireToken(request: Request, options: RequiredToken): Promise<AccessTokenClaims | Response> {
  try {
    const claims = await verifyRequest(request, options);
    assertSufficientScope(claims, options);
    return claims;
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    const rejection = rejectionResponse(error, options);
    if (options.onRejection !== undefined) {
      const { findFix, findRule } = await import("../oauth/rules/mod.ts");
      const explanation = error.explain();
      const { cites } = findRule(explanation.rule) ?? {};
      options.onRejection({
        status: rejection.status,
        ...error.details.challenge !== "bare" && { error: error.code },
        ...explanation,
        fix: findFix(explanation),
        cites,
      });
    }
    return toResponse(rejection);
  }
}

/**
 * The claims of the valid token of a request, regardless of its scope.
 *
 * @throws {OAuthError} If the request has no valid token.
 * @throws {TypeError} If the options are invalid.
 */
export async function verifyRequest(request: TokenRequest, options: RequiredToken): Promise<AccessTokenClaims> {
  assertScope(options);
  const token = readBearerToken(request);
  const claims = await options.verifier.verify(token);
  assertClaims(claims, options);
  return { ...claims, scope: typeof claims.scope === "string" ? claims.scope : "" };
}

/** Whether a request has no credentials at all, as the first one of a client that looks for the authorization server. */
export function isWithoutToken({ url, headers }: TokenRequest): boolean {
  return headers.get("authorization") === null && !queryToken.test(url);
}

/** The response that rejects a request, with the challenge (RFC 6750 §3, RFC 9728 §5.1). */
export function rejectionResponse(error: OAuthError, { resource, scope = [] }: RequiredToken): HttpResponse {
  const { code, description, details } = error;
  const { status = errorStatus[code], retryAfter } = details;
  // A request without a token receives no error code (RFC 6750 §3.1).
  const members = details.challenge === "bare" ? {} : { error: code, error_description: description };
  const parameters = {
    ...members,
    scope: scope.length === 0 ? undefined : scope.join(" "),
    resource_metadata: metadataUrl(resource),
  };
  return json(status, members, {
    ...corsHeaders,
    ...(status === 401 || status === 403) && { "www-authenticate": challenge("Bearer", parameters) },
    ...retryAfter !== undefined && { "retry-after": String(retryAfter) },
  });
}

/** Rejects a programming error: a scope value that is not in `scopes`, and so not in the metadata document. */
function assertScope({ scope = [], scopes }: RequiredToken): void {
  const unknown = scope.filter((value) => scopes?.includes(value) === false);
  if (unknown.length === 0) return;
  throw new TypeError(
    `scope: expected values of scopes (${scopes?.join(" ")}), received ${unknown.join(" ")}. Add them to scopes.`,
  );
}

/** The token in the `Authorization` header. A token in the query counts as not sent (OAuth 2.1 §5.1). */
function readBearerToken({ url, headers }: TokenRequest): string {
  const authorization = headers.get("authorization");
  const token = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization ?? "")?.[1];
  const hasQueryToken = queryToken.test(url);
  if (token !== undefined && hasQueryToken) {
    throw new OAuthError("invalid_request", "the access token was sent in two places", {
      rule: "BR-01",
      expected: "the Authorization header only",
      received: "the header and the query",
    });
  }
  if (token === undefined || token.length > maxTokenLength) {
    throw new OAuthError("invalid_token", "an access token is required", {
      rule: "PR-08",
      // A request that authenticates in another way has no token either (RFC 6750 §3.1).
      challenge: /^bearer\b/i.test(authorization ?? "") ? undefined : "bare",
      expected: "Authorization: Bearer TOKEN",
      received: describeMissingToken(authorization, hasQueryToken),
    });
  }
  return token;
}

function describeMissingToken(authorization: string | null, hasQueryToken: boolean): string {
  if (hasQueryToken) return "a token in the query, where it is not accepted";
  if (authorization === null) return "no token";
  return /^bearer\b/i.test(authorization) ? "a malformed token" : "another Authorization header";
}

/** Checks issuer, expiry and audience (RFC 9068 §4). */
function assertClaims(
  claims: Readonly<Record<string, unknown>>,
  { resource, verifier: { issuer, now }, clockToleranceSeconds = 10 }: RequiredToken,
): asserts claims is AccessTokenClaims {
  const { iss, exp, nbf, aud } = claims;
  const seconds = Math.floor(now() / 1000);
  if (iss !== issuer) rejectToken("the access token was issued by another authorization server", issuer, show(iss));
  if (exp !== undefined && !(typeof exp === "number" && seconds < exp + clockToleranceSeconds)) {
    rejectToken("the access token has expired", `exp after ${seconds}`, show(exp));
  }
  if (nbf !== undefined && !(typeof nbf === "number" && seconds >= nbf - clockToleranceSeconds)) {
    rejectToken("the access token is not valid yet", `nbf up to ${seconds}`, show(nbf));
  }
  if (claims.cnf !== undefined) {
    rejectToken(
      "the access token is bound to a key (cnf), and came without proof",
      "a token without cnf",
      "one with cnf",
    );
  }
  const audience = [aud ?? []].flat();
  const key = canonicalUri(resource);
  if (!audience.some((value) => typeof value === "string" && canonicalUri(value) === key)) {
    throw new OAuthError("invalid_token", "the access token is for another resource", {
      rule: "MC-08",
      expected: resource,
      received: audience.length === 0 ? "no aud" : show(audience.length === 1 ? audience[0] : audience),
    });
  }
}

function rejectToken(message: string, expected: string, received: string): never {
  throw new OAuthError("invalid_token", message, { rule: "PR-08", expected, received });
}

/** A claim as text of bounded length. */
function show(value: unknown): string {
  return (typeof value === "string" ? value : JSON.stringify(value) ?? "none").slice(0, 200);
}

/**
 * Requires the scope of the operation. A granted scope value includes the values that it implies.
 *
 * @throws {OAuthError} `insufficient_scope`.
 */
export function assertSufficientScope(
  claims: AccessTokenClaims,
  { scope = [], impliedScopes = {} }: RequiredToken,
): void {
  const granted = new Set(claims.scope.split(" "));
  for (const value of granted) {
    for (const implied of Object.hasOwn(impliedScopes, value) ? impliedScopes[value]! : []) granted.add(implied);
  }
  if (scope.every((value) => granted.has(value))) return;
  throw new OAuthError("insufficient_scope", "the access token lacks scope that this operation needs", {
    rule: "PR-10",
    expected: scope.join(" "),
    received: claims.scope || "no scope",
  });
}
