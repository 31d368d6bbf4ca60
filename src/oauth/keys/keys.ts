/** Signing keys: made once, kept in the store, imported once, published before they sign (group JK; RFC 7517). */

import { encodeBase64url } from "../../runtime/base64url.ts";
import { digestBytes, sha256 } from "../../runtime/hash.ts";
import { makeKey, signingKey, verifies, verifyingKey } from "../../runtime/signing.ts";
import { soon } from "../maybe_promise.ts";
import type { Soon } from "../maybe_promise.ts";
import type { KeyRecord, Store } from "../../store/store.ts";
import { quote } from "../config/config_issue.ts";
import { testHosts } from "../test_hosts.ts";
import { ConfigurationError } from "../config/configuration_error.ts";
import type { Trace } from "../trace.ts";

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
  /** Its name: the RFC 7638 thumbprint, unless a {@link KeySource} chose another. */
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
  signer(alg: SigningAlgorithm): Soon<Signer>;
  /**
   * The public key that a token of this server names; `undefined` when there is none.
   *
   * @param leeway Seconds for which a key stays valid after it is no longer published, for tokens whose expiry is
   *   ignored. Default: 0.
   */
  verifier(kid: string | undefined, alg: string | undefined, leeway?: number): Promise<CryptoKey | undefined>;
  /** Every key that a verifier may need, of those algorithms and of every other one that was ever used. */
  published(algs: Iterable<SigningAlgorithm>): Promise<readonly PublishedKey[]>;
  /**
   * Makes the next key of an algorithm: published at once, signing after `lead` seconds, while the key before it stays
   * published until everything it signed has expired. When another instance makes a next key at the same moment, one of
   * the two counts for both.
   */
  rotate(alg: SigningAlgorithm, lead: number): Promise<void>;
  /** The time, in milliseconds, from which the newest key of an algorithm in use signs. */
  newest(alg: SigningAlgorithm): Promise<number>;
  /** Takes over what other instances on the same store have made of the keys. */
  refresh(): Promise<void>;
}

/**
 * A key and its name: the private half as a JWK, which is kept in the store, or the public one alone where
 * {@link KeySource.signs} reaches the other.
 */
export type NewKey = Pick<KeyRecord, "kid" | "jwk">;

/** Where signing keys come from, and what signs with them. */
export interface KeySource {
  /**
   * Makes the next key of an algorithm.
   *
   * @param number How many keys of the algorithm came before it.
   */
  make(alg: SigningAlgorithm, number: number): NewKey | Promise<NewKey>;
  /**
   * What signs with a key, such as a key management service that alone holds the private half and knows it by the `kid`.
   * `undefined`, and the default: the server does, with the private half that the key holds.
   */
  signs?(alg: SigningAlgorithm, key: NewKey): Signer["sign"] | undefined;
}

/**
 * How the names of test keys begin: keys whose private half stands in a source file for everybody to read. A server
 * whose issuer is a real host neither signs with them nor publishes them, wherever they come from.
 */
export const testKeyPrefix = "latchkey-test-";

interface Key {
  readonly record: KeyRecord;
  readonly signer: Signer;
  readonly publicKey: CryptoKey;
  readonly published: PublishedKey;
}

const publicMembers = ["kty", "crv", "x", "y", "n", "e"] as const;
const privateMembers = [...publicMembers, "d", "p", "q", "dp", "dq", "qi"] as const;

/**
 * Keys that live in a store: two servers on one store sign with the same ones. Each has a number, and the one that adds
 * the next number decides. When a key retires follows from the record after it.
 *
 * @param longest The longest life of a token, in seconds.
 */
