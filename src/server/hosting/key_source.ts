/** The option `keySource`: a program creates the signing keys, and may sign with them. */

import { ConfigurationError } from "../../core/rules/configuration_error.ts";
import type { PublicKey } from "../../core/keys/jwk.ts";
import { importOwnKey, importVerificationKey, type NewKey, type Signer } from "../../core/keys/keys.ts";
import type { SigningAlgorithm } from "../../core/keys/signing_algorithm.ts";
import { quoteValue } from "../../core/http/quote_value.ts";
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

/** Creates and imports the keys of a source. Each key is checked once: tokens must be verifiable. */
export function keyFactory(source: KeySource): KeyFactory {
  return {
    create: (alg, number) => source.create(alg, number),
    async import(alg, key) {
      const { kid, jwk } = key;
      const sign = source.signFunction?.(alg, key);
      const imported = sign === undefined
        ? await importOwnKey(alg, key)
        : { sign, publicKey: await importVerificationKey(alg, jwk) };
      let checked = checkedKeys.get(jwk);
      if (checked === undefined) {
        checkedKeys.set(jwk, checked = assertKeyPair(alg, kid, imported.sign, imported.publicKey));
      }
      await checked;
      return imported;
    },
  };
}

const checkedKeys = new WeakMap<NewKey["jwk"], Promise<void>>();

/** Checks that the public key verifies a signature of the private one. */
async function assertKeyPair(
  alg: SigningAlgorithm,
  kid: string,
  sign: Signer["sign"],
  publicKey: PublicKey,
): Promise<void> {
  const text = new TextEncoder().encode("key pair check");
  const signature = new Uint8Array(await sign(text));
  // ECDSA alone needs the hash here.
  if (await crypto.subtle.verify({ ...publicKey.algorithm, hash: "SHA-256" }, publicKey, signature, text)) return;
  throw new ConfigurationError([{
    path: "keySource",
    expected: `${alg} signatures that the key's public members verify`,
    received: `an invalid signature of the key ${quoteValue(kid)}`,
    hint: alg === "ES256"
      ? "Return r and s of 32 bytes each, concatenated, not DER; and the public half of the signing key."
      : "Return the public half of the signing key.",
  }]);
}
