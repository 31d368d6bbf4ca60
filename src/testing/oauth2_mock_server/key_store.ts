/** The key store of oauth2-mock-server: keys that sign in turn (RFC 7517). */

import { importJWK } from "jose";
import { hasPrivateKey, keyMembersOf, keyThumbprint, privateMembers } from "../../core/keys/jwk.ts";
import { generateKey } from "../../core/keys/web_keys.ts";
import { quote } from "../../server/config/config_issue.ts";
import { verificationAlgorithms } from "../../server/config/verification_algorithms.ts";
import type { JWK } from "./types.ts";

/** Private keys, each with a `kid` and an `alg`. */
export class JWKStore {
  #keys: JWK[] = [];

  /**
   * Generates a key and adds it.
   *
   * @param alg The algorithm, such as `RS256`, `ES256` or `EdDSA`.
   * @param options The `kid`, by default its thumbprint, and for `EdDSA` the curve, which can only be `Ed25519`.
   * @throws {Error} If the algorithm or the curve is not supported.
   */
  async generate(alg: string, options: { kid?: string; crv?: string } = {}): Promise<JWK> {
    assertAlgorithm(alg);
    assertCurve(alg, options.crv);
    return this.#append(await withKid({ ...keyMembersOf(await generateKey(alg)), kid: options.kid, alg }));
  }

  /**
   * Adds a private key. It replaces the key with the same `kid`.
   *
   * @throws {Error} If it is not a private JWK with a supported `alg`.
   */
  async add(jwk: Record<string, unknown>): Promise<JWK> {
    const { alg, crv } = jwk;
    assertAlgorithm(alg);
    assertCurve(alg, crv);
    await importJWK({ ...jwk }, alg);
    if (!hasPrivateKey(jwk)) {
      throw new Error("Invalid JWK type: expected a private key, received a JWK without d or priv");
    }
    return this.#append(await withKid({ ...jwk, alg }));
  }

  /** The next key in turn, or the one with this `kid`; `undefined` if there is none. */
  get(kid?: string): JWK | undefined {
    const key = kid === undefined ? this.#keys[0] : this.#keys.find((candidate) => candidate.kid === kid);
    return key && this.#append(key);
  }

  /**
   * The keys as members of a JWK set.
   *
   * @param includePrivateFields Whether the private members are included. Default: false.
   */
  toJSON(includePrivateFields = false): JWK[] {
    return this.#keys.map((key) => includePrivateFields ? { ...key } : publicJwk(key));
  }

  /** Puts the key behind all others. */
  #append(key: JWK): JWK {
    this.#keys = [...this.#keys.filter(({ kid }) => kid !== key.kid), key];
    return key;
  }
}

/** The key with its `kid`; without one, with its thumbprint (RFC 7638). */
async function withKid(jwk: Record<string, unknown> & { alg: string }): Promise<JWK> {
  return { ...jwk, kid: typeof jwk.kid === "string" ? jwk.kid : await keyThumbprint(jwk) };
}

function publicJwk(key: JWK): JWK {
  return Object.fromEntries(
    Object.entries(key).filter(([name]) => !privateMembers.some((member) => member === name)),
  ) as JWK;
}

function assertAlgorithm(alg: unknown): asserts alg is string {
  if (alg === undefined) throw new Error('Unspecified JWK "alg" property');
  if (typeof alg === "string" && verificationAlgorithms.includes(alg)) return;
  throw new Error(
    `Unsupported JWK "alg" value (${quote(alg)}): expected one of ${verificationAlgorithms.join(", ")}`,
  );
}

function assertCurve(alg: string, crv: unknown): void {
  if (alg !== "EdDSA" || crv === undefined || crv === "Ed25519") return;
  throw new Error("Invalid or unsupported crv option provided, supported values are: Ed25519");
}
