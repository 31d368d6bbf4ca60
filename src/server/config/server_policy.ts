/** The policy of the whole server: it adds to that of the minimal server what extensions, apps and pages decide by. */

import type { ComparedServer } from "../../core/clients/validate_client.ts";
import type { ClientMetadata } from "./client_metadata.ts";
import { quote } from "./config_issue.ts";
import type { ShownGrantType, SupportedGrantType } from "./standing.ts";
import type { ByPolicy } from "../../core/rules/rule.ts";
import type { ConfigIssue } from "../../core/rules/configuration_error.ts";
import { grantTypes, type LoadableGrantType } from "../../core/token/grants/mod.ts";
import type { LoginMethod, Policy } from "../../core/policy/policy.ts";
import type { ProfileName } from "./strictness.ts";
import type { Lifetimes, RefreshSettings, ServerSettings } from "./server_settings.ts";
import type { Field, ObjectField } from "../../core/policy/field.ts";
import type { NamePolicy } from "./server_names.ts";

/** @internal The policy of the whole server. */
export interface ServerPolicy extends
  Policy,
  NamePolicy,
  ProfilePolicy,
  Required<
    Omit<ServerSettings, keyof Policy | keyof NamePolicy | "audience" | "keys" | "proxyHeader" | "resources">
  >,
  Pick<ServerSettings, "proxyHeader" | "resources"> {
  /** The settings that are `"any"`. */
  readonly acceptsAny: readonly AnyName[];
  readonly lifetimes: Required<Lifetimes>;
  readonly refresh: Required<Omit<RefreshSettings, "reuse">> & Pick<RefreshSettings, "reuse">;
  /** The profiles of standards; absent: none. */
  readonly profile?: ActiveProfile;
  /** The profiles of providers. */
  readonly providers: readonly string[];
  readonly subjectTypes: readonly NonNullable<ClientMetadata["subject_type"]>[];
  /** The rotation of signing keys, in seconds. */
  readonly keys: { readonly rotateEvery?: number; readonly lead: number };
  /**
   * The scope values that an extension adds to the setting `scopes`. They have the power of an operator: only a client
   * whose `scope` names them gets them, and only on its own behalf, never for a user.
   */
  readonly clientScopes: readonly string[];
  /** The grant types of extensions and of the embedding program. Every server has others besides. */
  readonly grantTypes: readonly SupportedGrantType[];
  /** The methods by which users can log in. */
  readonly loginMethods: readonly LoginMethod[];
  /** The extensions, including the absent ones. */
  readonly extensions: readonly KnownClientExtension[];
  /** Whether an extension accepts clients that the operator does not know. */
  readonly acceptsUnknownClients: boolean;
  /** Describes client metadata, with the members of extensions. */
  readonly clientField: ObjectField<ClientMetadata>;
  /** The profiles that clients can have. */
  readonly clientProfiles: ClientProfiles;
}

/** @internal The name of a setting that may be `"any"`. */
export type AnyName = "clients" | "redirectUris" | "scopes" | "users";

/** @internal The profiles of standards in effect, as one. */
export interface ActiveProfile {
  /** Its name and, of `mcp`, its revision: `mcp 2026-07-28`. */
  readonly label: string;
  /** Its values, by the path of their setting. */
  readonly values: ReadonlyMap<string, unknown>;
  /**
   * The paths of the settings whose value comes from a profile, because the configuration omits them or sets a weaker
   * value. Each has the label of the profile.
   */
  readonly decides: ReadonlyMap<string, string>;
  /** For each value, the label of the profile and the section of the specification that requires it. */
  readonly sources: ReadonlyMap<string, string>;
}

/** The fact that {@link byProfile} returns. */
export interface ByProfile {
  readonly byProfile: string;
}

/** The policy of a server that `latchkey` has assembled, or of one of its clients. */
export function asServerPolicy(policy: Policy): ServerPolicy {
  return policy as ServerPolicy;
}

/** The end of a sentence about a setting that a profile decides: `, by the profile X`; otherwise empty. */
export function byProfile(policy: ByPolicy["policy"] | undefined, setting: string): string {
  const label = (policy as ServerPolicy | undefined)?.profile?.decides.get(setting);
  return label === undefined ? "" : `, by the profile ${label}`;
}

/** The server with which the core compares a client. */
export function comparedServer(policy: ServerPolicy): Required<ComparedServer> {
  return { policy, quote, decidedBy: (name) => byProfile(policy, name) };
}

