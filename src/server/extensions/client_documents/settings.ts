/** The settings of client ID metadata documents. */

import { describeSettings } from "../../config/extension_settings.ts";
import type { Policy } from "../../../core/policy/policy.ts";
import { type FieldsOf, flag } from "../../../core/policy/field.ts";

/** @internal */
export interface ClientDocumentSettings {
  /**
   * Whether a `client_id` may be the https URL of a client ID metadata document, which the server fetches: such clients
   * need no registration. Default: true if the issuer is on a test host, otherwise false.
   */
  readonly clientIdMetadataDocuments?: boolean;
  /** Whether such a document must have `client_name`. If it has none, users see the host of its URL. Default: false. */
  readonly requireClientName?: boolean;
}

export const clientDocumentFields: FieldsOf<ClientDocumentSettings> = {
  clientIdMetadataDocuments: flag(),
  requireClientName: flag(false),
};

/** The settings of client ID metadata documents that are in effect. */
export type ClientDocumentPolicy = Required<ClientDocumentSettings>;

export const clientDocumentSettings = describeSettings<ClientDocumentPolicy>({
  fields: clientDocumentFields,
  resolve(
    { clientIdMetadataDocuments, clientAuthMethods }:
      & ClientDocumentSettings
      & Pick<Policy, "clientAuthMethods">,
    { unknownClients },
  ) {
    // A document has no secret.
    const canAuthenticate = clientAuthMethods.some((method) => method === "none" || method === "private_key_jwt");
    const isOn = (clientIdMetadataDocuments ?? unknownClients) && canAuthenticate;
    return { clientIdMetadataDocuments: isOn, ...isOn && { acceptsUnknownClients: true } };
  },
});
