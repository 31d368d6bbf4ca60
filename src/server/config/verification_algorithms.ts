/** Algorithms of JWTs that others sign. */

import { isMlDsa } from "../../core/crypto.ts";
import { defaultAlgorithms, signingAlgorithms } from "../../core/keys/signing_algorithm.ts";

/** The asymmetric algorithms of JWTs that others sign (RFC 7518 §3.1, RFC 8037, RFC 9964). */
export const verificationAlgorithms: readonly string[] = [...defaultAlgorithms, ...signingAlgorithms.filter(isMlDsa)];
