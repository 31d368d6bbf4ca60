/**
 * The table of all rules with their texts, and `explainError`, which makes the texts of a rejection from its facts.
 * `tests/rules.md` describes each rule in full.
 */

import { type ErrorDetails, type Explanation, OAuthError } from "../core/rules/errors.ts";
import { coreRules, type Rule } from "../core/rules/mod.ts";
import type { ByPolicy } from "../core/rules/rule.ts";
import { byProfile } from "./config/server_policy.ts";
import { serverRules } from "./rules/mod.ts";
import type { RuleText } from "./explain/rule_text.ts";
import { assertionAuthenticationTexts } from "./extensions/assertion_authentication/explain.ts";
import { assertionAuthenticationRules } from "./extensions/assertion_authentication/rules.ts";
import { assertionGrantTexts } from "./extensions/assertion_grants/explain.ts";
import { assertionGrantRules } from "./extensions/assertion_grants/rules.ts";
import { authorizationDetailsTexts } from "./extensions/authorization_details/explain.ts";
import { authorizationDetailsRules } from "./extensions/authorization_details/rules.ts";
import { cibaTexts } from "./extensions/ciba/explain.ts";
import { cibaRules } from "./extensions/ciba/rules.ts";
import { clientDocumentTexts } from "./extensions/client_documents/explain.ts";
import { clientDocumentRules } from "./extensions/client_documents/rules.ts";
import { clientLogoutTexts } from "./extensions/client_logout/explain.ts";
import { clientLogoutRules } from "./extensions/client_logout/rules.ts";
import { deviceTexts } from "./extensions/device/explain.ts";
import { deviceRules } from "./extensions/device/rules.ts";
import { dpopTexts } from "./extensions/dpop/explain.ts";
import { dpopRules } from "./extensions/dpop/rules.ts";
import { encryptedResponseTexts } from "./extensions/encrypted_responses/explain.ts";
import { encryptedResponseRules } from "./extensions/encrypted_responses/rules.ts";
import { mutualTlsTexts } from "./extensions/mutual_tls/explain.ts";
import { mutualTlsRules } from "./extensions/mutual_tls/rules.ts";
import { pushedRequestTexts } from "./extensions/par/explain.ts";
import { pushedRequestRules } from "./extensions/par/rules.ts";
import { registrationTexts } from "./extensions/registration/explain.ts";
import { registrationRules } from "./extensions/registration/rules.ts";
import { responseTypeTexts } from "./extensions/response_types/explain.ts";
import { responseTypeRules } from "./extensions/response_types/rules.ts";
import { sharedSignalTexts } from "./extensions/shared_signals/explain.ts";
import { sharedSignalRules } from "./extensions/shared_signals/rules.ts";
import { signedRequestTexts } from "./extensions/signed_requests/explain.ts";
import { signedRequestRules } from "./extensions/signed_requests/rules.ts";
import { stepUpTexts } from "./extensions/step_up/explain.ts";
import { stepUpRules } from "./extensions/step_up/rules.ts";
import { tokenExchangeTexts } from "./extensions/token_exchange/explain.ts";
import { tokenExchangeRules } from "./extensions/token_exchange/rules.ts";
import { authorizeTexts } from "./explain/authorize.ts";
import { controlTexts } from "./explain/control.ts";
import { httpTexts } from "./explain/http.ts";
import { openidTexts } from "./explain/openid.ts";
import { pageTexts } from "./explain/pages.ts";
import { resourceTexts } from "./explain/resource.ts";
import { resourceIndicatorTexts } from "./explain/resource_indicators.ts";
import { tokenTexts } from "./explain/token.ts";
import type { HostedServer } from "./hosted_server.ts";

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

const texts: Readonly<Record<string, RuleText>> = {
  ...authorizeTexts,
  ...tokenTexts,
  ...openidTexts,
  ...resourceIndicatorTexts,
  ...resourceTexts,
  ...httpTexts,
  ...pageTexts,
  ...controlTexts,
  ...assertionAuthenticationTexts,
  ...assertionGrantTexts,
  ...authorizationDetailsTexts,
  ...cibaTexts,
  ...clientDocumentTexts,
  ...clientLogoutTexts,
  ...deviceTexts,
  ...dpopTexts,
  ...encryptedResponseTexts,
  ...mutualTlsTexts,
  ...pushedRequestTexts,
  ...registrationTexts,
  ...responseTypeTexts,
  ...sharedSignalTexts,
  ...signedRequestTexts,
  ...stepUpTexts,
  ...tokenExchangeTexts,
};

export interface ExplainedRule extends RuleText {
  /** The specifications that it is taken from; empty for a rule of this project. */
  readonly cites: readonly string[];
}

/** Every rule by its ID. */
export const rules: Readonly<Record<string, ExplainedRule>> = Object.assign(
  {},
  ...[coreRules, serverRules, ...Object.values(extensionRules)].map((table) =>
    Object.fromEntries(
      Object.entries<Rule>(table).map(([id, { source }]) => [id, { cites: citesOf(source), ...texts[id] }]),
    )
  ),
);

function citesOf(source: string): readonly string[] {
  return source === "" ? [] : source.split("; ");
}

/** The row of a rule; `undefined` for a rejection by the embedding program, which has no rule. */
export function findRule(id: string | undefined): ExplainedRule | undefined {
  return id !== undefined && Object.hasOwn(rules, id) ? rules[id] : undefined;
}

/** The explanation with how to fix the request: its own fix, otherwise that of its rule. */
export function withFix<E extends Explanation>(explanation: E): E & { readonly fix: string } {
  return { ...explanation, fix: explanation.fix ?? findRule(explanation.rule)?.fix ?? "" };
}

/** The sentence of a passed check. */
export function getPassedText(id: string): string {
  return findRule(id)!.passes!;
}

/** Returns the error with the profile that decides the setting of its rule, at the end of the message. */
export function nameProfile(error: OAuthError): OAuthError {
  const { code, message, details } = error;
  const rule = findRule(details.rule);
  if (rule?.setting === undefined || details.facts === undefined) return error;
  const facts = details.facts() as Partial<ByPolicy>;
  const setting = rule.setting(facts as never);
  const decider = setting === undefined ? "" : byProfile(facts.policy, setting);
  return new OAuthError(code, message + decider, details);
}

/**
 * Returns the error with the texts that its rule makes from the facts.
 *
 * @param server The server; `undefined` at a protected resource outside of a server, whose rules need none.
 */
export async function explainError(server: HostedServer | undefined, error: OAuthError): Promise<OAuthError> {
  const { facts, ...details } = error.details;
  if (facts === undefined) return error;
  const explained = await findRule(details.internalRule ?? details.rule)?.explain?.(
    facts() as never,
    server as HostedServer,
  );
  const { message = error.message, ...texts } = explained ?? {};
  return new OAuthError(error.code, message, { ...details, ...texts } as ErrorDetails);
}
