/** The signature algorithms of tokens. */

/**
 * A signature algorithm of tokens (RFC 7518 §3.1). `Ed25519` (RFC 9864 §2.2) makes the signatures of `EdDSA` (RFC 8037
 * §3.1), which RFC 9864 deprecates because the name leaves the curve open. ML-DSA (RFC 9964) needs Node 24.7, Deno or
 * Bun.
 */
export type SigningAlgorithm =
  | "RS256"
  | "ES256"
  | "EdDSA"
  | "Ed25519"
  | "ML-DSA-44"
  | "ML-DSA-65"
  | "ML-DSA-87";

/**
 * The algorithms that a server accepts by default. Every client library accepts the first one. ML-DSA is not among
 * them: not every runtime has it, and a client that uses the first algorithm in metadata that it knows would otherwise
 * change its algorithm.
 */
export const defaultAlgorithms: readonly SigningAlgorithm[] = ["RS256", "ES256", "EdDSA", "Ed25519"];

export const signingAlgorithms: readonly SigningAlgorithm[] = [
  ...defaultAlgorithms,
  ...["ML-DSA-44", "ML-DSA-65", "ML-DSA-87"] as const,
];

/** The signature algorithms of tokens that the settings of a server accept. */
export function acceptedSigningAlgorithms(
  { signatureAlgorithms }: { readonly signatureAlgorithms: readonly string[] },
): readonly SigningAlgorithm[] {
  return signingAlgorithms.filter((alg) => signatureAlgorithms.includes(alg));
}

/** The post-quantum signature algorithms ML-DSA (RFC 9964). Not every runtime has them. */
export type MlDsaAlgorithm = `ML-DSA-${44 | 65 | 87}`;

export function isMlDsa(alg: string): alg is MlDsaAlgorithm {
  return /^ML-DSA-(?:44|65|87)$/.test(alg);
}

/**
 * Whether the runtime has an ML-DSA algorithm; true for every other name. Node prints a warning once for each
 * experimental algorithm that it is asked for, so call this only with a name that a setting or a JWT contains.
 */
export function hasAlgorithm(alg: string): boolean {
  // Reading SubtleCrypto makes Node load WebCrypto.
  if (!isMlDsa(alg)) return true;
  const { SubtleCrypto } = globalThis as {
    SubtleCrypto?: { supports?(operation: string, algorithm: string): boolean };
  };
  return SubtleCrypto?.supports?.("verify", alg) === true;
}
