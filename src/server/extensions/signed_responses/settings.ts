/** The client metadata of signed responses. */

import type { FieldsOf } from "../../../core/policy/field.ts";
import { signingAlgorithmField } from "../../../core/policy/policy.ts";
import { open } from "../../config/client_fields.ts";
import type { SigningAlgorithm } from "../../../core/keys/signing_algorithm.ts";

/** Client metadata of signed responses (JARM §3, RFC 9701 §6). */
export interface SignedResponseClientMembers {
  /** The algorithm of this client's signed authorization responses. Default: the server's `alg`. */
  readonly authorization_signed_response_alg?: SigningAlgorithm;
  /**
   * The algorithm of introspection responses that this client asks for as JWTs (RFC 9701). Default: the server's `alg`.
   */
  readonly introspection_signed_response_alg?: SigningAlgorithm;
}

export const signedResponseClientFields: FieldsOf<SignedResponseClientMembers> = {
  authorization_signed_response_alg: open(signingAlgorithmField),
  introspection_signed_response_alg: open(signingAlgorithmField),
};
