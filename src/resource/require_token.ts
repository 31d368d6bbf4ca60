/**
 * Access tokens at a protected resource (RFC 6750, OAuth 2.1 §5): checks, challenges, and the reason of a rejection.
 */

import { challenge, type HttpResponse, json, toResponse } from "../core/http/message.ts";
import { corsHeaders, parseTarget } from "../core/http/router.ts";
import { canonicalUri } from "../platform/http/absolute_uri.ts";
import { jwtPolicies } from "../platform/jwt/jwt_policies.ts";
import { hasTokenInQuery, requireSentToken } from "../core/token/tokens/sent_token.ts";
import { OAuthError } from "../core/rules/errors.ts";
import { crossOriginHeaders } from "../server/hosting/cross_origin_headers.ts";
import { reject } from "../server/rules/mod.ts";
import { reject as rejectCertificate } from "../server/extensions/mutual_tls/rules.ts";
import { reject as rejectProof } from "../server/extensions/dpop/rules.ts";
import { acceptedProofs, assertKeyProven, dpopScheme } from "../server/extensions/dpop/scheme.ts";
import { metadataUrl } from "./metadata.ts";
import type { AccessTokenClaims, RequiredToken } from "./protected_resource.ts";
import { assertRequiredLogin, insufficientLogin, loginParameters } from "./required_login.ts";

/** The part of a request that is checked. Not its host: `resource` is the identifier. */
type TokenRequest = Pick<Request, "method" | "url"> & { readonly headers: { get(name: string): string | null } };

/**
 * Requires an access token in `Authorization: Bearer`, or `DPoP` with a proof, for one operation of a protected
 * resource. Returns the claims of the token, or the response that rejects the request:
 *
 * - 401 without an error code: no token.
 * - 401 `invalid_token`: not issued by the authorization server, expired, revoked, for another resource, or bound to a
 *   key that is not proven.
 * - 401 `invalid_dpop_proof` or `use_dpop_nonce`: the DPoP proof is missing, invalid, or needs a nonce.
 * - 401 `insufficient_user_authentication`: the challenge names the login that the operation needs (RFC 9470 §3).
 * - 403 `insufficient_scope`: the challenge names all scope values that the operation needs.
 * - 400 `invalid_request`: a token in the query and one in the header.
 * - 503 `temporarily_unavailable`: the authorization server cannot be reached, so the token cannot be checked.
 *
 * Each 401 and 403 has `resource_metadata`, the URL of the metadata document (RFC 9728 §5.1).
 *
 * @throws {TypeError} If `scope` contains a value that `scopes` lacks, `acrValues` or `maxAgeSeconds` cannot stand in a
 *   challenge, or `resource` is invalid.
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
    assertSufficient(claims, options);
    return claims;
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    const rejection = rejectionResponse(error, request.headers.get("authorization"), options);
    if (options.onRejection !== undefined) {
      const { explainError, findRule, withFix } = await import("../server/rules.ts");
      const explanation = withFix((await explainError(undefined, error)).explain());
      const { cites } = findRule(explanation.rule) ?? {};
      options.onRejection({
        status: rejection.status,
        ...error.details.challenge !== "bare" && { error: error.code },
        ...explanation,
        cites,
      });
    }
    return toResponse(rejection);
  }
}

/**
 * The challenge for a valid access token whose login is not strong or recent enough, with `acr_values` and `max_age`
 * for the next authorization request; `undefined` if the login suffices. For resources that decide after
 * `requireToken()` what an operation needs.
 *
 * @param token The claims of the token, as `requireToken()` returned them.
 *
 * @example
 * ```ts ignore
 * const challenge = stepUpChallenge(token, { ...api, acrValues: ["urn:example:mfa"], maxAgeSeconds: 300 });
 * if (challenge !== undefined) return challenge;
 * ```
 */
export function stepUpChallenge(token: AccessTokenClaims, options: RequiredToken): Response | undefined {
  const error = insufficientLogin(token, options);
  const scheme = confirmation(token.cnf).jkt === undefined ? "Bearer" : dpopScheme;
  return error && toResponse(rejectionResponse(error, scheme, options));
}

/** The claim `cnf` of a token; empty without one. */
export function confirmation(cnf: unknown): Readonly<Record<string, unknown>> {
  return typeof cnf === "object" && cnf !== null ? cnf as Readonly<Record<string, unknown>> : {};
}

/**
 * The claims of the valid token of a request, regardless of its scope.
 *
 * @param assertCertificate Requires the certificate that a token is bound to. Default: `certificate` of the options.
 * @throws {OAuthError} If the request has no valid token.
 * @throws {TypeError} If the options are invalid.
 */
