/** Public keys of clients and issuers: from their key set, or fetched from its URL (RFC 7517 §5). */

import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTHeaderParameters, type JWTVerifyGetKey } from "jose";
import type { BoundedCache } from "../../platform/bounded_cache.ts";
import { DocumentError, fetchDocument, type Outbound, parseJsonDocument } from "./outbound.ts";
import { isObject } from "../../core/http/json_value.ts";
import { quoteValue } from "../../core/http/quote_value.ts";
import { describeKeyFor, findVerificationFault } from "../../core/keys/key_faults.ts";
import { findMemberFaults, findPrivateMember, type Jwk, mayVerify, type PublicKeySet } from "../../core/keys/jwk.ts";

/**
 * Milliseconds for which fetched keys are valid, and the minimum time between fetches after an unknown key or a failed
 * fetch.
 */
const maxKeyAgeMs = 600_000;
const minFetchIntervalMs = 30_000;
/** Maximum age of fetched keys, in milliseconds, while the limit of fetches prevents a new fetch. */
const maxStaleMs = maxKeyAgeMs + 300_000;
/** The limits of a fetched key set. */
const jwksLimits = { accept: "application/jwk-set+json, application/json", maxBytes: 64 * 1024, timeoutMs: 5000 };

/** The owner of public keys: with its key set, or the URL of it. */
export interface KeyOwner {
  /** The key set; ignored if the URL is present. */
  readonly jwks?: PublicKeySet;
  /** The URL of the key set. */
  readonly jwks_uri?: string;
}

/** The keys of one URL. */
export interface KeyFetch {
  /** When they were fetched, by the server's clock in milliseconds. */
  readonly fetchedAt: number;
  /** Rejects if they could not be fetched. */
  readonly keys: Promise<PublicKeySet>;
}

/** @internal The fetches of one URL. */
export interface KeyFetches {
  /** The last successful one. */
  readonly last?: KeyFetch;
  /** A later one, which is under way or failed. */
  readonly later?: KeyFetch;
}

/** Makes a fetch within limits; throws before the fetch at a limit. */
export type LimitFetch = <T>(url: string, fetch: () => Promise<T>) => Promise<T>;

/** The part of the server that fetches keys. */
export interface KeyFetcher {
  readonly now: () => number;
  readonly outbound: Outbound;
  readonly keyFetches: BoundedCache<KeyFetches>;
}

/**
 * The keys of an owner, each imported once; keys in the header of a JWT are ignored. Keys of a URL are fetched when
 * they are needed, without following redirects (SSRF), once for all owners with this URL. They are fetched again if no
 * key suits a JWT, at most once in 30 seconds.
 *
 * @param limit Limits the fetch, if the operator did not choose the URL.
 */
export function remoteKeys(server: KeyFetcher, owner: KeyOwner, limit?: LimitFetch): JWTVerifyGetKey {
  const sets = keySets(server, owner, limit);
  return async (header, token) => {
    const keys = await sets.current();
    try {
      return await selectKey(keys, header, token);
    } catch (error) {
      if (!(error instanceof NoSuitableKey)) throw error;
      const newer = await sets.newer();
      if (newer === keys) throw error;
      return await selectKey(newer, header, token);
    }
  };
}

export interface KeySets {
  /** The key set, fetched at most ten minutes ago. @throws {DocumentError} @throws What `limit` throws. */
  current(): Promise<PublicKeySet>;
  /** The key set, fetched at most 30 seconds ago, for a key that the current one lacks. @throws As `current`. */
  newer(): Promise<PublicKeySet>;
}

/** The key set of an owner, under the same rules as {@link remoteKeys}. */
export function keySets(
  server: KeyFetcher,
  { jwks = { keys: [] }, jwks_uri: uri }: KeyOwner,
  limit?: LimitFetch,
): KeySets {
  if (uri !== undefined) return fetchedKeySets(server, uri, limit);
  const configured = () => Promise.resolve(jwks);
  return { current: configured, newer: configured };
}

const keySelectors = new WeakMap<PublicKeySet, JWTVerifyGetKey>();

/** Selects the key of a JWT by its header; keys with faults are left out (RFC 7517 §5). */
function keySelector(jwks: PublicKeySet): JWTVerifyGetKey {
  let selector = keySelectors.get(jwks);
  if (selector === undefined) {
    const suitable = jwks.keys.filter((key) => findMemberFaults(key).length === 0 && mayVerify(key));
    // Some runtimes do not import further operations, nor other values of `ext`.
    const keys = suitable.map(({ key_ops: _operations, ext: _ext, ...key }) => key);
    selector = createLocalJWKSet({ keys } as JSONWebKeySet);
    keySelectors.set(jwks, selector);
  }
  return selector;
}

