/** Settings of tokens, requests and URLs, and the descriptions of their groups. */

import { choice, type Fields, list, object, seconds, whole } from "../../core/policy/field.ts";
import * as core from "../../core/policy/policy_fields.ts";
import type { SigningAlgorithm } from "../../core/keys/signing_algorithm.ts";
import type { AccessTokenTyp, LifetimePolicy, PkcePolicy, RefreshPolicy } from "../../core/policy/policy.ts";
import {
  type ClientAuthMethod,
  type ResponseMode,
  responseModeNames,
  type ResponseType,
  responseTypeNames,
} from "./client_metadata.ts";

/** @internal The settings that the minimal server reads, and some others. A policy has them with their defaults. */
export interface PolicySettings extends TokenSettings, RequestSettings, UrlSettings {
  /**
   * The accepted algorithms of asymmetric signatures: of this server, of DPoP proofs, and of the JWTs of clients
   * (assertions and signed requests). `EdDSA` is Ed25519. Default:
   * `RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 Ed25519 EdDSA`, and `alg`. Others: `ML-DSA-44`,
   * `ML-DSA-65`, `ML-DSA-87`.
   */
  readonly signatureAlgorithms?: readonly string[];
  /**
   * The methods of client authentication that clients may use; the two of TLS also need `mutualTls`. Default:
   * `client_secret_basic client_secret_post client_secret_jwt private_key_jwt tls_client_auth
   * self_signed_tls_client_auth none`, those of the core and of all extensions.
   */
  readonly clientAuthMethods?: readonly ClientAuthMethod[];
  /**
   * Whether an authorization request must contain `redirect_uri`, even if the client has only one and the request is
   * not an OpenID Connect request. Default: false.
   */
  readonly requireRedirectUri?: boolean;
  /** Whether userinfo accepts an access token in a form (RFC 6750 §2.2). Default: true. */
  readonly accessTokenInForm?: boolean;
}

/** @internal Settings of claims and tokens. */
export interface TokenSettings {
  /**
   * The space-separated scope values of a request without `scope`; `""` rejects such a request with `invalid_scope`.
   * Default: `read` if `scopes` contains it, otherwise `""` with a warning.
   */
  readonly defaultScope?: string;
  /**
   * The claims that each scope value releases, in addition to the standard claims of `profile`, `email`, `address` and
   * `phone` (OpenID Connect Core §5.4). These scope values are added to `scopes`. Default: none.
   */
  readonly claims?: Readonly<Record<string, readonly string[]>>;
  /**
   * Whether `openid` releases the members of a user that no other scope value releases. Default: `openid` if the issuer
   * is on a test host, otherwise `none`.
   */
  readonly unmappedClaims?: "openid" | "none";
  /**
   * `minimal`: only userinfo returns the claims of scope values (OpenID Connect Core §5.4). `like-userinfo`: ID tokens
   * contain them as well, for clients that never call userinfo. Default: `minimal`.
   */
  readonly idTokenClaims?: "minimal" | "like-userinfo";
  /**
   * The claims about the user in access tokens and in introspection responses (RFC 9068 §2.2.3). A claim that a scope
   * value releases is included only if that scope value was granted. `groups`, `roles` and `entitlements` are always
   * lists. A resource may have its own list. Default: none.
   */
  readonly accessTokenClaims?: readonly string[];
  /** Signs access tokens, and ID tokens of clients that registered no other algorithm. Default: `RS256`. */
  readonly alg?: SigningAlgorithm;
  /**
   * The header parameter `typ` of access tokens that are JWTs: `at+jwt` (RFC 9068 §2.1), or `JWT` or `none`, as several
   * providers send it, for resource servers that accept nothing else. Default: `at+jwt`.
   */
  readonly accessTokenTyp?: AccessTokenTyp;
  /** The `aud` of access tokens. Default: the issuer. */
  readonly audience?: string;
  /** How long codes, tokens and sessions live, in seconds. */
  readonly lifetimes?: Lifetimes;
  /** When code challenges (PKCE, RFC 7636) are required. */
  readonly pkce?: Partial<PkcePolicy>;
  /**
   * Whether a token request must repeat `redirect_uri`. `optional`: it may leave `redirect_uri` out if the code has a
   * code challenge (OAuth 2.1 §10.2); a wrong value is rejected. Default: `required`.
   */
  readonly tokenRedirectUri?: "required" | "optional";
  /**
   * The origins of the real server if it has several: `issuer`, and those of other URLs, by the names of endpoints in
   * metadata or any other name. They count while the issuer has the origin `issuer`, such as in a mock with
   * `installFetch({ origins: "real" })`. Default: every endpoint has the origin of the issuer.
   */
  readonly origins?: Readonly<Record<string, string>>;
  /** The format of access tokens for no resource. Default: `jwt`. */
  readonly accessTokenFormat?: "jwt" | "opaque";
  /** How refresh tokens behave. */
  readonly refresh?: RefreshSettings;
}

