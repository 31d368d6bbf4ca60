/** Public keys: their type, and what a JWK of one may not have. */

/**
 * A public key of WebCrypto. The global type `CryptoKey` of browsers does not exist in a project for Node only.
 *
 * @internal
 */
export type PublicKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** The private members of a JWK (RFC 7518 §6). */
const privateJwkMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/** A private member of a JWK; `undefined` if it is a public key. */
export function findPrivateMember(jwk: object): string | undefined {
  return privateJwkMembers.find((name) => name in jwk);
}
