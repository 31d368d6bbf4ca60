/** Compares settings with the profile that they select. */

import { rejectAny } from "./accept_any.ts";
import { quote } from "./config_issue.ts";
import type { ConfigIssue } from "./config_issue.ts";
import type { ActiveProfile } from "./active_profile.ts";
import type { SettingsExtension } from "./extension_settings.ts";
import { settingFields, type Settings } from "./settings.ts";
import { activeProfile, isDemand, isWeaker, profileEntries, type ProfileSettings, readSetting } from "./profiles.ts";

/** An issue for each setting that is weaker than the profile, and for a revision without its profile. */
export function validateProfile(
  settings: ProfileSettings & Pick<Settings, "metadata" | "clients" | "redirectUris" | "scopes" | "users">,
  extensions: readonly SettingsExtension[],
): ConfigIssue[] {
  const { profile, mcpRevision } = settings;
  const issues: ConfigIssue[] = mcpRevision === undefined || profile === "mcp" ? [] : [{
    path: "profile",
    expected: `"mcp", because mcpRevision is set`,
    received: profile === undefined ? "nothing" : quote(profile),
    hint: `Set profile to "mcp", or remove mcpRevision.`,
  }];
  const active = activeProfile(settings);
  if (active === undefined) return issues;
  issues.push(...validateExtensions(active, extensions));
  for (const [path, { source }] of profileEntries(profile!)) {
    const [explicit, floor] = [readSetting(settings, path), active.values.get(path)];
    if (explicit === undefined || floor === undefined || !isWeaker(path, explicit, floor)) continue;
    issues.push({
      path,
      expected: `${show(floor)} or stricter, because the profile is ${active.label} (${source})`,
      received: show(explicit),
      hint: "Remove the setting, or the profile.",
    });
  }
  issues.push(...rejectAny(settings, `the profile is ${active.label}`, "Remove the setting, or the profile."));
  const { authorization_response_iss_parameter_supported: isSupported = true } = settings.metadata ?? {};
  if (isSupported !== true && profile !== "oidc") {
    issues.push({
      path: "metadata.authorization_response_iss_parameter_supported",
      expected: `true, because the profile is ${active.label} (RFC 9207)`,
      received: quote(isSupported),
      hint: "Remove the member, or the profile.",
    });
  }
  return issues;
}

/** An issue for each setting that a profile demands, and that no extension of the server has. */
export function validateExtensions(
  { label, values }: ActiveProfile,
  extensions: readonly SettingsExtension[],
): ConfigIssue[] {
  const known = Object.assign({}, settingFields, ...extensions.map(({ settingFields }) => settingFields));
  return [...values.keys()].filter((path) => isDemand(path) && !Object.hasOwn(known, path.split(".")[0]!))
    .map((path) => ({
      path: "profile",
      expected: `a profile that does not demand ${path}, which is a setting of an extension`,
      received: `${quote(label)}, at a server without the extension`,
      hint: "Add the extension, or choose another profile.",
    }));
}

function show(value: unknown): string {
  return Array.isArray(value) ? JSON.stringify(value) : quote(value);
}
