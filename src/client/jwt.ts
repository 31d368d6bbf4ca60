/** JWTs that a client signs (RFC 7515, RFC 7519). */

import { encodeBase64url } from "../core/keys/crypto.ts";
import { keyMembersOf } from "../core/keys/jwk.ts";
import type { RandomBytes } from "../core/keys/secrets.ts";
import { webCryptography } from "../core/keys/web_crypto.ts";
import type { PrivateJwk } from "./private_jwk.ts";

/** A private key of a client. */
export interface SigningKey {
  /** The algorithm, such as `ES256`. */
  readonly alg: string;
  /** The key ID in the header. Default: none. */
  readonly kid?: string;
  /** Signs bytes; the signature of ECDSA is the concatenation of r and s. */
  readonly sign: (input: Uint8Array) => Uint8Array | Promise<Uint8Array>;
}

/** The values that a client needs to sign. A `Server` has them too. */
export interface SigningContext {
  /** The issuer that a JWT is for. */
  readonly issuer: string;
  /** The time in milliseconds since the epoch. */
  readonly now: () => number;
  readonly randomBytes: RandomBytes;
}

/** Members to add or replace in a correct JWT; `undefined` removes one. */
export interface JwtChanges {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** Imports a private JWK, or a secret as a JWK with `kty: "oct"`, for signatures with its algorithm (RFC 7518 §3.1). */
export async function importSigningKey(jwk: PrivateJwk & { readonly k?: string }, alg: string): Promise<SigningKey> {
  return { alg, kid: jwk.kid, sign: await webCryptography.importSigner(alg, keyMembersOf({ ...jwk, alg })) };
}

/** Signs a JWT. The header has the algorithm and the ID of the key, unless it replaces them. */
export async function signWithKey(
  key: SigningKey,
  header: Readonly<Record<string, unknown>>,
  claims: Readonly<Record<string, unknown>>,
): Promise<string> {
  const parts = [{ alg: key.alg, kid: key.kid, ...header }, claims];
  const input = parts.map((part) => encodeBase64url(JSON.stringify(part))).join(".");
  return `${input}.${encodeBase64url(await key.sign(new TextEncoder().encode(input)))}`;
}

const lifetimeSeconds = 60;

/** Signs a JWT of a client for the server, valid for a minute. */
export function signClientJwt(
  { issuer, now, randomBytes }: SigningContext,
  clientId: string,
  key: SigningKey,
  typ: string,
  { header, claims }: JwtChanges,
): Promise<string> {
  const iat = Math.floor(now() / 1000);
  return signWithKey(key, { typ, ...header }, {
    ...{ iss: clientId, aud: issuer, jti: encodeBase64url(randomBytes(16)) },
    ...{ iat, nbf: iat, exp: iat + lifetimeSeconds },
    ...claims,
  });
}
