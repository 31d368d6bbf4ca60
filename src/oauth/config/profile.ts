/** The names of the profiles. `active_profile.ts` has the types of their values, `profiles.ts` the values. */

import type { ActiveProfile, ProfileSetting } from "./active_profile.ts";

/** The name of a profile. */
export type ProfileName = "oauth2.1" | "oidc" | "mcp" | "fapi2-security" | "fapi2-message-signing";

export const profileNames: readonly ProfileName[] = [
  ...["oauth2.1", "oidc", "mcp", "fapi2-security", "fapi2-message-signing"] as const,
];

/** A revision of the authorization specification of the Model Context Protocol. */
export type McpRevision = "2025-03-26" | "2025-06-18" | "2025-11-25" | "2026-07-28";

/** The revisions of the authorization specification of the Model Context Protocol, the oldest first. */
export const mcpRevisions: readonly McpRevision[] = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

/** The part of a message that names the profile, if a setting has its value from the profile; otherwise empty. */
export function byProfile(profile: ActiveProfile | undefined, setting: ProfileSetting): string {
  const label = profile?.decides.get(setting);
  return label === undefined ? "" : `, by the profile ${label}`;
}
