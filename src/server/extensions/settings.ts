/** The settings of all extensions. */

import type { FieldsOf } from "../../core/policy/field.ts";
import { assertionGrantFields, type AssertionGrantSettings } from "./assertion_grants/settings.ts";
import { authorizationDetailsFields, type AuthorizationDetailsSettings } from "./authorization_details/settings.ts";
import { cibaFields, type CibaSettings } from "./ciba/settings.ts";
import { clientDocumentFields, type ClientDocumentSettings } from "./client_documents/settings.ts";
import { clientLogoutFields, type ClientLogoutSettings } from "./client_logout/settings.ts";
import { deviceFields, type DeviceSettings } from "./device/settings.ts";
import { dpopFields, type DpopMembers } from "./dpop/settings.ts";
import { mutualTlsFields, type MutualTlsSettings } from "./mutual_tls/settings.ts";
import { parFields, type ParSettings } from "./par/settings.ts";
import { registrationFields, type RegistrationMembers } from "./registration/settings.ts";
import { sharedSignalFields, type SharedSignalSettings } from "./shared_signals/settings.ts";
import { signedRequestFields, type SignedRequestSettings } from "./signed_requests/settings.ts";
import { stepUpFields, type StepUpSettings } from "./step_up/settings.ts";
import { tokenExchangeFields, type TokenExchangeMembers } from "./token_exchange/settings.ts";

/**
 * @internal The settings of all extensions, in one list with the settings of every server. Every setting has a
 * default.
 */
export interface ExtensionSettings
  extends
    AssertionGrantSettings,
    AuthorizationDetailsSettings,
    CibaSettings,
    ClientDocumentSettings,
    ClientLogoutSettings,
    DeviceSettings,
    DpopMembers,
    MutualTlsSettings,
    ParSettings,
    RegistrationMembers,
    SharedSignalSettings,
    SignedRequestSettings,
    StepUpSettings,
    TokenExchangeMembers {}

export const extensionFields: FieldsOf<ExtensionSettings> = {
  ...assertionGrantFields,
  ...authorizationDetailsFields,
  ...cibaFields,
  ...clientDocumentFields,
  ...clientLogoutFields,
  ...deviceFields,
  ...dpopFields,
  ...mutualTlsFields,
  ...parFields,
  ...registrationFields,
  ...sharedSignalFields,
  ...signedRequestFields,
  ...stepUpFields,
  ...tokenExchangeFields,
};
