/** JWTs that clients of tests sign: assertions (RFC 7523) and requests (RFC 9101), valid unless changed. */

import { exportJWK } from "jose";
import { assertionParameters } from "../../src/client/authentication.ts";
import { importSigningKey, type JwtChanges, type SigningContext, type SigningKey } from "../../src/client/jwt.ts";
import { publicJwkOf } from "../../src/client/private_jwk.ts";
import { encodeBase64url, systemRandomBytes } from "../../src/runtime/crypto.ts";
import { clientKeyPair } from "../rsa_keys.ts";

/** What a client signs for a server. Default: that of `testServer`, when its clock starts. */
export function signingContext(
  seconds: number = Date.UTC(2026, 0, 1) / 1000,
  issuer = "https://as.test",
): SigningContext {
  return { issuer, now: () => seconds * 1000, randomBytes: systemRandomBytes };
}

/** A key of a client, and the public key as the client registers it. */
export interface RegisteredKey extends SigningKey {
  readonly jwk: Readonly<Record<string, unknown>>;
}

/** Generates a key. */
export async function clientKey(alg = "ES256", kid?: string): Promise<RegisteredKey> {
  const privateJwk = { ...await exportJWK((await clientKeyPair(alg)).privateKey), kid };
  return { ...await importSigningKey(privateJwk, alg), jwk: { ...publicJwkOf(privateJwk), ...kid && { kid } } };
}

/** A secret of a client as a key. */
export function secretKey(secret: string, alg = "HS256"): Promise<SigningKey> {
  return importSigningKey({ kty: "oct", k: encodeBase64url(secret) }, alg);
}

/** The parameters of client authentication by an assertion. */
export async function assertionOf(
  clientId: string,
  key: SigningKey,
  changes?: JwtChanges,
  context = signingContext(),
): Promise<Readonly<Record<string, string>>> {
  return (await assertionParameters(context, clientId, key, changes)).params;
}