export function storedKeys(
  store: Store,
  now: () => number,
  trace: Trace,
  longest: number,
  { source = generated, testKeys }: { readonly source?: KeySource; readonly testKeys: "accepted" | "refused" },
): Keys {
  const rings = new Map<SigningAlgorithm, Promise<readonly Key[]>>();
  /** Of those promises, what they have come to. */
  const settled = new WeakMap<Promise<readonly Key[]>, readonly Key[]>();

  /** The keys that are there: those known, and those with the next numbers. */
  async function extend(alg: SigningAlgorithm, known: readonly Key[]): Promise<readonly Key[]> {
    const keys = [...known];
    while (true) {
      const next = await store.get("key", nameOf(alg, keys.length));
      if (next === undefined) return keys;
      judge(next.value);
      keys.push(await wake(alg, await claim(nameOf(alg, keys.length), next.value), source));
    }
  }

  function judge({ kid }: NewKey): void {
    if (testKeys === "refused" && kid.startsWith(testKeyPrefix)) throw testKeyRefused(kid);
  }

  /** Makes sure that a key outlives what this server will sign with it. */
  async function claim(name: string, record: KeyRecord): Promise<KeyRecord> {
    if (record.longest >= longest) return record;
    const longer = { ...record, longest };
    await store.put("key", name, longer, { expiresAt: Infinity });
    return longer;
  }

  async function load(alg: SigningAlgorithm): Promise<readonly Key[]> {
    const keys = await extend(alg, []);
    return keys.length > 0 ? keys : await append(alg, keys, now());
  }

  async function append(alg: SigningAlgorithm, keys: readonly Key[], signsFrom: number): Promise<readonly Key[]> {
    const made = await source.make(alg, keys.length);
    judge(made);
    if (keys.some(({ signer }) => signer.kid === made.kid)) throw kidRepeated(made.kid);
    const record: KeyRecord = { ...made, signsFrom, longest };
    if (await store.add("key", nameOf(alg, keys.length), record, { expiresAt: Infinity })) {
      trace({ type: "key_made", at: now(), alg, kid: record.kid });
    }
    return await extend(alg, keys);
  }

  function ring(alg: SigningAlgorithm): Promise<readonly Key[]> {
    return rings.get(alg) ?? replace(alg, load(alg));
  }

  /** The newest key whose time to sign has come. */
  function newestSigning(keys: readonly Key[]): Signer {
    if (keys.length === 1) return keys[0]!.signer;
    const time = now();
    return (keys.findLast(({ record }) => record.signsFrom <= time) ?? keys[0]!).signer;
  }

  /** Until the new ones are there everybody waits for them; when they cannot be had, those before go on. */
  function replace(alg: SigningAlgorithm, keys: Promise<readonly Key[]>): Promise<readonly Key[]> {
    const before = rings.get(alg);
    rings.set(alg, keys);
    keys.then((known) => settled.set(keys, known), async () => {
      const known = await before?.catch(() => undefined);
      if (rings.get(alg) !== keys) return;
      if (known === undefined) rings.delete(alg);
      else rings.set(alg, before!);
    });
    return keys;
  }

  return {
    signer(alg) {
      const keys = ring(alg);
      return soon(settled.get(keys) ?? keys, newestSigning);
    },

    async verifier(kid, alg, leeway = 0) {
      const known = signingAlgorithms.find((one) => one === alg);
      // An algorithm nobody has signed with has no key, and none is made for whoever names it.
      if (known === undefined) return undefined;
      if (!rings.has(known) && await store.get("key", nameOf(known, 0)) === undefined) return undefined;
      const find = (keys: readonly Key[]) =>
        keys.find((one, i) => one.signer.kid === kid && !isRetired(keys, i, now() - leeway * 1000));
      const keys = await ring(known);
      // Another instance may have made it a moment ago.
      return (find(keys) ?? find(await replace(known, extend(known, keys))))?.publicKey;
    },

    async published(algs) {
      // Tokens may be about that were signed before a restart, with an algorithm that nobody asks for any more.
      const asked = new Set([...algs, ...rings.keys()]);
      for (const alg of signingAlgorithms) {
        if (!asked.has(alg) && await store.get("key", nameOf(alg, 0)) !== undefined) asked.add(alg);
      }
      const all = await Promise.all([...asked].map(async (alg) => replace(alg, extend(alg, await ring(alg)))));
      return all.flatMap((keys) => keys.filter((_, i) => !isRetired(keys, i, now())).map((key) => key.published));
    },

    async rotate(alg, lead) {
      const keys = await ring(alg);
      await replace(alg, append(alg, await extend(alg, keys), now() + lead * 1000));
    },

    async newest(alg) {
      return (await ring(alg)).at(-1)!.record.signsFrom;
    },

    async refresh() {
      // All of them anew: another instance may also have made one last longer.
      await Promise.all([...rings.keys()].map((alg) => replace(alg, load(alg))));
    },
  };
}

function nameOf(alg: SigningAlgorithm, number: number): string {
  return `${alg} ${number}`;
}

/** Whether a key is past the overlap with the one that took its place. */
function isRetired(keys: readonly Key[], i: number, time: number): boolean {
  const next = keys[i + 1]?.record;
  return next !== undefined && time >= next.signsFrom + keys[i]!.record.longest * 1000;
}

function kidRepeated(kid: string): ConfigurationError {
  return new ConfigurationError([{
    place: "keySource",
    expected: "a name of its own for each key",
    found: `${quote(kid)} once more`,
    mend: "Make another key for each number that make() is called with, and name it by what only it has.",
  }]);
}

function testKeyRefused(kid: string): ConfigurationError {
  return new ConfigurationError([{
    place: "keys",
    expected: "signing keys that nobody else knows, because the issuer is a real host",
    found: `the test key ${quote(kid)}, whose private half is public knowledge`,
    mend: "Give the server a store that no test has used and keys of its own; or, for a test, an issuer on a " +
      `test host (${testHosts}).`,
  }]);
}