export async function verifyRequest(
  request: TokenRequest,
  options: RequiredToken,
  assertCertificate: (cnf: unknown) => void | Promise<void> = (cnf) => assertPresented(options.certificate, cnf),
): Promise<AccessTokenClaims> {
  assertScope(options);
  assertRequiredLogin(options);
  const { method, url, headers } = request;
  const { resource, dpop, verifier } = options;
  const proofs = dpop && acceptedProofs(dpop);
  const { scheme, token } = requireSentToken(headers.get("authorization"), {
    missing: (facts, handling) => reject("PR-08", facts, handling),
    read: proofs?.read,
    schemes: proofs?.schemes,
    // A token in the query counts as not sent (OAuth 2.1 §5.1).
    other: hasTokenInQuery(url) ? { name: "query" } : undefined,
  });
  const claims = await verifier.verify(token);
  assertClaims(claims, options);
  const { "x5t#S256": thumbprint, jkt } = confirmation(claims.cnf);
  if (thumbprint !== undefined) await assertCertificate(claims.cnf);
  const isProven = thumbprint !== undefined && jkt === undefined && scheme === "Bearer";
  if (proofs === undefined && !isProven && claims.cnf !== undefined) {
    throw rejectProof("DO-09", { problem: "no proofs accepted" });
  }
  if (proofs !== undefined && !isProven) {
    await assertKeyProven(scheme, claims.cnf, proofs.required, (boundKey) =>
      dpop!.verify(
        {
          method,
          // The identifier names the external origin: a proxy may change the host of the request.
          url: new URL(resource).origin + parseTarget(url, {}).path,
          header: (name) => headers.get(name),
        },
        token,
        verifier.now(),
        boundKey,
        typeof claims.client_id === "string" ? claims.client_id : undefined,
      ));
  }
  return { ...claims, scope: typeof claims.scope === "string" ? claims.scope : "" };
}

/** Requires the certificate that a token is bound to (RFC 8705 §3). @throws {OAuthError} `invalid_token`. */
async function assertPresented(certificate: RequiredToken["certificate"], cnf: unknown): Promise<void> {
  const { "x5t#S256": expected } = confirmation(cnf);
  const { parseCertificate } = await import("../platform/runtime/certificate.ts");
  const parsed = certificate === undefined ? undefined : parseCertificate(certificate);
  if (parsed !== undefined && parsed.isProvable && parsed.thumbprint === expected) return;
  throw rejectCertificate("MT-06", { expected, isPassed: certificate !== undefined, certificate: parsed });
}

/**
 * Whether a request has no credentials at all, as the first one of a client that looks for the authorization server.
 */
export function isWithoutToken({ url, headers }: TokenRequest): boolean {
  return headers.get("authorization") === null && !hasTokenInQuery(url);
}

/**
 * The response that rejects a request, with the challenge (RFC 6750 §3, RFC 9728 §5.1).
 *
 * @param authorization The header of the request, or its scheme alone.
 */
export function rejectionResponse(
  error: OAuthError,
  authorization: string | null,
  options: RequiredToken,
): HttpResponse {
  const { resource, scope = [], dpop } = options;
  const { code, description, status, details } = error;
  const { retryAfter, headers } = details;
  // A request without a token receives no error code (RFC 6750 §3.1).
  const members = details.challenge === "bare" ? {} : { error: code, error_description: description };
  const parameters = {
    ...members,
    // Only for a valid token: others do not learn the required level (RFC 9470 §9).
    ...code === "insufficient_user_authentication" && loginParameters(options),
    scope: scope.length === 0 ? undefined : scope.join(" "),
    resource_metadata: metadataUrl(resource),
  };
  return json(status, members, {
    ...corsHeaders(crossOriginHeaders),
    ...(status === 401 || status === 403) &&
      {
        "www-authenticate": dpop
          ? acceptedProofs(dpop).challenges(authorization, status, parameters)
          : challenge("Bearer", parameters),
      },
    ...headers,
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

/** Checks issuer, expiry and audience (RFC 9068 §4). */
function assertClaims(
  claims: Readonly<Record<string, unknown>>,
  { resource, verifier: { issuer, now }, clockToleranceSeconds = jwtPolicies.resource_access_token.secondsLate }:
    RequiredToken,
): asserts claims is AccessTokenClaims {
  const { iss, exp, nbf, aud } = claims;
  const seconds = Math.floor(now() / 1000);
  if (iss !== issuer) throw reject("PR-08", { claim: "iss", required: issuer, received: show(iss) });
  if (exp !== undefined && !(typeof exp === "number" && seconds < exp + clockToleranceSeconds)) {
    throw reject("PR-08", { claim: "exp", required: seconds, received: show(exp) });
  }
  if (nbf !== undefined && !(typeof nbf === "number" && seconds >= nbf - clockToleranceSeconds)) {
    throw reject("PR-08", { claim: "nbf", required: seconds, received: show(nbf) });
  }
  const audience = [aud ?? []].flat();
  const key = canonicalUri(resource);
  if (!audience.some((value) => typeof value === "string" && canonicalUri(value) === key)) {
    const received = audience.length === 0 ? undefined : show(audience.length === 1 ? audience[0] : audience);
    throw reject("MC-08", { resource, audience: received });
  }
}

/** A claim as text of bounded length. */
function show(value: unknown): string {
  return (typeof value === "string" ? value : JSON.stringify(value) ?? "none").slice(0, 200);
}

/**
 * Requires the login and the scope of the operation. A granted scope value includes the values that it implies.
 *
 * @throws {OAuthError} `insufficient_user_authentication` or `insufficient_scope`.
 */
export function assertSufficient(claims: AccessTokenClaims, options: RequiredToken): void {
  const error = insufficientLogin(claims, options);
  if (error !== undefined) throw error;
  const { scope = [], impliedScopes = {} } = options;
  const granted = new Set(claims.scope.split(" "));
  for (const value of granted) {
    for (const implied of Object.hasOwn(impliedScopes, value) ? impliedScopes[value]! : []) granted.add(implied);
  }
  if (scope.every((value) => granted.has(value))) return;
  throw reject("PR-10", { scope, granted: claims.scope });
}
