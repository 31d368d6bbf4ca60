/** Judges what the settings mean together, without complaints that only follow from a fault found before. */

import type { Fault } from "../oauth/config/config_issue.ts";
import type { Settings } from "../oauth/config/settings.ts";
import type { FileContent } from "./option_definitions.ts";

/** Judges settings whose shape is right; `issuer` is the one in effect. */
export type JudgeSettings = (settings: Settings, issuer: string) => readonly Fault[];

/** Stands in for what a file says when that is not known: nothing is to be judged by it. */
export const neutralContent: FileContent = {
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
 * @param unsound places that `settings` says nothing true about, or `"everything"` but the issuer
 */
export function findMeaningFaults(
  settings: Settings,
  issuer: string,
  unsound: ReadonlySet<string> | "everything",
  judge: JudgeSettings,
): Fault[] {
  const faults = judge(settings, issuer);
  const places = unsound === "everything" ? [] : [...unsound];
  // Both settings add scope values.
  const lacksScopes = places.some((place) => /^(?:scopes|claims)(?:$|[.[])/.test(place));
  return faults.filter(({ place }) => {
    if (place === "issuer") return settings.issuer !== undefined;
    if (unsound === "everything") return false;
    if (lacksScopes && /^defaultScope$|^clients\[\d+\]\.scope$/.test(place)) {
      return false;
    }
    return !places.some((outer) => place === outer || place.startsWith(`${outer}.`) || place.startsWith(`${outer}[`));
  });
}
