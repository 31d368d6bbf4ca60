/** DPoP: keys, proofs, and the headers that carry them (RFC 9449 §4). */

import { encodeBase64url, sha256 } from "../core/keys/crypto.ts";
import { keyThumbprint, publicMembersOf } from "../core/keys/jwk.ts";
import { importSigningKey, type JwtChanges, type SigningContext, type SigningKey, signWithKey } from "./jwt.ts";
import type { PrivateJwk } from "./private_jwk.ts";

export interface ProofKey extends SigningKey {
  /** The public key, as proofs contain it. */
  readonly publicJwk: PrivateJwk;
  /** The thumbprint of the key (RFC 7638): `dpop_jkt` of authorization requests. */
  readonly thumbprint: string;
}

export async function createProofKey(jwk: PrivateJwk, alg: string = "ES256"): Promise<ProofKey> {
  const publicJwk = publicMembersOf({ ...jwk });
  const { sign } = await importSigningKey(jwk, alg);
  return { alg, publicJwk, sign, thumbprint: await keyThumbprint(publicJwk) };
}

export interface RequestToProve {
  readonly method: string;
  readonly url: string | URL;
  /** The access token of a request to a protected resource. Default: none. */
  readonly accessToken?: string;
  /** The nonce of the server. Default: none. */
  readonly nonce?: string;
}

export async function signProof(
  { now, randomBytes }: Pick<SigningContext, "now" | "randomBytes">,
  key: ProofKey,
  { method, url, accessToken, nonce }: RequestToProve,
  { header, claims }: JwtChanges = {},
): Promise<string> {
  return await signWithKey(key, { typ: "dpop+jwt", jwk: key.publicJwk, ...header }, {
    ...{ jti: encodeBase64url(randomBytes(16)), htm: method, htu: String(url).replace(/[?#].*/s, "") },
    ...{ iat: Math.floor(now() / 1000), ath: accessToken === undefined ? undefined : await sha256(accessToken), nonce },
    ...claims,
  });
}

/** The nonce that a rejection demands for the proof of a second attempt (RFC 9449 §8, §9). */
export function demandedNonce({ headers }: Response, error: unknown): string | undefined {
  // At a protected resource the error is in the challenge.
  const isDemand = error === "use_dpop_nonce" || headers.get("www-authenticate")?.includes("use_dpop_nonce");
  return isDemand ? headers.get("dpop-nonce") ?? undefined : undefined;
}
