/**
 * The metadata of a client (RFC 7591 §2), and users. `README.md` says what else a new member needs. Members that only
 * the whole server reads are in `server/config/client_metadata.ts` and in extensions.
 */

import type { SigningAlgorithm } from "../keys/signing_algorithm.ts";
import type { ResponseMode } from "../http/params.ts";

/**
 * @internal How a client authenticates at the token endpoint (RFC 7591 §2, `token_endpoint_auth_method`): `none`,
 * `client_secret_basic`, `client_secret_post`, or a method of an extension.
 */
export type ClientAuthMethod = string;

/**
 * A client with the names of RFC 7591 §2. With a `client_secret` it is confidential, otherwise public.
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
  /** The identifier of the client: 1 to 256 printable ASCII characters, unique. */
  readonly client_id: string;
  /**
   * Makes the client confidential; browser and native apps must not have one. 1 to 512 printable ASCII characters, of
   * which only a digest is stored.
   */
  readonly client_secret?: string;
  /** Seconds since 1970 after which the secret is rejected. Default: 0, never. */
  readonly client_secret_expires_at?: number;
  /** The name that pages show instead of the identifier. */
  readonly client_name?: string;
  /**
   * The URIs that authorization responses may be sent to: absolute, without a fragment, with https, http on a loopback
   * host, or a private-use scheme. Compared character by character; only the port of a loopback URI may vary (OAuth 2.1
   * §8.4.2), with https if the issuer is on a test host.
   */
  readonly redirect_uris?: readonly string[];
  /**
   * The only accepted method. Default: `client_secret_basic` for a client with a secret, which then may also send it in
   * the body; otherwise `none`.
   */
  readonly token_endpoint_auth_method?: ClientAuthMethod;
  /** The grant types that the client may use. Default: what its `response_types` need: `["authorization_code"]`. */
  readonly grant_types?: readonly string[];
  /** The response types that the client may request. Default: `["code"]`. */
  readonly response_types?: readonly string[];
  /** The space-separated scope values that the client may request. Default: all scope values of the server. */
  readonly scope?: string;
  /** The only response modes that the client may request. Default: all of the server. */
  readonly response_modes?: readonly ResponseMode[];
  /** The algorithm of this client's ID tokens. Default: the server's `alg`. */
  readonly id_token_signed_response_alg?: SigningAlgorithm;
  /** Reject authorization requests without a code challenge, even if the client is confidential. Default: false. */
  readonly require_pkce?: boolean;
  /** The `max_age` of authorization requests that have none: the maximum age of the login, in seconds. */
  readonly default_max_age?: number;
  /** `native`: the port of a `localhost` redirect URI may vary, as for public clients. Default: `web`. */
  readonly application_type?: "web" | "native";
}

/** An end user: a subject and any claims. */
export interface User {
  /** The permanent identifier: at most 255 printable ASCII characters, unique (OpenID Connect Core §2). */
  readonly sub: string;
  /** The full name, which pages show. */
  readonly name?: string;
  /** The e-mail address. */
  readonly email?: string;
  /**
   * The password for `login: "interactive"`: the scrypt digest that `latchkey hash-password` prints or, on a test host,
   * the password itself. Never a claim, and never part of a registered user. Default: login without a password.
   */
  readonly password?: string;
  /** Any other claim, of any JSON type; `Settings.claims` and `Settings.unmappedClaims` define what releases it. */
  readonly [claim: string]: unknown;
}

/** The methods that a client may use, the default one first. */
export type AuthMethods = readonly [ClientAuthMethod, ...ClientAuthMethod[]];

/** The methods of a client by its metadata. */
export function authMethodsOf(
  { token_endpoint_auth_method: method, client_secret }: ClientMetadata,
): AuthMethods {
  if (method !== undefined) return [method];
  return client_secret === undefined ? ["none"] : ["client_secret_basic", "client_secret_post"];
}

/** The grant types that a client needs for response types (OpenID Connect Registration §2). */
export function grantTypesFor(types: readonly string[]): readonly string[] {
  const usesCode = types.some((type) => type.split(" ").includes("code"));
  return [...usesCode ? ["authorization_code"] : [], ...types.some((type) => type !== "code") ? ["implicit"] : []];
}