/** Keys of one's own, which nobody else has. */
export const generated: KeySource = {
  async make(alg) {
    const jwk = pick(await makeKey(alg) as NewKey["jwk"], privateMembers);
    return { kid: await thumbprint(jwk), jwk };
  },
};

/** What a thumbprint is made of, in the order it asks for. */
const thumbprintMembers = ["crv", "e", "kty", "n", "x", "y"] as const;

/** A name that follows from a key (RFC 7638 §3). */
async function thumbprint(jwk: NewKey["jwk"]): Promise<string> {
  return await sha256(JSON.stringify(pick(jwk, thumbprintMembers)));
}

async function wake(alg: SigningAlgorithm, record: KeyRecord, source: KeySource): Promise<Key> {
  const { kid, jwk } = record;
  const open = pick(jwk, publicMembers);
  const [publicKey, sign] = await Promise.all([
    once(verifying, jwk, () => verifyingKey(alg, open)),
    source.signs?.(alg, record) ?? once(signing, jwk, () => signingKey(alg, pick(jwk, privateMembers))),
  ]);
  // What others have made is tried, once for each key: a token that nobody can verify is worse than none.
  if (source !== generated) await once(proved, jwk, () => prove(alg, kid, sign, publicKey));
  return { record, signer: { alg, kid, sign }, publicKey, published: { ...open, kid, alg, use: "sig" } };
}

/** Tries whether the public half verifies what the private one signs. */
async function prove(alg: SigningAlgorithm, kid: string, sign: Signer["sign"], publicKey: CryptoKey): Promise<void> {
  const text = encoder.encode("a text to try a key with");
  if (await verifies(alg, publicKey, new Uint8Array(await sign(text)), text)) return;
  throw new ConfigurationError([{
    place: "keySource",
    expected: `signatures by ${alg} that the key's own public members verify`,
    found: `another one for the key ${quote(kid)}`,
    mend: alg === "ES256"
      ? "Give r and s of 32 bytes each, one after the other, not DER; and the public half of the key that signs."
      : "Give the public half of the key that signs.",
  }]);
}

/** Those members that are there, in that order. */
function pick(jwk: NewKey["jwk"], members: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(members.flatMap((name) => jwk[name] === undefined ? [] : [[name, jwk[name]]]));
}

const proved = new WeakMap<NewKey["jwk"], Promise<void>>();
const verifying = new WeakMap<NewKey["jwk"], Promise<CryptoKey>>();
const signing = new WeakMap<NewKey["jwk"], Promise<Signer["sign"]>>();

/** Servers that hold the very same value share what was imported from it, because importing is dear. */
function once<T>(known: WeakMap<NewKey["jwk"], T>, jwk: NewKey["jwk"], make: () => T): T {
  let found = known.get(jwk);
  if (found === undefined) known.set(jwk, found = make());
  return found;
}

/** What may be signed, and the `typ` in its header. */
const types: Readonly<Record<SignedKind, string>> = { access_token: "at+jwt", id_token: "JWT", userinfo: "JWT" };

/** What may be signed. */
export type SignedKind = "access_token" | "id_token" | "userinfo";

/** Signs the claims of one kind of token. Times among the claims are in seconds since the epoch. */
export type Sign = (
  kind: SignedKind,
  alg: SigningAlgorithm,
  claims: Readonly<Record<string, unknown>>,
) => Soon<string>;

/** Signs with whichever key signs at the moment. */
export function signWith(keys: Keys): Sign {
  return (kind, alg, claims) => soon(keys.signer(alg), (signer) => signJwt(signer, types[kind], claims));
}

const encoder = new TextEncoder();

/** Signs claims as a compact JWS (RFC 7515 §7.1). Times among the claims are in seconds since the epoch. */
export function signJwt(signer: Signer, typ: string, claims: Readonly<Record<string, unknown>>): Soon<string> {
  const input = `${headerOf(signer, typ)}.${encodeBase64url(JSON.stringify(claims))}`;
  return soon(signer.sign(encoder.encode(input)), (signature) => `${input}.${encodeBase64url(signature)}`);
}

const headers = new WeakMap<Signer, Map<string, string>>();

/** The encoded header, which is the same for every token of one key and type. */
function headerOf(signer: Signer, typ: string): string {
  let byType = headers.get(signer);
  if (byType === undefined) headers.set(signer, byType = new Map());
  let header = byType.get(typ);
  if (header === undefined) {
    header = encodeBase64url(JSON.stringify({ alg: signer.alg, typ, kid: signer.kid }));
    byType.set(typ, header);
  }
  return header;
}

/** The left half of a token's digest, as `at_hash` wants it (OpenID Connect Core §3.1.3.6). */
export function tokenHash(alg: SigningAlgorithm, token: string): Soon<string> {
  const whole = digestBytes(alg === "EdDSA" ? "sha512" : "sha256", token);
  return soon(whole, (bytes) => encodeBase64url(bytes.subarray(0, bytes.length / 2)));
}
