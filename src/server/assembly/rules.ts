/**
 * The table of the rules that this server checks: the sentence of a passed check, the fix of a request that breaks the
 * rule, and the cited sections. `tests/rules.md` describes each rule in full.
 */

import { kernelRules, type PassedRuleId, type Rule, type RuleId, type RuleOrFix } from "../oauth/rules/mod.ts";
import { assertionAuthenticationRules } from "../extensions/assertion_authentication/rules.ts";
import { assertionGrantRules } from "../extensions/assertion_grants/rules.ts";
import { authorizationDetailsRules } from "../extensions/authorization_details/rules.ts";
import { cibaRules } from "../extensions/ciba/rules.ts";
import { clientDocumentRules } from "../extensions/client_documents/rules.ts";
import { clientLogoutRules } from "../extensions/client_logout/rules.ts";
import { deviceRules } from "../extensions/device/rules.ts";
import { dpopRules } from "../extensions/dpop/rules.ts";
import { encryptedResponseRules } from "../extensions/encrypted_responses/rules.ts";
import { mutualTlsRules } from "../extensions/mutual_tls/rules.ts";
import { pushedRequestRules } from "../extensions/par/rules.ts";
import { registrationRules } from "../extensions/registration/rules.ts";
import { responseTypeRules } from "../extensions/response_types/rules.ts";
import { sharedSignalRules } from "../extensions/shared_signals/rules.ts";
import { signedRequestRules } from "../extensions/signed_requests/rules.ts";
import { stepUpRules } from "../extensions/step_up/rules.ts";
import { tokenExchangeRules } from "../extensions/token_exchange/rules.ts";

/** The rules of the extensions, by the name of the extension. */
export const extensionRules = {
  assertion_authentication: assertionAuthenticationRules,
  assertion_grants: assertionGrantRules,
  authorization_details: authorizationDetailsRules,
  ciba: cibaRules,
  client_documents: clientDocumentRules,
  client_logout: clientLogoutRules,
  device: deviceRules,
  dpop: dpopRules,
  encrypted_responses: encryptedResponseRules,
  mutual_tls: mutualTlsRules,
  par: pushedRequestRules,
  registration: registrationRules,
  response_types: responseTypeRules,
  shared_signals: sharedSignalRules,
  signed_requests: signedRequestRules,
  step_up: stepUpRules,
  token_exchange: tokenExchangeRules,
} as const satisfies Readonly<Record<string, Readonly<Record<string, Rule>>>>;

/** Every rule by its ID. */
export const rules: Readonly<Record<RuleId, Rule>> = Object.assign(
  {},
  kernelRules,
  ...Object.values(extensionRules),
);

/** The row of a rule; `undefined` for a rejection by the embedding program, which has no rule. */
export function findRule(id: string | undefined): Rule | undefined {
  return id !== undefined && Object.hasOwn(rules, id) ? rules[id as RuleId] : undefined;
}

/** How to fix the request of a rejection: the fix of the rejection, otherwise the fix of its rule. */
export function findFix({ rule, fix }: RuleOrFix): string | undefined {
  return fix ?? findRule(rule)?.fix;
}

/** The sentence of a passed check. */
export function getPassedText(id: PassedRuleId): string {
  return rules[id].passes!;
}
