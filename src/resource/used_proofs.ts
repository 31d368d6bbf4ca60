/** A bounded memory of used DPoP proofs, which one client cannot fill. */

import { digest } from "../core/keys/secrets.ts";

/** The maximum number of proofs. */
interface UsedProofLimits {
  /** Of all keys. */
  readonly total: number;
  readonly perKey: number;
}

/**
 * Marks proofs as used: the returned function is false for a proof that was used before. A key with many proofs
 * displaces its own. Above the total, the keys that were not used for the longest time are forgotten.
 */
export function usedProofs(
  { total, perKey }: UsedProofLimits,
): (id: string, expiresAt: number, key: string) => Promise<boolean> {
  // The least recently used key first.
  const proofsByKey = new Map<string, Set<string>>();
  let count = 0;
  return async (id, _expiresAt, key) => {
    // An identifier may be long.
    const proof = await digest(id);
    const proofs = proofsByKey.get(key) ?? new Set();
    if (proofs.has(proof)) return false;
    proofs.add(proof);
    count++;
    proofsByKey.delete(key);
    proofsByKey.set(key, proofs);
    if (proofs.size > perKey) {
      const [oldest] = proofs;
      proofs.delete(oldest!);
      count--;
    }
    if (count > total) count -= forgetHalf(proofsByKey);
    return true;
  };
}

/** Half of the keys, because finding the first entry of a Map takes time in proportion to those removed before. */
function forgetHalf(proofsByKey: Map<string, ReadonlySet<string>>): number {
  let forgotten = 0;
  for (const [key, proofs] of [...proofsByKey].slice(0, Math.ceil(proofsByKey.size / 2))) {
    proofsByKey.delete(key);
    forgotten += proofs.size;
  }
  return forgotten;
}
