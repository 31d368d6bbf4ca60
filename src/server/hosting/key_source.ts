/** The option `keySource`: a program creates the signing keys, and may sign with them. */

import { ConfigurationError } from "../../core/rules/configuration_error.ts";
import {
  areOnePair,
  type ImportedKey,
  importOwnKey,
  importVerificationKey,
  type NewKey,
  type Signer,
} from "../../core/keys/keys.ts";
import type { SigningAlgorithm } from "../../core/keys/signing_algorithm.ts";
import { quoteValue } from "../../core/http/quote_value.ts";
import { quote } from "../config/config_issue.ts";
import { errorText } from "../redaction/redact.ts";
import type { KeyFactory } from "./rotating_keys.ts";

/** Creates signing keys, and may sign with them. */
export interface KeySource {
  /**
   * Creates the next key of an algorithm.
   *
   * @param number Number of earlier keys of the algorithm.
   */
  create(alg: SigningAlgorithm, number: number): NewKey | Promise<NewKey>;
  /**
   * Returns the function that signs with a key, such as a call of a key management service. `undefined`, and the
   * default: the server signs with the private JWK.
   */
  signFunction?(alg: SigningAlgorithm, key: NewKey): Signer["sign"] | undefined;
}

/**
 * Creates and imports the keys of a source. A key is checked before it is stored: tokens must be verifiable.
 *
 * @throws {ConfigurationError} From both functions, if the source fails or returns another value.
 */
export function keyFactory(source: KeySource): KeyFactory {
  /** The keys whose signatures were verified. */
  const verified = new Set<string>();

  async function importKey(alg: SigningAlgorithm, key: NewKey): Promise<ImportedKey> {
    const sign = await named(alg, () => source.signFunction?.(alg, key));
    return sign === undefined ? await importOwnKey(alg, key) : await named(alg, () => verifiedKey(alg, key, sign));
  }

  async function verifiedKey(alg: SigningAlgorithm, key: NewKey, sign: Signer["sign"]): Promise<ImportedKey> {
    const publicKey = await importVerificationKey(alg, key.jwk);
    const id = `${alg} ${JSON.stringify(key.jwk)}`;
    if (!verified.has(id) && !await areOnePair(alg, sign, publicKey)) {
      const hint = alg === "ES256"
        ? "Return r and s of 32 bytes each, concatenated, not DER; and the public half of the signing key."
        : "Return the public half of the signing key.";
      const received = `an invalid signature of the key ${quoteValue(key.kid)}`;
      throw sourceError(`${alg} signatures that the key's public members verify`, received, hint);
    }
    verified.add(id);
    return { sign, publicKey };
  }

  /** Names the option in the error of a source that fails, or returns something else. */
  async function named<T>(alg: SigningAlgorithm, call: () => T | Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (error instanceof ConfigurationError) throw error;
      const received = `the error ${quote(errorText(error))}`;
      const failure = sourceError(
        `a key for ${alg} that signs`,
        received,
        "Check that keySource can be reached, and returns keys of the algorithm that it is asked for.",
      );
      failure.cause = error;
      throw failure;
    }
  }

  return {
    create: (alg, number) =>
      named(alg, async () => {
        const key = await source.create(alg, number);
        await importKey(alg, key);
        return key;
      }),
    import: importKey,
  };
}

function sourceError(expected: string, received: string, hint: string): ConfigurationError {
  return new ConfigurationError([{ path: "keySource", expected, received, hint }]);
}
