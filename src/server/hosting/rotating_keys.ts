/**
 * Signing keys that rotate, in a store and shared by all instances.
 *
 * `signer` loads the current key of an algorithm, or adds the first one. `rotate` adds the next key: it is published
 * immediately, signs after a lead time, and the previous key retires when its tokens have expired. A source of the
 * embedding program may create the keys.
 */

import { ConfigurationError } from "../../core/rules/configuration_error.ts";
import {
  addKey,
  createKey,
  findKey,
  hasStoredKey,
  type ImportedKey,
  importOwnKey,
  keyRecordId,
  type Keys,
  type KeyStorage,
  type LoadedKey,
  loadKeyOfRecord,
  type NewKey,
  publishedAlgorithms,
  type Signer,
} from "../../core/keys/keys.ts";
import { type SigningAlgorithm, signingAlgorithms } from "../../core/keys/signing_algorithm.ts";
import { again, changeRecord } from "../../core/store/change.ts";
import { quoteValue } from "../../core/http/quote_value.ts";
import type { KeyRecord } from "../../core/store/store.ts";
import type { ServerPolicy } from "../config/server_policy.ts";

/** @internal Adds signing keys. */
export interface KeyRotation {
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
  /** Keeps keys published for tokens with these lifetimes too, because lifetimes have changed at run time. */
  keepFor(lifetimes: SignedLifetimes): void;
}

/** The lifetimes of what the keys sign, in seconds. */
type SignedLifetimes = Pick<ServerPolicy["lifetimes"], "access_token" | "id_token" | "authorization_response">;

export interface KeyFactory {
  /** Creates the next key of an algorithm. @param number Number of earlier keys of the algorithm. */
  create(alg: SigningAlgorithm, number: number): NewKey | Promise<NewKey>;
  /** Imports a key of the store. */
  import(alg: SigningAlgorithm, key: NewKey): Promise<ImportedKey>;
}

/**
 * Keys in a store: servers on one store sign with the same keys. Keys are numbered; the first server to add a number
 * wins. The record of the next key determines when a key retires.
 */
export function rotatingKeys(
  { lifetimes, ...keyStorage }: Omit<KeyStorage, "maxTokenLifetime"> & { readonly lifetimes: SignedLifetimes },
  factory: KeyFactory = { create: createKey, import: importOwnKey },
): Keys & KeyRotation {
  const { store, now } = keyStorage;
  let storage: KeyStorage = { ...keyStorage, maxTokenLifetime: longestLifetime(lifetimes) };
  const keyRings = new Map<SigningAlgorithm, Promise<readonly LoadedKey[]>>();

  /** The known keys, and newer ones from the store. */
  async function loadNewer(alg: SigningAlgorithm, knownKeys: readonly LoadedKey[]): Promise<readonly LoadedKey[]> {
    const keys = [...knownKeys];
    while (true) {
      const next = await findKey(storage, alg, keys.length);
      if (next === undefined) return keys;
      const record = await extendLifetime(keyRecordId(alg, keys.length), next);
      keys.push(await loadKeyOfRecord(alg, keys.length, record, factory.import));
    }
  }

  /** Keeps a key published as long as the tokens of this server are valid. */
  async function extendLifetime(name: string, record: KeyRecord): Promise<KeyRecord> {
    return await changeRecord("key", async () => {
      const { maxTokenLifetime } = storage;
      if (record.longest >= maxTokenLifetime) return record;
      const extended = { ...record, longest: maxTokenLifetime };
      if (await store.replace("key", name, record, extended, { expiresAt: Infinity })) return extended;
      record = (await store.get("key", name))?.value ?? extended;
      return again;
    });
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
    if (keys.some(({ signer }) => signer.kid === newKey.kid)) throw duplicateKid(newKey.kid);
    await addKey(storage, alg, keys.length, newKey, signsFrom);
    return await loadNewer(alg, keys);
  }

  function keyRing(alg: SigningAlgorithm): Promise<readonly LoadedKey[]> {
    return keyRings.get(alg) ?? replaceKeyRing(alg, loadKeys(alg));
  }

  /** The newest key that already signs. */
  function currentSigner(keys: readonly LoadedKey[]): Signer {
    if (keys.length === 1) return keys[0]!.signer;
    const time = now();
    return (keys.findLast(({ record }) => record.signsFrom <= time) ?? keys[0]!).signer;
  }

  /** Whether every token of a key has expired: its successor signs, and the longest lifetime has passed. */
  function isRetired(keys: readonly LoadedKey[], i: number, time: number): boolean {
    const next = keys[i + 1]?.record;
    const longest = Math.max(keys[i]!.record.longest, storage.maxTokenLifetime);
    return next !== undefined && time >= next.signsFrom + longest * 1000;
  }

  /** Requests wait for the new keys; if these cannot be loaded, the previous ones remain. */
  function replaceKeyRing(alg: SigningAlgorithm, keys: Promise<readonly LoadedKey[]>): Promise<readonly LoadedKey[]> {
    const previous = keyRings.get(alg);
    keyRings.set(alg, keys);
    keys.catch(async () => {
      const knownKeys = await previous?.catch(() => undefined);
      if (keyRings.get(alg) !== keys) return;
      if (knownKeys === undefined) keyRings.delete(alg);
      else keyRings.set(alg, previous!);
    });
    return keys;
  }

  return {
    signer: async (alg) => currentSigner(await keyRing(alg)),

    async verificationKey(kid, alg, leewaySeconds = 0) {
      const knownKeys = signingAlgorithms.find((candidate) => candidate === alg);
      // A token that names an unused algorithm must not make the server generate a key.
      if (knownKeys === undefined) return undefined;
      if (!keyRings.has(knownKeys) && !await hasStoredKey(storage, knownKeys)) return undefined;
      const find = (keys: readonly LoadedKey[]) =>
        keys.find((candidate, i) => candidate.signer.kid === kid && !isRetired(keys, i, now() - leewaySeconds * 1000));
      const keys = await keyRing(knownKeys);
      // Another instance may have added it.
      return (find(keys) ?? find(await replaceKeyRing(knownKeys, loadNewer(knownKeys, keys))))?.publicKey;
    },

    async publishedKeys(algs) {
      const algorithms = await publishedAlgorithms(storage, [...algs, ...keyRings.keys()]);
      const all = await Promise.all(
        algorithms.map(async (alg) => replaceKeyRing(alg, loadNewer(alg, await keyRing(alg)))),
      );
      return all.flatMap((keys) => keys.filter((_, i) => !isRetired(keys, i, now())).map((key) => key.publishedKey));
    },

    async rotate(alg, leadSeconds, key) {
      // A given key that comes before all others is the only one: none is generated beside it.
      const isFirst = key !== undefined && !keyRings.has(alg) && !await hasStoredKey(storage, alg);
      const keys = await loadNewer(alg, isFirst ? [] : await keyRing(alg));
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

    keepFor(lifetimes) {
      // Never less: tokens with the previous lifetimes are still valid.
      storage = { ...storage, maxTokenLifetime: Math.max(storage.maxTokenLifetime, longestLifetime(lifetimes)) };
    },
  };
}

function longestLifetime({ access_token, id_token, authorization_response }: SignedLifetimes): number {
  return Math.max(access_token, id_token, authorization_response);
}

function duplicateKid(kid: string): ConfigurationError {
  return new ConfigurationError([{
    path: "keySource",
    expected: "a unique kid for each key",
    received: `${quoteValue(kid)} twice`,
    hint: "Return another key for each number that create() receives; use its thumbprint as kid.",
  }]);
}
