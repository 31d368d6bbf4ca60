/** Verifies assertions of trusted issuers (RFC 7523 §3). Loaded with the first one, because it imports jose. */

import { decodeJwt, decodeProtectedHeader } from "jose";
import type { JWTPayload } from "jose";
import { describeKind } from "../../oauth/config_issue.ts";
import { withAlias } from "../../oauth/issuer_urls.ts";
import type { TrustedIssuer } from "./settings.ts";
import {
  findFormProblem,
  findTypeProblem,
  foreignClockTolerance,
  formatClaimTime,
  type JwtPolicy,
  JwtPolicyError,
  type JwtProblem,
} from "../../oauth/keys/jwt_policies.ts";
import { remoteKeys, verifyByKeys } from "../../oauth/keys/remote_keys.ts";
import { warn } from "../../oauth/warn.ts";
import { DocumentError } from "../../oauth/outbound.ts";
import { verificationAlgorithms } from "../../oauth/keys/signing_algorithm.ts";
import type { Server } from "../../oauth/server.ts";
import { invalidGrantErrors } from "../../oauth/grants/narrow_grant.ts";

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

/** All rejections of an assertion look the same to the client; the trace contains the reason. */
export const invalidAssertion = invalidGrantErrors(
  "JB-02",
  "assertion is malformed, expired, of an issuer that is not trusted, or not accepted for this client",
);

/**
 * Verifies an assertion: issuer, kind, signature, times, audience and required claims.
 *
 * @throws {OAuthError} `invalid_grant`.
 */
export async function verifyAssertion(
  server: Server,
  assertion: string,
  trustedIssuers: readonly TrustedIssuer[],
): Promise<VerifiedAssertion> {
  const { typ, payload } = decode(assertion);
  assertClaimTypes(payload);
  const trusted = findIssuer(server, payload, trustedIssuers);
  server.passed?.("JB-03", trusted.issuer);
  assertType(trusted, typ);
  server.passed?.("JB-07", typ);
  const timeProblem = await verifySignature(server, trusted, assertion);
  server.passed?.("JB-06");
  const claims = assertTimes(server, trusted, payload, timeProblem);
  server.passed?.("JB-04", claims.exp * 1000);
  assertAudience(server, trusted, payload);
  server.passed?.(trusted.grantProfile === "id-jag" ? "IJ-13" : "JB-05");
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
  throw invalidAssertion({
    rule: "JB-01",
    reason: "the assertion is not a signed JWT",
    expected: "three parts of canonical base64url without padding",
    received: "text that is not a JWT",
  });
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
    throw invalidAssertion({
      rule,
      reason: `${name} of the assertion is not ${expected}`,
      expected: `${name}: ${expected}`,
      received: describeKind(payload[name]),
    });
  }
}

function findIssuer(
  server: Server,
  { iss, tenant }: JWTPayload,
  trustedIssuers: readonly TrustedIssuer[],
): TrustedIssuer {
  const ofIssuer = trustedIssuers.filter((trusted) => trusted.issuer === iss);
  const trusted = ofIssuer.find((candidate) => candidate.tenant === tenant);
  if (trusted !== undefined && iss !== server.issuer) return trusted;
  if (iss === server.issuer) {
    throw invalidAssertion({
      rule: "JB-07",
      reason: "this server itself issued the assertion",
      expected: "an assertion of a trusted issuer",
      received: iss,
    });
  }
  const isIssuerKnown = ofIssuer.length > 0;
  throw invalidAssertion({
    rule: "JB-03",
    reason: isIssuerKnown
      ? "no entry of the issuer is for this tenant"
      : "iss of the assertion is not a trusted issuer",
    expected: isIssuerKnown
      ? `tenant: ${ofIssuer.map(({ tenant }) => tenant ?? "absent").join(" or ")}`
      : "iss of an entry of trustedIssuers, character by character",
    received: (isIssuerKnown ? tenant as string | undefined : iss) ?? "absent",
  });
}

function jwtPolicyOf({ grantProfile }: TrustedIssuer) {
  return grantProfile === "id-jag" ? idJagPolicy : assertionPolicy;
}

