/** Keys as JWKs (RFC 7517), generated and imported by WebCrypto. */

type Jwk = Readonly<Record<string, unknown>>;

/**
 * A key of WebCrypto. The global type `CryptoKey` of browsers does not exist in a project for Node only.
 *
 * @internal
 */
export type WebKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

const families: Readonly<Record<string, string>> = { HS: "HMAC", RS: "RSASSA-PKCS1-v1_5", PS: "RSA-PSS", ES: "ECDSA" };

/** The curves of ECDSA, by algorithm (RFC 7518 §3.4). */
export const curves: Readonly<Record<string, string>> = { ES256: "P-256", ES384: "P-384", ES512: "P-521" };

/**
 * The parameters of an algorithm of JWTs (RFC 7518 §3.1) for any call of WebCrypto: generate, import, sign or verify.
 * Each call ignores those that it does not need. New RSA keys have 2048 bits.
 */
export function webAlgorithm(alg: string): { readonly name: string } {
  const [, family, bits] = /^(HS|RS|PS|ES)(256|384|512)$/.exec(alg) ?? [];
  if (family === undefined) return { name: alg === "EdDSA" ? "Ed25519" : alg };
  return {
    name: families[family]!,
    ...{ hash: `SHA-${bits}`, saltLength: Number(bits) / 8, namedCurve: curves[alg] },
    ...{ modulusLength: 2048, publicExponent: Uint8Array.of(1, 0, 1) },
  };
}

/** Generates a key pair and returns its private JWK, with what WebCrypto adds to the members of the key. */
export async function generateKey(alg: string): Promise<Jwk> {
  const pair = await crypto.subtle.generateKey(webAlgorithm(alg), true, ["sign", "verify"]) as CryptoKeyPair;
  return { ...await crypto.subtle.exportKey("jwk", pair.privateKey) };
}

/**
 * Imports a key, for many signatures or verifications.
 *
 * @param jwk It must not have `use` or `key_ops`; its `alg`, if any, must be this one.
 * @param extractable Whether the key can be exported.
 */
export async function importJwk(alg: string, jwk: Jwk, use: "sign" | "verify", extractable = false): Promise<WebKey> {
  return await crypto.subtle.importKey("jwk", jwk, webAlgorithm(alg), extractable, [use]);
}
