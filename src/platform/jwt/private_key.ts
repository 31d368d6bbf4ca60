/** The private half of a JWK (RFC 7517). */

/** Whether a JWK has the private half of an asymmetric key. */
export function hasPrivateKey(jwk: { readonly d?: unknown; readonly priv?: unknown }): boolean {
  return jwk.d !== undefined || jwk.priv !== undefined;
}
