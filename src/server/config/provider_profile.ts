/** The profile of a provider: its type and its documentation. */

import type { ProviderSettings } from "./server_settings.ts";
import type { Members, ProviderFunctions } from "./provider_functions.ts";

/**
 * The profile of a provider: values for the settings that are not set, so that the server responds as the provider
 * does. A setting of the configuration overrides its value; of an object, such as `paths`, each member.
 */
export interface ProviderProfile extends ProviderSettings {
  /** The name, for messages. */
  readonly name: string;
  /**
   * The path of the issuer if the setting `issuer` is not set, such as `/oauth2/default`; `/` for an issuer whose only
   * path is a slash at its end. Default: none.
   */
  readonly issuerPath?: string;
  /** All scope values. Default: those of a server without the setting. */
  readonly scopes?: readonly string[];
  /**
   * What endpoints accept besides a form, by their names in metadata: parameters as JSON, or in the query. With
   * `query`, a GET request may have its access token there. Only on test hosts. Each such request causes a warning.
   * Default: a form only.
   */
  readonly accepts?: Readonly<Record<string, readonly ("json" | "query")[]>>;
  /**
   * The members of metadata documents, besides those of the setting `metadata`; others are left out. Only on test
   * hosts. Default: all.
   */
  readonly metadataMembers?: readonly string[];
  /** Whether a client without `post_logout_redirect_uris` has its redirect URIs for them. Default: false. */
  readonly redirectsAfterLogout?: boolean;
  /** Whether a client without `grant_types` may use refresh tokens. Default: false. */
  readonly refreshesByDefault?: boolean;
  /** Claims with the same value for every user; only on test hosts. Default: none. */
  readonly fixedClaims?: FixedClaims;
  /** How requests, responses and claims differ from the standards; only in a program and on test hosts. */
  readonly functions?: ProviderFunctions;
}

/** @internal Claims, by the scope value that releases them; with `*`, they are always there. */
export interface FixedClaims {
  /** Claims of access tokens. */
  readonly access_token?: Readonly<Record<string, Members>>;
  /** Claims of ID tokens. */
  readonly id_token?: Readonly<Record<string, Members>>;
  /** Members of userinfo responses. */
  readonly userinfo?: Readonly<Record<string, Members>>;
  /** Claims of the access tokens that a client gets on its own behalf, by its `client_id`. */
  readonly client_credentials?: Readonly<Record<string, Members>>;
}

/** What a profile has besides settings and functions. */
export type ProviderData = Pick<ProviderProfile, "accepts" | "metadataMembers" | "fixedClaims">;

/** @internal The name of the profile of a provider. */
export type ProviderName =
  | "apple"
  | "auth0"
  | "cognito"
  | "entra"
  | "github"
  | "github@2025"
  | "google"
  | "google@2025"
  | "keycloak"
  | "okta";

/** The profiles of providers of a server whose requests, responses or tokens differ from the standards. */
export interface Deviation {
  readonly names: readonly string[];
  /** Their functions; of a built-in one, its name. */
  readonly functions: readonly (ProviderName | ProviderFunctions)[];
  /** Their data besides settings and functions. */
  readonly data: ProviderData;
}
