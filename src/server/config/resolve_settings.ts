/** The settings with their defaults, which the server reads. */

import { ownResponseModes, splitScope } from "../oauth/params.ts";
import { withOwnAlgorithm } from "../oauth/keys/signing_algorithm.ts";
import { clientFieldOf, type ClientMetadata, type User } from "../oauth/clients/client.ts";
import type { ClientAuthMethod } from "../oauth/clients/client.ts";
import type { SupportedGrantType } from "../oauth/clients/standing.ts";
import { demoClients, demoUsers } from "./demo_entries.ts";
import type { SettingsExtension } from "./extension_settings.ts";
import { type Allowances, allowancesOf } from "../oauth/allowances.ts";
import { defaultScopes, listed, settingFields, settingsWithAny } from "./settings.ts";
import type { AnyName, ProgramSettings, Settings } from "./settings.ts";
import { type ObjectField, withDefaults } from "../oauth/field.ts";
import { fromHost, frontChannelBase } from "../oauth/issuer_urls.ts";
import type { LoginMethod } from "./login_method.ts";
import { activeProfile, demoClientsOf, withProfile } from "./profiles.ts";
import type { ActiveProfile } from "./profile.ts";
import type { ResourceSettings } from "../oauth/resource_list.ts";
import { withProviders } from "./with_providers.ts";
import { keys, lifetimes, pkce, refresh } from "./setting_groups.ts";
import type { Lifetimes, PkceSettings, RefreshSettings } from "./setting_groups.ts";

/** @internal The settings of a server that do not change at run time. */
export type ServerSettings = Omit<ResolvedSettings, "issuer" | "audience" | "clients" | "users">;

/** @internal {@link Settings} with the defaults. */
export interface ResolvedSettings extends
  Required<
    Omit<
      Settings,
      | "profile"
      | "mcpRevision"
      | "resources"
      | "keys"
      | "defaultScope"
      | "proxyHeader"
      | "frontChannelUrl"
      | "backChannelUrl"
      | "clients"
      | "users"
      | "scopes"
      | "redirectUris"
    >
  > {
  /** Whether the issuer of each request is the origin that it was sent to. */
  readonly isIssuerFromHost: boolean;
  /** The permissions of the server that depend on the host of its issuer. */
  readonly allows: Allowances;
  /** The origin at which browsers reach the server; absent: that of the issuer. */
  readonly frontChannelUrl?: string;
  /** The origin at which clients reach the server; absent: that of the issuer. */
  readonly backChannelUrl?: string;
  /** The configured clients. */
  readonly clients: readonly ClientMetadata[];
  /** The configured users. */
  readonly users: readonly User[];
  /** The scope values in metadata. */
  readonly scopes: readonly string[];
  /** The scope values that only a client itself can get, never a user: `clientScopes` of extensions. */
  readonly clientScopes: readonly string[];
  /** The scope values that a user can grant. */
  readonly userScopes: readonly string[];
  /** The methods by which users can log in. */
  readonly loginMethods: readonly LoginMethod[];
  /** The settings that are `"any"`. */
  readonly acceptsAny: readonly AnyName[];
  /** The scope of a request without `scope`; empty: such a request is rejected. */
  readonly defaultScope: readonly string[];
  /** Lifetimes in seconds. */
  readonly lifetimes: Required<Lifetimes>;
  /** When code challenges are required. */
  readonly pkce: Required<PkceSettings>;
  /** How refresh tokens behave. */
  readonly refresh: Required<Omit<RefreshSettings, "reuse">> & Pick<RefreshSettings, "reuse">;
  /** The resources that access tokens are for; absent: see {@link Settings.resources}. */
  readonly resources?: readonly ResourceSettings[];
  /** The rotation of signing keys, in seconds. */
  readonly keys: { readonly rotateEvery?: number; readonly lead: number };
  /** The grant types of extensions and of the embedding program, in addition to those of every server. */
  readonly grantTypes: readonly SupportedGrantType[];
  /** The extensions, with settings of their own, and the absent ones. */
  readonly extensions: readonly SettingsExtension[];
  /** Describes client metadata, with the members of extensions. */
  readonly clientField: ObjectField<ClientMetadata>;
  /** The standards in effect, as one profile. */
  readonly profile?: ActiveProfile;
  /** The names of the providers' profiles. */
  readonly providers: readonly string[];
}

/** The methods of client authentication of every server. */
const ownAuthMethods: readonly ClientAuthMethod[] = ["client_secret_basic", "client_secret_post", "none"];

/** The settings whose fields have a default. */
type SettingWithDefault = {
  [Name in keyof Settings]-?: undefined extends (typeof settingFields)[Name]["default"] ? never : Name;
}[keyof Settings];

/**
 * Fills in the defaults.
 *
 * @param issuer The issuer in effect.
 * @param extensions The extensions of the server.
 */
