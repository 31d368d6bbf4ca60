/** Warnings about settings that are valid, but probably do not do what they were written for. */

import { claimWarnings } from "./claim_warnings.ts";
import type { ConfigurationWarning } from "./fault.ts";
import { settle } from "./settings.ts";
import type { Settings, Settled } from "./settings.ts";

/**
 * Every warning about settings that have no fault.
 *
 * @param issuer The issuer in effect.
 */
export function settingsWarnings(settings: Settings, issuer: string): ConfigurationWarning[] {
  const settled = settle(settings, issuer);
  return [...defaultScopeWarnings(settings, settled), ...claimWarnings(settings, settled)];
}

/** `defaultScope: ""` says that it is meant. */
function defaultScopeWarnings(settings: Settings, { scopes, defaultScope }: Settled): ConfigurationWarning[] {
  if (settings.defaultScope !== undefined || defaultScope.length > 0) return [];
  return [{
    path: "scopes",
    message: `Without "read" among scopes there is no default scope: a request without scope is rejected as ` +
      `invalid_scope. Set defaultScope to some of scopes (${scopes.join(" ")}), or to "" to confirm it.`,
  }];
}
