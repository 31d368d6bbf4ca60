/** What an extension adds to the metadata of clients. */

import type { ConfigIssue, ConfigurationWarning } from "../config_issue.ts";
import type { Field } from "../field.ts";
import type { PassedRuleId } from "../rules/mod.ts";
import type { ClientMetadata } from "./client.ts";
import type { StandingRequirement } from "./standing.ts";

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

/** @internal The part of an extension that concerns client metadata. The functions receive all settings. */
export interface ClientExtension {
  /** The name in messages and tests, such as `token_exchange`. */
  readonly name: string;
  /** Whether the server lacks it, and knows only its `clientFields` and `endpointPaths`. Default: false. */
  readonly isAbsent?: boolean;
  /** Describes the members of client metadata that only the extension reads. Default: none. */
  readonly clientFields?: Readonly<Record<string, Field>>;
  /** All issues of the metadata of a client; paths are relative to the client. */
  validateClient?(client: ClientMetadata, settings: object): readonly ConfigIssue[];
  /** Whether the extension accepts clients that the operator does not know. Default: false. */
  acceptsUnknownClients?(settings: object): boolean;
  /** Its grant types. Default: none. */
  readonly grantTypes?: readonly OptionalGrantType[];
}

/** The values that list members of client metadata may have because of the extensions of a server. */
export function clientValues(settings: { readonly extensions: readonly ClientExtension[] }): ClientValues {
  const fields = settings.extensions.flatMap(({ isAbsent, clientFields = {} }) =>
    isAbsent ? [] : Object.entries(clientFields)
  );
  return Object.fromEntries(fields.flatMap(([name, { valuesOf }]) => valuesOf ? [[name, valuesOf(settings)]] : []));
}

/**
 * The warnings about entries of settings that list no clients.
 *
 * @param paths The paths of the entries.
 */
export function unlistedClientsWarnings(
  settings: { readonly extensions: readonly ClientExtension[] },
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
