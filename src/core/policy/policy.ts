/**
 * The policy of a server: how it decides, with every default (`policy_fields.ts`). `server/config/` makes it from the
 * settings, and documents them in full.
 */

import type { ClientAuthMethod } from "../clients/client.ts";
import type { SigningAlgorithm } from "../keys/signing_algorithm.ts";
import type { ResponseMode, ResponseType } from "../http/params.ts";
import type { Allowances } from "../http/test_hosts.ts";

/** @internal The policy of a server, which does not change at run time. */
export interface Policy {
  /** The permissions of the server that depend on the host of its issuer. */
  readonly allows: Allowances;

  /** Further origins of web pages that may call a server on a test host. */
  readonly allowedOrigins: readonly string[];

  readonly signatureAlgorithms: readonly string[];
  /** Signs access tokens, and ID tokens of clients that registered no other algorithm. */
  readonly alg: SigningAlgorithm;
  /** The header parameter `typ` of access tokens that are JWTs (RFC 9068 §2.1); `none`: they have none. */
  readonly accessTokenTyp: AccessTokenTyp;
  /** The methods of client authentication that clients may use. */
  readonly clientAuthMethods: readonly ClientAuthMethod[];
  /** Whether a public client may use HTTP Basic with an empty secret (RFC 6749 §2.3.1). */
  readonly allowsEmptySecret: boolean;

  /** The accepted values of `response_mode`. Without `query`, every request must name one. */
  readonly responseModes: readonly ResponseMode[];
  /** The accepted values of `response_type`; a client must be registered for each but `code`. */
  readonly responseTypes: readonly ResponseType[];
  /** Whether an authorization request must contain `redirect_uri` even if the client has only one. */
  readonly requireRedirectUri: boolean;
  readonly pkce: PkcePolicy;
  /** `optional`: a token request may leave `redirect_uri` out if the code has a code challenge (OAuth 2.1 §10.2). */
  readonly tokenRedirectUri: "required" | "optional";

  /** The scope values in metadata. */
  readonly scopes: readonly string[];
  /** The scope values that a user can grant. */
  readonly userScopes: readonly string[];
  /**
   * Whether scope values that only a user can grant are ignored in a token request of a client alone, instead of
   * rejected (RFC 6749 §3.3).
   */
  readonly ignoresUserScopes: boolean;
  /** The scope of a request without `scope`; empty: such a request is rejected. */
  readonly defaultScope: readonly string[];
  /** The claims that each scope value releases, besides the standard claims (OpenID Connect Core §5.4). */
  readonly claims: Readonly<Record<string, readonly string[]>>;
  /** Whether `openid` releases the members of a user that no other scope value releases. */
  readonly unmappedClaims: "openid" | "none";
  /** `like-userinfo`: ID tokens too contain the claims of scope values, for clients that never call userinfo. */
  readonly idTokenClaims: "minimal" | "like-userinfo";
  /** The claims about the user in access tokens (RFC 9068 §2.2.3), if their scope value was granted. */
  readonly accessTokenClaims: readonly string[];

  readonly lifetimes: LifetimePolicy;
  /** Whether userinfo accepts an access token in a form (RFC 6750 §2.2). */
  readonly accessTokenInForm: boolean;
  readonly refresh: RefreshPolicy;
}

/** @internal The `typ` of access tokens that are JWTs. */
export type AccessTokenTyp = "at+jwt" | "JWT" | "none";

/** @internal Lifetimes in seconds. */
export interface LifetimePolicy {
  /** Authorization codes. Default: 300. Maximum: 600 (OAuth 2.1 §4.1.2). */
  readonly code: number;
  /** Access tokens. Default: 3600. */
  readonly access_token: number;
  /** ID tokens. Default: 3600. */
  readonly id_token: number;
  /** Refresh tokens, counted from the grant, even if they are used. Default: 2592000, thirty days. */
  readonly refresh_token: number;
  /** Refresh tokens, counted from their last use. Default: 604800, seven days. */
  readonly refresh_token_idle: number;
  /** Logins in one browser. Default: 28800, eight hours. */
  readonly session: number;
}

/** @internal When code challenges are required (OAuth 2.1 §7.5.1). Public clients need one. */
export interface PkcePolicy {
  /** Reject a `code_challenge` without `code_challenge_method` instead of reading it as S256. Default: false. */
  readonly requireMethod: boolean;
  /** Require a code challenge from confidential clients too. Default: false. */
  readonly requireForConfidential: boolean;
  /**
   * Although `requireForConfidential` is set, accept a confidential client's OpenID Connect request with a `nonce`,
   * which the client verifies instead (OAuth 2.1 §7.5.1). Default: false if `requireForConfidential` is set.
   */
  readonly acceptNonce: boolean;
  /**
   * Insecure: accept public clients without a code challenge, with a warning, as some providers do: a stolen
   * code is then as good as a token. If `tokenRedirectUri` is optional, a code without a challenge needs no
   * `redirect_uri` either. Only on test hosts. Default: false.
   */
  readonly insecureAllowMissing: boolean;
  /**
   * Insecure: accept `code_challenge_method=plain`, with a warning, as some providers do. Only on test hosts. Default:
   * false.
   */
  readonly insecureAllowPlain: boolean;
}

/** @internal How refresh tokens behave (OAuth 2.1 §4.3). Public clients rotate theirs, unless bound to a key. */
export interface RefreshPolicy {
  /** Rotate the refresh tokens of confidential clients too. Default: false. */
  readonly rotateConfidential: boolean;
  /** Also rotate the refresh tokens of public clients if the tokens are bound to a key (DPoP). Default: false. */
  readonly rotateBound: boolean;
  /**
   * Seconds within which a rotated token is accepted again and returns the same new token, for clients that lost the
   * response. Default: 0 (a second use revokes the grant). Maximum: 60.
   */
  readonly grace: number;
  /** Issue refresh tokens only if `offline_access` was granted. Default: false. */
  readonly onlyOffline: boolean;
  /**
   * Accept a refresh token any number of times, although OAuth 2.1 §4.3.1 forbids it for public clients. `same`: no
   * response contains another one. `another`: each response does, and the used one stays valid. Only on test hosts.
   * Default: refresh tokens rotate, as above.
   */
  readonly reuse?: "same" | "another";
}

/**
 * @internal How a user logs in: `auto` without a page, with `login: "auto"`; `open` on the login page without a
 * password; `password` on the login page; `approver` as the approver of the embedding program states.
 */
export type LoginMethod = "auto" | "open" | "password" | "approver";
