/**
 * Signing keys (RFC 7517), kept in the store and shared by all instances: one for each algorithm, which is generated
 * when it is first needed, and imported once. The whole server rotates keys (`server/hosting/rotating_keys.ts`). JWTs
 * are in `jwt.ts`, the server's symmetric secrets in `core/sessions/session.ts`, the primitives in `crypto.ts`.
 */

import { cryptography } from "./crypto.ts";
import { describeUnusableKey, findKeyFault } from "./key_faults.ts";
import { keyMembersOf, keyThumbprint, publicMembersOf } from "./jwk.ts";
import type { KeyRecord, Store } from "../store/store.ts";
import { isObject } from "../http/json_value.ts";
import { quoteValue } from "../http/quote_value.ts";
import { ConfigurationError } from "../rules/configuration_error.ts";
import { testHosts } from "../http/test_hosts.ts";
import type { CoreTrace } from "../trace.ts";
import { hasAlgorithm, type SigningAlgorithm, signingAlgorithms } from "./signing_algorithm.ts";
import { generateKey, importJwk, webAlgorithm, type WebKey } from "./web_keys.ts";

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
  signer(alg: SigningAlgorithm): Promise<Signer>;
  /**
   * The public key that a token of this server names; `undefined` if it is unknown or retired.
   *
   * @param leeway Seconds for which a key stays valid after it is no longer published, for tokens whose expiry is
   *   ignored. Default: 0.
   */
  verificationKey(kid: string | undefined, alg: string | undefined, leeway?: number): Promise<WebKey | undefined>;
  /** The keys that a verifier may need: those of these algorithms and of every other algorithm that was ever used. */
  publishedKeys(algs: Iterable<SigningAlgorithm>): Promise<readonly PublishedKey[]>;
}

/** @internal A key and its ID: the private JWK, which is kept in the store; or the public one if the program signs. */
export type NewKey = Pick<KeyRecord, "kid" | "jwk">;

/**
 * Prefix of the key IDs of test keys, whose private halves are public source text. A server whose issuer is not a test
 * host neither signs with them nor publishes them.
 */
const testKeyPrefix = "latchkey-test-";

/** A key of the store, imported. */
export interface LoadedKey {
  readonly record: KeyRecord;
  readonly signer: Signer;
  readonly publicKey: WebKey;
  readonly publishedKey: PublishedKey;
}

/** The store of keys, and what it takes to add one. */
export interface KeyStorage {
  readonly store: Store;
  /** The clock: milliseconds since the epoch. */
  readonly now: () => number;
  readonly trace: CoreTrace;
  /** Maximum lifetime of a token, in seconds. */
  readonly maxTokenLifetime: number;
  readonly testKeys: "accepted" | "rejected";
}

/**
 * Checks the keys of a store for a server that always signs with the first key of each algorithm.
 *
 * @throws {ConfigurationError} If an algorithm has further keys: the first one may have retired. Also if a key is a
 *   test key, and those are rejected.
 */
export async function assertNotRotated(storage: KeyStorage): Promise<void> {
  for (const alg of signingAlgorithms) {
    if (await findKey(storage, alg, 0) === undefined || await findKey(storage, alg, 1) === undefined) continue;
    throw new ConfigurationError([{
      path: "store",
      expected: "a store whose signing keys were never rotated, because core() signs with the first key",
      received: `rotated keys for ${alg}`,
      hint: "Use another store; or latchkey(), which signs with the current key.",
    }]);
  }
}

/**
 * Keys in a store: of two servers that add the key of an algorithm, the first one wins, and both sign with it. They use
 * only the first key ({@link assertNotRotated}).
 */
