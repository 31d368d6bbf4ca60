/** The settings that the profile of a provider can set: their types, their documentation and their descriptions. */

import { type SigningAlgorithm, signingAlgorithms } from "../oauth/keys/signing_algorithm.ts";
import { anyValue, choice, type Fields, record, text, texts } from "../oauth/field.ts";
import { type EndpointPaths, endpointPathsField } from "../oauth/issuer_urls.ts";
import { type Lifetimes, lifetimes, origin, pkce, type PkceSettings, refresh } from "./setting_groups.ts";
import { type RefreshSettings, type TokenPrefixes, tokenPrefixes } from "./setting_groups.ts";

/** @internal The settings that the profile of a provider can set. */
export interface ProviderSettings {
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
   * lists. A resource may have a list of its own. Default: none.
   */
  readonly accessTokenClaims?: readonly string[];
  /** Signs access tokens, and ID tokens of clients that registered no other algorithm. Default: `RS256`. */
  readonly alg?: SigningAlgorithm;
  /** The `aud` of access tokens. Default: the issuer. */
  readonly audience?: string;
  /** Lifetimes in seconds. */
  readonly lifetimes?: Lifetimes;
  /** When code challenges are required. */
  readonly pkce?: PkceSettings;
  /**
   * Members of the metadata documents to replace or add; `null` removes one. Only on test hosts, to test clients
   * against other metadata. The server behaves as before, with one exception: if
   * `authorization_response_iss_parameter_supported` is not `true`, only signed authorization responses have `iss`.
   * Default: none.
   */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /**
   * The paths of endpoints below the issuer, by their names in metadata: metadata lists these paths, and the server
   * serves the endpoints there and nowhere else. Each `/..` at the start leads out of one segment of the path of the
   * issuer: at the issuer `/tenant/v2.0`, `/../oauth2/token` is `/tenant/oauth2/token`. Default: below `/oauth2`.
   */
  readonly paths?: EndpointPaths;
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
  /** How codes, opaque access tokens and refresh tokens begin. Default: all characters are random. */
  readonly tokenPrefixes?: TokenPrefixes;
  /** How refresh tokens behave. */
  readonly refresh?: RefreshSettings;
}

/** Describes {@link ProviderSettings}. */
export const providerFields = {
  defaultScope: text(["read"], { expected: "a string of space-separated scope values" }),
  claims: record(texts(["groups"]), { groups: ["groups"], profile: ["employee_no"] }, "an object of arrays of strings"),
  unmappedClaims: choice(["openid", "none"]),
  idTokenClaims: choice(["minimal", "like-userinfo"], { default: "minimal" }),
  accessTokenClaims: texts(["roles"], { default: [] }),
  alg: choice(signingAlgorithms, { default: "RS256" }),
  audience: text(["https://api.example.com"]),
  lifetimes,
  pkce,
  metadata: record(anyValue, { authorization_response_iss_parameter_supported: false }, "an object"),
  paths: endpointPathsField([]),
  tokenRedirectUri: choice(["required", "optional"], { default: "required" }),
  origins: record(origin("https://auth.example.com"), { issuer: "https://auth.example.com" }, "an object of origins"),
  accessTokenFormat: choice(["jwt", "opaque"], { default: "jwt" }),
  tokenPrefixes,
  refresh,
} as const satisfies Fields<ProviderSettings>;
