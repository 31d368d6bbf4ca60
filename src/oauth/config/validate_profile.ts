/** Compares settings with the profile that they select. */

import { quote } from "./config_issue.ts";
import type { ConfigIssue } from "./config_issue.ts";
import { activeProfile, profileEntries, readSetting } from "./profiles.ts";
import type { ProfileSetting, ProfileSettings } from "./profiles.ts";

/** The settings that profiles decide, each with its values from the weakest to the strictest. */
const strictness: Readonly<Record<ProfileSetting, readonly unknown[] | "subset" | "any">> = {
  "pkce.requireForConfidential": [false, true],
  "pkce.requireMethod": [false, true],
  assertionAudience: ["issuer-or-token-endpoint", "issuer"],
  tokenRedirectUri: ["optional", "required"],
  resourceParameter: ["optional", "expected", "required"],
  privateUseRedirectUris: [true, false],
  accessTokenInForm: [true, false],
  requireClientName: [false, true],
  /** A list is stricter than another one if the other one contains it. */
  clientAuthMethods: "subset",
  /** Every explicit value is accepted. */
  metadataForms: "any",
  clientIdMetadataDocuments: "any",
  "registration.deprecated": "any",
  "registration.scope": "any",
  defaultEndpoints: "any",
};

/** An issue for each setting that is weaker than the profile, and for a revision without its profile. */
export function validateProfile(settings: ProfileSettings): ConfigIssue[] {
  const active = activeProfile(settings);
  if (active === undefined) {
    return settings.mcpRevision === undefined ? [] : [{
      path: "profile",
      expected: `"mcp", because mcpRevision is set`,
      received: "nothing",
      hint: `Add profile: "mcp", or remove mcpRevision.`,
    }];
  }
  const issues: ConfigIssue[] = [];
  for (const [path, { source }] of profileEntries(settings.profile!)) {
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

function isWeaker(path: ProfileSetting, explicit: unknown, floor: unknown): boolean {
  const order = strictness[path];
  if (order === "any") return false;
  if (order === "subset") return (explicit as unknown[]).some((item) => !(floor as unknown[]).includes(item));
  return order.indexOf(explicit) < order.indexOf(floor);
}

function show(value: unknown): string {
  return Array.isArray(value) ? JSON.stringify(value) : quote(value);
}
