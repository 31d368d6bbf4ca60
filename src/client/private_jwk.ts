/** The type of a private key as a JWK, compatible with jose and WebCrypto (RFC 7517 §4, RFC 7518 §6). */

/** @internal A private key as a JWK. The members depend on `kty`; without `d` or `priv` it is a public key. */
export interface PrivateJwk {
  /** The key type: `EC`, `RSA`, `OKP` or `AKP`. */
  readonly kty?: string;
  /** The algorithm of the key. */
  readonly alg?: string;
  /** The key ID. */
  readonly kid?: string;
  /** `sig`. */
  readonly use?: string;
  /** The curve. */
  readonly crv?: string;
  /** A coordinate, or the public key. */
  readonly x?: string;
  /** The other coordinate. */
  readonly y?: string;
  /** The modulus. */
  readonly n?: string;
  /** The public exponent. */
  readonly e?: string;
  /** The private key, or the private exponent. */
  readonly d?: string;
  /** The public key of ML-DSA. */
  readonly pub?: string;
  /** The seed of ML-DSA: the private key. */
  readonly priv?: string;
  /** The first prime. */
  readonly p?: string;
  /** The second prime. */
  readonly q?: string;
  /** The first prime's exponent. */
  readonly dp?: string;
  /** The second prime's exponent. */
  readonly dq?: string;
  /** The coefficient of the primes. */
  readonly qi?: string;
}
