/**
 * The named profiles. A profile is a set of values of settings and nothing else. It decides the settings that are not
 * set, and rejects weaker values of settings that are set.
 *
 * To add a profile, add its name in `strictness.ts`, and its values to `profiles`.
 */

import type { ClientMetadata } from "./client_metadata.ts";
import { rejectAny, settingFields, type Settings } from "./settings.ts";
import { quote } from "./config_issue.ts";
import type { ConfigIssue } from "../../core/rules/configuration_error.ts";
import { demoKeyClient } from "./demo_entries.ts";
import type { KnownExtension } from "./extension_settings.ts";
import { anything, combine, mcpRevisions, profileNames, subset } from "./strictness.ts";
import type { McpRevision, ProfileName, ProfileSetting } from "./strictness.ts";
import { type ActiveProfile, type ClientProfiles, defaultProfilePolicy, type ServerPolicy } from "./server_policy.ts";
import { validateDemands } from "./profile_demands.ts";
import type { Profile } from "./profile_field.ts";

export interface ProfileSettings {
  readonly profile?: Profile | readonly Profile[];
  readonly mcpRevision?: McpRevision;
}

export function profileList({ profile = [] }: ProfileSettings): readonly Profile[] {
  return Array.isArray(profile) ? profile : [profile as Profile];
}

export function isStandard(profile: Profile): profile is ProfileName {
  return (profileNames as readonly unknown[]).includes(profile);
}

/** The value that a profile sets for one setting. */
export interface ProfileValue {
  /** The value for each revision, the oldest first, or one value for all of them; `undefined`: the default. */
  readonly values: readonly unknown[];
  /** The section of the specification that requires it. */
  readonly source: string;
}

type ProfileValues = Readonly<Partial<Record<ProfileSetting, ProfileValue>>>;

const rfc8414 = ["oauth-inserted"];
const bothDocuments = ["oauth-inserted", "openid-inserted", "openid-appended"];

const fapiAlgorithms = ["PS256", "ES256", "EdDSA", "Ed25519"];

const fapi2Security: ProfileValues = {
  "pkce.requireForConfidential": { values: [true], source: "FAPI 2.0 Security Profile §5.3.2.2" },
  "pkce.acceptNonce": { values: [false], source: "FAPI 2.0 Security Profile §5.3.2.2" },
  "pkce.requireMethod": { values: [true], source: "FAPI 2.0 Security Profile §5.3.2.2" },
  "pkce.insecureAllowMissing": { values: [false], source: "FAPI 2.0 Security Profile §5.3.2.2" },
  "pkce.insecureAllowPlain": { values: [false], source: "FAPI 2.0 Security Profile §5.3.2.2" },
  assertionAudience: { values: ["issuer-string"], source: "FAPI 2.0 Security Profile §5.3.2.1" },
  maxAssertionLifetime: { values: [300], source: "FAPI 2.0 Security Profile §5.3.2.1" },
  clientAuthMethods: {
    values: [["private_key_jwt", "tls_client_auth", "self_signed_tls_client_auth"]],
    source: "FAPI 2.0 Security Profile §5.3.2.1",
  },
  requireRedirectUri: { values: [true], source: "FAPI 2.0 Security Profile §5.3.2.2" },
  responseTypes: { values: [["code"]], source: "FAPI 2.0 Security Profile §5.3.2.2" },
  tokenRedirectUri: { values: ["required"], source: "OpenID Connect Core §3.1.3.1" },
  requirePushedAuthorizationRequests: { values: [true], source: "FAPI 2.0 Security Profile §5.3.2.2" },
  privateUseRedirectUris: { values: [false], source: "FAPI 2.0 Security Profile §5.3.2.2" },
  nativeOnlyRedirectUris: { values: [["loopback"]], source: "FAPI 2.0 Security Profile §5.3.2.2" },
  accessTokenInForm: { values: [false], source: "FAPI 2.0 Security Profile §5.3.4" },
  requireSenderConstrainedTokens: { values: [true], source: "FAPI 2.0 Security Profile §5.3.2.1" },
  "refresh.rotateConfidential": { values: [false], source: "FAPI 2.0 Security Profile §5.3.2.1" },
  "refresh.grace": { values: [30], source: "FAPI 2.0 Security Profile §5.3.2.1" },
  "lifetimes.code": { values: [60], source: "FAPI 2.0 Security Profile §5.3.2.1" },
  seeOther: { values: [true], source: "FAPI 2.0 Security Profile §5.3.2.2" },
  "registration.unsupportedValues": { values: ["reject"], source: "RFC 7591 §3.2.2" },
  alg: { values: ["ES256"], source: "FAPI 2.0 Security Profile §5.4.1" },
  signatureAlgorithms: { values: [fapiAlgorithms], source: "FAPI 2.0 Security Profile §5.4.1" },
  "dpop.algorithms": { values: [fapiAlgorithms], source: "FAPI 2.0 Security Profile §5.4.1" },
  insecure: { values: [[]], source: "FAPI 2.0 Security Profile §5.2, §5.3.2.2" },
};