/** The grant types that a server supports: the grant types of every server, and those that its settings switch on. */
export function supportedGrantTypes(policy: Pick<ServerPolicy, "grantTypes">): readonly SupportedGrantType[] {
  return [...grantTypes, ...policy.grantTypes];
}

/** The policy for a client with a profile; for any other client, the unchanged policy. */
export function tightenPolicy(policy: Policy, { profile }: { readonly profile?: ProfileName }): ServerPolicy {
  const ofServer = asServerPolicy(policy);
  return profile === undefined ? ofServer : ofServer.clientProfiles.tighten(ofServer, profile);
}

/** @internal The profiles that clients can have. */
export interface ClientProfiles {
  /** Returns the policy for a client with this profile: at least as strict as `policy`. */
  tighten(policy: ServerPolicy, profile: ProfileName): ServerPolicy;
  /** The issues of a client with this profile, and with the policy that `tighten` returned for it. */
  validate(tightened: ServerPolicy, profile: ProfileName): ConfigIssue[];
}

/** @internal Client metadata of an extension. */
export interface ClientMetadataDescription<Own = object> {
  /** Describes its members. Default: none. */
  readonly fields?: Readonly<Record<string, Field>>;
  /** All issues of the metadata of a client; paths are relative to the client. */
  validate?(client: ClientMetadata, policy: ServerPolicy & Own): readonly ConfigIssue[];
}

/** @internal A grant type that the settings of an extension switch on. */
export interface OptionalGrantType<Own = object>
  extends SupportedGrantType, ShownGrantType, Omit<LoadableGrantType<Own>, "type" | "parameters" | "load"> {
  /** The settings that switch it on, for messages. Default: messages name none. */
  readonly setting?: string;
  /** Whether the public demo client has it. Default: false. */
  readonly hasDemoClient?: boolean;
}

/** @internal The part of an extension that concerns clients. */
export interface ClientExtension<Own = object> {
  /** The name in messages and tests, such as `token_exchange`. */
  readonly name: string;
  /** The client metadata that only the extension reads. Default: none. */
  readonly clientMetadata?: ClientMetadataDescription<Own>;
  /** Its grant types. Default: none. */
  readonly grantTypes?: readonly OptionalGrantType<Own>[];
}

/** @internal An extension that the policy of a server knows. */
export interface KnownClientExtension extends ClientExtension {
  /** Whether the server lacks it, and knows only its client metadata and its paths. Default: false. */
  readonly isAbsent?: boolean;
}

/** @internal Values that only profiles of standards can change, never a setting. */
export interface ProfilePolicy {
  /** Whether the browser is redirected with 303 in every case (RFC 9700 §4.12), not with 302 after a GET request. */
  readonly seeOther: boolean;
  /**
   * The maximum lifetime of a client assertion, in seconds from the time of the request to its `exp`. More than 300
   * seconds cause a warning (RFC 7523 §3).
   */
  readonly maxAssertionLifetime: number;
  /** Whether a redirect URI may have a private-use scheme such as `com.example.app:/callback`. */
  readonly privateUseRedirectUris: boolean;
  /**
   * The kinds of redirect URIs that only clients of `application_type: "native"` may have: URIs with a private-use
   * scheme, and URIs on a loopback host. With `loopback`, http is accepted on no other host.
   */
  readonly nativeOnlyRedirectUris: readonly ("private-use" | "loopback")[];
  /**
   * Whether `/authorize`, `/token` and `/register` at the root of the host serve these endpoints too, for clients that
   * find no metadata.
   */
  readonly defaultEndpoints: boolean;
}

export function profilePolicy(values: ReadonlyMap<string, unknown> = new Map()): ProfilePolicy {
  const members = Object.entries(defaultProfilePolicy).map(([name, value]) => [name, values.get(name) ?? value]);
  return Object.fromEntries(members) as ProfilePolicy;
}

export const defaultProfilePolicy: ProfilePolicy = {
  seeOther: false,
  maxAssertionLifetime: 3600,
  privateUseRedirectUris: true,
  nativeOnlyRedirectUris: [],
  defaultEndpoints: false,
};

/** @internal The allowed values of list members of client metadata, by the name of the member. */
export type ClientValues = Readonly<Record<string, readonly string[]>>;

/** The values that list members of client metadata may have because of the extensions of a server. */
export function clientValues(policy: Policy): ClientValues {
  const fields = asServerPolicy(policy).extensions.flatMap(({ isAbsent, clientMetadata: { fields = {} } = {} }) =>
    isAbsent ? [] : Object.entries(fields)
  );
  return Object.fromEntries(fields.flatMap(([name, { valuesOf }]) => valuesOf ? [[name, valuesOf(policy)]] : []));
}