export function storedKeys(storage: KeyStorage): Keys {
  const known = new Map<SigningAlgorithm, Promise<LoadedKey>>();

  function keyOf(alg: SigningAlgorithm): Promise<LoadedKey> {
    let key = known.get(alg);
    if (key === undefined) {
      known.set(alg, key = loadFirst(alg));
      key.catch(() => known.delete(alg));
    }
    return key;
  }

  async function loadFirst(alg: SigningAlgorithm): Promise<LoadedKey> {
    const record = await findKey(storage, alg, 0);
    if (record === undefined) await addKey(storage, alg, 0, await createKey(alg), storage.now());
    const stored = record ?? (await findKey(storage, alg, 0))!;
    return await loadKeyOfRecord(alg, 0, stored, importOwnKey);
  }

  return {
    signer: async (alg) => (await keyOf(alg)).signer,

    async verificationKey(kid, name) {
      const alg = signingAlgorithms.find((candidate) => candidate === name);
      // A token that names an unused algorithm must not make the server generate a key.
      if (alg === undefined || !known.has(alg) && !await hasStoredKey(storage, alg)) return undefined;
      const { signer, publicKey } = await keyOf(alg);
      return signer.kid === kid ? publicKey : undefined;
    },

    async publishedKeys(algs) {
      const algorithms = await publishedAlgorithms(storage, [...algs, ...known.keys()]);
      return await Promise.all(algorithms.map(async (alg) => (await keyOf(alg)).publishedKey));
    },
  };
}

/** The algorithms of published keys: these, and those of tokens from before a restart. */
export async function publishedAlgorithms(
  storage: KeyStorage,
  algs: readonly SigningAlgorithm[],
): Promise<readonly SigningAlgorithm[]> {
  const known = new Set(algs.filter(hasAlgorithm));
  const others = signingAlgorithms.filter((alg) => !known.has(alg));
  const stored = await Promise.all(others.map((alg) => hasStoredKey(storage, alg)));
  return [...known, ...others.filter((_, i) => stored[i])];
}

/** Whether the store has a key that this runtime can import: a server on another runtime may have used the store. */
export async function hasStoredKey(storage: KeyStorage, alg: SigningAlgorithm): Promise<boolean> {
  return await readRecord(storage, alg, 0) !== undefined && hasAlgorithm(alg);
}

export async function findKey(
  storage: KeyStorage,
  alg: SigningAlgorithm,
  number: number,
): Promise<KeyRecord | undefined> {
  const record = await readRecord(storage, alg, number);
  if (record !== undefined) assertAllowed(storage.testKeys, record);
  return record;
}

/** Reads a record, which another program may have changed. @throws {ConfigurationError} If it is not a key record. */
async function readRecord(
  { store }: KeyStorage,
  alg: SigningAlgorithm,
  number: number,
): Promise<KeyRecord | undefined> {
  const value: unknown = await store.get("key", keyRecordId(alg, number)).then((found) => found?.value, (error) => {
    // Stores parse the JSON of their records.
    if (!(error instanceof SyntaxError)) throw error;
    return null;
  });
  if (value === undefined) return undefined;
  const { kid, jwk, signsFrom, longest } = isObject(value) ? value : {};
  const isRecord = typeof kid === "string" && isObject(jwk) && typeof signsFrom === "number" &&
    typeof longest === "number";
  if (isRecord) return { kid, jwk, signsFrom, longest } as KeyRecord;
  throw unusableRecord(alg, number, {
    expected: "an object with kid, jwk, signsFrom and longest",
    received: "another value",
  });
}

/** Loads the key of a record. @throws {ConfigurationError} If it cannot sign. */
export async function loadKeyOfRecord(
  alg: SigningAlgorithm,
  number: number,
  record: KeyRecord,
  importKey: (alg: SigningAlgorithm, record: KeyRecord) => Promise<ImportedKey>,
): Promise<LoadedKey> {
  try {
    const { kid, jwk } = record;
    const { sign, publicKey } = await importKey(alg, record);
    const publishedKey = { ...publicMembersOf(jwk), kid, alg, use: "sig" } as const;
    return { record, signer: { alg, kid, sign }, publicKey, publishedKey };
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    throw unusableRecord(alg, number, describeUnusableKey(alg, record.jwk));
  }
}

/** The error of a record that is not a key for its algorithm. */
function unusableRecord(
  alg: SigningAlgorithm,
  number: number,
  { expected, received }: { readonly expected: string; readonly received: string },
): ConfigurationError {
  return new ConfigurationError([{
    path: "store",
    expected: `${expected} in the record of the signing key "${keyRecordId(alg, number)}"`,
    received,
    hint:
      "Restore the store from a backup, or delete its signing keys, as the guide Stores says: the server then creates " +
      "new ones, and tokens of the old ones are invalid.",
  }]);
}