const oauth21: ProfileValues = {
  "pkce.requireForConfidential": { values: [true], source: "OAuth 2.1 §7.5.1" },
  "pkce.acceptNonce": { values: [true], source: "OAuth 2.1 §7.5.1" },
  "pkce.requireMethod": { values: [true], source: "OAuth 2.1 §4.1.1" },
  "pkce.insecureAllowMissing": { values: [false], source: "OAuth 2.1 §4.1.1" },
  "pkce.insecureAllowPlain": { values: [false], source: "OAuth 2.1 §4.1.1" },
  assertionAudience: { values: ["issuer"], source: "OAuth 2.1 §2.4" },
  tokenRedirectUri: { values: ["optional"], source: "OAuth 2.1 §10.2" },
};

/** The values of each profile. A setting that is not listed keeps its default. */
export const profiles: Readonly<Record<ProfileName, ProfileValues>> = {
  "oauth2.1": oauth21,
  oidc: {
    requireRedirectUri: { values: [true], source: "OpenID Connect Core §3.1.2.1" },
    nativeOnlyRedirectUris: { values: [["private-use"]], source: "OpenID Connect Registration §2" },
  },
  mcp: {
    ...oauth21,
    "pkce.acceptNonce": { values: [false], source: "MCP authorization, Authorization Code Protection" },
    clientAuthMethods: {
      values: [["client_secret_basic", "client_secret_post", "private_key_jwt", "none"]],
      source: "MCP authorization",
    },
    requireRedirectUri: { values: [true], source: "MCP authorization, Open Redirection" },
    responseTypes: { values: [["code"]], source: "OAuth 2.1 §10.1" },
    privateUseRedirectUris: { values: [false], source: "MCP authorization, Communication Security" },
    accessTokenInForm: { values: [false], source: "MCP authorization, Token Requirements" },
    "refresh.rotateBound": { values: [true], source: "MCP Security Best Practices" },
    resourceParameter: {
      values: ["optional", "expected", "expected", "expected"],
      source: "MCP authorization, Resource Parameter Implementation",
    },
    metadataForms: {
      values: [rfc8414, rfc8414, bothDocuments, bothDocuments],
      source: "MCP authorization, Authorization Server Metadata Discovery",
    },
    clientIdMetadataDocuments: {
      values: [false, false, true, true],
      source: "MCP authorization, Client ID Metadata Documents",
    },
    requireClientName: { values: [true], source: "MCP authorization, Client ID Metadata Documents" },
    "registration.scope": { values: ["all"], source: "MCP authorization, Step-Up Authorization Flow" },
    defaultEndpoints: {
      values: [true, false, false, false],
      source: "MCP authorization 2025-03-26, Fallbacks for Servers without Metadata Discovery",
    },
  },
  "fapi2-security": fapi2Security,
  "fapi2-message-signing": {
    ...fapi2Security,
    requireSignedRequestObject: { values: [true], source: "FAPI 2.0 Message Signing §5.3.1" },
    requestObjectTimes: { values: ["required"], source: "FAPI 2.0 Message Signing §5.3.1" },
    responseModes: {
      values: [["jwt", "query.jwt", "fragment.jwt", "form_post.jwt"]],
      source: "FAPI 2.0 Message Signing §5.4.1",
    },
  },
  // Drafts and new documents as of November 2026.
  "next-2026.11": {
    "pkce.requireForConfidential": { values: [true], source: "draft-ietf-oauth-v2-1-16 §7.5.1 (September 2026)" },
    "pkce.acceptNonce": { values: [true], source: "draft-ietf-oauth-v2-1-16 §7.5.1 (September 2026)" },
    "pkce.requireMethod": { values: [true], source: "draft-ietf-oauth-v2-1-16 §4.1.1 (September 2026)" },
    "pkce.insecureAllowMissing": { values: [false], source: "draft-ietf-oauth-v2-1-16 §4.1.1 (September 2026)" },
    "pkce.insecureAllowPlain": { values: [false], source: "draft-ietf-oauth-v2-1-16 §7.5.2 (September 2026)" },
    tokenRedirectUri: { values: ["optional"], source: "draft-ietf-oauth-v2-1-16 §10.2 (September 2026)" },
    assertionAudience: { values: ["issuer"], source: "RFC 10070 §4 (November 2026)" },
    "registration.mode": { values: ["off"], source: "MCP authorization 2026-07-28, Dynamic Client Registration" },
    clientIdMetadataDocuments: {
      values: [true],
      source: "MCP authorization 2026-07-28, Client ID Metadata Documents",
    },
  },
};

