/** Verifies assertions of trusted issuers (RFC 7523 §3). Loaded with the first one, because it imports jose. */

import { decodeJwt, decodeProtectedHeader, type JWTPayload } from "jose";
import { describeKind } from "../../../core/http/quote_value.ts";
import { withAlias } from "../../fetching/client_jwt.ts";
import type { TrustedIssuer } from "./settings.ts";
import {
  findFormProblem,
  findTypeProblem,
  foreignClockTolerance,
  type JwtPolicy,
  JwtPolicyError,
  type JwtProblem,
} from "../../../platform/jwt/jwt_policies.ts";
import { findKeyProblem, remoteKeys } from "../../fetching/remote_keys.ts";
import { verifyByKeys } from "../../../platform/jwt/verify_by_keys.ts";
import { warn } from "../../trace.ts";
import { DocumentError } from "../../fetching/outbound.ts";
import { verificationAlgorithms } from "../../config/verification_algorithms.ts";
import type { HostedServer } from "../../hosted_server.ts";
import type { OAuthError } from "../../../core/rules/errors.ts";
import { invalidGrantBy } from "../../../core/token/grants/narrow_grant.ts";
import type { BrokenRule, FactsOf } from "../../../core/rules/reject.ts";
import type { assertionGrantRules } from "./rules.ts";
import { assertionGrantTexts } from "./explain.ts";

/** An assertion of a trusted issuer (RFC 7523 §3). `maxLifetime` of its entry sets another lifetime. */
export const assertionPolicy: JwtPolicy & { readonly maxLifetime: number } = {
  ...foreignClockTolerance,
  ...{ types: ["jwt", "authorization-grant+jwt"], isTypeOptional: true, maxLifetime: 3600 },
};

/** An ID-JAG of a trusted issuer, with the same lifetime. */
export const idJagPolicy: typeof assertionPolicy = {
  ...{ ...foreignClockTolerance, types: ["oauth-id-jag+jwt"], maxLifetime: 3600 },
};

/** An assertion whose signature, times and audience are valid. */
export interface VerifiedAssertion {
  /** The entry of its issuer. */
  readonly trusted: TrustedIssuer;
  readonly claims: JWTPayload & { readonly iss: string; readonly sub: string; readonly exp: number };
}

type Rules = typeof assertionGrantRules;

const invalidGrant = invalidGrantBy<Rules>(
  "JB-02",
  "assertion is malformed, expired, of an issuer that is not trusted, or not accepted for this client",
);

/** All rejections of an assertion look the same to the client; the trace contains the reason. */
export function invalidAssertion<Id extends keyof Rules>(rule: Id, facts: FactsOf<Rules[Id]>): OAuthError {
  return invalidGrant({ rule, ...facts } as BrokenRule<Rules>);
}

/**
 * Verifies an assertion: issuer, kind, signature, times, audience and required claims.
 *
 * @throws {OAuthError} `invalid_grant`.
 */
export async function verifyGrantAssertion(
  server: HostedServer,
  assertion: string,
  trustedIssuers: readonly TrustedIssuer[],
): Promise<VerifiedAssertion> {
  const { typ, payload } = decode(assertion);
  assertClaimTypes(payload);
  const trusted = findIssuer(server, payload, trustedIssuers);
  server.passed("JB-03", trusted.issuer);
  assertType(trusted, typ);
  server.passed("JB-07", typ);
  const timeProblem = await verifySignature(server, trusted, assertion);
  server.passed("JB-06");
  const claims = assertTimes(server, trusted, payload, timeProblem);
  server.passed("JB-04", claims.exp * 1000);
  assertAudience(server, trusted, payload);
  server.passed(trusted.grantProfile === "id-jag" ? "IJ-13" : "JB-05");
  if (trusted.grantProfile === "id-jag") assertIdJagClaims(payload);
  return { trusted, claims: { ...claims, iss: trusted.issuer } };
}

/** The unverified content of an assertion. */
function decode(assertion: string): { readonly typ: string | undefined; readonly payload: JWTPayload } {
  try {
    if (findFormProblem(assertion) === undefined) {
      const { typ } = decodeProtectedHeader(assertion);
      return { typ: typ === undefined ? undefined : String(typ), payload: decodeJwt(assertion) };
    }
  } catch {
    // The text has three parts, but they are not JSON objects.
  }
  throw invalidAssertion("JB-01", { problem: "malformed" });
}

const isString = (value: unknown) => typeof value === "string";
const isStringOrList = (value: unknown) => [value].flat().every(isString);
/** Seconds since 1970 that a date can represent. */
const isTime = (value: unknown) => typeof value === "number" && Math.abs(value) < 8.64e12;

/** The JSON types of the claims that are read here: names, type, check, and the rule of the claim. */
const claimTypes = [
  [["iss"], "a string", isString, "JB-03"],
  [["aud"], "a string or an array of strings", isStringOrList, "JB-05"],
  [["sub", "jti", "tenant", "client_id", "scope", "email", "aud_sub"], "a string", isString, "JB-04"],
  [["resource"], "a string or an array of strings", isStringOrList, "JB-04"],
  [["exp", "iat", "nbf", "auth_time"], "seconds since 1970", isTime, "JB-04"],
  [["email_verified"], "a boolean", (value: unknown) => typeof value === "boolean", "JB-04"],
] as const;