export function resolveSettings(
  configured: ProgramSettings,
  issuer: string,
  extensions: readonly SettingsExtension[],
): ResolvedSettings {
  const { settings, names: providers } = withProviders(configured);
  const profile = activeProfile(settings);
  const fields = Object.assign({}, settingFields, ...extensions.map(({ settingFields }) => settingFields));
  const given = withOwnAlgorithm(
    withDefaults(fields, withProfile<Settings>(settings)) as Settings & Required<Pick<Settings, SettingWithDefault>>,
  );
  const { claims = {} } = given;
  const listedScopes = listed(given.scopes) ?? defaultScopes;
  const clientScopes = extensions.flatMap((extension) => extension.clientScopes?.(given) ?? []);
  const scopes = [...new Set([...listedScopes, ...Object.keys(claims), ...clientScopes])];
  const frontUrl = frontChannelBase({ issuer, settings: given });
  const acceptsAny = settingsWithAny(given);
  const allows = allowancesOf(issuer, given.issuerHosts);
  const configuredClients = acceptsAny.includes("clients")
    ? []
    : listed(given.clients) ?? (profile && demoClientsOf(given, frontUrl));
  const responseTypes = given.responseTypes.filter((type) =>
    type === "code" || extensions.some((extension) => extension.responseTypes?.some(({ name }) => name === type))
  );
  const isOnlyCode = responseTypes.every((type) => type === "code");
  const responseModes = isOnlyCode || settings.responseModes !== undefined || profile?.values.has("responseModes")
    ? given.responseModes
    : [...given.responseModes, "fragment"] as const;
  const resolved: ResolvedSettings = {
    ...given,
    issuer,
    isIssuerFromHost: settings.issuer === fromHost,
    allows,
    clients: configuredClients ?? [],
    users: listed(given.users) ?? demoUsers,
    unknownLoginHint: acceptsAny.includes("users") ? "create" : given.unknownLoginHint,
    scopes,
    clientScopes,
    userScopes: scopes.filter((value) => !clientScopes.includes(value)),
    loginMethods: loginMethods(settings, given, allows),
    acceptsAny,
    defaultScope: splitScope(given.defaultScope ?? (scopes.includes("read") ? "read" : "")),
    claims,
    metadata: given.metadata ?? {},
    paths: given.paths ?? {},
    origins: given.origins ?? {},
    tokenPrefixes: given.tokenPrefixes ?? {},
    unmappedClaims: given.unmappedClaims ?? (allows.openLogin ? "openid" : "none"),
    audience: given.audience ?? issuer,
    lifetimes: withDefaults(lifetimes.members, given.lifetimes) as Required<Lifetimes>,
    refresh: withDefaults(refresh.members, given.refresh) as ResolvedSettings["refresh"],
    keys: withDefaults(keys.members, given.keys) as ResolvedSettings["keys"],
    pkce: withDefaults(pkce.members, {
      ...given.pkce,
      acceptNonce: given.pkce?.acceptNonce ?? !given.pkce?.requireForConfidential,
    }) as Required<PkceSettings>,
    directory: given.directory ?? (allows.openTools ? "edit" : "off"),
    throttle: given.throttle ?? !allows.openLogin,
    clientAuthMethods: given.clientAuthMethods.filter((method) =>
      ownAuthMethods.includes(method) ||
      extensions.some(({ clientAuthentication = [] }) =>
        clientAuthentication.some((added) => added.method === method && added.isOn?.(given) !== false)
      )
    ),
    responseModes: responseModes.filter((mode) =>
      [...ownResponseModes, ...extensions.flatMap(({ responseModes = [] }) => responseModes)].some(({ name }) =>
        name === mode
      )
    ),
    responseTypes,
    grantTypes: [],
    extensions,
    clientField: clientFieldOf(extensions),
    profile,
    providers,
    ...Object.assign({}, ...extensions.map((extension) => extension.resolveSettings?.(given, allows))),
  };
  const extensionGrantTypes = extensions.flatMap(({ grantTypes = [] }) =>
    grantTypes.filter(({ isOn }) => isOn(resolved))
  );
  const ofDemoClient = extensionGrantTypes.filter(({ hasDemoClient }) => hasDemoClient).map(({ type }) => type);
  return {
    ...resolved,
    clients: configuredClients ?? demoClients(frontUrl, ofDemoClient),
    grantTypes: [...extensionGrantTypes, ...settings.grantTypes ?? []],
  };
}

function loginMethods(
  { approver }: ProgramSettings,
  { login, insecureAllowOpenLogin }: Settings,
  { openLogin }: Allowances,
): readonly LoginMethod[] {
  if (approver !== undefined) return ["approver", "auto"];
  if (login === "auto") return ["auto"];
  return openLogin || insecureAllowOpenLogin ? ["password", "open"] : ["password"];
}
