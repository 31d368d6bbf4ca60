/** Step-up authentication at a protected resource (RFC 9470): the login that an operation needs, and its challenge. */

import type { OAuthError } from "../core/rules/errors.ts";
import { jwtPolicies } from "../platform/jwt/jwt_policies.ts";
import { reject } from "../server/rules/mod.ts";
import type { AccessTokenClaims, RequiredLogin, RequiredToken } from "./protected_resource.ts";

/** The error if the login of a token does not suffice (RFC 9470 §3, §6); `undefined` if it does. */
export function insufficientLogin(
  { acr, auth_time }: AccessTokenClaims,
  { acrValues, maxAgeSeconds, verifier, clockToleranceSeconds = jwtPolicies.resource_access_token.secondsLate }:
    RequiredToken,
): OAuthError | undefined {
  const hasLevel = acrValues === undefined || acrValues.some((value) => value === acr);
  const age = typeof auth_time === "number" ? Math.floor(verifier.now() / 1000) - auth_time : Infinity;
  const isRecent = maxAgeSeconds === undefined || age <= maxAgeSeconds + clockToleranceSeconds;
  if (hasLevel && isRecent) return undefined;
  return reject("ST-04", {
    acrValues,
    maxAgeSeconds,
    acr: typeof acr === "string" ? acr : undefined,
    ageSeconds: age === Infinity ? undefined : age,
  });
}

/** The parameters of the challenge that name the login (RFC 9470 §3). */
export function loginParameters({ acrValues, maxAgeSeconds }: RequiredLogin): Record<string, string | undefined> {
  return { acr_values: acrValues?.join(" "), max_age: maxAgeSeconds === undefined ? undefined : String(maxAgeSeconds) };
}

/** Rejects a programming error: values that cannot stand in a challenge. */
export function assertRequiredLogin({ acrValues = [], maxAgeSeconds = 0 }: RequiredLogin): void {
  const invalid = acrValues.find((value) => !/^[\x21\x23-\x5B\x5D-\x7E]+$/.test(value));
  if (invalid !== undefined) {
    throw new TypeError(
      `acrValues: expected printable ASCII without spaces, quotes and backslashes, received ${
        JSON.stringify(invalid)
      }.`,
    );
  }
  if (Number.isSafeInteger(maxAgeSeconds) && maxAgeSeconds >= 0) return;
  throw new TypeError(`maxAgeSeconds: expected a whole number, at least 0, received ${maxAgeSeconds}.`);
}
