/** Warnings about valid settings that probably do not work as intended. */

import { claimWarnings } from "./claim_warnings.ts";
import type { ConfigurationWarning } from "./config_issue.ts";
import { resolveSettings } from "./settings.ts";
import type { ResolvedSettings, Settings } from "./settings.ts";

/**
 * Every warning about valid settings.
 *
 * @param issuer The issuer in effect.
 */
export function settingsWarnings(settings: Settings, issuer: string): ConfigurationWarning[] {
  const resolved = resolveSettings(settings, issuer);
  return [...defaultScopeWarnings(settings, resolved), ...claimWarnings(settings, resolved)];
}

/** `defaultScope: ""` confirms that no default is intended. */
function defaultScopeWarnings(settings: Settings, { scopes, defaultScope }: ResolvedSettings): ConfigurationWarning[] {
  if (settings.defaultScope !== undefined || defaultScope.length > 0) return [];
  return [{
    path: "scopes",
    message: `scopes does not contain "read", so no default scope exists: a request without scope is rejected as ` +
      `invalid_scope. Set defaultScope to values of scopes (${scopes.join(" ")}), or to "" to confirm.`,
  }];
}
