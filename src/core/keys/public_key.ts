/** Public keys: their types, and what a JWK of one may not have. */

import { privateMembers } from "./jwk.ts";

/**
 * A public key of WebCrypto. The global type `CryptoKey` of browsers does not exist in a project for Node only.
 *
 * @internal
 */
export type PublicKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** @internal A set of public keys (RFC 7517 §5). */
export interface PublicKeySet {
  /** The keys. */
  readonly keys: readonly Readonly<Record<string, unknown>>[];
}

/** A private member of a JWK; `undefined` if it is a public key. */
export function findPrivateMember(jwk: object): string | undefined {
  return privateMembers.find((name) => name in jwk);
}
