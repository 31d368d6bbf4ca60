/** The profiles of standards, and the settings that the active profile decides. */

export type ProfileName = "oauth2.1" | "oidc" | "mcp" | "fapi2-security" | "fapi2-message-signing" | "next-2026.11";

/** @internal The profiles of standards in effect, as one. */
export interface ActiveProfile {
  /** Its name and, of `mcp`, its revision: `mcp 2026-07-28`. */
  readonly label: string;
  /** Its values, by the path of their setting. */
  readonly values: ReadonlyMap<string, unknown>;
  /**
   * The paths of the settings whose value comes from a profile, because the configuration omits them or sets a weaker
   * value. Each has the label of the profile.
   */
  readonly decides: ReadonlyMap<string, string>;
  /** For each value, the label of the profile and the section of the specification that requires it. */
  readonly sources: ReadonlyMap<string, string>;
}

/** The part of a message that names the profile, if a setting has its value from the profile; otherwise empty. */
export function byProfile(profile: ActiveProfile | undefined, setting: string): string {
  const label = profile?.decides.get(setting);
  return label === undefined ? "" : `, by the profile ${label}`;
}
