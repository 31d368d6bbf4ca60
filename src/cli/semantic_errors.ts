/** Compares the settings with each other, without issues that only follow from invalid values. */

import type { ConfigIssue } from "../oauth/config/config_issue.ts";
import type { Settings } from "../oauth/config/settings.ts";

/** Compares settings that match their description; `issuer` is the one in effect. */
export type ValidateSettings = (settings: Settings, issuer: string) => readonly ConfigIssue[];

/**
 * The issues of settings that match their description.
 *
 * @param invalidPaths Paths that `settings` does not represent, or `"everything"` but the issuer.
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