const settingNames = Object.keys(combine) as ProfileSetting[];

function isWeaker(path: ProfileSetting, value: unknown, floor: unknown): boolean {
  return JSON.stringify(combine[path](value, floor)) !== JSON.stringify(value);
}

/** The standards that settings select, as one profile; `undefined` if they select none. */
export function activeProfile(settings: ProfileSettings): ActiveProfile | undefined {
  const standards = profileList(settings).filter(isStandard);
  if (standards.length === 0) return undefined;
  const revision = settings.mcpRevision ?? mcpRevisions.at(-1)!;
  const index = mcpRevisions.indexOf(revision);
  const labels = standards.map((profile) => profile === "mcp" ? `mcp ${revision}` : profile);
  const values = new Map<string, unknown>();
  const decides = new Map<string, string>();
  const sources = new Map<string, string>();
  for (const [i, profile] of standards.entries()) {
    for (const [name, { values: ofRevisions, source }] of profileEntries(profile)) {
      const value = ofRevisions.length === 1 ? ofRevisions[0] : ofRevisions[index];
      if (value === undefined || values.has(name) && !isWeaker(name, values.get(name), value)) continue;
      values.set(name, values.has(name) ? combine[name](value, values.get(name)) : value);
      sources.set(name, `${labels[i]} (${source})`);
      if (readSetting(settings, name) === undefined) decides.set(name, labels[i]!);
    }
  }
  return { label: labels.join(", "), values, decides, sources };
}

/** The settings that a profile decides, and their values. */
function profileEntries(profile: ProfileName): [ProfileSetting, ProfileValue][] {
  return Object.entries(profiles[profile]) as [ProfileSetting, ProfileValue][];
}

/** The value of a setting, by its path. */
export function readSetting(settings: object, path: string): unknown {
  return path.split(".").reduce(
    (value: unknown, name) => (value as Record<string, unknown> | undefined)?.[name],
    settings,
  );
}

/** A value that a standard raised. */
interface WeakerValue {
  readonly setting: ProfileSetting;
  readonly expected: string;
  readonly received: string;
}

/** The settings, with the values of a standard instead of weaker ones. */
export function raiseTo(
  { values, sources }: ActiveProfile,
  settings: object,
): { readonly settings: object; readonly weaker: readonly WeakerValue[] } {
  const weaker = settingNames.filter((path) => {
    const value = readSetting(settings, path);
    return value !== undefined && values.has(path) && isWeaker(path, value, values.get(path));
  });
  const raise = (path: ProfileSetting) => combine[path](readSetting(settings, path), values.get(path));
  return {
    settings: withValues(settings, weaker.map((path) => [path, raise(path)])),
    weaker: weaker.map((path) => ({
      setting: path,
      expected: `${show(values.get(path))} or stricter, because the profile is ${sources.get(path)}`,
      received: show(readSetting(settings, path)),
    })),
  };
}

/** The settings, with the values of the profile for settings that are not set. */
export function withProfile<T extends object>(settings: T, active: ActiveProfile | undefined): T {
  if (active === undefined) return settings;
  return withValues(settings, [...active.decides.keys()].map((path) => [path, active.values.get(path)]));
}

