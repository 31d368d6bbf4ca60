/** The algorithms by which responses are encrypted for clients (RFC 7518 §4.1, §5.1). */

/** How the content encryption key is encrypted or agreed on (`alg`). */
export type KeyManagementAlgorithm = "RSA-OAEP-256" | "ECDH-ES" | "ECDH-ES+A128KW" | "ECDH-ES+A256KW";

/** How the content is encrypted (`enc`). */
export type ContentEncryption = "A128CBC-HS256" | "A256CBC-HS512" | "A128GCM" | "A256GCM";

/** All values of `alg`. */
export const keyManagementAlgorithms: readonly KeyManagementAlgorithm[] = [
  ...["RSA-OAEP-256", "ECDH-ES", "ECDH-ES+A128KW", "ECDH-ES+A256KW"] as const,
];

/** All values of `enc`; the first one is the default (OpenID Connect Registration §2). */
export const contentEncryptions: readonly ContentEncryption[] = [
  ...["A128CBC-HS256", "A256CBC-HS512", "A128GCM", "A256GCM"] as const,
];
