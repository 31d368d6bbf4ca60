/** JWTs that the clients of tests sign, valid unless changed: proofs, assertions and authorization requests. */

import { exportJWK, type JWK } from "jose";
import { Buffer } from "node:buffer";
import { assertionParameters } from "../../src/client/authentication.ts";
import { importSigningKey, type JwtChanges, type SigningContext, type SigningKey } from "../../src/client/jwt.ts";
import { createProofKey, type ProofKey, signProof } from "../../src/client/proof.ts";
import { encodeBase64url, randomBytes, sha256 } from "../../src/core/keys/crypto.ts";
import { clientKeyPair } from "../rsa_keys.ts";

/** Where the test servers start: 2026-01-01T00:00:00Z, in seconds. */
export const startSeconds = Date.UTC(2026, 0, 1) / 1000;

/** What a client signs for a server. Default: that of `testServer`, when its clock starts. */
export function signingContext(seconds: number = startSeconds, issuer = "https://as.test"): SigningContext {
  return { issuer, now: () => seconds * 1000, randomBytes };
}

/** A key of a client. */
export interface ClientKey extends ProofKey {
  readonly privateJwk: JWK;
  /** The public key as the client registers it. */
  readonly jwk: Readonly<Record<string, unknown>>;
}

/** Generates a key. */
export async function clientKey(alg = "ES256", kid?: string): Promise<ClientKey> {
  const privateJwk = await exportJWK((await clientKeyPair(alg)).privateKey);
  const key = await createProofKey(privateJwk, alg);
  return { ...key, ...kid && { kid }, privateJwk, jwk: { ...key.publicJwk, ...kid && { kid } } };
}

const keys = new Map<string, Promise<ClientKey>>();

/** A key of this algorithm: always the same one, because RSA keys take long to generate. */
export function sharedKey(alg: string): Promise<ClientKey> {
  if (!keys.has(alg)) keys.set(alg, clientKey(alg));
  return keys.get(alg)!;
}

/** A secret of a client as a key. */
export function secretKey(secret: string, alg = "HS256"): Promise<SigningKey> {
  return importSigningKey({ kty: "oct", k: encodeBase64url(secret) }, alg);
}

/** A signed JWS of texts, which need not be JSON objects. */
export async function signText(key: SigningKey, header: string, payload: string): Promise<string> {
  const input = `${encodeBase64url(header)}.${encodeBase64url(payload)}`;
  return `${input}.${encodeBase64url(await key.sign(new TextEncoder().encode(input)))}`;
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

/** A proof for one request at a time in seconds. */
export function proof(
  key: ProofKey,
  method: string,
  url: string,
  seconds: number,
  changes?: JwtChanges,
): Promise<string> {
  return signProof(signingContext(seconds), key, { method, url }, changes);
}

/** The digest of an access token, for `ath`. */
export function tokenDigest(token: string): string | Promise<string> {
  return sha256(token);
}

/** A `DPoP` header for a request to the token endpoint. */
export async function tokenProof(
  key: ProofKey,
  changes?: JwtChanges,
  seconds = startSeconds,
): Promise<Record<string, string>> {
  return { dpop: await proof(key, "POST", "https://as.test/oauth2/token", seconds, changes) };
}

/** The headers of a request to userinfo with a bound token. */
export async function userinfoProof(
  key: ProofKey,
  accessToken: string,
  changes?: JwtChanges,
  method = "GET",
): Promise<Record<string, string>> {
  const request = { method, url: "https://as.test/oauth2/userinfo", accessToken };
  return { authorization: `DPoP ${accessToken}`, dpop: await signProof(signingContext(), key, request, changes) };
}

/** Values of a member of a public key that are wrong, or that some runtimes read as the same key. */
export function otherForms(value: string): unknown[] {
  const bytes = Buffer.from(value, "base64url");
  const withLeadingZeros = Buffer.concat([new Uint8Array(3), bytes]).toString("base64url");
  const nextCharacter = String.fromCharCode(value.charCodeAt(value.length - 1) + 1);
  return [
    ...[undefined, null, 1, true, [], [value], {}, { toString: 1 }],
    ...["", " ", "AQ", "Ag", "P-256", "P-384", "P-521", "RSA", "EC"],
    ...[`${value}=`, ` ${value}`, `${value}\n`, value.slice(1), value.slice(0, -1) + nextCharacter, withLeadingZeros],
  ].filter((form) => form !== value);
}