/** The demo clients that the settings allow; `undefined` for the usual ones. */
export function demoClientsOf({ clientAuthMethods }: Settings, issuer: string): readonly ClientMetadata[] | undefined {
  return clientAuthMethods?.includes("none") === false && clientAuthMethods.includes("private_key_jwt")
    ? [demoKeyClient(issuer)]
    : undefined;
}

export function clientProfiles(extensions: readonly KnownExtension[]): ClientProfiles {
  return {
    tighten: withClientProfile,
    validate: (tightened, profile) => [
      ...validateProfileExtensions(activeProfile({ profile })!, extensions),
      ...findEmptySettings(tightened).map((name) => ({
        path: "profile",
        expected: `a profile that allows a value of the server's ${name}`,
        received: quote(profile),
        hint: `Add a value to the setting ${name} that the profile allows.`,
      })),
    ],
  };
}

function withClientProfile(policy: ServerPolicy, name: ProfileName): ServerPolicy {
  const { label: profileLabel, values, sources } = activeProfile({ profile: name })!;
  const label = `${profileLabel} of this client`;
  const decides = new Map(policy.profile?.decides);
  const stricter: [string, unknown][] = [];
  for (const [path] of profileEntries(name)) {
    const [value, floor] = [readSetting(policy, path), values.get(path)];
    // The server lacks the extension of this setting: `validateProfileExtensions` rejects the client.
    if (value === undefined || floor === undefined || !isWeaker(path, value, floor)) continue;
    decides.set(path, label);
    stricter.push([path, combine[path](value, floor)]);
  }
  const profile = { label, values, decides, sources };
  return {
    ...withValues(policy, stricter),
    profile,
    allowsEmptySecret: false,
    ignoresUserScopes: false,
    acceptsAny: [],
  };
}

/** The list settings that a profile leaves without a value. */
function findEmptySettings(settings: object): ProfileSetting[] {
  return settingNames.filter((path) =>
    combine[path] === subset && (readSetting(settings, path) as readonly unknown[] | undefined)?.length === 0
  );
}

function withValues<T extends object>(settings: T, values: readonly (readonly [string, unknown])[]): T {
  const result: Record<string, unknown> = { ...settings as object };
  for (const [path, value] of values) {
    const [name, member] = path.split(".") as [string, string?];
    result[name] = member === undefined ? value : { ...result[name] as object | undefined, [member]: value };
  }
  return result as T;
}

/** An issue for each setting that is weaker than the profile, and for a revision without its profile. */
export function validateProfile(
  settings: Settings,
  { profile: active, extensions }: { profile?: ActiveProfile; extensions: readonly KnownExtension[] },
): ConfigIssue[] {
  const { mcpRevision } = settings;
  const profiles = profileList(settings);
  const issues: ConfigIssue[] = mcpRevision === undefined || profiles.includes("mcp") ? [] : [{
    path: "profile",
    expected: `"mcp", because mcpRevision is set`,
    received: profiles.length === 0 ? "nothing" : quote(settings.profile),
    hint: `Set profile to "mcp", or remove mcpRevision.`,
  }];
  if (active === undefined) return issues;
  issues.push(...validateProfileExtensions(active, extensions));
  for (const { setting, expected, received } of raiseTo(active, settings).weaker) {
    issues.push({ path: setting, expected, received, hint: "Remove the setting, or the profile." });
  }
  for (const path of findEmptySettings(Object.fromEntries(active.values))) {
    issues.push({
      path: "profile",
      expected: `profiles that leave a value of ${path}`,
      received: active.label,
      hint: "Remove one of the two.",
    });
  }
  issues.push(...rejectAny(settings, `the profile is ${active.label}`, "Remove the setting, or the profile."));
  issues.push(...validateDemands(settings, profiles, active.label));
  return issues;
}

/** An issue for each setting that a profile demands but that no extension of the server has. */
function validateProfileExtensions(
  { label, values }: ActiveProfile,
  extensions: readonly KnownExtension[],
): ConfigIssue[] {
  const known = Object.assign(
    {},
    settingFields,
    defaultProfilePolicy,
    ...extensions.map(({ settings }) => settings?.fields),
  );
  // A server need not support a setting whose value the profile only prefers.
  const demanded = settingNames.filter((path) => values.has(path) && combine[path] !== anything);
  return demanded.filter((path) => !Object.hasOwn(known, path.split(".")[0]!))
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
