/** The settings that an extension adds to a server. */

import type { User } from "../../core/clients/client.ts";
import type { Allowances } from "../../core/http/test_hosts.ts";
import type { ClientAuthMethod, ClientMetadata, ResponseMode, ResponseType } from "./client_metadata.ts";
import type { ConfigIssue, ConfigurationWarning } from "../../core/rules/configuration_error.ts";
import type { Field } from "../../core/policy/field.ts";
import type { ClientExtension, KnownClientExtension, ServerPolicy } from "./server_policy.ts";

/** @internal The values that an extension adds to settings and client metadata of every server. */
export interface AddedValues {
  /** Its response modes. Default: none. */
  readonly responseModes?: readonly ResponseMode[];
  /** Its response types. Default: none. */
  readonly responseTypes?: readonly ResponseType[];
  /** Its subject types. Default: none. */
  readonly subjectTypes?: readonly NonNullable<ClientMetadata["subject_type"]>[];
}

/** @internal The policy, and the initial values of what can change at run time. */
export interface PolicyAtStart extends ServerPolicy {
  readonly issuer: string;
  /** The `aud` of access tokens. */
  readonly audience: string;
  /** The clients at this issuer. */
  readonly clients: readonly ClientMetadata[];
  /** The clients at an issuer: demo clients follow it. */
  readonly clientsAt: (issuer: string) => readonly ClientMetadata[];
  readonly users: readonly User[];
  /** The extensions with the settings that they add, including the absent ones. */
  readonly extensions: readonly KnownExtension[];
}

/** @internal Describes the settings of an extension. `Own`: the settings with their defaults. */
export interface SettingsDescription<Own = object> {
  /** Describes each setting. Default: none. */
  readonly fields?: Readonly<Record<string, Field>>;
  /** Describes the paths of its endpoints, by their names in metadata, in the setting `paths`. Default: none. */
  readonly paths?: Readonly<Record<string, Field>>;
  /** The values that it adds to settings and client metadata of every server. Default: none. */
  readonly values?: AddedValues;
  /**
   * Computes the settings that depend on the issuer or on other settings. It may also extend `clientScopes`, and set
   * `acceptsUnknownClients`.
   *
   * @param given The settings, with the defaults of the fields.
   */
  resolve?(
    given: Pick<ServerPolicy, "clientAuthMethods" | "clientScopes"> & Own,
    allows: Allowances,
  ): Partial<ServerPolicy & Own>;
  /** All issues of settings that match their description. */
  validate?(policy: PolicyAtStart & Own, issuer: string): readonly ConfigIssue[] | Promise<readonly ConfigIssue[]>;
  /** Warnings about valid settings. */
  warnings?(policy: PolicyAtStart & Own): readonly ConfigurationWarning[];
}

/** Returns the description with `of`, which reads these settings from the policy of a server that has the extension. */
export function describeSettings<Own>(
  description: SettingsDescription<Own>,
): SettingsDescription<Own> & { of(settings: object): Own } {
  return { ...description, of: (settings) => settings as Own };
}

/** The part of an extension that the configuration reads. */
export interface SettingsExtension<Own = object> extends ClientExtension<Own> {
  /** Its settings. Default: none. */
  readonly settings?: SettingsDescription<Own>;
  /** Its methods of client authentication. Default: none. */
  readonly clientAuthentication?: readonly { readonly method: ClientAuthMethod; isOn?(settings: object): boolean }[];
}

/** @internal An extension that the settings of a server know. */
export type KnownExtension = SettingsExtension & KnownClientExtension;

/** The values that extensions add to a list of every server. */
export function addedValues<Name extends keyof AddedValues>(
  extensions: readonly SettingsExtension[],
  name: Name,
): readonly NonNullable<AddedValues[Name]>[number][] {
  return extensions.flatMap(({ settings }) => settings?.values?.[name] ?? []);
}
