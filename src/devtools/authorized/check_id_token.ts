/** Validation of an ID token as a client does it, check by check (OpenID Connect Core §3.1.3.6, §3.1.3.7). */

import { compactVerify, createLocalJWKSet, decodeJwt, decodeProtectedHeader } from "jose";
import type { JSONWebKeySet, JWTPayload, ProtectedHeaderParameters } from "jose";
import type { RuleResult } from "../../server/oauth/explanation.ts";
import { tokenHash } from "../../server/oauth/keys/jwt.ts";
import { formatClaimTime } from "../../server/oauth/keys/jwt_policies.ts";
import { type SigningAlgorithm, signingAlgorithms } from "../../server/oauth/keys/signing_algorithm.ts";

export interface TokenCheckResult extends Pick<RuleResult, "passed" | "expected" | "received"> {
  /** The claim, or `signature`. */
  readonly name: "signature" | "iss" | "aud" | "exp" | "nonce" | "at_hash";
}

/** The values that a client knows when it receives an ID token. */
export interface Expectations {
  /** The document at the `jwks_uri`; undefined if it could not be fetched. */
  readonly jwks: unknown;
  readonly issuer: string;
  readonly clientId: string;
  /** The `nonce` of the authorization request; undefined if it is not known. */
  readonly nonce?: string;
  /** The access token of the same response. */
  readonly accessToken?: string;
  /** The client's clock, in seconds since the epoch. */
  readonly now: number;
}

/** Validates a token. Text that is not a JWT fails the check of the signature. */
export async function checkIdToken(token: string, expected: Expectations): Promise<TokenCheckResult[]> {
  const { issuer, clientId, nonce, accessToken, now } = expected;
  let claims: JWTPayload;
  let header: ProtectedHeaderParameters;
  try {
    claims = decodeJwt(token);
    header = decodeProtectedHeader(token);
  } catch {
    return [{ name: "signature", passed: false, expected: "a signed JWT", received: "text that is not a JWT" }];
  }
  const { exp, at_hash: hash } = claims;
  const audience = [claims.aud ?? []].flat();
  return [
    await checkSignature(token, header, expected),
    { name: "iss", passed: claims.iss === issuer, expected: issuer, received: formatValue(claims.iss) },
    { name: "aud", passed: audience.includes(clientId), expected: clientId, received: formatValue(claims.aud) },
    {
      name: "exp",
      passed: typeof exp === "number" && now < exp,
      expected: `after ${formatClaimTime(now)}`,
      received: typeof exp === "number" ? formatClaimTime(exp) : formatValue(exp),
    },
    nonce === undefined
      ? { name: "nonce", received: formatValue(claims.nonce) }
      : { name: "nonce", passed: claims.nonce === nonce, expected: nonce, received: formatValue(claims.nonce) },
    await checkAccessTokenHash(header.alg, accessToken, hash),
  ];
}

/** Verifies the signature with the published key that the token names. */
async function checkSignature(
  token: string,
  { alg, kid }: ProtectedHeaderParameters,
  { jwks }: Expectations,
): Promise<TokenCheckResult> {
  const received = `${formatValue(alg)}, key ${formatValue(kid)}`;
  const published = readJwksKeys(jwks);
  if (published === undefined) return { name: "signature", received };
  const expected = published.map((key) => `${formatValue(key.alg)}, key ${formatValue(key.kid)}`).join(" or ") ||
    "a published key";
  try {
    await compactVerify(token, createLocalJWKSet({ keys: published } as JSONWebKeySet));
    return { name: "signature", passed: true, expected, received };
  } catch {
    return { name: "signature", passed: false, expected, received };
  }
}

async function checkAccessTokenHash(
  alg: unknown,
  accessToken: string | undefined,
  hash: unknown,
): Promise<TokenCheckResult> {
  // Optional in the code flow (§3.1.3.6).
  if (hash === undefined || accessToken === undefined || !isSigningAlgorithm(alg)) {
    return { name: "at_hash", received: formatValue(hash) };
  }
  const expected = await tokenHash(alg, accessToken);
  return { name: "at_hash", passed: hash === expected, expected, received: formatValue(hash) };
}

function isSigningAlgorithm(alg: unknown): alg is SigningAlgorithm {
  return signingAlgorithms.some((supported) => supported === alg);
}

function readJwksKeys(jwks: unknown): readonly Record<string, unknown>[] | undefined {
  const { keys } = (jwks ?? {}) as { readonly keys?: unknown };
  return Array.isArray(keys) ? keys.filter((key) => typeof key === "object" && key !== null) : undefined;
}

/** Strings unchanged, other values as JSON. */
function formatValue(value: unknown): string {
  return typeof value === "string" ? value : value === undefined ? "none" : JSON.stringify(value);
}
