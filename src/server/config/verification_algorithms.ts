/** Algorithms of JWTs that others sign. */

import { isMlDsa } from "../../core/crypto.ts";
import { signingAlgorithms } from "../../core/keys/signing_algorithm.ts";

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
