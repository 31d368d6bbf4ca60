/** Compares settings with the profile that they select. */

import { quote } from "./config_issue.ts";
import type { ConfigIssue } from "./config_issue.ts";
import { activeProfile, isWeaker, profileEntries, type ProfileSettings, readSetting } from "./profiles.ts";

/** An issue for each setting that is weaker than the profile, and for a revision without its profile. */
export function validateProfile(settings: ProfileSettings): ConfigIssue[] {
  const { profile, mcpRevision } = settings;
  const issues: ConfigIssue[] = mcpRevision === undefined || profile === "mcp" ? [] : [{
    path: "profile",
    expected: `"mcp", because mcpRevision is set`,
    received: profile === undefined ? "nothing" : quote(profile),
    hint: `Set profile to "mcp", or remove mcpRevision.`,
  }];
  const active = activeProfile(settings);
  if (active === undefined) return issues;
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
  return issues;
}

function show(value: unknown): string {
  return Array.isArray(value) ? JSON.stringify(value) : quote(value);
}
