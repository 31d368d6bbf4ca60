/** The settings that an extension adds to a server. */

import type { Allowances } from "../oauth/allowances.ts";
import type { ClientAuthMethod, ClientMetadata } from "../oauth/clients/client.ts";
import type { ClientExtension } from "../oauth/clients/client_extension.ts";
import type { ConfigIssue, ConfigurationWarning } from "../oauth/config_issue.ts";
import type { Field } from "../oauth/field.ts";
import type { ResponseMode, ResponseType } from "../oauth/params.ts";
import type { MaybePromise } from "../../platform/maybe_promise.ts";

/** @internal The values that an extension adds to settings and client metadata of every server. */
export interface AddedValues {
  /** Its response modes. Default: none. */
  readonly responseModes?: readonly ResponseMode[];
  /** Its response types. Default: none. */
  readonly responseTypes?: readonly ResponseType[];
  /** Its subject types. Default: none. */
  readonly subjectTypes?: readonly NonNullable<ClientMetadata["subject_type"]>[];
}

/** The settings of an extension. The functions receive all settings of the server. */
export interface SettingsExtension extends ClientExtension {
  /** Describes its settings. Without the extension, they are unknown. Default: it has none. */
  readonly settingFields?: Readonly<Record<string, Field>>;
  /**
   * The defaults that follow from the issuer or from other settings. The defaults of the fields are already filled in.
   */
  resolveSettings?(given: object, allows: Allowances): object;
  /**
   * The scope values that it adds to the setting `scopes`. They have the power of an operator: only a client whose
   * `scope` names them gets them, and only on its own behalf, never for a user. Default: none.
   */
  clientScopes?(given: object): readonly string[];
  /** All issues of settings that match their description. */
  validateSettings?(settings: object, issuer: string): MaybePromise<readonly ConfigIssue[]>;
  /** Describes the paths of its endpoints, by their names in metadata. Default: none. */
  readonly endpointPaths?: Readonly<Record<string, Field>>;
  /** Warnings about valid settings. */
  settingsWarnings?(settings: object): readonly ConfigurationWarning[];
  /** Its methods of client authentication. Default: none. */
  readonly clientAuthentication?: readonly { readonly method: ClientAuthMethod; isOn?(settings: object): boolean }[];
  /** The values that it adds to settings and client metadata of every server. Default: none. */
  readonly values?: AddedValues;
}

/** The values that extensions add to a list of every server. */
export function addedValues<Name extends keyof AddedValues>(
  extensions: readonly SettingsExtension[],
  name: Name,
): readonly NonNullable<AddedValues[Name]>[number][] {
  return extensions.flatMap(({ values }) => values?.[name] ?? []);
}
