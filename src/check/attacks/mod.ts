/**
 * The catalogue of attacks: one file for each category, in the order of a journey.
 *
 * An attack combines faults (`testing/faults/`) in one journey of a client, and states what a correct client does. To
 * add one, add a definition to the file of its category.
 */

import type { Attack } from "../attack.ts";
import { browserSessionAttacks } from "./browser_session.ts";
import { clockAttacks } from "./clock.ts";
import { codeAttacks } from "./code.ts";
import { credentialAttacks } from "./credentials.ts";
import { deviceAttacks } from "./device.ts";
import { dpopAttacks } from "./dpop.ts";
import { errorAttacks } from "./error.ts";
import { exposures } from "./exposures.ts";
import { idTokenClaimAttacks } from "./id_token_claims.ts";
import { idTokenFormAttacks } from "./id_token_form.ts";
import { idTokenKeyAttacks } from "./id_token_key.ts";
import { idTokenUserAttacks } from "./id_token_user.ts";
import { idTokenSignatureAttacks } from "./id_token_signature.ts";
import { jarmAttacks } from "./jarm.ts";
import { keyAttacks } from "./keys.ts";
import { logoutAttacks } from "./logout.ts";
import { metadataAttacks } from "./metadata.ts";
import { otherIssuerAttacks } from "./other_issuer.ts";
import { ownerAttacks } from "./owners.ts";
import { parAttacks } from "./par.ts";
import { refreshAttacks } from "./refresh.ts";
import { registrationAttacks } from "./registration.ts";
import { resourceAttacks } from "./resource.ts";
import { resourceServerAttacks } from "./resource_server.ts";
import { responseAttacks } from "./response.ts";
import { responseDeliveryAttacks } from "./response_delivery.ts";
import { sessionAttacks } from "./session.ts";
import { tamperingAttacks } from "./tampering.ts";
import { targetAttacks } from "./targets.ts";
import { tokenAttacks } from "./token.ts";
import { transportAttacks } from "./transport.ts";
import { unavailableAttacks } from "./unavailable.ts";
import { userinfoAttacks } from "./userinfo.ts";

export const attacks: readonly Attack[] = [
  ...metadataAttacks,
  ...errorAttacks,
  ...responseAttacks,
  ...codeAttacks,
  ...responseDeliveryAttacks,
  ...otherIssuerAttacks,
  ...tokenAttacks,
  ...credentialAttacks,
  ...idTokenSignatureAttacks,
  ...idTokenFormAttacks,
  ...idTokenKeyAttacks,
  ...idTokenClaimAttacks,
  ...idTokenUserAttacks,
  ...keyAttacks,
  ...unavailableAttacks,
  ...userinfoAttacks,
  ...refreshAttacks,
  ...sessionAttacks,
  ...browserSessionAttacks,
  ...tamperingAttacks,
  ...targetAttacks,
  ...ownerAttacks,
  ...logoutAttacks,
  ...clockAttacks,
  ...transportAttacks,
  ...resourceAttacks,
  ...resourceServerAttacks,
  ...registrationAttacks,
  ...dpopAttacks,
  ...parAttacks,
  ...jarmAttacks,
  ...deviceAttacks,
  ...exposures,
];
