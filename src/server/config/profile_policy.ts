/** What only the profiles of standards decide: no setting changes it. */

/** @internal */
export interface ProfilePolicy {
  /** Whether the browser is redirected with 303 in every case (RFC 9700 §4.12), not with 302 after a GET request. */
  readonly seeOther: boolean;
  /**
   * The maximum lifetime of a client assertion, in seconds from the time of the request to its `exp`. More than 300
   * seconds cause a warning (RFC 7523 §3).
   */
  readonly maxAssertionLifetime: number;
  /** Whether a redirect URI may have a private-use scheme such as `com.example.app:/callback`. */
  readonly privateUseRedirectUris: boolean;
  /**
   * The kinds of redirect URIs that only clients of `application_type: "native"` may have: URIs with a private-use
   * scheme, and URIs on a loopback host. With `loopback`, http is accepted on no other host.
   */
  readonly nativeOnlyRedirectUris: readonly ("private-use" | "loopback")[];
  /**
   * Whether `/authorize`, `/token` and `/register` at the root of the host serve these endpoints too, for clients that
   * find no metadata.
   */
  readonly defaultEndpoints: boolean;
}

/** The policy of a server whose profiles have these values. */
export function profilePolicy(values: ReadonlyMap<string, unknown> = new Map()): ProfilePolicy {
  const members = Object.entries(withoutProfile).map(([name, value]) => [name, values.get(name) ?? value]);
  return Object.fromEntries(members) as ProfilePolicy;
}

/** The policy without a profile. */
export const withoutProfile: ProfilePolicy = {
  seeOther: false,
  maxAssertionLifetime: 3600,
  privateUseRedirectUris: true,
  nativeOnlyRedirectUris: [],
  defaultEndpoints: false,
};
