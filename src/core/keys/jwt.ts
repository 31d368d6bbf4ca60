/** Signs claims as JWTs (RFC 7515, RFC 7519). */

import type { Policy } from "../policy/policy.ts";
import { cryptography, encodeBase64url } from "./crypto.ts";
import type { Keys, Signer } from "./keys.ts";
import { isMlDsa, type SigningAlgorithm } from "./signing_algorithm.ts";

/** A kind of JWT, or of response with claims of a user: `access_token`, `id_token`, `userinfo`, or of an extension. */
export type JwtKind = string;

/** The `typ` of the header of JWTs, by their kind; `undefined`: they have none. */
export type JwtTypes = Readonly<Record<JwtKind, string | undefined>>;

/** @internal Signs the claims of a token. Times are in seconds since the epoch. */
export type SignClaims = (
  kind: JwtKind,
  alg: SigningAlgorithm,
  claims: Readonly<Record<string, unknown>>,
) => string | Promise<string>;

/** @internal The keys of a server, and what uses them. */
export interface SigningKeys<Server> extends Keys {
  /** See {@link jwtTypes}. */
  readonly types: JwtTypes;
  readonly sign: SignClaims;
  /** The public keys in the JWKS (RFC 7517 §5). */
  jwks(server: Server): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** The policy that decides about the header of JWTs. */
export type HeaderPolicy = Pick<Policy, "accessTokenTyp">;

/**
 * The `typ` that a server with this policy writes into each kind of JWT.
 *
 * @param ofExtensions Those of the kinds that extensions sign.
 */
export function jwtTypes({ accessTokenTyp }: HeaderPolicy, ofExtensions: JwtTypes): JwtTypes {
  return {
    access_token: accessTokenTyp === "none" ? undefined : accessTokenTyp,
    id_token: "JWT",
    userinfo: "JWT",
    ...ofExtensions,
  };
}

export function jwtSigner(keys: Pick<Keys, "signer">, types: JwtTypes): SignClaims {
  return async (kind, alg, claims) => await signJwt(await keys.signer(alg), types[kind], claims);
}

const encoder = new TextEncoder();

/** Signs claims as a compact JWS (RFC 7515 §7.1). Times are in seconds since the epoch. */
export async function signJwt(
  signer: Signer,
  typ: string | undefined,
  claims: Readonly<Record<string, unknown>>,
): Promise<string> {
  const header = JSON.stringify({ alg: signer.alg, typ, kid: signer.kid });
  const input = `${encodeBase64url(header)}.${encodeBase64url(JSON.stringify(claims))}`;
  return `${input}.${encodeBase64url(await signer.sign(encoder.encode(input)))}`;
}

/**
 * The left half of the digest of a token, a code or a `state`, for `at_hash`, `c_hash` (OpenID Connect Core §3.1.3.6)
 * and `s_hash` (FAPI 1.0 Advanced §5.1), by the digest of the signature algorithm. Neither OpenID Connect nor RFC 9964
 * names one for ML-DSA. It is SHAKE256 with 64 bytes, which ML-DSA itself uses for messages (FIPS 204 §5), as Ed25519
 * uses SHA-512; the library oauth4webapi expects the same.
 */
export async function tokenHash(alg: SigningAlgorithm, token: string): Promise<string> {
  const hash = isMlDsa(alg) ? "SHAKE256" : alg === "EdDSA" || alg === "Ed25519" ? "SHA-512" : "SHA-256";
  const digest = await cryptography().digest(hash, token);
  return encodeBase64url(digest.subarray(0, digest.length / 2));
}

/** The server's clock in whole seconds, as JWTs count time (RFC 7519 §2). */
export function secondsNow(server: { readonly now: () => number }): number {
  return Math.floor(server.now() / 1000);
}
