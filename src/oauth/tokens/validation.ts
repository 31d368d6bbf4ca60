/** Validating an id token as a client does, check by check (OpenID Connect Core §3.1.3.6, §3.1.3.7). */

import { compactVerify, createLocalJWKSet, decodeJwt, decodeProtectedHeader } from "jose";
import type { JSONWebKeySet, JWTPayload, ProtectedHeaderParameters } from "jose";
import { signingAlgorithms, tokenHash } from "../keys/keys.ts";
import type { SigningAlgorithm } from "../keys/keys.ts";

/** One check and how it ended. */
export interface TokenCheck {
  /** The claim that was looked at, or the signature. */
  readonly name: "signature" | "iss" | "aud" | "exp" | "nonce" | "at_hash";
  /** Undefined: there was nothing to check. */
  readonly holds?: boolean;
  /** What would have been right. */
  readonly expected?: string;
  /** What the token says. */
  readonly received?: string;
}

/** What a client knows when an id token reaches it. */
export interface Expectations {
  /** The document at the `jwks_uri`; undefined where it could not be had. */
  readonly jwks: unknown;
  readonly issuer: string;
  readonly clientId: string;
  /** What it sent with its request; undefined where it is not known. */
  readonly nonce?: string;
  /** What came with the id token. */
  readonly accessToken?: string;
  /** Its clock, in seconds since the epoch. */
  readonly now: number;
}

/** Checks a token. It may be anything: what is no JWT fails the one check of its signature. */
export async function checkIdToken(token: string, expected: Expectations): Promise<TokenCheck[]> {
  const { issuer, clientId, nonce, accessToken, now } = expected;
  let claims: JWTPayload;
  let header: ProtectedHeaderParameters;
  try {
    claims = decodeJwt(token);
    header = decodeProtectedHeader(token);
  } catch {
    return [{ name: "signature", holds: false, expected: "a signed JWT", received: "something else" }];
  }
  const { exp, at_hash: hash } = claims;
  const audience = [claims.aud ?? []].flat();
  return [
    await checkSignature(token, header, expected),
    { name: "iss", holds: claims.iss === issuer, expected: issuer, received: tell(claims.iss) },
    { name: "aud", holds: audience.includes(clientId), expected: clientId, received: tell(claims.aud) },
    {
      name: "exp",
      holds: typeof exp === "number" && now < exp,
      expected: `after ${asTime(now)}`,
      received: typeof exp === "number" ? asTime(exp) : tell(exp),
    },
    nonce === undefined
      ? { name: "nonce", received: tell(claims.nonce) }
      : { name: "nonce", holds: claims.nonce === nonce, expected: nonce, received: tell(claims.nonce) },
    await checkHash(header.alg, accessToken, hash),
  ];
}

/** By the key that the token names, if it is published. */
async function checkSignature(
  token: string,
  { alg, kid }: ProtectedHeaderParameters,
  { jwks }: Expectations,
): Promise<TokenCheck> {
  const received = `${tell(alg)}, key ${tell(kid)}`;
  const published = keysOf(jwks);
  if (published === undefined) return { name: "signature", received };
  const expected = published.map((key) => `${tell(key.alg)}, key ${tell(key.kid)}`).join(" or ") || "a published key";
  try {
    await compactVerify(token, createLocalJWKSet({ keys: published } as JSONWebKeySet));
    return { name: "signature", holds: true, expected, received };
  } catch {
    return { name: "signature", holds: false, expected, received };
  }
}

async function checkHash(alg: unknown, accessToken: string | undefined, hash: unknown): Promise<TokenCheck> {
  // Optional in the code flow (§3.1.3.6).
  if (hash === undefined || accessToken === undefined || !isKnown(alg)) {
    return { name: "at_hash", received: tell(hash) };
  }
  const expected = await tokenHash(alg, accessToken);
  return { name: "at_hash", holds: hash === expected, expected, received: tell(hash) };
}

function isKnown(alg: unknown): alg is SigningAlgorithm {
  return signingAlgorithms.some((known) => known === alg);
}

function keysOf(jwks: unknown): readonly Record<string, unknown>[] | undefined {
  const { keys } = (jwks ?? {}) as { readonly keys?: unknown };
  return Array.isArray(keys) ? keys.filter((key) => typeof key === "object" && key !== null) : undefined;
}

/** Text as it is, everything else as JSON. */
function tell(value: unknown): string {
  return typeof value === "string" ? value : value === undefined ? "none" : JSON.stringify(value);
}

function asTime(seconds: number): string {
  return Math.abs(seconds) <= 8.64e12 ? new Date(seconds * 1000).toISOString() : String(seconds);
}
