/** The settings of client ID metadata documents. */

import type { Allowances } from "../../oauth/allowances.ts";
import type { Policy } from "../../oauth/policy.ts";
import { type Fields, flag } from "../../oauth/field.ts";

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

/** Describes {@link ClientDocumentSettings}. */
export const clientDocumentFields: Fields<ClientDocumentSettings> = {
  clientIdMetadataDocuments: flag(),
  requireClientName: flag(false),
};

/** The settings of client ID metadata documents that are in effect. */
export type ClientDocumentPolicy = Required<ClientDocumentSettings>;

/** The settings in effect at a server with the extension. */
export function clientDocumentPolicy(settings: object): ClientDocumentPolicy {
  return settings as ClientDocumentPolicy;
}

/** Fills in the default. */
export function resolveClientDocuments(
  { clientIdMetadataDocuments, clientAuthMethods }:
    & ClientDocumentSettings
    & Pick<Policy, "clientAuthMethods">,
  { unknownClients }: Allowances,
): Pick<ClientDocumentPolicy, "clientIdMetadataDocuments"> {
  // A document has no secret.
  const canAuthenticate = clientAuthMethods.some((method) => method === "none" || method === "private_key_jwt");
  return { clientIdMetadataDocuments: (clientIdMetadataDocuments ?? unknownClients) && canAuthenticate };
}
