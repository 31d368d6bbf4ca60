/** Judges what the settings mean together, without complaints that only follow from a fault found before. */

import type { ConfigIssue } from "../oauth/config/config_issue.ts";
import type { Settings } from "../oauth/config/settings.ts";
import type { ConfigFile } from "./options.ts";

/** Judges settings whose shape is right; `issuer` is the one in effect. */
export type ValidateSettings = (settings: Settings, issuer: string) => readonly ConfigIssue[];

/** Stands in for what a file says when that is not known: nothing is to be judged by it. */
export const permissiveDefaults: ConfigFile = {
  clients: [],
  insecureAllowHttpIssuer: true,
  insecureAllowHttpRedirectUris: true,
  insecureAllowAutoLogin: true,
  insecureAllowOpenLogin: true,
  insecureAllowDemoClients: true,
  insecureAllowDirectory: true,
};

/**
 * The faults in the meaning of settings.
 *
 * @param invalidPaths places that `settings` says nothing true about, or `"everything"` but the issuer
 */
export function semanticErrors(
  settings: Settings,
  issuer: string,
  invalidPaths: ReadonlySet<string> | "everything",
  validate: ValidateSettings,
): ConfigIssue[] {
  const issues = validate(settings, issuer);
  const invalidList = invalidPaths === "everything" ? [] : [...invalidPaths];
  // Both settings add scope values.
  const areScopesUnknown = invalidList.some((place) => /^(?:scopes|claims)(?:$|[.[])/.test(place));
  return issues.filter(({ path }) => {
    if (path === "issuer") return settings.issuer !== undefined;
    if (invalidPaths === "everything") return false;
    if (areScopesUnknown && /^defaultScope$|^clients\[\d+\]\.scope$/.test(path)) {
      return false;
    }
    return !invalidList.some((invalidPath) =>
      path === invalidPath || path.startsWith(`${invalidPath}.`) || path.startsWith(`${invalidPath}[`)
    );
  });
}
