/** The type of public keys. */

/** A public key of WebCrypto. The global type `CryptoKey` of browsers does not exist in a project for Node only. */
export type PublicKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;