/** Lifetimes in seconds. */
export interface Lifetimes extends Partial<LifetimePolicy> {
  /** Device codes and user codes (RFC 8628). Default: 600. Maximum: 3600. */
  readonly device_code?: number;
  /** Signed authorization responses. Default: 120. Minimum: 10, maximum: 600 (JARM §2.1). */
  readonly authorization_response?: number;
}

const { code, session, ...lifetimesOfTokens } = core.lifetimes.members;

/** Describes {@link Lifetimes}. */
export const lifetimes = object<Lifetimes>("Lifetimes", {
  code,
  device_code: seconds(600, 3600),
  ...lifetimesOfTokens,
  authorization_response: whole(120, {
    min: 10,
    max: 600,
    default: 120,
    expected: "a whole number of seconds from 10 to 600",
  }),
  session,
}, { code: 300, access_token: 3600 });

/**
 * How refresh tokens behave (OAuth 2.1 §4.3). Those of public clients rotate, unless they are bound to a key.
 *
 * @internal
 */
export interface RefreshSettings extends Partial<RefreshPolicy> {
  /**
   * The members of each response with a refresh token, and of its introspection, that say when it ends, in seconds.
   * `refresh_token_expires_in`, as several providers have it, and `refresh_token_timeout` of
   * draft-ietf-oauth-refresh-token-expiration-03: until the refresh token expires unless it is used.
   * `authorization_expires_in` of the same draft: until the user must log in again. Default: none.
   */
  readonly lifetimeMembers?: readonly RefreshLifetimeMember[];
}

/** @internal A member of a token response with the rest of a lifetime. */
export type RefreshLifetimeMember =
  | "refresh_token_expires_in"
  | "refresh_token_timeout"
  | "authorization_expires_in";

/** Describes {@link RefreshSettings}. */
export const refresh = object<RefreshSettings>("RefreshSettings", {
  ...core.refresh.members,
  reuse: choice(["same", "another"]),
  lifetimeMembers: list(
    choice(["refresh_token_expires_in", "refresh_token_timeout", "authorization_expires_in"]),
    [["refresh_token_expires_in"]],
    { default: [] },
  ),
}, { grace: 10 });

/** @internal The origins at which the server and web pages are. */
export interface UrlSettings {
  /**
   * The hosts by which clients reach the server, such as `latchkey`, `laptop.local` or `192.168.0.10`. Each counts as a
   * test host, where http, login without a password, the demo clients, `/clients` and `/flows` are open to all machines
   * that reach it. If `issuer` is `from-host`, they may be issuers, besides loopback hosts, and requests to any other
   * host are rejected with 421. Test hosts, private addresses and names below no public top-level domain, such as
   * `dex.auth` or `idp.corp.internal`, are allowed. Default: none.
   */
  readonly issuerHosts?: readonly string[];
  /**
   * The origin at which browsers reach the server, if it is not the issuer's: metadata lists the authorization and the
   * logout endpoint there. Tokens and responses still have the issuer. Default: the origin of the issuer.
   */
  readonly frontChannelUrl?: string;
  /**
   * The origin at which clients and resource servers reach the server, if it is not the issuer's: metadata lists all
   * other endpoints there. Default: the origin of the issuer.
   */
  readonly backChannelUrl?: string;
  /**
   * Further origins of web pages that may call a server on a test host from the browser (CORS): to register, to
   * exchange a code, to renew a login in a frame. Pages on test hosts, and on origins of redirect URIs of configured
   * clients, may always call it. Default: none.
   */
  readonly allowedOrigins?: readonly string[];
}

/** @internal Settings of the form of authorization requests and responses. */
export interface RequestSettings {
  /**
   * The accepted values of `response_mode`. In the modes with `jwt`, authorization responses are signed (JARM); `jwt`
   * alone means `query.jwt`. Without `query`, every request must name a mode. Default: `query form_post`, and
   * `fragment` if `responseTypes` has more than `code`.
   */
  readonly responseModes?: readonly ResponseMode[];
  /**
   * The accepted values of `response_type`. With `id_token` and `code id_token`, the response has an ID token (OpenID
   * Connect Core §3.2, §3.3); a client must be registered for them. Default: `code`.
   */
  readonly responseTypes?: readonly ResponseType[];
}

/** The description of {@link RequestSettings}. */
export const requestFields = {
  responseModes: {
    ...core.policyFields.responseModes,
    items: choice(responseModeNames),
    examples: [["query", "jwt"]],
  },
  responseTypes: {
    ...core.policyFields.responseTypes,
    items: choice(responseTypeNames),
    examples: [["code", "id_token"]],
  },
} satisfies Fields<RequestSettings>;
