/** Puts the values of profiles into the settings, once, before any other code reads them. */

import { isObject } from "../../core/http/json_value.ts";
import { providers } from "./provider_settings/providers.ts";
import type { Deviation, ProviderData, ProviderName, ProviderProfile } from "./provider_profile.ts";
import { grantTypesFor } from "../../core/clients/client.ts";
import type { ClientMetadata } from "./client_metadata.ts";
import { quote } from "./config_issue.ts";
import type { ConfigIssue } from "../../core/rules/configuration_error.ts";
import type { ProfileName } from "./strictness.ts";
import type { Profile } from "./profile_field.ts";
import type { ProviderFunctions } from "./provider_functions.ts";
import { activeProfile, isStandard, profileList, type ProfileSettings, raiseTo, withProfile } from "./profiles.ts";
import type { ActiveProfile } from "./server_policy.ts";
import type { Settings } from "./settings.ts";

/** Settings with the values of their profiles, and what else the profiles contain. */
export interface WithProfiles<T> extends Deviation {
  /** With the values of all profiles. */
  readonly settings: T;
  /** With the values of providers alone: a standard rejects weaker ones. */
  readonly beforeStandards: T;
  /** The standards as one profile; absent: none. */
  readonly profile?: ActiveProfile;
  /** Whether requests, responses or tokens differ from the standards. */
  readonly isDeviating: boolean;
  /** The path of the issuer; empty if the settings name an issuer. */
  readonly issuerPath: string;
  /** The conflicts in the list of profiles. */
  readonly issues: readonly ConfigIssue[];
  /** The names of the settings that only providers set. */
  readonly preset: ReadonlySet<string>;
}

/**
 * Puts in the values of profiles for the settings that are not set. Of several profiles the later one counts. A
 * standard raises the values before it, and rejects weaker values after it.
 */
export async function withProfiles<T extends ProfileSettings & Pick<Settings, "issuer" | "clients">>(
  given: T,
): Promise<WithProfiles<T>> {
  const list = profileList(given);
  const standards: ProfileName[] = [];
  const names: string[] = [];
  const issues: ConfigIssue[] = [];
  let values: object = {};
  let path = "";
  const functions: (ProviderName | ProviderFunctions)[] = [];
  let data: ProviderData = {};
  let ofClients: ClientDefaults = {};
  for (const [i, profile] of list.entries()) {
    const place = Array.isArray(given.profile) ? `profile[${i}]` : "profile";
    const name = nameOf(profile);
    if (list.findIndex((other) => nameOf(other) === name) < i) {
      issues.push({
        path: place,
        expected: "each profile once",
        received: `${quote(name)} again`,
        hint: "Remove one of the two.",
      });
      continue;
    }
    if (isStandard(profile)) standards.push(profile);
    const floor = activeProfile({ profile: standards, mcpRevision: given.mcpRevision });
    if (isStandard(profile)) {
      values = raiseTo(floor!, values).settings;
      continue;
    }
    const { name: _, issuerPath, accepts, metadataMembers, fixedClaims, functions: own, ...rest } =
      typeof profile === "string" ? await providers[profile]() : profile;
    const { redirectsAfterLogout, refreshesByDefault, ...settings } = rest;
    ofClients = merge(ofClients, { redirectsAfterLogout, refreshesByDefault });
    const raised = floor === undefined ? { settings, weaker: [] } : raiseTo(floor, settings);
    for (const { setting, expected, received } of raised.weaker) {
      issues.push({
        path: place,
        expected: `${setting}: ${expected}`,
        received: `${received} in the profile ${name}`,
        hint: `Move ${name} before the standard, which then decides, or remove one of the two.`,
      });
    }
    names.push(name);
    if (typeof profile === "string") functions.push(profile);
    else if (own !== undefined) functions.push(own);
    data = merge(data, { accepts, metadataMembers, fixedClaims });
    values = merge(values, raised.settings, 1);
    path = issuerPath ?? path;
  }
  const isDeviating = functions.length > 0 || Object.keys(data).length > 0;
  if (isDeviating && standards.length > 0) {
    issues.push({
      path: "profile",
      expected: `a profile of settings alone, because requests and responses are those of ${standards.join(", ")}`,
      received: `other requests and responses of the profile ${names.join(", ")}`,
      hint: "Remove one of the two.",
    });
  }
  const merged = names.length === 0 ? given : merge(values, given, 1) as T;
  const beforeStandards = Array.isArray(merged.clients)
    ? { ...merged, clients: merged.clients.map((client) => withClientDefaults(client, ofClients)) }
    : merged;
  const profile = activeProfile(beforeStandards);
  return {
    settings: withProfile(beforeStandards, profile),
    ...{ beforeStandards, profile },
    names,
    functions,
    data,
    isDeviating,
    issuerPath: given.issuer === undefined ? path : "",
    issues,
    preset: new Set(Object.keys(values).filter((name) => given[name as keyof T] === undefined)),
  };
}

type ClientDefaults = Pick<ProviderProfile, "redirectsAfterLogout" | "refreshesByDefault">;

function withClientDefaults(client: ClientMetadata, defaults: ClientDefaults): ClientMetadata {
  const { redirect_uris, response_types, post_logout_redirect_uris = redirect_uris, grant_types } = client;
  const addsUris = defaults.redirectsAfterLogout && post_logout_redirect_uris !== undefined;
  const addsRefresh = defaults.refreshesByDefault && grant_types === undefined && redirect_uris !== undefined;
  return {
    ...client,
    ...addsUris && { post_logout_redirect_uris },
    ...addsRefresh && { grant_types: [...grantTypesFor(response_types ?? ["code"]), "refresh_token"] },
  };
}

function nameOf(profile: Profile): string {
  return typeof profile === "string" ? profile.split(":", 1)[0]! : (profile as ProviderProfile).name;
}

/**
 * The values of two objects. Later ones count; of two objects, each member.
 *
 * @param depth How deep objects are merged. Default: all of them. A setting is replaced as a whole below its members.
 */
function merge<T extends object>(earlier: T, later: object, depth = Infinity): T {
  const merged: Record<string, unknown> = { ...earlier as object };
  for (const [name, value] of Object.entries(later)) {
    if (value === undefined) continue;
    const before = merged[name];
    merged[name] = depth > 0 && isObject(before) && isObject(value) ? merge(before, value, depth - 1) : value;
  }
  return merged as T;
}