/** Adds the key of this number, unless another instance has added one. */
export async function addKey(
  { store, now, trace, maxTokenLifetime, testKeys }: KeyStorage,
  alg: SigningAlgorithm,
  number: number,
  key: NewKey,
  signsFrom: number,
): Promise<void> {
  assertAllowed(testKeys, key);
  const record = { ...key, signsFrom, longest: maxTokenLifetime };
  if (await store.add("key", keyRecordId(alg, number), record, { expiresAt: Infinity })) {
    trace({ type: "key_created", at: now(), alg, kid: key.kid });
  }
}

export function keyRecordId(alg: SigningAlgorithm, number: number): string {
  return `${alg} ${number}`;
}

function assertAllowed(testKeys: KeyStorage["testKeys"], { kid }: NewKey): void {
  if (testKeys === "accepted" || !kid.startsWith(testKeyPrefix)) return;
  throw new ConfigurationError([{
    path: "keys",
    expected: "secret signing keys, because the issuer is not a test host",
    received: `the test key ${quoteValue(kid)}, whose private key is published`,
    hint: "Use a store that no test has used, and other keys; or, for a test, an issuer on a test host " +
      `(${testHosts}).`,
  }]);
}

export async function createKey(alg: SigningAlgorithm): Promise<NewKey> {
  const jwk = keyMembersOf(await generateKey(alg)) as NewKey["jwk"];
  return { kid: await keyThumbprint(jwk), jwk };
}

/** An imported key: its function that signs, and its public key. */
export interface ImportedKey extends Pick<Signer, "sign"> {
  readonly publicKey: WebKey;
}

/** Imports a key that the server itself signs with. @throws If its members do not belong together. */
export async function importOwnKey(alg: SigningAlgorithm, { jwk }: NewKey): Promise<ImportedKey> {
  const publicKey = await importVerificationKey(alg, jwk);
  return { publicKey, sign: await memoize(signingFunctions, alg, jwk, () => importSigner(alg, jwk, publicKey)) };
}

async function importSigner(alg: SigningAlgorithm, jwk: NewKey["jwk"], publicKey: WebKey): Promise<Signer["sign"]> {
  const sign = await cryptography().importSigner(alg, keyMembersOf(jwk));
  if (!await areOnePair(alg, sign, publicKey)) throw new Error("the private members do not belong to the public ones");
  return sign;
}

/** Whether a public key verifies a signature. */
export async function areOnePair(alg: string, sign: Signer["sign"], publicKey: WebKey): Promise<boolean> {
  const text = new TextEncoder().encode("key pair check");
  const signature = new Uint8Array(await sign(text));
  return await crypto.subtle.verify(webAlgorithm(alg), publicKey, signature, text);
}

/** The public key of a JWK, which may be a private one. */
export function importVerificationKey(alg: SigningAlgorithm, jwk: NewKey["jwk"]): Promise<WebKey> {
  return memoize(verificationKeys, alg, jwk, async () => {
    const fault = findKeyFault(alg, jwk);
    if (fault !== undefined) throw new Error(fault);
    return await importJwk(alg, publicMembersOf(jwk), "verify");
  });
}

const verificationKeys = new Map<string, Promise<WebKey>>();
const signingFunctions = new Map<string, Promise<Signer["sign"]>>();

/** Servers of one process share the imported keys of equal JWKs, such as the keys of tests. */
function memoize<T>(
  cache: Map<string, Promise<T>>,
  alg: SigningAlgorithm,
  jwk: object,
  create: () => Promise<T>,
): Promise<T> {
  const id = `${alg} ${JSON.stringify(jwk)}`;
  let cached = cache.get(id);
  if (cached === undefined) {
    if (cache.size >= maxShared) cache.clear();
    cache.set(id, cached = create());
    cached.catch(() => cache.delete(id));
  }
  return cached;
}

/** Many servers of one process have new keys, which no other one shares. */
const maxShared = 100;
