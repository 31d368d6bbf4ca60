/** The algorithms of JWTs that clients sign: assertions and signed requests. */

import { verificationAlgorithms } from "./verification_algorithms.ts";

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
