/** DPoP proofs for tests: valid ones, and ones with defects that no library would sign (RFC 9449 §4.2). */

import { Buffer } from "node:buffer";
import { createHash, randomUUID, sign } from "node:crypto";
import { calculateJwkThumbprint, exportJWK } from "jose";
import type { JWK } from "jose";
import { clientKeyPair } from "../rsa_keys.ts";
import { encode } from "./harness.ts";
import type { Fields, TestServer } from "./harness.ts";

/** A key of a client. */
export interface ProofKey {
  readonly alg: string;
  readonly publicJwk: JWK;
  readonly privateJwk: JWK;
  readonly thumbprint: string;
}

const keys = new Map<string, Promise<ProofKey>>();

/** A key of this algorithm: always the same one, because RSA keys take long to generate. */
export function sharedProofKey(alg: string): Promise<ProofKey> {
  if (!keys.has(alg)) keys.set(alg, proofKey(alg));
  return keys.get(alg)!;
}

/** Generates a key. */
export async function proofKey(alg = "ES256"): Promise<ProofKey> {
  const { publicKey, privateKey } = await clientKeyPair(alg);
  const publicJwk = await exportJWK(publicKey);
  return {
    ...{ alg, publicJwk, privateJwk: await exportJWK(privateKey) },
    thumbprint: await calculateJwkThumbprint(publicJwk),
  };
}

/** Changes of a proof; `undefined` removes a member. */
export interface ProofChanges {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Signs the input instead of the key. */
  readonly signature?: (input: string) => string;
}

const base64url = (value: unknown) =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

/** Signs a JWS with any header and payload. */
export function signJws(
  { alg, privateJwk }: Pick<ProofKey, "alg" | "privateJwk">,
  header: unknown,
  payload: unknown,
): string {
  const input = `${base64url(header)}.${base64url(payload)}`;
  const key = { key: privateJwk as JsonWebKey, format: "jwk" as const };
  const hash = /^Ed/.test(alg) ? null : `sha${alg.slice(2)}`;
  const padding = alg.startsWith("PS") ? { padding: 6, saltLength: Number(alg.slice(2)) / 8 } : {};
  // deno-lint-ignore no-explicit-any
  const signature = sign(hash, Buffer.from(input), { ...key, ...padding, dsaEncoding: "ieee-p1363" } as any);
  return `${input}.${signature.toString("base64url")}`;
}

/** A proof for one request at a time in seconds, valid unless changed. */
export function proof(
  key: ProofKey,
  method: string,
  url: string,
  seconds: number,
  { header = {}, claims = {}, signature }: ProofChanges = {},
): string {
  const jws = signJws(
    key,
    { typ: "dpop+jwt", alg: key.alg, jwk: key.publicJwk, ...header },
    { jti: randomUUID(), htm: method, htu: url, iat: seconds, ...claims },
  );
  if (signature === undefined) return jws;
  const input = jws.slice(0, jws.lastIndexOf("."));
  return `${input}.${signature(input)}`;
}

/** The digest of an access token, for `ath`. */
export function tokenDigest(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}

/** Where the test servers start: 2026-01-01T00:00:00Z, in seconds. */
export const startSeconds = Date.UTC(2026, 0, 1) / 1000;

/** A `DPoP` header for a request to the token endpoint. */
export function tokenProof(key: ProofKey, changes?: ProofChanges, seconds = startSeconds): Record<string, string> {
  return { dpop: proof(key, "POST", "https://as.test/oauth2/token", seconds, changes) };
}

/** The headers of a request to userinfo with a bound token. */
export function userinfoProof(
  key: ProofKey,
  token: string,
  { claims, ...changes }: ProofChanges = {},
  method = "GET",
  seconds = startSeconds,
): Record<string, string> {
  const bound = { ...changes, claims: { ath: tokenDigest(token), ...claims } };
  return {
    authorization: `DPoP ${token}`,
    dpop: proof(key, method, "https://as.test/oauth2/userinfo", seconds, bound),
  };
}

/** POST of a form with headers. */
export function postForm(server: TestServer, path: string, fields: Fields, headers: HeadersInit): Promise<Response> {
  const all = new Headers(headers);
  all.set("content-type", "application/x-www-form-urlencoded");
  return server.get(path, { method: "POST", body: encode(fields), headers: all });
}
