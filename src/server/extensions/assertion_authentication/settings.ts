/** The client metadata of authentication by JWTs. */

import { choice, type FieldsOf } from "../../../core/policy/field.ts";
import { open } from "../../config/client_fields.ts";
import { assertionAlgorithms } from "../../config/verification_algorithms.ts";

export interface AssertionAuthenticationClientMembers {
  /**
   * The only accepted algorithm of its client assertions (RFC 7523). Default: any that suits the method and the key.
   */
  readonly token_endpoint_auth_signing_alg?: string;
}

export const assertionAuthenticationClientFields: FieldsOf<AssertionAuthenticationClientMembers> = {
  token_endpoint_auth_signing_alg: open(choice(assertionAlgorithms)),
};
