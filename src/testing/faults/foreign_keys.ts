/** Keys that no server publishes, for signatures that nobody may believe. */

import { storedKeys } from "../../oauth/keys/keys.ts";
import type { Keys } from "../../oauth/keys/keys.ts";
import { memoryStore } from "../../store/memory.ts";
import { builtInKeys } from "../built_in_keys.ts";

/**
 * A stranger's keys.
 *
 * @param kid What the stranger calls the key of every algorithm.
 * @param ownKid The name of the server's own key, which must not be the stranger's.
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
