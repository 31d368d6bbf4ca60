/** The list of the extensions, all of which a server has by default, and the policy of a server that has them. */

import { type ResolvedSettings, resolveSettings } from "../config/resolve_settings.ts";
import type { LatchkeyOptions } from "./options.ts";
import type { KnownExtension } from "../config/extension_settings.ts";
import type { ObjectField } from "../../core/policy/field.ts";
import type { ClientMetadata } from "../config/client_metadata.ts";
import { clientFieldWith } from "../config/client_fields.ts";
import type { Extension } from "../config/extension.ts";
import { assertionAuthentication } from "../extensions/assertion_authentication/mod.ts";
import { assertionGrants } from "../extensions/assertion_grants/mod.ts";
import { authorizationDetails } from "../extensions/authorization_details/mod.ts";
import { ciba } from "../extensions/ciba/mod.ts";
import { clientDocuments } from "../extensions/client_documents/mod.ts";
import { clientLogout } from "../extensions/client_logout/mod.ts";
import { device } from "../extensions/device/mod.ts";
import { dpop } from "../extensions/dpop/mod.ts";
import { encryptedResponses } from "../extensions/encrypted_responses/mod.ts";
import { mutualTls } from "../extensions/mutual_tls/mod.ts";
import { pairwise } from "../extensions/pairwise/mod.ts";
import { par } from "../extensions/par/mod.ts";
import { registration } from "../extensions/registration/mod.ts";
import { requestedClaims } from "../extensions/requested_claims/mod.ts";
import { responseTypes } from "../extensions/response_types/mod.ts";
import { sharedSignals } from "../extensions/shared_signals/mod.ts";
import { signedRequests } from "../extensions/signed_requests/mod.ts";
import { signedResponses } from "../extensions/signed_responses/mod.ts";
import { stepUp } from "../extensions/step_up/mod.ts";
import { tokenExchange } from "../extensions/token_exchange/mod.ts";
import { endpointPathsField } from "../config/endpoint_paths.ts";
import { clientsField } from "../config/settings.ts";

/**
 * Every extension. The option `extensions` of `latchkey()` takes any of them.
 *
 * @example A server without token exchange
 * ```ts
 * import { extensions, latchkey } from "@latchkey/latchkey";
 *
 * const as = await latchkey({ extensions: extensions.filter(({ name }) => name !== "token_exchange") });
 * ```
 */
export const extensions: readonly Extension[] = [
  assertionAuthentication,
  assertionGrants,
  authorizationDetails,
  ciba,
  clientDocuments,
  clientLogout,
  device,
  dpop,
  encryptedResponses,
  mutualTls,
  pairwise,
  par,
  registration,
  requestedClaims,
  responseTypes,
  sharedSignals,
  signedRequests,
  signedResponses,
  stepUp,
  tokenExchange,
];

/** The description of client metadata at a server with all extensions. */
export const extendedClientField: ObjectField<ClientMetadata> = clientFieldWith(extensions);

/**
 * The extensions that the settings of a server know: those that it has, and client metadata and paths of all others.
 * What a client demands of an absent extension is rejected, and not ignored.
 */
export function knownExtensions(ofServer: readonly Extension[]): readonly KnownExtension[] {
  const absent = extensions.filter(({ name }) => !ofServer.some((extension) => extension.name === name));
  return [
    ...ofServer,
    ...absent.map(({ name, clientMetadata, settings }) => ({
      name,
      clientMetadata: { fields: clientMetadata?.fields },
      settings: { paths: settings?.paths },
      isAbsent: true,
    })),
  ];
}

/** The settings of every server that have members of extensions. */
export const extendedFields = {
  clients: clientsField(extendedClientField),
  paths: endpointPathsField(extensions),
} as const;

/**
 * Resolves options that match their description.
 *
 * @param origin The issuer without the path of a provider; used if the options name no issuer.
 */
export async function resolveOptions(options: LatchkeyOptions, origin: string): Promise<ResolvedSettings> {
  const { extensions: ofServer = extensions, grantTypes, approver } = options;
  return await resolveSettings(options, origin, { extensions: knownExtensions(ofServer), grantTypes, approver });
}
