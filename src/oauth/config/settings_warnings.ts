/** Warnings about valid settings, and users, that probably do not work as intended. Loaded only if something listens. */

import { claimWarnings } from "./claim_warnings.ts";
import type { ConfigurationWarning } from "./config_issue.ts";
import type { ResolvedSettings } from "./resolve_settings.ts";
import { hasTestHost, type Settings } from "./settings.ts";

export { userWarnings } from "./user_warnings.ts";

/**
 * Every warning about valid settings.
 *
 * @param resolved The same settings with the defaults.
 */
export function settingsWarnings(settings: Settings, resolved: ResolvedSettings): ConfigurationWarning[] {
  return [
    ...defaultScopeWarnings(settings, resolved),
    ...claimWarnings(settings, resolved),
    ...profileWarnings(settings, resolved),
  ];
}

/** FAPI 2.0 Security Profile §5.2: TLS, and users who are authenticated. */
function profileWarnings({ profile }: Settings, { issuer }: ResolvedSettings): ConfigurationWarning[] {
  if (profile?.startsWith("fapi2-") !== true || !hasTestHost(issuer)) return [];
  return [{
    path: "profile",
    message: `the issuer is on a test host, so this is not FAPI: http, public test keys and login without a password ` +
      `are accepted there. All other rules of ${profile} apply.`,
  }];
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
