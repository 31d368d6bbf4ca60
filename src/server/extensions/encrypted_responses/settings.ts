/** The client metadata of encrypted responses. */

import { choice, type FieldsOf } from "../../../core/policy/field.ts";
import { open } from "../../config/client_fields.ts";

/** Client metadata of encrypted responses (OpenID Connect Registration §2). */
export interface EncryptedResponseClientMembers {
  /**
   * Encrypts this client's ID tokens, which are signed first, by the key of the client that suits this algorithm.
   * Default: ID tokens are only signed.
   */
  readonly id_token_encrypted_response_alg?: "RSA-OAEP-256" | "ECDH-ES" | "ECDH-ES+A128KW" | "ECDH-ES+A256KW";
  /** How the content of encrypted ID tokens is encrypted. Default: `A128CBC-HS256`. */
  readonly id_token_encrypted_response_enc?: "A128CBC-HS256" | "A256CBC-HS512" | "A128GCM" | "A256GCM";
  /**
   * Encrypts the userinfo responses for this client by its key that suits this algorithm. They are signed first if
   * `userinfo_signed_response_alg` is present. Default: no encryption.
   */
  readonly userinfo_encrypted_response_alg?: "RSA-OAEP-256" | "ECDH-ES" | "ECDH-ES+A128KW" | "ECDH-ES+A256KW";
  /** How the content of encrypted userinfo responses is encrypted. Default: `A128CBC-HS256`. */
  readonly userinfo_encrypted_response_enc?: "A128CBC-HS256" | "A256CBC-HS512" | "A128GCM" | "A256GCM";
}

/** How the content encryption key is encrypted or agreed on (`alg`). */
export type KeyManagementAlgorithm = NonNullable<EncryptedResponseClientMembers["id_token_encrypted_response_alg"]>;

/** How the content is encrypted (`enc`). */
export type ContentEncryption = NonNullable<EncryptedResponseClientMembers["id_token_encrypted_response_enc"]>;

/** All values of `alg`. */
export const keyManagementAlgorithms: readonly KeyManagementAlgorithm[] = [
  ...["RSA-OAEP-256", "ECDH-ES", "ECDH-ES+A128KW", "ECDH-ES+A256KW"] as const,
];

/** All values of `enc`; the first one is the default (OpenID Connect Registration §2). */
export const contentEncryptions: readonly ContentEncryption[] = [
  ...["A128CBC-HS256", "A256CBC-HS512", "A128GCM", "A256GCM"] as const,
];

export const encryptedResponseClientFields: FieldsOf<EncryptedResponseClientMembers> = {
  id_token_encrypted_response_alg: { ...open(choice(keyManagementAlgorithms)), isDemand: true },
  id_token_encrypted_response_enc: open(choice(contentEncryptions)),
  userinfo_encrypted_response_alg: { ...open(choice(keyManagementAlgorithms)), isDemand: true },
  userinfo_encrypted_response_enc: open(choice(contentEncryptions)),
};