function assertClaimTypes(payload: JWTPayload): void {
  for (const [names, expected, isValid, rule] of claimTypes) {
    const name = names.find((name) => payload[name] !== undefined && !isValid(payload[name]));
    if (name === undefined) continue;
    throw invalidAssertion(rule, { claim: name, expected, received: describeKind(payload[name]) });
  }
}

function findIssuer(
  server: HostedServer,
  { iss, tenant }: JWTPayload,
  trustedIssuers: readonly TrustedIssuer[],
): TrustedIssuer {
  const ofIssuer = trustedIssuers.filter((trusted) => trusted.issuer === iss);
  const trusted = ofIssuer.find((candidate) => candidate.tenant === tenant);
  if (trusted !== undefined && iss !== server.issuer) return trusted;
  if (iss === server.issuer) throw invalidAssertion("JB-07", { ownIssuer: iss });
  if (ofIssuer.length === 0) throw invalidAssertion("JB-03", { iss });
  const tenants = ofIssuer.map(({ tenant }) => tenant);
  throw invalidAssertion("JB-03", { tenant: tenant as string | undefined, tenants });
}

function jwtPolicyOf({ grantProfile }: TrustedIssuer) {
  return grantProfile === "id-jag" ? idJagPolicy : assertionPolicy;
}

/** Rejects tokens of every other kind by their `typ` (RFC 8725 §3.11). */
function assertType(trusted: TrustedIssuer, typ: string | undefined): void {
  const problem = findTypeProblem(jwtPolicyOf(trusted), typ);
  if (problem === undefined) return;
  const { expected, received } = problem;
  if (trusted.grantProfile === "id-jag") throw invalidAssertion("IJ-14", { expected, received });
  const isIdJag = findTypeProblem(idJagPolicy, typ) === undefined;
  throw invalidAssertion("JB-07", { isIdJag, expected, received });
}

/** Verifies the signature, then the times. @returns The problem of the times. */
async function verifySignature(
  server: HostedServer,
  trusted: TrustedIssuer,
  assertion: string,
): Promise<JwtProblem | undefined> {
  const { issuer, algorithms = verificationAlgorithms } = trusted;
  const keys = remoteKeys(server.fetching.keys, trusted);
  try {
    await verifyByKeys(assertion, keys, jwtPolicyOf(trusted), { algorithms, now: server.now() });
    return undefined;
  } catch (cause) {
    if (cause instanceof JwtPolicyError) return cause.problem;
    const failure = cause instanceof DocumentError ? undefined : (cause as Error).message;
    throw invalidAssertion("JB-06", { issuer, failure, ...findKeyProblem(trusted, cause) });
  }
}

function assertTimes(
  server: HostedServer,
  trusted: TrustedIssuer,
  payload: JWTPayload,
  problem: JwtProblem | undefined,
): JWTPayload & { readonly sub: string; readonly exp: number } {
  const { sub, exp, iat } = payload;
  const { maxLifetime = jwtPolicyOf(trusted).maxLifetime } = trusted;
  if (typeof sub !== "string" || sub === "") throw invalidAssertion("JB-04", { missing: "sub" });
  if (typeof exp !== "number") throw invalidAssertion("JB-04", { missing: "exp" });
  if (problem !== undefined) throw invalidAssertion("JB-04", { problem });
  const now = server.now() / 1000;
  const authTime = payload.auth_time as number | undefined;
  if (authTime !== undefined && authTime > now + jwtPolicyOf(trusted).secondsAhead) {
    throw invalidAssertion("JB-04", { authTime, now });
  }
  const lifetime = exp - Math.min(iat ?? now, now);
  if (lifetime > maxLifetime) throw invalidAssertion("JB-04", { lifetime, maxLifetime });
  return { ...payload, sub, exp };
}

function assertAudience(server: HostedServer, { grantProfile }: TrustedIssuer, payload: JWTPayload): void {
  const audience = [payload.aud ?? []].flat();
  const isIdJag = grantProfile === "id-jag";
  const tokenUrls = server.assertionAudiences.flatMap((url) => withAlias(server, url));
  const accepted = isIdJag ? [server.issuer] : [server.issuer, ...tokenUrls];
  if (
    isIdJag ? audience.length === 1 && audience[0] === server.issuer : audience.some((aud) => accepted.includes(aud))
  ) {
    return;
  }
  const rule = isIdJag ? "IJ-13" : "JB-05";
  // An issuer without path is often written with a slash. `assertionAudience: "issuer"` rejects that.
  const isLenient = server.assertionAudiences.length > 0 && new URL(server.issuer).pathname === "/";
  if (isIdJag && isLenient && audience.length === 1 && audience[0] === `${server.issuer}/`) {
    warn(server, undefined, {
      rule,
      reason: "aud of the ID-JAG has a slash after the issuer, which many servers reject",
      expected: `aud = ${server.issuer}`,
      received: audience[0],
      fix: assertionGrantTexts[rule].fix,
    });
    return;
  }
  throw invalidAssertion(rule, { accepted, audience });
}

function assertIdJagClaims(payload: JWTPayload): void {
  for (const name of ["jti", "client_id"]) {
    if (typeof payload[name] === "string" && payload[name] !== "") continue;
    throw invalidAssertion("IJ-16", { missing: name });
  }
  if (payload.iat === undefined) throw invalidAssertion("IJ-16", { missing: "iat" });
}
