/** A registered client: its metadata as it is written down (RFC 7591 §2) and as the rules use it. */

import type { SigningAlgorithm } from "../keys/keys.ts";

/** How a client proves who it is at the token endpoint (RFC 7591 §2, `token_endpoint_auth_method`). */
export type ClientAuthMethod =
  | "none"
  | "client_secret_basic"
  | "client_secret_post"
  | "client_secret_jwt"
  | "private_key_jwt";

/**
 * A client as configuration and embedders write it, in the names of RFC 7591 §2.
 *
 * @example
 * ```ts
 * const spa: ClientMetadata = { client_id: "spa", redirect_uris: ["http://localhost:5173/callback"] };
 * const web: ClientMetadata = {
 *   client_id: "web",
 *   client_secret: "correct-horse-battery-staple",
 *   redirect_uris: ["https://web.example/cb"],
 * };
 * ```
 */
export interface ClientMetadata {
  /** 1–256 printable ASCII characters. */
  readonly client_id: string;
  /** Makes the client confidential. Kept only as a digest. */
  readonly client_secret?: string;
  /** Seconds since the epoch after which the secret is refused; 0 or absent: never. */
  readonly client_secret_expires_at?: number;
  /** Shown to people instead of the id. */
  readonly client_name?: string;
  /** Compared character by character; a loopback URI also matches with another port (OAuth 2.1 §8.4.2). */
  readonly redirect_uris?: readonly string[];
  /**
   * The only accepted method. Default: `client_secret_basic` for a client with a secret, which then may also send it in
   * the body; `private_key_jwt` for a client with keys; otherwise `none`.
   */
  readonly token_endpoint_auth_method?: ClientAuthMethod;
  /** The client's public keys, for `private_key_jwt` (RFC 7517 §5). */
  readonly jwks?: { readonly keys: readonly Readonly<Record<string, unknown>>[] };
  /** Where those keys are found instead; fetched when they are needed, and again when an assertion names an unknown one. */
  readonly jwks_uri?: string;
  /** The one algorithm of its client assertions (RFC 7523). Default: any that suits the method and the key. */
  readonly token_endpoint_auth_signing_alg?: string;
  /** `pairwise`: users have another `sub` for each sector (OpenID Connect Core §8). Default: `public`. */
  readonly subject_type?: "public" | "pairwise";
  /** Its host is the sector of a pairwise client. Default: the host of the redirect URIs. Not fetched. */
  readonly sector_identifier_uri?: string;
  /** Default: `["authorization_code"]`. */
  readonly grant_types?: readonly string[];
  /** Default: `["code"]`. */
  readonly response_types?: readonly string[];
  /** Space-separated scope values the client may ask for. Default: every scope of the server. */
  readonly scope?: string;
  /** The algorithm of this client's id tokens. Default: the server's `alg`. */
  readonly id_token_signed_response_alg?: SigningAlgorithm;
  /** `opaque`: resources ask the introspection endpoint what this client's tokens mean. Default: `jwt`. */
  readonly access_token_format?: "jwt" | "opaque";
  /** Resources this client serves: it may introspect the access tokens that are for them. */
  readonly serves?: readonly string[];
  /** Where the browser may be sent after logout; compared character by character. */
  readonly post_logout_redirect_uris?: readonly string[];
  /** Sign the answers of the userinfo endpoint for this client with this algorithm. Default: plain JSON. */
  readonly userinfo_signed_response_alg?: SigningAlgorithm;
  /** Refuse authorization requests without a code challenge, although the client is confidential. Default: false. */
  readonly require_pkce?: boolean;
  /** For `native` clients, as for public ones, the port of a `localhost` redirect URI may vary. Default: `web`. */
  readonly application_type?: "web" | "native";
  /** Informative; not fetched. */
  readonly client_uri?: string;
  /** Informative; not fetched. */
  readonly logo_uri?: string;
  /** Informative; not fetched. */
  readonly policy_uri?: string;
  /** Informative; not fetched. */
  readonly tos_uri?: string;
  /** Informative. */
  readonly contacts?: readonly string[];
}

/** An end user: a subject and any claims. */
export interface User {
  /** At most 255 printable ASCII characters, unique and never given to another person (OpenID Connect Core §2). */
  readonly sub: string;
  /** The full name, shown to people. */
  readonly name?: string;
  /** Claim of the scope `email`. */
  readonly email?: string;
  /**
   * A scrypt digest, as `latchkey hash-password` writes it, for `login: "interactive"`; never a claim, and gone from a
   * user that was registered. Default: who picks this user is believed.
   */
  readonly password?: string;
  /** Any other claim, of any JSON type; `Settings.claims` and `Settings.unmappedClaims` define what releases it. */
  readonly [claim: string]: unknown;
}