/** Rejects tokens of every other kind by their `typ` (RFC 8725 §3.11). */
function assertType(trusted: TrustedIssuer, typ: string | undefined): void {
  const problem = findTypeProblem(jwtPolicyOf(trusted), typ);
  if (problem === undefined) return;
  const { expected, received } = problem;
  if (trusted.grantProfile === "id-jag") {
    throw invalidAssertion({ rule: "IJ-14", reason: "the assertion is not an ID-JAG", expected, received });
  }
  const reason = findTypeProblem(idJagPolicy, typ) === undefined
    ? `the assertion is an ID-JAG, and the entry of its issuer has no grantProfile "id-jag"`
    : "the assertion is a token of another kind";
  throw invalidAssertion({ rule: "JB-07", reason, expected, received });
}

/** Verifies the signature, then the times. @returns The problem of the times. */
async function verifySignature(
  server: Server,
  trusted: TrustedIssuer,
  assertion: string,
): Promise<JwtProblem | undefined> {
  const { algorithms = verificationAlgorithms } = trusted;
  const keys = remoteKeys(server.fetching.keys, trusted);
  try {
    await verifyByKeys(assertion, keys, jwtPolicyOf(trusted), { algorithms, now: server.now() });
    return undefined;
  } catch (cause) {
    if (cause instanceof JwtPolicyError) return cause.problem;
    if (cause instanceof DocumentError) {
      const { expected, received, fix } = cause;
      const reason = `the keys of ${trusted.issuer} cannot be fetched`;
      throw invalidAssertion({ rule: "JB-06", reason, expected, received, fix });
    }
    throw invalidAssertion({
      rule: "JB-06",
      reason: `the assertion is invalid: ${(cause as Error).message}`,
      expected: `a signature by a key of ${trusted.issuer}`,
    });
  }
}

function assertTimes(
  server: Server,
  trusted: TrustedIssuer,
  payload: JWTPayload,
  problem: JwtProblem | undefined,
): JWTPayload & { readonly sub: string; readonly exp: number } {
  const { sub, exp, iat } = payload;
  const { maxLifetime = jwtPolicyOf(trusted).maxLifetime } = trusted;
  const fail = (reason: string, expected: string, received: string) =>
    invalidAssertion({ rule: "JB-04", reason, expected, received });
  if (typeof sub !== "string" || sub === "") throw fail("the assertion has no sub", "the subject", "no sub");
  if (typeof exp !== "number") throw fail("the assertion has no exp", "exp in seconds since 1970", "no exp");
  if (problem !== undefined) {
    throw fail(`the assertion is invalid: ${problem.reason}`, problem.expected, problem.received);
  }
  const now = server.now() / 1000;
  const authTime = payload.auth_time as number | undefined;
  if (authTime !== undefined && authTime > now + jwtPolicyOf(trusted).secondsAhead) {
    const expected = `auth_time before ${formatClaimTime(now)}`;
    throw fail("auth_time of the assertion is in the future", expected, formatClaimTime(authTime));
  }
  const lifetime = exp - Math.min(iat ?? now, now);
  if (lifetime > maxLifetime) {
    const received = `${Math.ceil(lifetime)} seconds`;
    throw fail("the assertion is valid for too long", `at most ${maxLifetime} seconds from iat to exp`, received);
  }
  return { ...payload, sub, exp };
}

function assertAudience(server: Server, { grantProfile }: TrustedIssuer, payload: JWTPayload): void {
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
  const expected = `aud = ${accepted.join(" or ")}`;
  const received = audience.join(" ") || "no aud";
  // An issuer without path is often written with a slash. `assertionAudience: "issuer"` rejects that.
  const isLenient = server.assertionAudiences.length > 0 && new URL(server.issuer).pathname === "/";
  if (isIdJag && isLenient && audience.length === 1 && audience[0] === `${server.issuer}/`) {
    const reason = "aud of the ID-JAG has a slash after the issuer, which many servers reject";
    warn(server, undefined, { rule, reason, expected, received });
    return;
  }
  throw invalidAssertion({ rule, reason: "the assertion has another audience", expected, received });
}

function assertIdJagClaims(payload: JWTPayload): void {
  for (const name of ["jti", "client_id"]) {
    if (typeof payload[name] === "string" && payload[name] !== "") continue;
    throw missingClaim(name);
  }
  if (payload.iat === undefined) throw missingClaim("iat");
}

function missingClaim(name: string): Error {
  return invalidAssertion({
    rule: "IJ-16",
    reason: `the ID-JAG has no ${name}`,
    expected: "jti, iat, exp, sub and client_id",
    received: `no ${name}`,
  });
}
