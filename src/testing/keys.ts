/** The signing keys of a test server: the built-in ones first, because key generation is slow (RFC 7517). */

import { createKey, type Keys, type NewKey } from "../core/keys/keys.ts";
import { keyFactory, type KeySource } from "../server/hosting/key_source.ts";
import { rotatingKeys } from "../server/hosting/rotating_keys.ts";
import { isMlDsa, type MlDsaAlgorithm, type SigningAlgorithm } from "../core/keys/signing_algorithm.ts";
import { keyMembersOf } from "../core/keys/jwk.ts";
import { memoryStore } from "../core/store/memory.ts";
import { builtInKeys } from "./built_in_keys.ts";

const mlDsaKeys = new Map<MlDsaAlgorithm, Promise<readonly NewKey[]>>();

/** The test keys of an algorithm. Those of ML-DSA are computed from seeds, which takes less than a millisecond each. */
export async function testKeysOf(alg: SigningAlgorithm): Promise<readonly NewKey[]> {
  if (!isMlDsa(alg)) return builtInKeys[alg];
  let keys = mlDsaKeys.get(alg);
  if (keys === undefined) {
    mlDsaKeys.set(
      alg,
      keys = Promise.all([1, 2, 3, 4].map((number) => mlDsaTestKey(alg, number))),
    );
  }
  return await keys;
}

async function mlDsaTestKey(alg: MlDsaAlgorithm, number: number): Promise<NewKey> {
  const jwk = await mlDsaKeyFrom(alg, new Uint8Array(32).fill(number));
  return { kid: `latchkey-test-${alg.toLowerCase()}-${number}`, jwk: keyMembersOf({ ...jwk }) };
}

/**
 * A key source with the built-in test keys, each once, and generated keys after them.
 *
 * @param seeded Whether keys must be deterministic: the built-in keys are then the only ones.
 */
export function testKeys(seeded: boolean): KeySource {
  return {
    async create(alg, number) {
      const keys = await testKeysOf(alg);
      const next = keys[number];
      if (next !== undefined) return next;
      if (!seeded) return await createKey(alg);
      throw new Error(
        `A server with a seed has ${keys.length} keys for ${alg}, and all of them are in use. ` +
          "Rotate fewer times, or remove the seed.",
      );
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
    create: async (alg: SigningAlgorithm) => ({
      kid,
      jwk: (await testKeysOf(alg)).findLast((key) => key.kid !== ownKid)!.jwk,
    }),
  };
  return keysInMemory(source);
}

/** The keys of a source, for signatures that no server makes. */
export function keysInMemory(source: KeySource): Keys {
  const storage = {
    store: memoryStore(),
    now: () => 0,
    trace: () => {},
    lifetimes: { access_token: 0, id_token: 0, authorization_response: 0 },
    testKeys: "accepted",
  } as const;
  return rotatingKeys(storage, keyFactory(source));
}

/** The private JWK of the ML-DSA key with these 32 bytes as its seed. */
async function mlDsaKeyFrom(alg: MlDsaAlgorithm, seed: Uint8Array): Promise<JsonWebKey> {
  // The format is newer than the types of TypeScript.
  const format = "raw-seed" as "raw";
  const key = await crypto.subtle.importKey(format, seed as BufferSource, { name: alg }, true, ["sign"]);
  return await crypto.subtle.exportKey("jwk", key);
}
