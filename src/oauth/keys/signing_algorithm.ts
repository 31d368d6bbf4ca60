/** The signature algorithms of tokens, and of the JWTs of clients. */

/** A signature algorithm of tokens (RFC 7518 §3.1, RFC 8037 §3.1). */
export type SigningAlgorithm = "RS256" | "ES256" | "EdDSA";

/** All signature algorithms. Every client library accepts the first one. */
export const signingAlgorithms: readonly SigningAlgorithm[] = ["RS256", "ES256", "EdDSA"];

/** The signature algorithms of tokens that the settings of a server accept. */
export function acceptedSigningAlgorithms(
  { signatureAlgorithms }: { readonly signatureAlgorithms: readonly string[] },
): readonly SigningAlgorithm[] {
  return signingAlgorithms.filter((alg) => signatureAlgorithms.includes(alg));
}

/** The asymmetric algorithms of JWTs that others sign (RFC 7518 §3.1, RFC 8037). */
export const verificationAlgorithms: readonly string[] = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "Ed25519",
  "EdDSA",
];

/** The algorithms of JWTs that clients sign with their secret (RFC 7518 §3.2). */
export const secretAlgorithms: readonly string[] = ["HS256", "HS384", "HS512"];

/** The algorithms of JWTs that clients with these methods of authentication sign. Each client accepts some of them. */
export function clientJwtAlgorithms(
  methods: readonly string[],
  signatureAlgorithms: readonly string[],
): readonly string[] {
  return [
    ...methods.includes("private_key_jwt") ? signatureAlgorithms : [],
    ...methods.includes("client_secret_jwt") ? secretAlgorithms : [],
  ];
}
