/** Explains why an access token is rejected, as far as the token itself proves the reason. Loads jose. */

import { decodeJwt, decodeProtectedHeader, type JWTPayload } from "jose";
import { describeKind } from "../../core/http/quote_value.ts";
import { findRevoked } from "../../core/store/grant.ts";
import { findTimeProblem, findTimeTypeProblem, formatClaimTime, jwtPolicies } from "../../platform/jwt/jwt_policies.ts";
import type { InvalidToken } from "../../core/rules/openid.ts";
import type { Server } from "../../core/server.ts";
import { grantOfAccessToken } from "../../core/token/tokens/access_token.ts";
import { isKind, verifyOwnJwt } from "../../core/keys/verification.ts";
import { describeRevocation } from "./revocation.ts";
import type { RejectionTexts } from "./rule_text.ts";

const newToken = "Request a new access token, by a login or with the refresh token.";

/** Explains why an access token is rejected at a resource of this server. */
export async function explainAccessToken(facts: InvalidToken, server: Server): Promise<RejectionTexts> {
  const { token } = facts;
  if ("audience" in facts) {
    return {
      reason: "the access token is for another resource",
      expected: `a token for ${server.audience}`,
      received: `a token for ${facts.audience.join(" ")}`,
      fix: `Send this token to that resource. For this one, request a token with resource=${server.audience}.`,
    };
  }
  const decoded = decode(token);
  if (decoded === undefined) {
    return {
      reason: "the access token is unknown, expired or revoked",
      expected: "an access token of this server",
      received: "a token that is not a JWT",
      fix: "Send access_token of the token response, complete. Tokens from before a restart may be unknown.",
    };
  }
  const { typ, claims } = decoded;
  const { iss, exp } = claims;
  if (iss !== server.issuer) {
    return {
      reason: "the access token is from another issuer",
      expected: `iss ${server.issuer}`,
      // Nothing is verified yet, so iss may have any type.
      received: `iss ${iss === undefined ? "absent" : typeof iss === "string" ? iss : describeKind(iss)}`,
      fix: "Send the token to the server that issued it, or configure this issuer in the client.",
    };
  }
  const malformed = findTimeTypeProblem(claims);
  if (
    malformed === undefined && await verifyOwnJwt(server, token, { ignoresTimes: true }, {}) === undefined
  ) {
    return {
      reason: "no key of this server verifies the signature of the access token",
      expected: "a signature by a key of the jwks_uri",
      received: "another signature",
      fix: "Send access_token unchanged. A server that keeps its keys in memory has new keys after a restart.",
    };
  }
  if (!isKind(server.policy, "access_token", { typ }, claims)) {
    const describe = (typ: string | undefined) => typ === undefined ? "no typ" : `typ ${typ}`;
    const ownTyp = server.keys.types.access_token;
    return {
      reason: "the token is not an access token",
      expected: typ === ownTyp ? "an access token" : describe(ownTyp),
      received: typ === ownTyp ? `a token of another kind, also with ${describe(typ)}` : describe(typ),
      fix: "Send access_token of the token response. The ID token is for the client only.",
    };
  }
  const now = server.now() / 1000;
  if (malformed === undefined && exp !== undefined && now >= exp) {
    return {
      reason: "the access token has expired",
      expected: `before ${formatClaimTime(exp)}`,
      received: formatClaimTime(now),
      fix: newToken,
    };
  }
  const timeProblem = exp === undefined
    ? { reason: "it has no exp", expected: "exp in seconds since 1970", received: "no exp" }
    : findTimeProblem(jwtPolicies.access_token, claims, now);
  if (timeProblem !== undefined) {
    const { reason, expected, received } = timeProblem;
    return { reason: `the access token is invalid: ${reason}`, expected, received, fix: newToken };
  }
  const { problem } = facts;
  const revoked = problem === "its grant was revoked"
    ? await findRevoked(server, [grantOfAccessToken(String(claims.jti))])
    : undefined;
  return {
    reason: "the access token is not valid any more",
    expected: "a token that is not revoked, of a client and a user that exist",
    received: problem === "unreadable" ? "a token that lacks a required claim" : `a token, but ${problem}`,
    fix: newToken,
    ...revoked && describeRevocation(revoked.record),
  };
}

/** The type and the claims of a JWT, which is not verified; `undefined` for any other token. */
function decode(token: string): { readonly typ?: string; readonly claims: JWTPayload } | undefined {
  try {
    return { typ: decodeProtectedHeader(token).typ, claims: decodeJwt(token) };
  } catch {
    return undefined;
  }
}
