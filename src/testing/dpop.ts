/** DPoP from the client's side: keys, and proofs, valid ones and ones with defects (RFC 9449 §4). */

import { choice, object, objectField, text } from "../core/policy/field.ts";
import type { RandomBytes } from "../core/keys/secrets.ts";
import type { Server } from "../core/server.ts";
import { createProofKey, signProof } from "../client/proof.ts";
import { type P256Key, p256KeyFrom } from "../platform/runtime/p256_key.ts";
import { assertOptions } from "./options.ts";
import type { PrivateJwk } from "../client/private_jwk.ts";

/** @internal Options of a proof. */
export interface ProofOptions {
  /** The access token of a request to a protected resource, for `ath`. Default: none. */
  readonly accessToken?: string;
  /** The nonce of the server. Default: none. */
  readonly nonce?: string;
  /** Claims to add or replace; `undefined` removes one. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Members of the header to add or replace; `undefined` removes one. */
  readonly header?: Readonly<Record<string, unknown>>;
  /** `wrong key`: signed by another key than that in the header. Default: the key. */
  readonly signedBy?: "wrong key";
}

/** The description of {@link ProofOptions}. */
const proofField = object<ProofOptions>("ProofOptions", {
  accessToken: text([]),
  nonce: text([]),
  claims: objectField,
  header: objectField,
  signedBy: choice(["wrong key"]),
}, {});

/** A key of a client for DPoP: ES256, from the random source of the server. */
export interface DpopKey {
  /** The private key as a JWK, for the library of the client under test. */
  readonly privateJwk: PrivateJwk;
  /** The public key, as proofs contain it. */
  readonly publicJwk: PrivateJwk;
  /** The thumbprint of the key: `dpop_jkt` of authorization requests, and `cnf.jkt` of tokens. */
  readonly thumbprint: string;
  /**
   * Signs a proof for one request, by the clock of the server.
   *
   * @throws {TypeError} If an option is unknown or has another type.
   */
  proof(method: string, url: string | URL, options?: ProofOptions): Promise<string>;
  /** The headers of one request to a protected resource: the bound token, and a proof for it. */
  headers(
    method: string,
    url: string | URL,
    accessToken: string,
    options?: ProofOptions,
  ): Promise<{ readonly authorization: string; readonly dpop: string }>;
}

/** Creates a key. */
export function dpopKey(randomBytes: RandomBytes, now: () => number): Promise<DpopKey> {
  return createKey(p256KeyFrom(randomBytes(32)), randomBytes, now);
}

/** The key of the clients of a mock: always the same one, so that a reset or a minted token does not change it. */
export function fixedDpopKey(server: () => Server): Promise<DpopKey> {
  return createKey(
    p256KeyFrom(new Uint8Array(32).fill(1)),
    (bytes) => server().randomBytes(bytes),
    () => server().now(),
  );
}

async function createKey(
  jwk: P256Key,
  randomBytes: RandomBytes,
  now: () => number,
): Promise<DpopKey> {
  const key = await createProofKey(jwk);
  const self: DpopKey = {
    ...{ privateJwk: { ...jwk, alg: "ES256" }, publicJwk: key.publicJwk, thumbprint: key.thumbprint },
    async proof(method, url, options = {}) {
      assertOptions("proof", proofField, options);
      const { accessToken, nonce, signedBy, ...changes } = options;
      const { sign } = signedBy === undefined ? key : await createProofKey(p256KeyFrom(randomBytes(32)));
      return await signProof({ randomBytes, now }, { ...key, sign }, { method, url, accessToken, nonce }, changes);
    },
    async headers(method, url, accessToken, options = {}) {
      const dpop = await self.proof(method, url, { accessToken, ...options });
      return { authorization: `DPoP ${accessToken}`, dpop };
    },
  };
  return self;
}
