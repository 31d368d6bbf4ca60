/** The keys of a server under test: the built-in ones first, because making keys is slow (RFC 7517, RFC 6979). */

import { generatedKeys } from "../oauth/keys/keys.ts";
import type { KeySource } from "../oauth/keys/keys.ts";
import { builtInKeys } from "./built_in_keys.ts";
import { signEs256 } from "./es256.ts";

/**
 * The built-in test keys, each once; generated ones after them.
 *
 * @param seeded Whether everything must come out the same each time: ES256 signs without dice then, and there are no
 * keys but the built-in ones.
 */
export function testKeys(seeded: boolean): KeySource {
  return {
    create(alg, number) {
      const keys = builtInKeys[alg];
      const next = keys[number];
      if (next !== undefined) return next;
      if (!seeded) return generatedKeys.create(alg, number);
      throw new Error(
        `A server with a seed has ${keys.length} keys for ${alg}, and all of them were made. ` +
          "Rotate fewer times, or leave out the seed.",
      );
    },
    signFunction(alg, { jwk: { d } }) {
      if (!seeded || alg !== "ES256" || typeof d !== "string") return undefined;
      return (bytes) => signEs256(d, bytes);
    },
  };
}
