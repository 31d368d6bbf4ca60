/**
 * Deterministic ES256 signatures (RFC 6979), and P-256 keys derived from bytes: for tests with a seed. No runtime
 * offers the first. `client()` needs the second synchronously, which WebCrypto cannot do; a package would be one more
 * dependency. tests/testing/test_keys_test.ts verifies the signatures by the vectors of RFC 6979 A.2.5.
 */

import { decodeBase64url, encodeBase64url } from "../core/crypto.ts";

/** A point of the curve in Jacobian coordinates. */
type Point = readonly [x: bigint, y: bigint, z: bigint];

// P-256 (FIPS 186-4 D.1.2.3); `a` is -3.
const p = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;
const n = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const gx = 0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296n;
const gy = 0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5n;

/**
 * Signs with the private key `d` (RFC 7518 §6.2.2.1), deterministically. Not constant-time: only for public test keys.
 */
export async function signEs256(d: string, message: Uint8Array): Promise<Uint8Array> {
  const key = toBigInt(decodeBase64url(d));
  const digest = toBigInt(new Uint8Array(await crypto.subtle.digest("SHA-256", message as BufferSource)));
  for await (const k of nonces(key, digest % n)) {
    const [x] = affine(multiplyBase(k));
    const r = x % n;
    const s = inverse(k, n) * ((digest + r * key) % n) % n;
    if (r > 0n && s > 0n) return concat(toBytes(r), toBytes(s));
  }
  throw new Error("RFC 6979 yielded no nonce");
}

/** The JWK members of the P-256 key that is derived from 32 random bytes (RFC 7518 §6.2). */
export function ecKeyFrom(random: Uint8Array): { kty: "EC"; crv: "P-256"; x: string; y: string; d: string } {
  const d = toBigInt(random) % (n - 1n) + 1n;
  const [x, y] = affine(multiplyBase(d)).map((coordinate) => encodeBase64url(toBytes(coordinate)));
  return { kty: "EC", crv: "P-256", x: x!, y: y!, d: encodeBase64url(toBytes(d)) };
}

/** Candidates for k (RFC 6979 §3.2); the first one is nearly always usable. */
async function* nonces(key: bigint, digest: bigint): AsyncGenerator<bigint, never> {
  let k: Uint8Array = new Uint8Array(32);
  let v: Uint8Array = new Uint8Array(32).fill(1);
  for (const step of [0, 1]) {
    k = await hmac(k, v, Uint8Array.of(step), toBytes(key), toBytes(digest));
    v = await hmac(k, v);
  }
  while (true) {
    v = await hmac(k, v);
    const candidate = toBigInt(v);
    if (candidate > 0n && candidate < n) yield candidate;
    k = await hmac(k, v, Uint8Array.of(0));
    v = await hmac(k, v);
  }
}

async function hmac(key: Uint8Array, ...parts: readonly Uint8Array[]): Promise<Uint8Array> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", key as BufferSource, algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, concat(...parts) as BufferSource));
}

/** Multiplies the base point by 0 < k < n, by double and add; a doubled point never equals the base point. */
function multiplyBase(k: bigint): Point {
  let sum: Point = [gx, gy, 1n];
  for (const bit of k.toString(2).slice(1)) {
    sum = double(sum);
    if (bit === "1") sum = addBase(sum);
  }
  return sum;
}

function double([x, y, z]: Point): Point {
  const delta = z * z % p;
  const gamma = y * y % p;
  const beta = x * gamma % p;
  const alpha = 3n * (x - delta) * (x + delta) % p;
  const doubled = mod(alpha * alpha - 8n * beta, p);
  return [doubled, mod(alpha * (4n * beta - doubled) - 8n * gamma * gamma, p), 2n * y * z % p];
}

function addBase([x, y, z]: Point): Point {
  const zz = z * z % p;
  const h = gx * zz - x;
  const r = gy * zz % p * z - y;
  const hh = h * h % p;
  const hhh = hh * h % p;
  const v = x * hh % p;
  const sum = mod(r * r - hhh - 2n * v, p);
  return [sum, mod(r * (v - sum) - y * hhh, p), mod(z * h, p)];
}

function affine([x, y, z]: Point): [bigint, bigint] {
  const inverseZ = inverse(z, p);
  const square = inverseZ * inverseZ % p;
  return [x * square % p, y * square % p * inverseZ % p];
}

/** The inverse by the extended Euclidean algorithm. */
function inverse(value: bigint, modulus: bigint): bigint {
  let [a, b, u, v] = [mod(value, modulus), modulus, 1n, 0n];
  while (a > 1n) {
    const quotient = b / a;
    [a, b, u, v] = [b % a, a, v - quotient * u, u];
  }
  return mod(u, modulus);
}

function mod(value: bigint, modulus: bigint): bigint {
  const rest = value % modulus;
  return rest < 0n ? rest + modulus : rest;
}

function toBigInt(bytes: Uint8Array): bigint {
  return BigInt(`0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`);
}

function toBytes(number: bigint): Uint8Array {
  const hex = number.toString(16).padStart(64, "0");
  return Uint8Array.from({ length: 32 }, (_, i) => parseInt(hex.slice(i * 2, i * 2 + 2), 16));
}

function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const result = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    result.set(part, offset);
    offset += part.length;
  }
  return result;
}
