/** The groups of settings, such as `lifetimes`: their types, their documentation and their descriptions. */

import { choice, flag, object, seconds, text, texts, whole } from "./field.ts";
import type { ResourceSettings } from "./resource_list.ts";

/** Lifetimes in seconds. */
export interface Lifetimes {
  /** Authorization codes. Default: 300. Maximum: 600 (OAuth 2.1 §4.1.2). */
  readonly code?: number;
  /** Device codes and user codes (RFC 8628). Default: 600. Maximum: 3600. */
  readonly device_code?: number;
  /** Access tokens. Default: 3600. */
  readonly access_token?: number;
  /** ID tokens. Default: 3600. */
  readonly id_token?: number;
  /** Refresh tokens, counted from the grant, even if they are used. Default: 2592000, thirty days. */
  readonly refresh_token?: number;
  /** Refresh tokens, counted from their last use. Default: 604800, seven days. */
  readonly refresh_token_idle?: number;
  /** Signed authorization responses. Default: 120. Minimum: 10, maximum: 600 (JARM §2.1). */
  readonly authorization_response?: number;
  /** Logins in one browser. Default: 28800, eight hours. */
  readonly session?: number;
}

/** How refresh tokens behave (OAuth 2.1 §4.3). Those of public clients rotate, unless they are bound to a key. */
export interface RefreshSettings {
  /** Rotate the refresh tokens of confidential clients too. Default: false. */
  readonly rotateConfidential?: boolean;
  /** Rotate the refresh tokens of public clients that are bound to a key (DPoP), too. Default: false. */
  readonly rotateBound?: boolean;
  /**
   * Seconds within which a rotated token is accepted again and returns the same new token, for clients that lost the
   * response. Default: 0, a second use revokes the grant. Maximum: 60.
   */
  readonly grace?: number;
  /** Issue refresh tokens only if `offline_access` was granted. Default: false. */
  readonly onlyOffline?: boolean;
}

/** When code challenges are required (OAuth 2.1 §7.5.1). Public clients always need one. */
export interface PkceSettings {
  /** Reject a `code_challenge` without `code_challenge_method` instead of reading it as S256. Default: false. */
  readonly requireMethod?: boolean;
  /** Require a code challenge from confidential clients too. Default: false. */
  readonly requireForConfidential?: boolean;
  /**
   * Although `requireForConfidential` is set, accept a confidential client's OpenID Connect request with a `nonce`, which
   * the client verifies instead (OAuth 2.1 §7.5.1). Default: false if `requireForConfidential` is set.
   */
  readonly acceptNonce?: boolean;
}

/** The rotation of signing keys. */
export interface KeySettings {
  /** Seconds after which the next signing key is created. Default: never, only on request. Minimum: 3600. */
  readonly rotateEvery?: number;
  /** Seconds for which a new key is published before it signs: the time for which clients cache keys. Default: 300. */
  readonly lead?: number;
}

/** Describes {@link Lifetimes}. */
export const lifetimes = object<Lifetimes>("Lifetimes", {
  code: seconds(300, 600),
  device_code: seconds(600, 3600),
  access_token: seconds(3600),
  id_token: seconds(3600),
  refresh_token: seconds(30 * 24 * 3600),
  refresh_token_idle: seconds(7 * 24 * 3600),
  authorization_response: whole(120, {
    min: 10,
    max: 600,
    default: 120,
    expected: "a whole number of seconds from 10 to 600",
  }),
  session: seconds(8 * 3600),
}, { code: 300, access_token: 3600 });

/** Describes {@link RefreshSettings}. */
export const refresh = object<RefreshSettings>("RefreshSettings", {
  rotateConfidential: flag(false),
  rotateBound: flag(false),
  grace: whole(10, {
    min: 0,
    max: 60,
    default: 0,
    expected: "whole seconds from 0 to 60",
    hint: () => "A client repeats a lost request immediately: 10 is enough.",
  }),
  onlyOffline: flag(false),
}, { grace: 10 });

/** Describes {@link PkceSettings}. */
export const pkce = object<PkceSettings>("PkceSettings", {
  requireMethod: flag(false),
  requireForConfidential: flag(false),
  acceptNonce: flag(),
}, { requireMethod: true, requireForConfidential: true });

/** Describes {@link KeySettings}. */
export const keys = object<KeySettings>("KeySettings", {
  rotateEvery: whole(86400, { min: 3600, expected: "whole seconds, at least 3600", hint: () => "A day is 86400." }),
  lead: whole(300, {
    min: 0,
    default: 300,
    expected: "whole seconds, at least 0",
    hint: () => "300 is as long as most clients cache keys.",
  }),
}, { rotateEvery: 86400 });

/** Describes {@link ResourceSettings}. */
export const resource = object<ResourceSettings>(
  "ResourceSettings",
  {
    uri: text(["https://api.example"]),
    access_token_format: choice(["jwt", "opaque"]),
    access_token_claims: texts(["roles"]),
  },
  { uri: "https://api.example" },
  { required: ["uri"] },
);
