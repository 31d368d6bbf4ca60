/** Signing keys: made once, kept in the store, imported once, published before they sign (group JK; RFC 7517). */

import { base64url, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK } from "jose";
import type { JWK } from "jose";
import type { KeyRingRecord, Store } from "../store/store.ts";
import type { Trace } from "./trace.ts";

/** The signature algorithms a token can have (RFC 7518 §3.1, RFC 8037 §3.1). */
export type SigningAlgorithm = "RS256" | "ES256" | "EdDSA";

/** All of them, the one every client library accepts first. */
export const signingAlgorithms: readonly SigningAlgorithm[] = ["RS256", "ES256", "EdDSA"];

/** The seam between the server and a key: whatever can sign bytes can stand here. */
export interface Signer {
  /** What it signs with. */
  readonly alg: SigningAlgorithm;
  /** The name verifiers find the public key by. */
  readonly kid: string;
  /** Signs; for ES256 the raw concatenation of r and s (RFC 7518 §3.4). */
  sign(bytes: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

/** A public key as it is published. */
export interface PublishedKey {
  /** The RFC 7638 thumbprint. */
  readonly kid: string;
  /** The one algorithm it is for. */
  readonly alg: SigningAlgorithm;
  /** For signatures. */
  readonly use: "sig";
  /** The public members of its type: `n` and `e`, or `crv`, `x` and `y`. */
  readonly [member: string]: unknown;
}

/** The keys of a server. */
export interface Keys {
  /** The key that signs with an algorithm at this moment; made when there is none yet. */
  signer(alg: SigningAlgorithm): Promise<Signer>;
  /** Every key that a verifier may need, of those algorithms and of every other one that was ever used. */
  published(algs: Iterable<SigningAlgorithm>): Promise<readonly PublishedKey[]>;
  /**
   * Makes the next key of an algorithm: published at once, signing after `lead` seconds, while the keys before it stay
   * published for `overlap` seconds longer, so that everything they signed can still be verified.
   */
  rotate(alg: SigningAlgorithm, lead: number, overlap: number): Promise<void>;
}

interface Key {
  readonly signer: Signer;
  readonly published: PublishedKey;
  readonly signsFrom: number;
  readonly retiresAt: number;
}

const importParameters = {
  RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
  ES256: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  EdDSA: { name: "Ed25519" },
} as const;

const publicMembers = ["kty", "crv", "x", "y", "n", "e"] as const;

/** Keys that live in a store: two servers on one store sign with the same ones. */
export function storedKeys(store: Store, now: () => number, trace: Trace): Keys {
  const rings = new Map<SigningAlgorithm, Promise<readonly Key[]>>();

  async function load(alg: SigningAlgorithm): Promise<readonly Key[]> {
    const kept = await store.get("keys", alg) ?? await first(alg);
    return await Promise.all(kept.value.keys.map((key) => wake(alg, key)));
  }

  async function first(alg: SigningAlgorithm) {
    const value: KeyRingRecord = { keys: [await make(alg, now())] };
    const made = await store.add("keys", alg, value, { expiresAt: Infinity });
    if (!made) return (await store.get("keys", alg))!;
    trace({ type: "key_made", at: now(), alg, kid: value.keys[0]!.kid });
    return { value };
  }

  const ring = (alg: SigningAlgorithm): Promise<readonly Key[]> => {
    let keys = rings.get(alg);
    if (keys === undefined) {
      keys = load(alg);
      rings.set(alg, keys);
      keys.catch(() => rings.delete(alg));
    }
    return keys;
  };

  return {
    async signer(alg) {
      const keys = await ring(alg);
      if (keys.length === 1) return keys[0]!.signer;
      const time = now();
      return (keys.findLast((key) => key.signsFrom <= time) ?? keys[0]!).signer;
    },

    async published(algs) {
      const time = now();
      const keys = await Promise.all([...new Set([...algs, ...rings.keys()])].map(ring));
      return keys.flat().filter((key) => key.retiresAt > time).map((key) => key.published);
    },

    async rotate(alg, lead, overlap) {
      await ring(alg);
      const before = (await store.get("keys", alg))!.value.keys;
      const signsFrom = now() + lead * 1000;
      const fresh = await make(alg, signsFrom);
      const retiresAt = signsFrom + overlap * 1000;
      const old = before
        .filter((key) => key.retiresAt === undefined || key.retiresAt > now())
        .map((key) => ({ ...key, retiresAt: key.retiresAt ?? retiresAt }));
      await store.put("keys", alg, { keys: [...old, fresh] }, { expiresAt: Infinity });
      rings.delete(alg);
      await ring(alg);
      trace({ type: "key_made", at: now(), alg, kid: fresh.kid });
    },
  };
}

async function make(alg: SigningAlgorithm, signsFrom: number): Promise<KeyRingRecord["keys"][number]> {
  const pair = await generateKeyPair(alg, { extractable: true });
  const jwk = await exportJWK(pair.privateKey);
  return { kid: await calculateJwkThumbprint(jwk), jwk: { ...jwk }, signsFrom };
}

async function wake(alg: SigningAlgorithm, kept: KeyRingRecord["keys"][number]): Promise<Key> {
  const key = await importJWK({ ...kept.jwk } as JWK, alg) as CryptoKey;
  const parameters = importParameters[alg];
  const members = publicMembers.flatMap((name) => kept.jwk[name] === undefined ? [] : [[name, kept.jwk[name]]]);
  return {
    signer: {
      alg,
      kid: kept.kid,
      sign: async (bytes) => new Uint8Array(await crypto.subtle.sign(parameters, key, bytes as BufferSource)),
    },
    published: { ...Object.fromEntries(members), kid: kept.kid, alg, use: "sig" },
    signsFrom: kept.signsFrom,
    retiresAt: kept.retiresAt ?? Infinity,
  };
}

const encoder = new TextEncoder();

/** Signs claims as a compact JWS (RFC 7515 §7.1). Times among the claims are in seconds since the epoch. */
export async function signJwt(signer: Signer, typ: string, claims: Readonly<Record<string, unknown>>): Promise<string> {
  const input = `${headerOf(signer, typ)}.${base64url.encode(JSON.stringify(claims))}`;
  return `${input}.${base64url.encode(await signer.sign(encoder.encode(input)))}`;
}

const headers = new WeakMap<Signer, Map<string, string>>();

/** The encoded header, which is the same for every token of one key and type. */
function headerOf(signer: Signer, typ: string): string {
  let byType = headers.get(signer);
  if (byType === undefined) headers.set(signer, byType = new Map());
  let header = byType.get(typ);
  if (header === undefined) {
    header = base64url.encode(JSON.stringify({ alg: signer.alg, typ, kid: signer.kid }));
    byType.set(typ, header);
  }
  return header;
}

/** The left half of a token's digest, as `at_hash` wants it (OpenID Connect Core §3.1.3.6). */
export async function tokenHash(alg: SigningAlgorithm, token: string): Promise<string> {
  const hash = await crypto.subtle.digest(alg === "EdDSA" ? "SHA-512" : "SHA-256", encoder.encode(token));
  return base64url.encode(new Uint8Array(hash, 0, hash.byteLength / 2));
}
