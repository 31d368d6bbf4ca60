/** Signatures by a private key, by the quickest means the runtime has without anything being imported. */

import { isDeno, nodeCrypto } from "./node_crypto.ts";
import type { NodeCrypto } from "./node_crypto.ts";

const parameters = {
  RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
  ES256: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  EdDSA: { name: "Ed25519" },
} as const;

type Algorithm = keyof typeof parameters;

/**
 * Where signing at once takes less of the processor than handing the work to WebCrypto. Not RS256: that takes so long that
 * other threads should do it where there are any. On Deno WebCrypto is the quicker one for ES256, and all there is slow.
 */
const synchronousAlgorithms: ReadonlySet<Algorithm> = new Set<Algorithm>(isDeno ? ["EdDSA"] : ["ES256", "EdDSA"]);

/** Makes the signature of some bytes; for ES256 the raw concatenation of r and s (RFC 7518 §3.4). */
export type SignBytes = (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** Imports the public half of a key, once for many verifications. */
export function importPublicKey(alg: Algorithm, publicJwk: JsonWebKey): Promise<CryptoKey> {
  return crypto.subtle.importKey("jwk", publicJwk, parameters[alg], false, ["verify"]);
}

/** Whether a signature of some bytes is by the key. */
export function verifySignature(
  alg: Algorithm,
  key: CryptoKey,
  signature: Uint8Array,
  bytes: Uint8Array,
): Promise<boolean> {
  return crypto.subtle.verify(parameters[alg], key, signature as BufferSource, bytes as BufferSource);
}

/** Imports the private half of a key, once for many signatures. It cannot be exported again. */
export async function importPrivateKey(alg: Algorithm, privateJwk: JsonWebKey): Promise<SignBytes> {
  const algorithm = parameters[alg];
  const key = await crypto.subtle.importKey("jwk", privateJwk, algorithm, false, ["sign"]);
  const byWebCrypto = async (bytes: Uint8Array) =>
    new Uint8Array(await crypto.subtle.sign(algorithm, key, bytes as BufferSource));
  if (!synchronousAlgorithms.has(alg)) return byWebCrypto;
  let signSync: SignBytes | undefined;
  return (bytes) => {
    const node = signSync === undefined ? nodeCrypto() : undefined;
    if (node !== undefined) signSync = nodeSigner(node, alg, privateJwk);
    return (signSync ?? byWebCrypto)(bytes);
  };
}

function nodeSigner(node: NodeCrypto, alg: Algorithm, jwk: JsonWebKey): (bytes: Uint8Array) => Uint8Array {
  const key = node.createPrivateKey({ key: jwk, format: "jwk" });
  if (alg === "EdDSA") return (bytes) => node.sign(null, bytes, key);
  // The module can give the raw form itself, but asking for it by an object of options takes Node as long as signing.
  return (bytes) => rawSignature(node.sign("sha256", bytes, key));
}

/** From the DER of an ECDSA signature by P-256 (RFC 3279 §2.2.3), r and s of 32 bytes each, one after the other. */
function rawSignature(der: Uint8Array): Uint8Array {
  const raw = new Uint8Array(64);
  // After the head of the sequence stand two integers: tag, length, and bytes without leading zeros but for a sign.
  let start = 2;
  for (const end of [32, 64]) {
    const length = der[start + 1]!;
    const surplus = Math.max(0, length - 32);
    raw.set(der.subarray(start + 2 + surplus, start + 2 + length), end - length + surplus);
    start += 2 + length;
  }
  return raw;
}

/** Makes a key pair, as the JWK of its private half (RFC 7517). RSA keys have 2048 bits. */
export async function generateKey(alg: Algorithm): Promise<JsonWebKey> {
  if (isDeno && alg === "ES256") return await generateP256Key();
  const algorithm = alg === "RS256"
    ? { ...parameters.RS256, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) }
    : parameters[alg];
  const { privateKey } = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]) as CryptoKeyPair;
  return await crypto.subtle.exportKey("jwk", privateKey);
}

/** PKCS #8 (RFC 5958) around the private half of a P-256 key alone (RFC 5915), up to its 32 bytes. */
const p256Pkcs8Prefix = Uint8Array.of(
  ...[0x30, 0x41, 0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08],
  ...[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x04, 0x27, 0x30, 0x25, 0x02, 0x01, 0x01, 0x04, 0x20],
);

/** The order of the curve (SEC 2 §2.4.2): a private key is a number from 1 to below it. */
const p256Order = Uint8Array.of(
  ...[0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
  ...[0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51],
);

/**
 * What generateKey makes, whose first call in a process takes Deno 20 ms, and up to a second where the processor is
 * shared: its generator measures time until it trusts it. Drawn until it fits (FIPS 186-5 A.2.2); importing refuses 0,
 * and adds the public half.
 */
async function generateP256Key(): Promise<JsonWebKey> {
  const pkcs8 = new Uint8Array(p256Pkcs8Prefix.length + 32);
  pkcs8.set(p256Pkcs8Prefix);
  const privateBytes = pkcs8.subarray(p256Pkcs8Prefix.length);
  do crypto.getRandomValues(privateBytes); while (!isLessThan(privateBytes, p256Order));
  const key = await crypto.subtle.importKey("pkcs8", pkcs8, parameters.ES256, true, ["sign"]);
  return await crypto.subtle.exportKey("jwk", key);
}

/** Compares numbers of the same length, the first byte being the highest. */
function isLessThan(a: Uint8Array, b: Uint8Array): boolean {
  const i = a.findIndex((byte, i) => byte !== b[i]);
  return i >= 0 && a[i]! < b[i]!;
}
