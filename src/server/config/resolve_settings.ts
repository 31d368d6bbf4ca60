/**
 * The way from settings to a policy: the values of profiles are put into the settings once (`with_profiles.ts`), then
 * absent values get their defaults. Whatever decides by a setting reads the policy.
 */

import type { User } from "../../core/clients/client.ts";
import { frontChannelBase } from "../../core/http/names.ts";
import { splitScope } from "../../core/http/params.ts";
import { type Allowances, allowancesFor, isTestHost } from "../../core/http/test_hosts.ts";
import { immediate } from "../../core/immediate.ts";
import { isMlDsa } from "../../core/keys/signing_algorithm.ts";
import { ownResponseModes } from "../../core/authorize/authorization_request.ts";
import { withDefaults } from "../../core/policy/field.ts";
import { coreAuthMethods, defaultScopes, derivedPolicy, type LoginMethod } from "../../core/policy/policy.ts";
import type { ConfigIssue, ConfigurationWarning } from "../../core/rules/configuration_error.ts";
import type { Deviation } from "./provider_profile.ts";
import type { SupportedGrantType } from "./standing.ts";
import { isPrivateHost } from "./host_kinds.ts";
import { clientFieldWith } from "./client_fields.ts";
import type { ClientMetadata } from "./client_metadata.ts";
import { demoClients, demoUsers } from "./demo_entries.ts";
import { addedValues, type KnownExtension, type PolicyAtStart } from "./extension_settings.ts";
import { clientProfiles, demoClientsOf } from "./profiles.ts";
import { fromHost, serverNames } from "./server_names.ts";
import { profilePolicy, type ServerPolicy } from "./server_policy.ts";
import { settingFields, type Settings, settingsWithAny, unlessAny } from "./settings.ts";
import { settingsWarnings } from "./settings_warnings.ts";
import { validateSettings } from "./validate_settings.ts";
import { defaultSignatureAlgorithms } from "./verification_algorithms.ts";
import { type WithProfiles, withProfiles } from "./with_profiles.ts";

/** The server for which settings are resolved. */
interface ResolvingServer {
  readonly extensions: readonly KnownExtension[];
  /** Its further grant types. Default: none. */
  readonly grantTypes?: readonly SupportedGrantType[];
  /** Decides authorization requests. Default: none, `login` decides. */
  readonly approver?: unknown;
}

/** The result of {@link resolveSettings}. */
export interface ResolvedSettings {
  /** The issues of the settings; empty if they are valid. */
  readonly issues: readonly ConfigIssue[];
  /** Computes the warnings about valid settings. */
  warnings(): readonly ConfigurationWarning[];
  readonly policy: ServerPolicy;
  readonly issuer: string;
  /** The path of the issuer below the origin; empty if the settings name an issuer. */
  readonly issuerPath: string;
  /** The `aud` of access tokens; absent: the issuer. */
  readonly audience?: string;
  /** The clients at an issuer: demo clients follow it. */
  clientsAt(issuer: string): readonly ClientMetadata[];
  readonly hasDemoClients: boolean;
  readonly users: readonly User[];
  /** What the profiles of providers change besides settings; absent without such a profile. */
  readonly deviation?: Deviation;
}

/**
 * Resolves settings that match their description. The validators of extensions are loaded only for a server that has
 * their settings.
 *
 * @param origin The issuer without the path of a provider; used if the settings name no issuer.
 */
export async function resolveSettings(
  settings: Settings,
  origin: string,
  server: ResolvingServer,
): Promise<ResolvedSettings> {
  const provided = await withProfiles(settings);
  const { issuerPath, beforeStandards } = provided;
  const issuer = configuredIssuer(settings) ?? origin + issuerPath;
  const atStart = resolvePolicy(provided, issuer, server);
  const { clientsAt, users } = atStart;
  return {
    issues: await validateSettings(provided, atStart, server.grantTypes),
    warnings: () => settingsWarnings(beforeStandards, atStart, settings),
    policy: withoutInitialValues(atStart),
    ...{ issuer, issuerPath, clientsAt, users },
    audience: beforeStandards.audience,
    hasDemoClients: settings.clients === undefined,
    deviation: provided.isDeviating ? provided : undefined,
  };
}

