/**
 * The named profiles. A profile is a set of values of settings and nothing else: it decides the settings that are not
 * set, and rejects weaker values of those that are (`validate_profile.ts`).
 *
 * To add a profile, add its name to `profileNames` and its values to `profiles`.
 */

/** The name of a profile. */
export type ProfileName = "mcp";

/** The names of the profiles. */
export const profileNames: readonly ProfileName[] = ["mcp"];

/** A revision of the authorization specification of the Model Context Protocol. */
export type McpRevision = "2025-03-26" | "2025-06-18" | "2025-11-25" | "2026-07-28";

/** The revisions of the authorization specification of the Model Context Protocol, the oldest first. */
export const mcpRevisions: readonly McpRevision[] = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

/** A setting that a profile can decide: its path. */
export type ProfileSetting =
  | "pkce.requireForConfidential"
  | "pkce.requireMethod"
  | "assertionAudience"
  | "tokenRedirectUri"
  | "resourceParameter"
  | "privateUseRedirectUris"
  | "accessTokenInForm"
  | "clientAuthMethods"
  | "metadataForms"
  | "clientIdMetadataDocuments"
  | "requireClientName"
  | "registration.deprecated"
  | "registration.scope"
  | "defaultEndpoints";

/** What a profile sets for one setting. */
export interface ProfileValue {
  /** The value for each revision, the oldest first, or one value for all of them; `undefined`: the default. */
  readonly values: readonly unknown[];
  /** The section of the specification that requires it. */
  readonly source: string;
}

const rfc8414 = ["oauth-inserted"];
const bothDocuments = ["oauth-inserted", "openid-inserted", "openid-appended"];

/** The values of each profile. A setting that is not listed keeps its default. */
export const profiles: Readonly<Record<ProfileName, Readonly<Partial<Record<ProfileSetting, ProfileValue>>>>> = {
  mcp: {
    "pkce.requireForConfidential": { values: [true], source: "OAuth 2.1 §7.5.1" },
    "pkce.requireMethod": { values: [true], source: "OAuth 2.1 §4.1.1" },
    assertionAudience: { values: ["issuer"], source: "OAuth 2.1 §2.4" },
    clientAuthMethods: {
      values: [["client_secret_basic", "client_secret_post", "private_key_jwt", "none"]],
      source: "MCP authorization",
    },
    tokenRedirectUri: { values: ["optional"], source: "OAuth 2.1 §10.2" },
    privateUseRedirectUris: { values: [false], source: "MCP authorization, Communication Security" },
    accessTokenInForm: { values: [false], source: "MCP authorization, Token Requirements" },
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
    "registration.deprecated": {
      values: [false, false, false, true],
      source: "MCP authorization, Dynamic Client Registration",
    },
    "registration.scope": { values: ["all"], source: "MCP authorization, Step-Up Authorization Flow" },
    defaultEndpoints: {
      values: [true, false, false, false],
      source: "MCP authorization 2025-03-26, Fallbacks for Servers without Metadata Discovery",
    },
  },
};

/** The profile in effect. */
export interface ActiveProfile {
  /** Its name and, of `mcp`, its revision: `mcp 2026-07-28`. */
  readonly label: string;
  /** Its values. */
  readonly values: ReadonlyMap<ProfileSetting, unknown>;
  /** The settings whose value comes from the profile, because they are not set. */
  readonly decides: ReadonlySet<ProfileSetting>;
}

/** The settings that select a profile. */
export interface ProfileSettings {
  readonly profile?: ProfileName;
  readonly mcpRevision?: McpRevision;
}

/** The profile that settings select; `undefined` if they select none. */
export function activeProfile(settings: ProfileSettings): ActiveProfile | undefined {
  const { profile } = settings;
  if (profile === undefined) return undefined;
  const revision = settings.mcpRevision ?? mcpRevisions.at(-1)!;
  const index = mcpRevisions.indexOf(revision);
  const values = new Map<ProfileSetting, unknown>();
  const decides = new Set<ProfileSetting>();
  for (const [name, { values: ofRevisions }] of profileEntries(profile)) {
    const value = ofRevisions.length === 1 ? ofRevisions[0] : ofRevisions[index];
    if (value === undefined) continue;
    values.set(name, value);
    if (readSetting(settings, name) === undefined) decides.add(name);
  }
  return { label: `${profile} ${revision}`, values, decides };
}

/** The settings that a profile decides, and their values. */
export function profileEntries(profile: ProfileName): [ProfileSetting, ProfileValue][] {
  return Object.entries(profiles[profile]) as [ProfileSetting, ProfileValue][];
}

/** The value of a setting, by its path. */
export function readSetting(settings: object, path: string): unknown {
  return path.split(".").reduce(
    (value: unknown, name) => (value as Record<string, unknown> | undefined)?.[name],
    settings,
  );
}

/** The settings, with the values of their profile where they have none. */
export function withProfile<T extends ProfileSettings>(settings: T): T {
  const active = activeProfile(settings);
  if (active === undefined) return settings;
  const result: Record<string, unknown> = { ...settings as object };
  for (const path of active.decides) {
    const [name, member] = path.split(".") as [string, string?];
    const value = active.values.get(path);
    result[name] = member === undefined ? value : { ...result[name] as object | undefined, [member]: value };
  }
  return result as T;
}

/** The part of a message that names the profile, if a setting has its value from the profile; otherwise empty. */
export function byProfile(profile: ActiveProfile | undefined, setting: ProfileSetting): string {
  return profile?.decides.has(setting) ? `, by the profile ${profile.label}` : "";
}
