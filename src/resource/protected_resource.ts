/** The description of a protected resource: its metadata, and the requirements for access tokens. */

import type { ProofVerifier } from "./dpop_proofs.ts";
import type { RuleId } from "../core/rules/mod.ts";
import type { ExplanationTexts } from "../core/rules/errors.ts";

/** The claims of an access token that passed every check (RFC 9068 §2.2, RFC 7662 §2.2). Times in seconds. */
export interface AccessTokenClaims {
  /** The authorization server. */
  readonly iss: string;
  /** The user, or the client if it acts on its own behalf. */
  readonly sub?: string;
  /** The resources that the token is for. */
  readonly aud: string | readonly string[];
  /** The client that the token was issued to. */
  readonly client_id?: string;
  /** The scope values, separated by spaces; `""` without any. */
  readonly scope: string;
  /** When the token expires; absent if introspection does not say. */
  readonly exp?: number;
  /** Further claims. */
  readonly [claim: string]: unknown;
}

/** Verifies access tokens of one authorization server: `jwksVerifier()` or `introspectionVerifier()`. */
export interface TokenVerifier {
  /** The issuer identifier of the authorization server. */
  readonly issuer: string;
  /** The clock: milliseconds since the epoch. */
  readonly now: () => number;
  /**
   * Returns the claims of a token that the authorization server issued. `requireToken` checks issuer, audience, expiry
   * and scope.
   *
   * @throws {OAuthError} `invalid_token`, or `temporarily_unavailable` if the token cannot be checked now.
   */
  verify(token: string): Promise<Readonly<Record<string, unknown>>>;
}

/** @internal Why a request was rejected, for the developer. The response says less. */
export interface ResourceRejection extends ExplanationTexts {
  /** The ID of the broken rule; absent if a custom verifier rejects without one. */
  readonly rule?: RuleId;
  /** The HTTP status of the response. */
  readonly status: number;
  /**
   * The error code: `invalid_token`, `insufficient_scope`, `insufficient_user_authentication`, `invalid_request`,
   * `invalid_dpop_proof`, `use_dpop_nonce` or `temporarily_unavailable`. Absent if the request has no token, as the
   * first one of each MCP client: the response is a challenge and names no error.
   */
  readonly error?: string;
  /** How to fix the request. */
  readonly fix?: string;
  /** The section of the specification, if the rule cites one. */
  readonly cites?: readonly string[];
}

/** A protected resource (RFC 9728). */
export interface ProtectedResource {
  /**
   * The identifier: the absolute URL that clients request, without a fragment. It is `resource` in the metadata
   * document and must be in `aud` of each access token. Requests never influence it.
   */
  readonly resource: string;
  /** Verifies the access tokens. Create it once, because it caches keys. */
  readonly verifier: TokenVerifier;
  /** All scope values that operations of this resource need: `scopes_supported`. Default: the member is absent. */
  readonly scopes?: readonly string[];
  /** Scope value → the scope values that it implies, directly or through others. Default: none. */
  readonly impliedScopes?: Readonly<Record<string, readonly string[]>>;
  /**
   * Accepts access tokens that are bound to a key: {@link dpopProofs}. Default: they are rejected, and every other
   * token is a bearer token.
   */
  readonly dpop?: ProofVerifier;
  /**
   * The types of authorization details that this resource understands: `authorization_details_types_supported` (RFC
   * 9728 §2). Default: the member is absent.
   */
  readonly authorizationDetailsTypes?: readonly string[];
  /** The name for users: `resource_name`. Default: none. */
  readonly name?: string;
  /** Seconds by which clocks may differ when `exp` and `nbf` are checked. Default: 10. */
  readonly clockToleranceSeconds?: number;
  /** Receives the reason of each rejection. Default: none. */
  readonly onRejection?: (rejection: ResourceRejection) => void;
}

/** @internal The login that one operation needs (RFC 9470). */
export interface RequiredLogin {
  /** The acceptable values of `acr` in the access token, the most wanted first. Default: any, or none. */
  readonly acrValues?: readonly string[];
  /** The maximum age of the login, in seconds: the time since `auth_time` of the access token. Default: any. */
  readonly maxAgeSeconds?: number;
}

/** A protected resource, and the scope values and the login that one operation needs. */
export interface RequiredToken extends ProtectedResource, RequiredLogin {
  /** All scope values that this operation needs. Default: none. */
  readonly scope?: readonly string[];
  /**
   * The certificate that the client presented in the connection of this request, as DER bytes or PEM text: a token that
   * is bound to a certificate needs it (RFC 8705 §3). Take it from the connection, or from a header that only your
   * proxy can set. Default: none, so that these tokens are rejected.
   */
  readonly certificate?: Uint8Array | string;
}
