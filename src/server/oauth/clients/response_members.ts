/** The members of the client metadata that define how responses to the client are protected. */

import { open } from "./standing.ts";
import { choice, type Fields } from "../../config/field.ts";
import { type SigningAlgorithm, signingAlgorithms } from "../keys/signing_algorithm.ts";

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

/**
 * How responses to a client are signed and encrypted (OpenID Connect Registration §2, JARM §3, RFC 9701 §6).
 *
 * @internal
 */
export interface ResponseMembers {
  /** The algorithm of this client's signed authorization responses. Default: the server's `alg`. */
  readonly authorization_signed_response_alg?: SigningAlgorithm;
  /**
   * The algorithm of introspection responses that this client asks for as JWTs (RFC 9701). Default: the server's `alg`.
   */
  readonly introspection_signed_response_alg?: SigningAlgorithm;
  /** The algorithm of this client's ID tokens. Default: the server's `alg`. */
  readonly id_token_signed_response_alg?: SigningAlgorithm;
  /** Signs the userinfo responses for this client. Default: plain JSON. */
  readonly userinfo_signed_response_alg?: SigningAlgorithm;
  /**
   * Encrypts this client's ID tokens, which are signed first, by the key of the client that suits this algorithm.
   * Default: ID tokens are only signed.
   */
  readonly id_token_encrypted_response_alg?: KeyManagementAlgorithm;
  /** How the content of encrypted ID tokens is encrypted. Default: `A128CBC-HS256`. */
  readonly id_token_encrypted_response_enc?: ContentEncryption;
  /**
   * Encrypts the userinfo responses for this client by its key that suits this algorithm. They are signed first if
   * `userinfo_signed_response_alg` is present. Default: no encryption.
   */
  readonly userinfo_encrypted_response_alg?: KeyManagementAlgorithm;
  /** How the content of encrypted userinfo responses is encrypted. Default: `A128CBC-HS256`. */
  readonly userinfo_encrypted_response_enc?: ContentEncryption;
}

/** The description of {@link ResponseMembers}. */
export const responseMembers: Fields<ResponseMembers> = {
  authorization_signed_response_alg: open(choice(signingAlgorithms)),
  introspection_signed_response_alg: open(choice(signingAlgorithms)),
  id_token_signed_response_alg: open(choice(signingAlgorithms)),
  userinfo_signed_response_alg: open(choice(signingAlgorithms)),
  id_token_encrypted_response_alg: open(choice(keyManagementAlgorithms)),
  id_token_encrypted_response_enc: open(choice(contentEncryptions)),
  userinfo_encrypted_response_alg: open(choice(keyManagementAlgorithms)),
  userinfo_encrypted_response_enc: open(choice(contentEncryptions)),
};
