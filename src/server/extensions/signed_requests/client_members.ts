import { choice, type Fields, flag } from "../../config/field.ts";
import { open } from "../../config/client_fields.ts";
import { assertionAlgorithms } from "../../config/client_jwt_algorithms.ts";

/** Client metadata of signed requests. */
export interface SignedRequestClientMembers {
  /** Reject authorization requests that the client has not signed (RFC 9101 §10.5). Default: false. */
  readonly require_signed_request_object?: boolean;
  /**
   * The only accepted algorithm of signed authorization requests. Only `client_secret_jwt` clients may choose `HS256`,
   * `HS384` or `HS512`, which use the secret. Default: any that suits the keys of the client; never `none`.
   */
  readonly request_object_signing_alg?: string;
}

/** Describes {@link SignedRequestClientMembers}. */
export const signedRequestClientFields: Fields<SignedRequestClientMembers> = {
  require_signed_request_object: { ...open(flag(false)), isDemand: true },
  request_object_signing_alg: open(choice(assertionAlgorithms)),
};
