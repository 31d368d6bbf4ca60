/** A private key as jose and WebCrypto take it (RFC 7517 §4, RFC 7518 §6). */

/** A private key as a JWK. Which members there are, depends on the kind of key; without `d` it is a public one. */
export interface PrivateJwk {
  /** The kind of key: `EC`, `RSA`, `OKP`. */
  readonly kty?: string;
  /** The one algorithm it is for. */
  readonly alg?: string;
  /** Its name. */
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
