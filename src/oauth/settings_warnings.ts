/** Warnings about settings that are valid, but probably do not do what they were written for. */

import type { ConfigurationWarning } from "./fault.ts";
import { settle } from "./settings.ts";
import type { Settings } from "./settings.ts";

/**
 * Every warning about settings that have no fault.
 *
 * @param issuer The issuer in effect.
 */
export function settingsWarnings(settings: Settings, issuer: string): ConfigurationWarning[] {
  return [...defaultScopeWarnings(settings, issuer)];
}

/** `defaultScope: ""` says that it is meant. */
function defaultScopeWarnings(settings: Settings, issuer: string): ConfigurationWarning[] {
  const { scopes, defaultScope } = settle(settings, issuer);
  if (settings.defaultScope !== undefined || defaultScope.length > 0) return [];
  return [{
    path: "scopes",
    message: `Without "read" among scopes there is no default scope: a request without scope is rejected as ` +
      `invalid_scope. Set defaultScope to some of scopes (${scopes.join(" ")}), or to "" to confirm it.`,
  }];
}
