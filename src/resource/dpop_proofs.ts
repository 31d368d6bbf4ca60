/** The DPoP proofs of requests to a protected resource (RFC 9449 §7). */

import { type DpopSettings, resolveDpop } from "../server/extensions/dpop/settings.ts";
import { digest } from "../core/keys/secrets.ts";
import { type BoundedCache, boundedCache } from "../platform/bounded_cache.ts";
import { verifyUnusedProof } from "../server/extensions/dpop/request_proof.ts";
import { resourceNonces } from "../server/extensions/dpop/nonce.ts";

/** @internal The request that a proof is for. */
export interface ProvenResourceRequest {
  readonly method: string;
  readonly url: string;
  /** The value of a header; `null` without one. */
  header(name: string): string | null;
}

/** @internal Verifies the DPoP proofs of requests to a resource: {@link dpopProofs}. */
export interface ProofVerifier {
  /** The accepted signature algorithms, for challenges and metadata. */
  readonly algorithms: readonly string[];
  /** Whether access tokens must be bound to a key. */
  readonly required: boolean;
  /**
   * Verifies the proof of a request with an access token, and returns the thumbprint of its key.
   *
   * @param now The time, in milliseconds since the epoch.
   * @param boundKey The thumbprint of the key that the token is bound to; empty without one. The caller rejects a proof
   *   by another key, so that one is not marked as used.
   * @param clientId The client that the token was issued to; absent if the token does not say.
   * @throws {OAuthError} `invalid_dpop_proof` or `use_dpop_nonce`.
   */
  verify(
    request: ProvenResourceRequest,
    accessToken: string,
    now: number,
    boundKey: string,
    clientId?: string,
  ): Promise<string>;
}

/** @internal The options of {@link dpopProofs}. Everything has a default. */
export interface DpopProofOptions extends Omit<DpopSettings, "nonce"> {
  /** Whether access tokens must be bound to a key. Default: false. */
  readonly required?: boolean;
  /**
   * The secret of nonces: 1 to 64 ASCII characters that cannot be guessed, the same for all instances of the resource.
   * Each proof then needs a nonce, which clients receive with `use_dpop_nonce` (RFC 9449 §9). Default: proofs need
   * none.
   */
  readonly nonceSecret?: string;
  /**
   * Marks a proof as used until `expiresAt` (milliseconds since the epoch); false if it was used before. `key` is the
   * thumbprint of its key. Default: a memory of this process for 1,000 keys with 1,000 proofs each, of which the newer
   * half always stays. Instances of a resource need a shared one.
   */
  readonly markUsed?: (id: string, expiresAt: number, key: string) => boolean | Promise<boolean>;
}

/** Number of keys whose used proofs a process remembers by default. */
const maxKeys = 1000;

/** Number of used proofs of one key that a process remembers by default. */
const maxProofsOfKey = 1000;

/**
 * Lets a resource accept access tokens that are bound to a key, with `Authorization: DPoP` and a proof. Create it once,
 * because it remembers the proofs that were used.
 *
 * @example
 * ```ts ignore
 * const api: ProtectedResource = { resource, verifier, dpop: dpopProofs({ required: true }) };
 * ```
 */
export function dpopProofs(options: DpopProofOptions = {}): ProofVerifier {
  const { maxAge, algorithms } = resolveDpop(options);
  const { required = false, markUsed = usedProofs(), nonceSecret } = options;
  return {
    algorithms,
    required,
    async verify(request, accessToken, now, boundKey) {
      const nonces = nonceSecret === undefined ? undefined : resourceNonces(nonceSecret);
      const token = { accessToken, boundKey };
      return await verifyUnusedProof({ algorithms, maxAge, nonces, now, markUsed }, request, token);
    },
  };
}

/** @internal Marks proofs as used, in memory. A key with many proofs displaces its own, and none of another key. */
export function usedProofs(): NonNullable<DpopProofOptions["markUsed"]> {
  const proofsByKey = boundedCache<BoundedCache<true>>(maxKeys);
  return async (id, _expiresAt, key) => {
    // An identifier may be long.
    const proof = await digest(id);
    const proofs = proofsByKey.get(key) ?? boundedCache<true>(maxProofsOfKey);
    proofsByKey.set(key, proofs);
    if (proofs.get(proof)) return false;
    proofs.set(proof, true);
    return true;
  };
}
