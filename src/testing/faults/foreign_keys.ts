/** Keys that no server publishes, for signatures that a client must reject. */

import { storedKeys } from "../../oauth/keys/keys.ts";
import type { Keys } from "../../oauth/keys/keys.ts";
import { memoryStore } from "../../store/memory.ts";
import { builtInKeys } from "../built_in_keys.ts";

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
