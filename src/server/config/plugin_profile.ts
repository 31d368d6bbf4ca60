/** Profiles that a plugin brings. They set no value: the plugin reads their names from the policy of the server. */

import { quote } from "./config_issue.ts";
import type { ConfigIssue } from "../../core/rules/configuration_error.ts";

/** @internal A profile of a plugin: its name, a colon, and what the plugin reads. */
export type PluginProfile = "next-2026.11:warn";

/** Each, by its name. To add one, add it here and in `profiles` of its plugin. */
const profiles = { "next-2026.11": "next-2026.11:warn" } as const;

/** @internal The name of a plugin's profile, without what the plugin reads. */
export type PluginProfileName = keyof typeof profiles;

/** The names without what the plugins read. */
export const pluginProfilePrefixes = Object.keys(profiles) as readonly PluginProfileName[];

/** The profiles of plugins. */
export const pluginProfileNames: readonly PluginProfile[] = Object.values(profiles);

/** Whether a profile is one of a plugin. */
export function isPluginProfile(profile: unknown): profile is PluginProfile {
  return (pluginProfileNames as readonly unknown[]).includes(profile);
}

/** An issue for each profile whose plugin the server does not have. */
export function validatePluginProfiles(
  profiles: readonly PluginProfile[],
  plugins: readonly { readonly profiles?: readonly PluginProfileName[] }[],
): ConfigIssue[] {
  const known = plugins.flatMap(({ profiles = [] }) => profiles);
  return profiles.filter((profile) => !known.some((name) => profile.startsWith(`${name}:`))).map(
    (profile) => ({
      path: "profile",
      expected: "a profile of this server",
      received: `${quote(profile)}, which a plugin brings`,
      hint: "Pass control.plugin of testControl() to the server, or use testLatchkey().",
    }),
  );
}
