/** The claim `cnf` of bound tokens (RFC 7800), and `AuthenticatedRequest.provenKey`, the same key as one text. */

/** The key that a token is bound to: one thumbprint, by the name of its kind. */
export interface Confirmation {
  /** The thumbprint of a key that signs proofs (RFC 9449 §6.1). */
  readonly jkt?: string;
  /** The thumbprint of another kind of key. */
  readonly [kind: string]: string | undefined;
}

/** The claim for a key: a thumbprint, or `KIND:THUMBPRINT` if it is no `jkt`. */
export function confirmationOf(provenKey: string): Confirmation {
  const colon = provenKey.lastIndexOf(":");
  return colon < 0 ? { jkt: provenKey } : { [provenKey.slice(0, colon)]: provenKey.slice(colon + 1) };
}

/** Whether a request proves the key that a token is bound to. */
export function isConfirmed(cnf: Confirmation, provenKey: string | undefined): boolean {
  const proven: Confirmation = provenKey === undefined ? {} : confirmationOf(provenKey);
  return Object.entries(cnf).every(([kind, thumbprint]) => proven[kind] === thumbprint);
}
