/** All issues of the metadata of one client (RFC 7591 §2). */

import { type ClientMetadata, demandMembers, registeredClientField } from "./client.ts";
import { settingOfGrantType, supportedGrantTypes } from "../grants/mod.ts";
import { activeProfile, findEmptySettings, validateExtensions } from "../config/profiles.ts";
import { byProfile } from "../config/profile.ts";
import { type ConfigIssue, quote } from "../config/config_issue.ts";
import { validate } from "../config/field.ts";
import { tightenSettings } from "./policy.ts";
import {
  validateAlgorithms,
  validateAuthMethod,
  validateClientKeys,
  validateClientSecret,
} from "./validate_client_keys.ts";
import { validatePageUrls, validatePostLogoutRedirectUris, validateRedirectUris } from "./redirect_uri.ts";
import { splitScope } from "../params.ts";
import { subjectTypeNames } from "../config/extension_settings.ts";
import type { ResolvedSettings } from "../config/resolve_settings.ts";

/** Compares metadata that matches its description with the settings. Paths are relative to the client. */
type ClientValidator = (client: ClientMetadata, settings: ResolvedSettings) => ConfigIssue[];

/** What is compared, in the order of the issues. */
const validators: readonly ClientValidator[] = [
  validateAuthMethod,
  validateClientSecret,
  validateClientKeys,
  validateGrantTypes,
  validateResponseTypes,
  validateResponseModes,
  validateRedirectUris,
  validatePostLogoutRedirectUris,
  validatePageUrls,
  validateSubjectType,
  validateAlgorithms,
  validateClientProfile,
  validateDemands,
  validateScope,
];

/** All issues; paths are relative to the client. Only metadata that matches its description is compared with the server. */
export function validateClient(client: ClientMetadata, settings: ResolvedSettings): ConfigIssue[] {
  const issues = validate(registeredClientField, client);
  if (issues.length > 0) return issues;
  const policy = tightenSettings(settings, client);
  return [
    ...validators.flatMap((validator) => validator(client, policy)),
    ...policy.extensions.flatMap((extension) => extension.validateClient?.(client, policy) ?? []),
  ];
}

/** Each request with an unsupported grant type would be rejected. */
function validateGrantTypes({ grant_types = [] }: ClientMetadata, settings: ResolvedSettings): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  const supported = supportedGrantTypes(settings).map(({ type }) => type);
  for (const [i, type] of grant_types.entries()) {
    if (supported.includes(type)) continue;
    issues.push({
      path: `grant_types[${i}]`,
      expected: `one of ${supported.join(", ")}`,
      received: quote(type),
      hint: type === "password" || type === "implicit"
        ? "OAuth 2.1 has no such grant type: use authorization_code."
        : settingOfGrantType(settings, type) !== undefined
        ? `Add the setting ${settingOfGrantType(settings, type)}, which enables it, or remove it.`
        : "Remove it: this server does not support it.",
    });
  }
  return issues;
}

function validateResponseTypes({ response_types = [] }: ClientMetadata): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  for (const [i, type] of response_types.entries()) {
    if (type === "code") continue;
    issues.push({ path: `response_types[${i}]`, expected: `"code"`, received: quote(type), hint: `Write ["code"].` });
  }
  return issues;
}

function validateSubjectType({ subject_type = "public" }: ClientMetadata, settings: ResolvedSettings): ConfigIssue[] {
  const supported: readonly string[] = subjectTypeNames(settings);
  return supported.includes(subject_type) ? [] : [{
    path: "subject_type",
    expected: `one of ${supported.join(", ")}`,
    received: quote(subject_type),
    hint: "Remove it, or add the extension.",
  }];
}

function validateResponseModes({ response_modes = [] }: ClientMetadata, settings: ResolvedSettings): ConfigIssue[] {
  const { responseModes, profile } = settings;
  // An empty list is an issue of the settings, or of the client's profile.
  if (responseModes.length === 0) return [];
  return response_modes.flatMap((mode, i) =>
    responseModes.includes(mode) ? [] : [{
      path: `response_modes[${i}]`,
      expected: `one of ${responseModes.join(", ")}${byProfile(profile, "responseModes")}`,
      received: quote(mode),
      hint: "Add it to the setting responseModes, or remove it here.",
    }]
  );
}

/** A server without the extension would ignore what the client demands. */
function validateDemands(client: ClientMetadata, { extensions }: ResolvedSettings): ConfigIssue[] {
  return demandMembers.flatMap((path) =>
    !client[path] || extensions.some(({ clientDemands = [] }) => clientDemands.includes(path)) ? [] : [{
      path,
      expected: "no demand that needs an extension that the server does not have",
      received: quote(client[path]),
      hint: "Add the extension, or remove the member.",
    }]
  );
}

function validateScope({ scope = "" }: ClientMetadata, { scopes }: ResolvedSettings): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  for (const token of splitScope(scope)) {
    if (scopes.includes(token)) continue;
    issues.push({
      path: "scope",
      expected: `scope values of the server (${scopes.join(" ")})`,
      received: quote(token),
      hint: `Add ${quote(token)} to scopes, or remove it here.`,
    });
  }
  return issues;
}

/** An issue if the id of a client that is added at run time equals the audience of access tokens (RFC 9068 §2.2). */
export function validateClientAudience({ client_id }: ClientMetadata, audience: string): ConfigIssue[] {
  if (client_id !== audience) return [];
  return [{
    path: "client_id",
    expected: "an id that is not the audience of access tokens",
    received: quote(client_id),
    hint: "Choose another id, or set audience to the URI of your API.",
  }];
}

/** A profile of the client that leaves no value of a setting. */
function validateClientProfile({ profile }: ClientMetadata, settings: ResolvedSettings): ConfigIssue[] {
  if (profile === undefined) return [];
  return [
    ...validateExtensions(activeProfile({ profile })!, settings.extensions),
    ...findEmptySettings(settings).map((name) => ({
      path: "profile",
      expected: `a profile that allows a value of the server's ${name}`,
      received: quote(profile),
      hint: `Add a value to the setting ${name} that the profile allows.`,
    })),
  ];
}
