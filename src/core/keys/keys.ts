/**
 * Signing keys (RFC 7517), kept in the store and shared by all instances.
 *
 * `signer` loads the current key of an algorithm, or generates the first one. `rotate` adds the next key: it is
 * published immediately, signs after a lead time, and the previous key retires when its tokens have expired. Each key
 * is imported once. JWTs are in `jwt.ts`, the server's symmetric secrets in `session/session.ts`, the primitives in
 * `core/crypto.ts`.
 */

import { generateKey, hasAlgorithm, importPrivateKey, importPublicKey, sha256 } from "../crypto.ts";
import { keyMembersOf, type PublicKey, publicMembersOf, thumbprintMembersOf } from "./jwk.ts";
import type { KeyRecord, Store } from "../store/store.ts";
import { chain, type MaybePromise } from "../maybe_promise.ts";
import { quoteValue } from "../quote_value.ts";
import { ConfigurationError } from "../configuration_error.ts";
import { testHosts } from "../test_hosts.ts";
import type { CoreTrace } from "../trace.ts";
import { type SigningAlgorithm, signingAlgorithms } from "./signing_algorithm.ts";

/** Signs bytes. The private key need not be in the process. */
export interface Signer {
  /** The algorithm. */
  readonly alg: SigningAlgorithm;
  /** The key ID. */
  readonly kid: string;
  /** Signs; for ES256 the raw concatenation of r and s (RFC 7518 §3.4). */
  sign(bytes: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

/** @internal A key as the JWKS has it. */
export interface PublishedKey {
  /** The key ID: the RFC 7638 thumbprint, unless the program chose another one. */
  readonly kid: string;
  readonly alg: SigningAlgorithm;
  readonly use: "sig";
  /** The public members of its type: `n` and `e`; `crv`, `x` and `y`; or `pub`. */
  readonly [member: string]: unknown;
}

/** @internal The keys of a server. */
export interface Keys {
  /** The current signer of an algorithm; generates the first key. */
  signer(alg: SigningAlgorithm): MaybePromise<Signer>;
  /**
   * The public key that a token of this server names; `undefined` if it is unknown or retired.
   *
   * @param leeway Seconds for which a key stays valid after it is no longer published, for tokens whose expiry is
   *   ignored. Default: 0.
   */
  verificationKey(kid: string | undefined, alg: string | undefined, leeway?: number): Promise<PublicKey | undefined>;
  /** The keys that a verifier may need: those of these algorithms and of every other algorithm that was ever used. */
  publishedKeys(algs: Iterable<SigningAlgorithm>): Promise<readonly PublishedKey[]>;
  /**
   * Generates the next key of an algorithm. It is published immediately and signs after `lead` seconds; the previous
   * key stays published until its tokens have expired. If two instances rotate at the same time, both use one of the
   * two keys.
   *
   * @param key The next key. Default: a new one.
   */
  rotate(alg: SigningAlgorithm, lead: number, key?: NewKey): Promise<void>;
  /**
   * Adds the next key if the newest one has signed for `every` seconds. Instances on one store that do this at the same
   * time add one key together.
   */
  rotateIfDue(alg: SigningAlgorithm, every: number, lead: number): Promise<void>;
  /** Loads the keys of other instances on the same store. */
  refresh(): Promise<void>;
}

/** @internal A key and its ID: the private JWK, which is kept in the store; or the public one if the program signs. */
export type NewKey = Pick<KeyRecord, "kid" | "jwk">;

/** Creates and imports signing keys. */
export interface KeyFactory {
  /** Creates the next key of an algorithm. @param number Number of earlier keys of the algorithm. */
  create(alg: SigningAlgorithm, number: number): NewKey | Promise<NewKey>;
  /** Imports a key of the store. */
  import(alg: SigningAlgorithm, key: NewKey): Promise<Pick<Signer, "sign"> & { readonly publicKey: PublicKey }>;
}

/**
 * Prefix of the key IDs of test keys, whose private halves are public source text. A server whose issuer is not a test
 * host neither signs with them nor publishes them.
 */
const testKeyPrefix = "latchkey-test-";

interface LoadedKey {
  readonly record: KeyRecord;
  readonly signer: Signer;
  readonly publicKey: PublicKey;
  readonly publishedKey: PublishedKey;
}

/**
 * Keys in a store: servers on one store sign with the same keys. Keys are numbered; the first server to add a number
 * wins. The record of the next key determines when a key retires.
 *
 * @param maxTokenLifetimeSeconds Maximum lifetime of a token, in seconds.
 */
export function storedKeys(
  store: Store,
  now: () => number,
  trace: CoreTrace,
  maxTokenLifetimeSeconds: number,
  { factory = generatedKeys, testKeys }: { readonly factory?: KeyFactory; readonly testKeys: "accepted" | "rejected" },
): Keys {
  const keyRings = new Map<SigningAlgorithm, Promise<readonly LoadedKey[]>>();
  const loadedKeyRings = new WeakMap<Promise<readonly LoadedKey[]>, readonly LoadedKey[]>();

  /** The known keys, and newer ones from the store. */
  async function loadNewer(alg: SigningAlgorithm, knownKeys: readonly LoadedKey[]): Promise<readonly LoadedKey[]> {
    const keys = [...knownKeys];
    while (true) {
      const next = await store.get("key", keyRecordId(alg, keys.length));
      if (next === undefined) return keys;
      assertAllowed(next.value);
      keys.push(await importRecord(alg, await extendLifetime(keyRecordId(alg, keys.length), next.value), factory));
    }
  }

  function assertAllowed({ kid }: NewKey): void {
    if (testKeys === "rejected" && kid.startsWith(testKeyPrefix)) throw testKeyRejected(kid);
  }

  /** Keeps a key published as long as the tokens of this server are valid. */
  async function extendLifetime(name: string, record: KeyRecord): Promise<KeyRecord> {
    if (record.longest >= maxTokenLifetimeSeconds) return record;
    const extended = { ...record, longest: maxTokenLifetimeSeconds };
    await store.put("key", name, extended, { expiresAt: Infinity });
    return extended;
  }

  async function loadKeys(alg: SigningAlgorithm): Promise<readonly LoadedKey[]> {
    const keys = await loadNewer(alg, []);
    return keys.length > 0 ? keys : await appendKey(alg, keys, now());
  }

  async function appendKey(
    alg: SigningAlgorithm,
    keys: readonly LoadedKey[],
    signsFrom: number,
    givenKey?: NewKey,
  ): Promise<readonly LoadedKey[]> {
    const newKey = givenKey ?? await factory.create(alg, keys.length);
    assertAllowed(newKey);
    if (keys.some(({ signer }) => signer.kid === newKey.kid)) throw duplicateKid(newKey.kid);
    const record: KeyRecord = { ...newKey, signsFrom, longest: maxTokenLifetimeSeconds };
    if (await store.add("key", keyRecordId(alg, keys.length), record, { expiresAt: Infinity })) {
      trace({ type: "key_created", at: now(), alg, kid: record.kid });
    }
    return await loadNewer(alg, keys);
  }

  function keyRing(alg: SigningAlgorithm): Promise<readonly LoadedKey[]> {
    return keyRings.get(alg) ?? replaceKeyRing(alg, loadKeys(alg));
  }

  /** Whether the store has a key that this runtime can import: a server on another runtime may have used the store. */
  async function hasStoredKey(alg: SigningAlgorithm): Promise<boolean> {
    return await store.get("key", keyRecordId(alg, 0)) !== undefined && hasAlgorithm(alg);
  }

  /** The newest key that already signs. */
  function currentSigner(keys: readonly LoadedKey[]): Signer {
    if (keys.length === 1) return keys[0]!.signer;
    const time = now();
    return (keys.findLast(({ record }) => record.signsFrom <= time) ?? keys[0]!).signer;
  }

  /** Requests wait for the new keys; if these cannot be loaded, the previous ones remain. */
  function replaceKeyRing(alg: SigningAlgorithm, keys: Promise<readonly LoadedKey[]>): Promise<readonly LoadedKey[]> {
    const previous = keyRings.get(alg);
    keyRings.set(alg, keys);
    keys.then((loaded) => loadedKeyRings.set(keys, loaded), async () => {
      const knownKeys = await previous?.catch(() => undefined);
      if (keyRings.get(alg) !== keys) return;
      if (knownKeys === undefined) keyRings.delete(alg);
      else keyRings.set(alg, previous!);
    });
    return keys;
  }

  return {
    signer(alg) {
      const keys = keyRing(alg);
      return chain(loadedKeyRings.get(keys) ?? keys, currentSigner);
    },

    async verificationKey(kid, alg, leewaySeconds = 0) {
      const knownKeys = signingAlgorithms.find((candidate) => candidate === alg);
      // A token that names an unused algorithm must not make the server generate a key.
      if (knownKeys === undefined) return undefined;
      if (!keyRings.has(knownKeys) && !await hasStoredKey(knownKeys)) return undefined;
      const find = (keys: readonly LoadedKey[]) =>
        keys.find((candidate, i) => candidate.signer.kid === kid && !isRetired(keys, i, now() - leewaySeconds * 1000));
      const keys = await keyRing(knownKeys);
      // Another instance may have added it.
      return (find(keys) ?? find(await replaceKeyRing(knownKeys, loadNewer(knownKeys, keys))))?.publicKey;
    },

    async publishedKeys(algs) {
      // Tokens from before a restart may use an algorithm that is no longer in use.
      const algorithms = new Set([...algs, ...keyRings.keys()].filter(hasAlgorithm));
      for (const alg of signingAlgorithms) {
        if (!algorithms.has(alg) && await hasStoredKey(alg)) algorithms.add(alg);
      }
      const all = await Promise.all(
        [...algorithms].map(async (alg) => replaceKeyRing(alg, loadNewer(alg, await keyRing(alg)))),
      );
      return all.flatMap((keys) => keys.filter((_, i) => !isRetired(keys, i, now())).map((key) => key.publishedKey));
    },

    async rotate(alg, leadSeconds, key) {
      const keys = await loadNewer(alg, await keyRing(alg));
      await replaceKeyRing(alg, appendKey(alg, keys, now() + leadSeconds * 1000, key));
    },

    async rotateIfDue(alg, every, leadSeconds) {
      const isDue = (keys: readonly LoadedKey[]) => keys.at(-1)!.record.signsFrom + every * 1000 <= now();
      const keys = await keyRing(alg);
      if (!isDue(keys)) return;
      // Another instance may have added the key meanwhile. If two instances add it from here on, the store keeps one.
      const newest = await loadNewer(alg, keys);
      await replaceKeyRing(
        alg,
        isDue(newest) ? appendKey(alg, newest, now() + leadSeconds * 1000) : Promise.resolve(newest),
      );
    },

    async refresh() {
      // Reloads every key: another instance may have extended the lifetime of one.
      await Promise.all([...keyRings.keys()].map((alg) => replaceKeyRing(alg, loadKeys(alg))));
    },
  };
}

function keyRecordId(alg: SigningAlgorithm, number: number): string {
  return `${alg} ${number}`;
}

/** Whether every token of a key has expired: its successor signs, and the longest lifetime has passed. */
function isRetired(keys: readonly LoadedKey[], i: number, time: number): boolean {
  const next = keys[i + 1]?.record;
  return next !== undefined && time >= next.signsFrom + keys[i]!.record.longest * 1000;
}

function duplicateKid(kid: string): ConfigurationError {
  return new ConfigurationError([{
    path: "keySource",
    expected: "a unique kid for each key",
    received: `${quoteValue(kid)} twice`,
    hint: "Return another key for each number that create() receives; use its thumbprint as kid.",
  }]);
}

function testKeyRejected(kid: string): ConfigurationError {
  return new ConfigurationError([{
    path: "keys",
    expected: "secret signing keys, because the issuer is not a test host",
    received: `the test key ${quoteValue(kid)}, whose private key is published`,
    hint: "Use a store that no test has used, and other keys; or, for a test, an issuer on a test host " +
      `(${testHosts}).`,
  }]);
}

export const generatedKeys: KeyFactory = {
  async create(alg) {
    const jwk = keyMembersOf(await generateKey(alg) as NewKey["jwk"]);
    return { kid: await thumbprint(jwk), jwk };
  },
  async import(alg, { jwk }) {
    const [publicKey, sign] = await Promise.all([
      importVerificationKey(alg, jwk),
      memoize(signingFunctions, jwk, () => importPrivateKey(alg, keyMembersOf(jwk))),
    ]);
    return { sign, publicKey };
  },
};

/** The public key of a JWK, which may be a private one. */
export function importVerificationKey(alg: SigningAlgorithm, jwk: NewKey["jwk"]): Promise<PublicKey> {
  return memoize(verificationKeys, jwk, () => importPublicKey(alg, publicMembersOf(jwk)));
}

/** The thumbprint of a key (RFC 7638 §3). */
async function thumbprint(jwk: NewKey["jwk"]): Promise<string> {
  return await sha256(JSON.stringify(thumbprintMembersOf(jwk)));
}

async function importRecord(alg: SigningAlgorithm, record: KeyRecord, factory: KeyFactory): Promise<LoadedKey> {
  const { kid, jwk } = record;
  const { sign, publicKey } = await factory.import(alg, record);
  return {
    record,
    signer: { alg, kid, sign },
    publicKey,
    publishedKey: { ...publicMembersOf(jwk), kid, alg, use: "sig" },
  };
}

const verificationKeys = new WeakMap<NewKey["jwk"], Promise<PublicKey>>();
const signingFunctions = new WeakMap<NewKey["jwk"], Promise<Signer["sign"]>>();

/** Servers with the same JWK object share its imported key. */
function memoize<T>(cache: WeakMap<NewKey["jwk"], T>, jwk: NewKey["jwk"], create: () => T): T {
  let cached = cache.get(jwk);
  if (cached === undefined) cache.set(jwk, cached = create());
  return cached;
}
