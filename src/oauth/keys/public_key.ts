/** The type of public keys. */

/** A public key of WebCrypto: `CryptoKey`, a global type of browsers, which a project for Node alone does not have. */
export type PublicKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;
