/** The settings that an extension adds to a server. */

import type { ResponseMode, ResponseType } from "../oauth/params.ts";
import type { PassedRuleId } from "../oauth/rules/mod.ts";
import type { ClientAuthMethod, ClientMetadata } from "../oauth/clients/client.ts";
import type { StandingRequirement } from "../oauth/clients/standing.ts";
import type { SubjectType } from "../oauth/users/subject_type.ts";
import type { MaybePromise } from "../../platform/maybe_promise.ts";
import type { Allowances } from "../oauth/allowances.ts";
import type { ConfigIssue, ConfigurationWarning } from "../oauth/config_issue.ts";
import type { Field } from "../oauth/field.ts";

/** @internal A grant type that the settings of an extension switch on. */
export interface OptionalGrantType {
  /** The value of `grant_type`. */
  readonly type: string;
  /** The title of its requests on pages, such as `Device poll`. */
  readonly title: string;
  /** The settings that switch it on, for messages. */
  readonly setting: string;
  /** The standing that a client needs for it. Default: only configured clients may use it. */
  readonly standing?: StandingRequirement;
  /** Whether the public demo client has it. Default: false. */
  readonly hasDemoClient?: boolean;
  /** The rules of its checks in order; after a rejection, pages list later ones as not checked. Default: none. */
  readonly checks?: readonly PassedRuleId[];
  /** Whether the settings, with their defaults, switch it on. */
  isOn(settings: object): boolean;
}

/** @internal The allowed values of list members of client metadata, by the name of the member. */
export type ClientValues = Readonly<Record<string, readonly string[]>>;

/** The settings of an extension. The functions receive all settings of the server. */
export interface SettingsExtension {
  /** The name in messages and tests, such as `token_exchange`. */
  readonly name: string;
  /** Whether the server lacks it, and knows only its `clientFields` and `endpointPaths`. Default: false. */
  readonly isAbsent?: boolean;
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
  /** All issues of the metadata of a client; paths are relative to the client. */
  validateClient?(client: ClientMetadata, settings: object): readonly ConfigIssue[];
  /** Describes the paths of its endpoints, by their names in metadata. Default: none. */
  readonly endpointPaths?: Readonly<Record<string, Field>>;
  /** Describes the members of client metadata that only the extension reads. Default: none. */
  readonly clientFields?: Readonly<Record<string, Field>>;
  /** Warnings about valid settings. */
  settingsWarnings?(settings: object): readonly ConfigurationWarning[];
  /** Whether the extension accepts clients that the operator does not know. Default: false. */
  acceptsUnknownClients?(settings: object): boolean;
  /** Its methods of client authentication. Default: none. */
  readonly clientAuthentication?: readonly { readonly method: ClientAuthMethod; isOn?(settings: object): boolean }[];
  /** Its response modes. Default: none. */
  readonly responseModes?: readonly { readonly name: ResponseMode }[];
  /** Its response types. Default: none. */
  readonly responseTypes?: readonly { readonly name: ResponseType }[];
  /** Its subject types. Default: none. */
  readonly subjectTypes?: readonly Pick<SubjectType<never>, "name" | "sectorOf">[];
  /** Its grant types. Default: none. */
  readonly grantTypes?: readonly OptionalGrantType[];
}

/** The values that list members of client metadata may have because of the extensions of a server. */
export function clientValues(settings: { readonly extensions: readonly SettingsExtension[] }): ClientValues {
  const fields = settings.extensions.flatMap(({ isAbsent, clientFields = {} }) =>
    isAbsent ? [] : Object.entries(clientFields)
  );
  return Object.fromEntries(fields.flatMap(([name, { valuesOf }]) => valuesOf ? [[name, valuesOf(settings)]] : []));
}

/** The values that `subject_type` of a client may have. */
export function subjectTypeNames(settings: { readonly extensions: readonly SettingsExtension[] }): readonly string[] {
  return ["public", ...settings.extensions.flatMap(({ subjectTypes = [] }) => subjectTypes.map(({ name }) => name))];
}

/** The sector of a client; `undefined` if its subjects are public. */
export function sectorOf(client: ClientMetadata, extensions: readonly SettingsExtension[]): string | undefined {
  for (const { subjectTypes = [] } of client.subject_type === undefined ? [] : extensions) {
    for (const { name, sectorOf } of subjectTypes) if (name === client.subject_type) return sectorOf(client);
  }
  return undefined;
}

/**
 * The warnings about entries of settings that list no clients.
 *
 * @param paths The paths of the entries.
 */
export function unlistedClientsWarnings(
  settings: { readonly extensions: readonly SettingsExtension[] },
  paths: readonly string[],
): ConfigurationWarning[] {
  if (!settings.extensions.some((extension) => extension.acceptsUnknownClients?.(settings))) return [];
  return paths.map((path) => ({
    path: `${path}.clients`,
    message:
      "the entry lists no clients, so only configured clients may use it, not clients that registered themselves or have " +
      "a metadata document. List the clients.",
  }));
}
