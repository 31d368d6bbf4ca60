/** The signing keys of a test server: the built-in ones first, because key generation is slow (RFC 7517, RFC 6979). */

import { generatedKeys, type Keys, type KeySource, storedKeys } from "../server/oauth/keys/keys.ts";
import { memoryStore } from "../platform/store/memory.ts";
import { builtInKeys } from "./built_in_keys.ts";
import { signEs256 } from "./es256.ts";

/**
 * A key source with the built-in test keys, each once, and generated keys after them.
 *
 * @param seeded Whether keys and signatures must be deterministic: ES256 then signs as in RFC 6979, and the built-in
 *   keys are the only ones.
 */
export function testKeys(seeded: boolean): KeySource {
  return {
    create(alg, number) {
      const keys = builtInKeys[alg];
      const next = keys[number];
      if (next !== undefined) return next;
      if (!seeded) return generatedKeys.create(alg, number);
      throw new Error(
        `A server with a seed has ${keys.length} keys for ${alg}, and all of them are in use. ` +
          "Rotate fewer times, or remove the seed.",
      );
    },
    signFunction(alg, { jwk: { d } }) {
      if (!seeded || alg !== "ES256" || typeof d !== "string") return undefined;
      return (bytes) => signEs256(d, bytes);
    },
  };
}

/**
 * The keys of an attacker.
 *
 * @param kid The key ID of the attacker's key, for every algorithm.
 * @param ownKid The key ID of the server's key, which the attacker does not have.
 */
export function foreignKeys(kid: string, ownKid: string): Keys {
  const source = {
    create: (alg: keyof typeof builtInKeys) => ({
      kid,
      jwk: builtInKeys[alg].findLast((key) => key.kid !== ownKid)!.jwk,
    }),
  };
  return storedKeys(memoryStore(), () => 0, () => {}, 0, { source, testKeys: "accepted" });
}
