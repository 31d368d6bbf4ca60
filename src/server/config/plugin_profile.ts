/** Profiles that a plugin brings. They set no value: the plugin reads their names from the policy of the server. */

import { text } from "../../core/policy/field.ts";
import { quote } from "./config_issue.ts";
import type { ConfigIssue } from "../../core/rules/configuration_error.ts";

/** @internal A profile of a plugin: its name, a colon, and what the plugin reads. */
export type PluginProfile = `vary:${string}` | "next-2026.11:warn";

/** The syntax of each, by its name. To add one, add it here and in `profiles` of its plugin. */
const syntax = {
  vary: { pattern: /vary:(?!\S*\.\.)[\w.-]{1,60}(:[a-z0-9-]+(\+[a-z0-9-]+)*)?/, example: "vary:7", form: "vary:SEED" },
  "next-2026.11": { pattern: /next-2026\.11:warn/, example: "next-2026.11:warn", form: "next-2026.11:warn" },
} as const;

/** @internal The name of a plugin's profile, without what the plugin reads. */
export type PluginProfileName = keyof typeof syntax;

/** The names without what the plugins read. */
export const pluginProfilePrefixes = Object.keys(syntax) as readonly PluginProfileName[];

/** Describes the profiles of plugins. */
export const pluginProfileField = text(Object.values(syntax).map(({ example }) => example), {
  pattern: new RegExp(`^(${Object.values(syntax).map(({ pattern }) => pattern.source).join("|")})$`),
  expected: Object.values(syntax).map(({ form }) => `"${form}"`).join(", "),
});

/** The profiles of plugins that are nothing but a name. */
export const pluginProfileNames = Object.values(syntax).filter(({ example, form }) => example === form)
  .map(({ example }) => example);

/** Whether a profile is one of a plugin. */
export function isPluginProfile(profile: unknown): profile is PluginProfile {
  return typeof profile === "string" && pluginProfileField.pattern.test(profile);
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