/** The issuer that settings name; `undefined` if it follows the port or the request. */
export function configuredIssuer({ issuer }: { readonly issuer?: string }): string | undefined {
  return issuer === fromHost ? undefined : issuer;
}

/** The policy of a running server: clients, users and the issuer may change, and clients have secrets. */
function withoutInitialValues(atStart: PolicyAtStart): ServerPolicy {
  const { issuer: _issuer, audience: _audience, clients: _clients, clientsAt: _clientsAt, users: _users, ...policy } =
    atStart;
  return policy;
}

/** The settings that extensions resolve. */
type AddedSettings = Partial<ServerPolicy> & Pick<ServerPolicy, "clientScopes" | "acceptsUnknownClients">;

/** The settings whose fields have a default. */
type SettingWithDefault = {
  [Name in keyof Settings]-?: undefined extends (typeof settingFields)[Name]["default"] ? never : Name;
}[keyof Settings];

/** The settings with the defaults of their fields. */
type FilledSettings =
  & Settings
  & Required<Pick<Settings, SettingWithDefault>>
  & Pick<ServerPolicy, "keys" | "lifetimes" | "pkce" | "refresh">;

/** The policy: the settings with the values of their profiles, and with the defaults. */
function resolvePolicy(provided: WithProfiles<Settings>, issuer: string, server: ResolvingServer): PolicyAtStart {
  const { settings, profile, names: providers } = provided;
  const { extensions, approver } = server;
  const fields = Object.assign({}, settingFields, ...extensions.map((extension) => extension.settings?.fields));
  const filled: FilledSettings = withOwnAlgorithm(withDefaults(fields, settings) as FilledSettings);
  const byProfile = profilePolicy(profile?.values);
  const allows = allowancesOf(issuer, filled.issuerHosts);
  const added = addedSettings(filled, extensions, allows);
  const { clientScopes } = added;
  const scopes = [
    ...new Set([...unlessAny(filled.scopes) ?? defaultScopes, ...Object.keys(filled.claims), ...clientScopes]),
  ];
  const acceptsAny = settingsWithAny(filled);
  const defaultScope = filled.defaultScope === undefined ? undefined : splitScope(filled.defaultScope);
  return withClients(
    {
      ...derivedPolicy({ ...filled, scopes, defaultScope, allowsEmptySecret: profile === undefined }, allows),
      ...byProfile,
      ...availableValues(filled, settings.responseModes === undefined, extensions),
      issuer,
      isIssuerFromHost: settings.issuer === fromHost,
      users: unlessAny(filled.users) ?? demoUsers,
      unknownLoginHint: acceptsAny.includes("users") ? "create" : filled.unknownLoginHint,
      userScopes: scopes.filter((value) => !clientScopes.includes(value)),
      loginMethods: approver === undefined ? loginMethods(filled, allows) : ["approver", "auto"],
      acceptsAny,
      audience: filled.audience ?? issuer,
      // Clients look for these endpoints at the root.
      defaultEndpoints: byProfile.defaultEndpoints && URL.canParse(issuer) && new URL(issuer).pathname === "/",
      directory: filled.directory ?? (allows.openTools ? "edit" : "off"),
      throttle: filled.throttle ?? !allows.openLogin,
      loginPage: allows.openLogin ? filled.loginPage : "latchkey",
      extensions,
      clientField: clientFieldWith(extensions),
      clientProfiles: clientProfiles(extensions),
      profile,
      ignoresUserScopes: acceptsAny.includes("scopes"),
      providers,
      ...added,
    },
    filled,
    server,
  );
}

