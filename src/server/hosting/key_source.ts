/** The option `keySource`: a program creates the signing keys, and may sign with them. */

import { ConfigurationError } from "../../core/rules/configuration_error.ts";
import { describeUnusableKey, findKeyFault } from "../../core/keys/key_faults.ts";
import {
  areOnePair,
  type ImportedKey,
  importOwnKey,
  importVerificationKey,
  type NewKey,
  type Signer,
} from "../../core/keys/keys.ts";
import type { SigningAlgorithm } from "../../core/keys/signing_algorithm.ts";
import { isObject } from "../../core/http/json_value.ts";
import { describeKind, quoteValue } from "../../core/http/quote_value.ts";
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
    const sign = await callSource("signFunction() to return a function", () => source.signFunction?.(alg, key));
    if (sign === undefined) return await importOwnKey(alg, key);
    if (typeof sign !== "function") {
      const hint = "Return the function that signs, or undefined.";
      throw sourceError("signFunction() to return a function", describeKind(sign), hint);
    }
    const { kid, jwk } = key;
    const signs = `signatures of the key ${quoteValue(kid)}`;
    const signed: Signer["sign"] = async (bytes) => {
      const signature = await callSource(signs, () => sign(bytes));
      if (ArrayBuffer.isView(signature)) return signature;
      throw sourceError(signs, describeKind(signature), "Return the bytes of the signature.");
    };
    const rejectKey = (): never => {
      const { expected, received } = describeUnusableKey(alg, jwk, "public");
      throw sourceError(`${expected}, whose kid is ${quoteValue(kid)}`, received, publicHalf);
    };
    if (findKeyFault(alg, jwk, "public") !== undefined) rejectKey();
    const publicKey = await importVerificationKey(alg, jwk).catch(rejectKey);
    const id = JSON.stringify(key);
    if (!verified.has(id) && !await areOnePair(signed, publicKey)) {
      throw sourceError(
        `${alg} signatures that the key's public members verify`,
        `an invalid signature of the key ${quoteValue(kid)}`,
        (alg === "ES256"
          ? "Return r and s of 32 bytes each, concatenated, not DER; and the public half"
          : "Return the public half") + " of the signing key.",
      );
    }
    verified.add(id);
    return { sign: signed, publicKey };
  }

  return {
    async create(alg, number) {
      const expected = `create(${quoteValue(alg)}, ${number}) to return { kid, jwk }`;
      const key = await callSource(expected, () => source.create(alg, number));
      if (!isObject(key) || typeof key.kid !== "string" || !isObject(key.jwk)) {
        const received = isObject(key)
          ? `${describeKind(key.kid)} as kid and ${describeKind(key.jwk)} as jwk`
          : describeKind(key);
        throw sourceError(expected, received, "Return the key as a JWK, and its thumbprint as kid.");
      }
      try {
        await importKey(alg, key);
      } catch (error) {
        if (error instanceof ConfigurationError) throw error;
        const fault = describeUnusableKey(alg, key.jwk, "private");
        throw sourceError(
          `create() to return ${fault.expected}`,
          fault.received,
          "Return a key for the algorithm that create() receives, with its private members unless signFunction() signs.",
        );
      }
      return key;
    },
    import: importKey,
  };
}

const publicHalf = "Return the public half of the signing key, and delete this one in the store if it is there.";

/** Calls a function of the source. */
async function callSource<T>(expected: string, call: () => T | Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const failure = sourceError(
      expected,
      `the error ${quote(errorText(error))}`,
      "Correct the function of the program.",
    );
    failure.cause = error;
    throw failure;
  }
}

function sourceError(expected: string, received: string, hint: string): ConfigurationError {
  return new ConfigurationError([{ path: "keySource", expected, received, hint }]);
}
