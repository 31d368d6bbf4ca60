/** The response of the token endpoint. */

/** A successful token response (OAuth 2.1 §3.2.3). Grant types and issuers may add any member. */
export interface TokenResponse {
  /** The access token. */
  readonly access_token: string;
  /** How the access token is used: `Bearer`, unless an issuer binds it to a key. */
  readonly token_type: string;
  /** Lifetime of the access token, in seconds. */
  readonly expires_in: number;
  /** The granted scope, space-separated; absent if none was granted but authorization details (RFC 9396). */
  readonly scope?: string;
  /** Absent if none was issued. */
  readonly refresh_token?: string;
  /** Absent if `openid` was not granted. */
  readonly id_token?: string;
  /** Members of extensions. */
  readonly [member: string]: unknown;
}
