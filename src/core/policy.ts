/** The policy of a server: how it decides, with every default. `server/config/` makes it from the settings. */

import type { Allowances } from "./test_hosts.ts";
import type { ClientMetadata } from "./clients/client.ts";
import type { StandingRequirement } from "./clients/standing.ts";
import type { Lifetimes, PkceSettings, PolicySettings, RefreshSettings } from "./policy_settings.ts";
import type { ActiveProfile } from "./profile.ts";
import type { ResourceSettings } from "./resource_list.ts";
import type { RuleId } from "./rules/mod.ts";

/** @internal The policy of a server, which does not change at run time. */
export interface Policy extends
  Required<
    Omit<
      PolicySettings,
      "audience" | "backChannelUrl" | "defaultScope" | "frontChannelUrl" | "resources"
    >
  > {
  /** Whether the issuer of each request is the origin that it was sent to. */
  readonly isIssuerFromHost: boolean;
  /** The permissions of the server that depend on the host of its issuer. */
  readonly allows: Allowances;
  /** The origin at which browsers reach the server. Default: the origin of the issuer. */
  readonly frontChannelUrl?: string;
  /** The origin at which clients reach the server. Default: the origin of the issuer. */
  readonly backChannelUrl?: string;
  /** The scope values in metadata. */
  readonly scopes: readonly string[];
  /** The scope values that a user can grant. */
  readonly userScopes: readonly string[];
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
  /** The resources that access tokens are for; absent: see {@link PolicySettings.resources}. */
  readonly resources?: readonly ResourceSettings[];
  /** The values that `subject_type` of a client may have. */
  readonly subjectTypes: readonly NonNullable<ClientMetadata["subject_type"]>[];
  /** The names of the providers' profiles. */
  readonly providers: readonly string[];
  /** The standards in effect, as one profile. */
  readonly profile?: ActiveProfile;
}

/** @internal The name of a setting that may be `"any"`. */
export type AnyName = "clients" | "redirectUris" | "scopes" | "users";

/**
 * @internal How a user logs in: `auto` without a page, with `login: "auto"`; `open` on the login page without a
 * password; `password` on the login page; `approver` as the approver of the embedding program states.
 */
export type LoginMethod = "auto" | "open" | "password" | "approver";

/** @internal A grant type that the settings of an extension switch on. */
export interface OptionalGrantType<Own = object> {
  /** The value of `grant_type`. */
  readonly type: string;
  /** The title of its requests on pages, such as `Device poll`. */
  readonly title: string;
  /** The settings that switch it on, for messages. Default: messages name none. */
  readonly setting?: string;
  /** The standing that a client needs for it. Default: only configured clients may use it. */
  readonly standing?: StandingRequirement;
  /** Whether the public demo client has it. Default: false. */
  readonly hasDemoClient?: boolean;
  /** The rules of its checks in order; after a rejection, pages list later ones as not checked. Default: none. */
  readonly checks?: readonly RuleId[];
  /** Whether the settings, with their defaults, switch it on. */
  isOn(settings: Policy & Own): boolean;
}
