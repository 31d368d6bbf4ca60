/** Algorithms of JWTs that others sign. */

import { isMlDsa, signingAlgorithms } from "../../core/keys/signing_algorithm.ts";

/** The default of the setting `signatureAlgorithms`: without ML-DSA, as in the core. */
export const defaultSignatureAlgorithms: readonly string[] = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"],
  ...["Ed25519", "EdDSA"],
];

/** The asymmetric algorithms of JWTs that others sign (RFC 7518 §3.1, RFC 8037, RFC 9964). */
export const verificationAlgorithms: readonly string[] = [
  ...defaultSignatureAlgorithms,
  ...signingAlgorithms.filter(isMlDsa),
];

/** The algorithms of JWTs that clients sign with their secret (RFC 7518 §3.2). */
export const secretAlgorithms: readonly string[] = ["HS256", "HS384", "HS512"];

/** All algorithms of JWTs that clients sign. */
export const assertionAlgorithms: readonly string[] = [...verificationAlgorithms, ...secretAlgorithms];

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