function fetchedKeySets(server: KeyFetcher, uri: string, limit?: LimitFetch): KeySets {
  const { keyFetches, now } = server;
  // Begins a fetch before it waits: requests of the same moment share it. Those with a known key use the last keys.
  const getKeys = async (maxAgeMs: number) => {
    const { last, later } = keyFetches.get(uri) ?? {};
    // If the clock was set back, the keys count as expired.
    const ifFresh = (attempt: KeyFetch | undefined, limitMs: number) =>
      attempt !== undefined && Math.abs(now() - attempt.fetchedAt) < limitMs ? attempt.keys : undefined;
    const known = ifFresh(last, maxAgeMs) ?? ifFresh(later, minFetchIntervalMs);
    if (known !== undefined) return await known;
    let keys: Promise<PublicKeySet>;
    try {
      keys = limit === undefined ? fetchKeys(server, uri) : limit(uri, () => fetchKeys(server, uri));
    } catch (error) {
      const stale = ifFresh(last, maxStaleMs);
      if (stale === undefined) throw error;
      return await stale;
    }
    const attempt = { fetchedAt: now(), keys };
    keyFetches.set(uri, { last, later: attempt });
    const jwks = await keys;
    if (keyFetches.get(uri)?.later === attempt) keyFetches.set(uri, { last: attempt });
    return jwks;
  };
  return { current: () => getKeys(maxKeyAgeMs), newer: () => getKeys(minFetchIntervalMs) };
}

async function fetchKeys({ outbound }: KeyFetcher, uri: string): Promise<PublicKeySet> {
  const { text } = await fetchDocument(outbound, uri, jwksLimits);
  const jwks = parseJsonDocument(text, uri);
  if (!isKeySet(jwks)) throw new DocumentError(`a JSON Web Key Set from ${uri}`, "other JSON");
  const privateMember = jwks.keys.map(findPrivateMember).find((member) => member !== undefined);
  if (privateMember !== undefined) {
    throw new DocumentError(`public keys from ${uri}`, `a key with the private member ${privateMember}`);
  }
  return jwks;
}

function isKeySet(value: unknown): value is PublicKeySet {
  return isObject(value) && Array.isArray(value.keys) && value.keys.every(isObject);
}

/** No key of a set suits a JWT. */
export class NoSuitableKey extends errors.JWKSNoMatchingKey {
  readonly expected: string;
  readonly received: string;
  readonly fix: string;

  constructor({ kid, alg }: JWTHeaderParameters, { keys }: PublicKeySet, cause: unknown) {
    super("no key of its issuer suits it");
    const [named, others] = [keys.filter((key) => key.kid === kid), keys.filter((key) => key.kid !== kid)];
    const shown = [...named, ...others].slice(0, 5).map((key) => describeKey(alg, key));
    if (keys.length > shown.length) shown.push(`${keys.length - shown.length} more`);
    this.expected = `a ${describeKeyFor(alg)}` +
      (kid === undefined ? "" : ` with the JWT's kid ${quoteValue(kid)}`);
    if (cause instanceof errors.JWKSNoMatchingKey) {
      this.received = keys.length === 0 ? "an empty key set" : `a key set with ${shown.join("; ")}`;
      this.fix = keys.length === 0
        ? "Add the public key of the signer to the key set."
        : "Sign with the private key of a key in the set and send its alg and kid, or add your public key to the set.";
    } else {
      this.received = "a key that this runtime cannot import";
      this.fix = "Export the public key again, or create a new key.";
    }
  }
}

/** What is wrong with the keys of an owner, by the error of a verification; `undefined` for any other error. */
export function findKeyProblem({ jwks_uri }: KeyOwner, cause: unknown) {
  if (!(cause instanceof DocumentError || cause instanceof NoSuitableKey)) return undefined;
  const { expected, received, fix } = cause;
  const note =
    " If you corrected the keys at the URL, wait 30 seconds: Latchkey fetches them at most once in that time.";
  return { expected, received, fix: jwks_uri === undefined ? fix : fix + note };
}

function describeKey(alg: string, key: Jwk): string {
  const fault = findVerificationFault(alg, key) ?? `a key for ${alg}`;
  return key.kid === undefined ? fault : `${quoteValue(key.kid)} (${fault})`;
}

/** Selects a key; errors of the library may quote it. @throws {NoSuitableKey} @throws {errors.JWKSMultipleMatchingKeys} */
async function selectKey(keys: PublicKeySet, ...jwt: Parameters<JWTVerifyGetKey>) {
  try {
    return await keySelector(keys)(...jwt);
  } catch (error) {
    if (error instanceof errors.JWKSMultipleMatchingKeys) throw error;
    throw new NoSuitableKey(jwt[0], keys, error);
  }
}