/** What extensions compute from the settings. */
function addedSettings(
  filled: FilledSettings,
  extensions: readonly KnownExtension[],
  allows: Allowances,
): AddedSettings {
  let added: AddedSettings = { clientScopes: [], acceptsUnknownClients: false };
  for (const { name, settings } of extensions) {
    const resolved = settings?.resolve?.({ ...filled, ...added }, allows);
    added = { ...added, ...immediate(`settings.resolve of the extension ${name}`, resolved) };
  }
  return added;
}

/** The values of list settings that the core or an extension has. */
function availableValues(filled: FilledSettings, hasDefaultModes: boolean, extensions: readonly KnownExtension[]) {
  const responseTypes = filled.responseTypes.filter((type) =>
    ["code", ...addedValues(extensions, "responseTypes")].includes(type)
  );
  const needsFragment = hasDefaultModes && responseTypes.some((type) => type !== "code");
  const responseModes = needsFragment ? [...filled.responseModes, "fragment"] as const : filled.responseModes;
  return {
    clientAuthMethods: filled.clientAuthMethods.filter((method) =>
      coreAuthMethods.includes(method) ||
      extensions.some(({ clientAuthentication = [] }) =>
        clientAuthentication.some((added) =>
          added.method === method && immediate(`isOn of ${method}`, added.isOn?.(filled)) !== false
        )
      )
    ),
    responseModes: responseModes.filter((mode) =>
      [...ownResponseModes.keys(), ...addedValues(extensions, "responseModes")].includes(mode)
    ),
    responseTypes,
    subjectTypes: ["public", ...addedValues(extensions, "subjectTypes")] as const,
  };
}

/** The policy with the grant types that it switches on, and with the clients: demo clients have some of these types. */
function withClients(
  policy: Omit<PolicyAtStart, "clients" | "clientsAt" | "grantTypes">,
  filled: Settings,
  { extensions, grantTypes = [] }: ResolvingServer,
): PolicyAtStart {
  const { acceptsAny, issuer, profile } = policy;
  const ofExtensions = extensions.flatMap(({ grantTypes = [] }) =>
    grantTypes.filter(({ type, isOn }) => immediate(`isOn of ${type}`, isOn?.(policy)) ?? true)
  );
  const ofDemoClient = ofExtensions.filter(({ hasDemoClient }) => hasDemoClient).map(({ type }) => type);
  const clientsAt = (issuer: string) => {
    if (acceptsAny.includes("clients")) return [];
    // An issuer that is no URL is reported elsewhere.
    const frontUrl = URL.canParse(issuer) ? frontChannelBase({ issuer, names: serverNames(issuer, policy) }) : issuer;
    return unlessAny(filled.clients) ?? (profile && demoClientsOf(filled, frontUrl)) ??
      demoClients(frontUrl, ofDemoClient);
  };
  return { ...policy, clients: clientsAt(issuer), clientsAt, grantTypes: [...ofExtensions, ...grantTypes] };
}

function loginMethods(
  { login, insecure }: Pick<ServerPolicy, "insecure" | "login">,
  { openLogin }: Allowances,
): readonly LoginMethod[] {
  if (login === "auto") return ["auto"];
  return openLogin || insecure.includes("open-login") ? ["password", "open"] : ["password"];
}

/** A server that signs with ML-DSA accepts `alg`, unless a setting or a profile lists the algorithms. */
function withOwnAlgorithm(filled: FilledSettings): FilledSettings {
  if (!isMlDsa(filled.alg) || filled.signatureAlgorithms !== defaultSignatureAlgorithms) return filled;
  return { ...filled, signatureAlgorithms: [...defaultSignatureAlgorithms, filled.alg] };
}

/** The permissions of a server with this issuer, and with these hosts in the setting `issuerHosts`. */
export function allowancesOf(issuer: string, issuerHosts: readonly string[] = []): Allowances {
  const { hostname } = URL.canParse(issuer) ? new URL(issuer) : { hostname: "" };
  const isOnTestHost = isTestHost(hostname) || isPrivateHost(hostname) && issuerHosts.includes(hostname);
  return allowancesFor(isOnTestHost, issuerHosts);
}
