/** The settings of signed authorization requests. */

import { type Slot, slot } from "../../../core/slot.ts";
import { metadataOf } from "../../config/client_metadata.ts";
import { describeSettings } from "../../config/extension_settings.ts";
import { type Client, policyOf } from "../../../core/clients/clients.ts";
import { keyManagementAlgorithms } from "../encrypted_responses/settings.ts";
import { choice, type FieldsOf, flag, list } from "../../../core/policy/field.ts";
import type { Server } from "../../../core/server.ts";
import type { HostedServer } from "../../hosted_server.ts";
import { open } from "../../config/client_fields.ts";
import { assertionAlgorithms } from "../../config/verification_algorithms.ts";

/** @internal */
export interface SignedRequestSettings {
  /**
   * Whether every authorization request must be signed by the client (RFC 9101 §10.5). Default: false; a client may
   * require it for its own requests with `require_signed_request_object`.
   */
  readonly requireSignedRequestObject?: boolean;
  /**
   * `required`: a signed authorization request must have `nbf`, at most an hour ago, and `exp`, at most an hour after
   * it (FAPI 2.0 Message Signing §5.3.1). Default: `optional`.
   */
  readonly requestObjectTimes?: "optional" | "required";
  /**
   * The algorithms by which clients may encrypt signed authorization requests to the server (RFC 9101 §6.1). The JWKS
   * then has a key with `use: "enc"` for each. Default: none.
   */
  readonly requestObjectEncryption?: readonly ("RSA-OAEP-256" | "ECDH-ES" | "ECDH-ES+A128KW" | "ECDH-ES+A256KW")[];
}

export const signedRequestFields: FieldsOf<SignedRequestSettings> = {
  requireSignedRequestObject: flag(false),
  requestObjectTimes: choice(["optional", "required"], { default: "optional" }),
  requestObjectEncryption: list(choice(keyManagementAlgorithms), [["RSA-OAEP-256", "ECDH-ES"]], { default: [] }),
};

export type SignedRequestPolicy = Required<SignedRequestSettings>;

export const signedRequestSettings = describeSettings<SignedRequestPolicy>({ fields: signedRequestFields });

/** Whether the requests of a client, or of an unknown one, must be signed, at a server with this extension. */
export function isSignatureRequired(server: Pick<Server, "policy">, client: Client | undefined): boolean {
  const policy = client === undefined ? server.policy : policyOf(server, client);
  return signedRequestSettings.of(policy).requireSignedRequestObject ||
    client !== undefined && metadataOf(client).require_signed_request_object === true;
}

/** Whether the requests of a client, or of an unknown one, must be signed. */
export function mustSign(
  server: Pick<Server, "policy"> & Pick<HostedServer, "readSigned">,
  client: Client | undefined,
): boolean {
  return server.readSigned !== undefined && isSignatureRequired(server, client);
}

export interface SignedRequestClientMembers {
  /** Reject authorization requests that the client has not signed (RFC 9101 §10.5). Default: false. */
  readonly require_signed_request_object?: boolean;
  /**
   * The only accepted algorithm of signed authorization requests. Only `client_secret_jwt` clients may choose `HS256`,
   * `HS384` or `HS512`, which use the secret. Default: any that suits the keys of the client; never `none`.
   */
  readonly request_object_signing_alg?: string;
}

export const signedRequestClientFields: FieldsOf<SignedRequestClientMembers> = {
  require_signed_request_object: { ...open(flag(false)), isDemand: true },
  request_object_signing_alg: open(choice(assertionAlgorithms)),
};

/** Whether the client has signed a request (RFC 9101), in the origin of the request and its destination. */
export const requestSignature: Slot<true> = slot("signed_requests");
